import type { Features, Sample } from "../encode/sample.js";
import type { Matrix } from "../runtime/matrix.js";
import type { Json, State } from "../runtime/state.js";
import type { Certificate } from "../theory/certificate.js";

/** A fact about a model's size, for people (`inspect`) and for bounds. */
export interface Complexity {
  /** VC dimension of the family the model was chosen from, where it is known. */
  readonly vcDimension?: number;
  /** Of a weighted vote between two classes. */
  readonly vote?: Vote;
  /**
   * How many numbers were free to be fitted, in a model that maximises the likelihood of its training rows; absent in
   * any other model. What information criteria ask for.
   */
  readonly freeParameters?: number;
  /** How many parameters or parts the model has, by name: `rounds`, `supportVectors`, `trees`, … */
  readonly counts: Readonly<Record<string, number>>;
}

/** The size of a weighted vote. */
export interface Vote {
  /** How many classifiers vote. */
  readonly voters: number;
  /** VC dimension of the family that each of them was chosen from, or an upper bound of it. */
  readonly vcDimension: number;
}

/** How well a pre-trained layer gives back its input. */
export interface LayerReconstruction {
  readonly units: number;
  /** Mean over the rows of the squared distance between the layer's input and what is decoded from its code. */
  readonly error: number;
}

/** A fitted, immutable classifier of encoded features. */
export interface Model<F extends Features = Features> {
  /** Name of the learner that made it, as on the command line. */
  readonly learner: string;
  /** The classes, in the order of the columns of `scores`. */
  readonly classes: readonly string[];
  /** What the scores are: probabilities sum to one per row, decision values only order the classes. */
  readonly scoring: "probability" | "decision";
  /** One row per row of features, one column per class; the larger, the more likely. */
  scores(features: F): Matrix;
  /** Index of the class with the largest score of each row; ties go to the smaller index. */
  predict(features: F): Int32Array;
  /** Normalised margins in [−1, 1] of labelled rows: positive where the model is right. */
  margins(sample: Sample<F>): Float64Array;
  /** What the user should know of the fit, such as a solver that gave up; nothing if absent. */
  readonly notices?: readonly string[];
  /** Of each hidden layer, from the input up, as it was before labels came in; absent if nothing was pre-trained. */
  readonly reconstruction?: readonly LayerReconstruction[] | undefined;
  complexity(): Complexity;
  /** What the training itself proves of the error on new data, without further rows; absent where it proves nothing. */
  certificates?(options: { readonly confidence: number }): readonly Certificate[];
  /** What `inspect` shows: the model's structure in words and numbers. */
  describe(): Json;
  toState(): State;
}
