import type { z } from "zod";
import { marginQuantiles } from "../bounds/margin-statistics.js";
import type { Sample } from "../data/sample.js";
import { errorsOn } from "../learning/evaluate-model.js";
import type { Growth, Learner, LearnerDefinition } from "../learning/learner.js";
import { parseOptions } from "../learning/options.js";
import { completeRun, type Run } from "../learning/run.js";
import { checkFinite, trainingSample } from "../learning/training-sample.js";
import type { Matrix } from "../numeric/matrix.js";
import { boost } from "./adaboost.js";
import { AdaBoostModel } from "./model.js";
import { adaboostOptions } from "./options.js";
import { boostWithPatience } from "./patience.js";

/** A committee of few rounds is the beginning of one of many. */
const growth: Growth<AdaBoostModel> = {
  option: "rounds",
  upTo: (model, rounds) => model.after(Math.min(rounds, model.rounds.length)),
};

/** Discrete AdaBoost on decision stumps; SAMME for more than two classes. */
export function adaboost(options?: z.input<typeof adaboostOptions>): Learner<AdaBoostModel, Matrix> {
  const parsed = parseOptions("adaboost", adaboostOptions, options);
  return {
    name: "adaboost",
    options: parsed,
    encoding: { kind: "numeric", standardise: false },
    async fit(given: Sample<Matrix>, run?: Partial<Run>) {
      checkFinite(given.features, given.featureNames);
      const training = trainingSample("adaboost", given);
      const { sample, distribution } = training;
      const committee =
        parsed.patience > 0
          ? await boostWithPatience(training, parsed, completeRun(run))
          : await boost(sample, distribution, parsed.rounds, completeRun(run));
      const model = new AdaBoostModel(sample.classes, sample.featureNames, committee);
      const margins = Float64Array.from(marginQuantiles(model.margins(sample)));
      const facts = { rows: sample.rows, errors: errorsOn(model, sample), margins };
      return new AdaBoostModel(sample.classes, sample.featureNames, committee, facts);
    },
    // With a patience the best of few rounds is not the beginning of the best of many.
    ...(parsed.patience === 0 && { growth }),
  };
}

/** What the rest of the system knows of `adaboost`. */
export const adaboostDefinition: LearnerDefinition<typeof adaboostOptions, AdaBoostModel, Matrix> = {
  name: "adaboost",
  summary: "A weighted vote of decision stumps, each made for the rows that the others get wrong.",
  options: adaboostOptions,
  multiclass: true,
  create: adaboost,
  restore: AdaBoostModel.restore,
};
