import { z } from "zod";
import type { Features, Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/matrix.js";
import { type Json, type State, StateReader } from "../../runtime/state.js";
import type { Learner, LearnerDefinition } from "../learner.js";
import type { Complexity, Model } from "../model.js";
import { parseOptions } from "../options.js";
import { indexOfLargest, marginsOf, predictionsOf, sharesOf } from "../scores.js";
import { trainingSample } from "../training-sample.js";

/** The baseline has nothing to choose. */
const majorityOptions = z.object({});

const structure = z.strictObject({ classes: z.array(z.string()).min(2) });

/** Gives every row the class frequencies of the training rows. */
export class MajorityModel implements Model<Features> {
  readonly learner = "majority";
  readonly scoring = "probability";
  readonly classes: readonly string[];
  /** Share of each class in the weight of the training rows. */
  readonly frequencies: Float64Array;

  constructor(classes: readonly string[], frequencies: Float64Array) {
    this.classes = classes;
    this.frequencies = frequencies;
  }

  scores(features: Features): Matrix {
    const { frequencies } = this;
    const scores = new Float64Array(features.rows * frequencies.length);
    for (let i = 0; i < features.rows; i++) scores.set(frequencies, i * frequencies.length);
    return new Matrix(features.rows, frequencies.length, scores);
  }

  predict(features: Features): Int32Array {
    return predictionsOf(this.scores(features));
  }

  margins(sample: Sample<Features>): Float64Array {
    return marginsOf(this.scores(sample.features), sample.labels);
  }

  /** The two constant functions shatter one point and no two. Frequencies maximise the likelihood; they sum to one. */
  complexity(): Complexity {
    const counts = { classes: this.classes.length };
    const freeParameters = this.classes.length - 1;
    return { ...(this.classes.length === 2 && { vcDimension: 1 }), freeParameters, counts };
  }

  describe(): Json {
    return {
      predicts: this.classes[indexOfLargest(this.frequencies)],
      frequencies: this.classes.map((name, k) => ({ class: name, frequency: this.frequencies[k] })),
    };
  }

  toState(): State {
    const { frequencies } = this;
    return {
      json: { classes: this.classes },
      tensors: { frequencies: { shape: [frequencies.length], data: frequencies } },
    };
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): MajorityModel {
    const reader = new StateReader("majority model", state);
    const { classes } = reader.json(structure);
    reader.only("frequencies");
    return new MajorityModel(classes, reader.shares("frequencies", [classes.length]));
  }
}

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
