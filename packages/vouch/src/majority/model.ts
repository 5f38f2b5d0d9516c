import { z } from "zod";
import type { Features, Sample } from "../data/sample.js";
import type { Complexity, Model } from "../learning/model.js";
import { indexOfLargest, marginsOf, predictionsOf } from "../learning/scores.js";
import { Matrix } from "../numeric/matrix.js";
import type { Json, State } from "../state/state.js";
import { StateReader } from "../state/state-reader.js";

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
