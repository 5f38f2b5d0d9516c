import { classHint } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import { classCounts, type Labelled } from "./target.js";

/** Applies class weights to training rows. */
export function withClassWeights(
  training: Labelled,
  given: "balanced" | Readonly<Record<string, number>> | undefined,
): Labelled {
  if (given === undefined) return training;
  const classWeights = given === "balanced" ? balancedWeights(training) : namedWeights(given, training);
  return { ...training, classWeights };
}

/** Computes rows / (classes · rows of the class), so that all classes have the same total weight. */
function balancedWeights({ labels, classes }: Labelled): Float64Array {
  const counts = classCounts(labels, classes.length);
  const occurring = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  return Float64Array.from(counts, (count) => (count > 0 ? labels.length / (occurring * count) : 1));
}

function namedWeights(given: Readonly<Record<string, number>>, { classes }: Labelled): Float64Array {
  if (typeof given !== "object" || given === null) {
    throw new VouchError(
      "option/invalid",
      `classWeights must be "balanced" or weights by class, not ${JSON.stringify(given)}.`,
      {
        hint: "For example { Yes: 5 }.",
      },
    );
  }
  const weights = new Float64Array(classes.length).fill(1);
  for (const [name, weight] of Object.entries(given)) {
    const index = classes.indexOf(name);
    if (index < 0) {
      throw new VouchError("option/invalid", `"${name}" has a class weight, but is not a class.`, {
        hint: classHint(name, classes),
      });
    }
    if (!(weight > 0 && weight <= LARGEST_WEIGHT)) {
      throw new VouchError(
        "option/invalid",
        `The weight of class "${name}" must be above 0 and at most a billion, not ${weight}.`,
      );
    }
    weights[index] = weight;
  }
  return weights;
}

/** Larger weights would lose the other classes to rounding. */
const LARGEST_WEIGHT = 1e9;
