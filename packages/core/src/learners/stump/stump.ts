import * as z from "zod";
import { nonNegativeInteger, realNumber } from "../../runtime/codec/schema-numbers.js";
import { shares } from "../../runtime/codec/tensor-parts.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { formatNumber } from "../../runtime/text/number-format.js";
import { stumpCertificates } from "../../theory/boosting/boosting.js";
import { stumpVcDimension } from "../../theory/vc/vc-dimension.js";
import { defineLearner } from "../define-learner.js";
import type { TreeLeaf } from "../description.js";
import { indexOfLargest, sharesOf } from "../scores.js";
import { type FoundStump, StumpFinder } from "./stump-finder.js";
import { stumpTerms } from "./stump-terms.js";

/** The best single threshold on one feature. */
export const stump = defineLearner({
  name: "stump",
  title: "Decision stump",
  summary: "Predicts by the best single threshold on one feature.",
  options: z.object({}),
  features: "matrix",
  encoding: { kind: "numeric", standardise: false },
  parts: {
    /** Absent in a constant stump: then all rows go left. */
    split: z.strictObject({ feature: nonNegativeInteger, threshold: realNumber }).optional(),
    /** Share of each class on the left side, then on the right side (left again in a constant stump). */
    leaves: shares([2, "classes"]),
  },
  keepsTrainingErrors: true,
  async fit({ sample, distribution }, _options, run) {
    const finder = await StumpFinder.of(sample, run);
    const found = await finder.best(distribution, run);
    return { ...(found.split && { split: { ...found.split } }), leaves: leafShares(found) };
  },
  fault({ split, featureNames }) {
    if (!split || split.feature < featureNames.length) return undefined;
    return `it splits on feature ${split.feature} of ${featureNames.length}`;
  },
  scores({ split, leaves, classes }, { rows, columns, values }) {
    const size = classes.length;
    const left = leaves.subarray(0, size);
    const right = leaves.subarray(size);
    const scores = new Float64Array(rows * size);
    for (let i = 0; i < rows; i++) {
      const goesLeft = !split || values[i * columns + split.feature] <= split.threshold;
      scores.set(goesLeft ? left : right, i * size);
    }
    return new Matrix(rows, size, scores);
  },
  additive({ split, leaves, classes }, classIndex) {
    const left = leaves[classIndex];
    const steps = [{ split, step: leaves[classes.length + classIndex] - left }];
    return {
      kind: "terms",
      unit: "probability",
      base: left,
      columnTerms: (features, columnOf, columns) => stumpTerms(steps, features, columnOf, columns),
    };
  },
  complexity({ classes, featureNames, split }) {
    const counts = { features: featureNames.length, leaves: split ? 2 : 1 };
    return classes.length === 2 ? { vcDimension: stumpVcDimension(featureNames.length), counts } : { counts };
  },
  certificates({ training, classes, featureNames }, { confidence }) {
    if (!training) return [];
    const { rows, errors } = training;
    const features = featureNames.length;
    return stumpCertificates({ rows, errors, features, classes: classes.length, confidence });
  },
  describe({ split, leaves, classes, featureNames }) {
    const size = classes.length;
    const leafAt = (side: number) => describedLeaf(classes, leaves.subarray(side * size, (side + 1) * size));
    if (!split) return { facts: [], sections: [{ kind: "tree", title: "stump", root: leafAt(0) }] };
    const root = {
      kind: "split" as const,
      condition: `${featureNames[split.feature]} ≤ ${formatNumber(split.threshold)}`,
      facts: [],
      branches: [
        { outcome: "yes", node: leafAt(0) },
        { outcome: "no", node: leafAt(1) },
      ],
    };
    return { facts: [], sections: [{ kind: "tree", title: "stump", root }] };
  },
});

function describedLeaf(classes: readonly string[], frequencies: Float64Array): TreeLeaf {
  return {
    kind: "leaf",
    label: classes[indexOfLargest(frequencies)],
    facts: [],
    shares: classes.map((name, k) => ({ class: name, share: frequencies[k] })),
  };
}

/** Computes the share of each class on either side; a constant stump has the same shares on both. */
function leafShares({ split, leaves }: FoundStump): Float64Array {
  const size = leaves.length / 2;
  const shares = new Float64Array(2 * size);
  shares.set(sharesOf(leaves.subarray(0, size)));
  shares.set(split ? sharesOf(leaves.subarray(size)) : shares.subarray(0, size), size);
  return shares;
}
