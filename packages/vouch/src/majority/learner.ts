import type { z } from "zod";
import type { Features, Sample } from "../data/sample.js";
import type { Learner, LearnerDefinition } from "../learning/learner.js";
import { parseOptions } from "../learning/options.js";
import { sharesOf } from "../learning/scores.js";
import { trainingSample } from "../learning/training-sample.js";
import { MajorityModel } from "./model.js";
import { majorityOptions } from "./options.js";

/** The baseline: predicts the most frequent class, whatever the features. */
export function majority(options?: z.input<typeof majorityOptions>): Learner<MajorityModel, Features> {
  return {
    name: "majority",
    options: parseOptions("majority", majorityOptions, options),
    encoding: { kind: "numeric", standardise: false },
    async fit(given: Sample<Features>) {
      const { sample, distribution } = trainingSample("majority", given);
      const weights = new Float64Array(sample.classes.length);
      for (let i = 0; i < sample.rows; i++) weights[sample.labels[i]] += distribution[i];
      return new MajorityModel(sample.classes, sharesOf(weights));
    },
  };
}

/** What the rest of the system knows of `majority`. */
export const majorityDefinition: LearnerDefinition<typeof majorityOptions, MajorityModel, Features> = {
  name: "majority",
  summary: "Always predicts the most frequent class: the baseline that others must beat.",
  options: majorityOptions,
  multiclass: true,
  create: majority,
  restore: MajorityModel.restore,
};
