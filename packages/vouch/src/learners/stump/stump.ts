import { z } from "zod";
import type { Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/matrix.js";
import { completeRun, type Run } from "../../runtime/run.js";
import { type Json, type State, StateReader } from "../../runtime/state.js";
import { stumpCertificates } from "../../theory/boosting/boosting.js";
import type { Certificate } from "../../theory/certificate.js";
import { stumpVcDimension } from "../../theory/vc/vc-dimension.js";
import type { Learner, LearnerDefinition } from "../learner.js";
import type { Complexity, Model } from "../model.js";
import { parseOptions } from "../options.js";
import { indexOfLargest, marginsOf, predictionsOf, sharesOf } from "../scores.js";
import { errorsOn, type TrainingFacts, trainingFactsSchema } from "../training-facts.js";
import { checkFeatures, checkFinite, trainingSample } from "../training-sample.js";
import { type FoundStump, StumpFinder, type StumpSplit } from "./stump-finder.js";

/** A stump is found exactly: there is nothing to choose. */
const stumpOptions = z.object({});

const structure = z.strictObject({
  classes: z.array(z.string()).min(2),
  featureNames: z.array(z.string()),
  split: z.strictObject({ feature: z.int().min(0), threshold: z.number() }).nullable(),
  training: trainingFactsSchema.optional(),
});

/** One question and the class distribution behind each answer. */
export class StumpModel implements Model<Matrix> {
  readonly learner = "stump";
  readonly scoring = "probability";
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  /** Absent in a constant stump: then all rows go left. */
  readonly split: StumpSplit | undefined;
  /** Share of each class on the left side, then on the right side (left again in a constant stump). */
  readonly leaves: Float64Array;
  /** What certificates need; absent in files of older versions. */
  readonly training: TrainingFacts | undefined;

  constructor(
    parts: Pick<StumpModel, "classes" | "featureNames" | "split" | "leaves"> &
      Partial<Pick<StumpModel, "training">>,
  ) {
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.split = parts.split;
    this.leaves = parts.leaves;
    this.training = parts.training;
  }

  scores(features: Matrix): Matrix {
    checkFeatures(features, this.featureNames);
    const { split, leaves } = this;
    const size = this.classes.length;
    const left = leaves.subarray(0, size);
    const right = leaves.subarray(size);
    const scores = new Float64Array(features.rows * size);
    for (let i = 0; i < features.rows; i++) {
      const goesLeft = !split || features.values[i * features.columns + split.feature] <= split.threshold;
      scores.set(goesLeft ? left : right, i * size);
    }
    return new Matrix(features.rows, size, scores);
  }

  predict(features: Matrix): Int32Array {
    return predictionsOf(this.scores(features));
  }

  margins(sample: Sample<Matrix>): Float64Array {
    return marginsOf(this.scores(sample.features), sample.labels);
  }

  complexity(): Complexity {
    const counts = { features: this.featureNames.length, leaves: this.split ? 2 : 1 };
    return this.classes.length === 2
      ? { vcDimension: stumpVcDimension(this.featureNames.length), counts }
      : { counts };
  }

  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    if (!this.training) return [];
    const [features, classes] = [this.featureNames.length, this.classes.length];
    return stumpCertificates({ ...this.training, features, classes, confidence });
  }

  describe(): Json {
    const { split } = this;
    if (!split) return { leaf: this.#describeLeaf(0) };
    return {
      feature: this.featureNames[split.feature],
      threshold: split.threshold,
      left: this.#describeLeaf(0),
      right: this.#describeLeaf(1),
    };
  }

  #describeLeaf(side: number): Json {
    const size = this.classes.length;
    const shares = this.leaves.subarray(side * size, (side + 1) * size);
    return {
      predicts: this.classes[indexOfLargest(shares)],
      frequencies: this.classes.map((name, k) => ({ class: name, frequency: shares[k] })),
    };
  }

  toState(): State {
    const { classes, featureNames, split, leaves, training } = this;
    return {
      json: {
        classes,
        featureNames,
        split: split ? { ...split } : null,
        ...(training && { training: { ...training } }),
      },
      tensors: { leaves: { shape: [2, classes.length], data: leaves } },
    };
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): StumpModel {
    const reader = new StateReader("stump model", state);
    const { classes, featureNames, split, training } = reader.json(structure);
    reader.only("leaves");
    const leaves = reader.shares("leaves", [2, classes.length]);
    if (split && split.feature >= featureNames.length) {
      throw reader.corrupt(`it asks for feature ${split.feature} of ${featureNames.length}`);
    }
    return new StumpModel({ classes, featureNames, split: split ?? undefined, leaves, training });
  }
}

/** The one question about one feature that errs least on the training rows. */
export function stump(options?: z.input<typeof stumpOptions>): Learner<StumpModel, Matrix> {
  return {
    name: "stump",
    options: parseOptions("stump", stumpOptions, options),
    encoding: { kind: "numeric", standardise: false },
    async fit(given: Sample<Matrix>, partialRun?: Partial<Run>) {
      const run = completeRun(partialRun);
      checkFinite(given.features, given.featureNames);
      const { sample, distribution } = trainingSample("stump", given);
      const finder = await StumpFinder.of(sample, run);
      const found = await finder.best(distribution, run);
      const { classes, featureNames } = sample;
      const model = new StumpModel({ classes, featureNames, split: found.split, leaves: leafShares(found) });
      const training = { rows: sample.rows, errors: errorsOn(model, sample) };
      return new StumpModel({ ...model, training });
    },
  };
}

/** What the rest of the system knows of `stump`. */
export const stumpDefinition: LearnerDefinition<typeof stumpOptions, StumpModel, Matrix> = {
  name: "stump",
  summary: "One threshold on one feature, the best there is: the smallest classifier that looks at the data.",
  options: stumpOptions,
  multiclass: true,
  create: stump,
  restore: StumpModel.restore,
};

/** Share of each class on either side; a constant stump has the same shares on both. */
function leafShares({ split, leaves }: FoundStump): Float64Array {
  const size = leaves.length / 2;
  const shares = new Float64Array(2 * size);
  shares.set(sharesOf(leaves.subarray(0, size)));
  shares.set(split ? sharesOf(leaves.subarray(size)) : shares.subarray(0, size), size);
  return shares;
}
