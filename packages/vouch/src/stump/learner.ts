import type { z } from "zod";
import type { Sample } from "../data/sample.js";
import { errorsOn } from "../learning/evaluate-model.js";
import type { Learner, LearnerDefinition } from "../learning/learner.js";
import { parseOptions } from "../learning/options.js";
import { completeRun, type Run } from "../learning/run.js";
import { sharesOf } from "../learning/scores.js";
import { checkFinite, trainingSample } from "../learning/training-sample.js";
import type { Matrix } from "../numeric/matrix.js";
import { StumpModel } from "./model.js";
import { stumpOptions } from "./options.js";
import { type FoundStump, StumpFinder } from "./stump-finder.js";

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
