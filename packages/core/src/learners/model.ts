import type { Features, Sample } from "../encode/sample.js";
import type { State } from "../runtime/codec/state.js";
import type { Matrix } from "../runtime/maths/matrix.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import type { Certificate } from "../theory/certificate.js";
import type { AdditiveScore } from "./additive.js";
import type { Description, TreeSection } from "./description.js";
import type { Evaluations } from "./scores.js";

/** The size of a model and of the family it was chosen from, for people and for bounds. */
export interface Complexity {
  /** VC dimension of the family, if it is known. */
  readonly vcDimension?: number;
  /** Present for a weighted vote between two classes. */
  readonly vote?: Vote;
  /** Number of free parameters, for information criteria; only if the model maximises the likelihood of its training rows. */
  readonly freeParameters?: number;
  /** Numbers of parameters or parts, by name: `rounds`, `supportVectors`, `trees`, … */
  readonly counts: Readonly<Record<string, number>>;
}

/** The size of a weighted vote. */
export interface Vote {
  readonly voters: number;
  /** VC dimension of the family of each voter, or an upper bound on it. */
  readonly vcDimension: number;
}

/** Reconstruction error of a pre-trained layer. */
export interface LayerReconstruction {
  readonly units: number;
  /** Mean squared distance between the layer's input and its reconstruction. */
  readonly error: number;
}

/** Scores and predictions of rows from one evaluation of a model. */
export interface Classification {
  readonly scores: Matrix;
  readonly predictions: Int32Array;
}

/** Results of one evaluation of a model; margins if the rows have labels. */
export interface RowResults extends Classification {
  readonly margins?: Float64Array;
}

/** Scores, predictions and margins of labelled rows from one evaluation of a model. */
export interface Assessment extends Classification {
  readonly margins: Float64Array;
}

/** Errors and margins on the training rows of positive weight, each counted once. */
export interface TrainingSummary {
  readonly rows: number;
  readonly errors: number;
  /** Margins at 0%, 1%, … 100% of their ascending order. */
  readonly margins: Float64Array;
}

/** A fitted, immutable classifier of encoded features. */
export interface Model<F extends Features = Features> {
  /** Name of the learner that made it. */
  readonly learner: string;
  /** The classes, in the order of the columns of `scores`. */
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  /** Probabilities sum to one per row; decision values only rank the classes. */
  readonly scoring: "probability" | "decision";
  /** Scores every row, with one column per class; the larger, the more likely. */
  scores(features: F): Matrix;
  /** Predicts the class with the largest score, as its index, for every row; ties go to the smaller index. */
  predict(features: F): Int32Array;
  /** Computes normalised margins in [−1, 1] of labelled rows; positive if the prediction is right. */
  margins(sample: Sample<F>): Float64Array;
  /** Computes scores and predictions of rows in one evaluation of the model. */
  classify(features: F): Classification;
  /** Computes scores, predictions and margins of labelled rows in one evaluation of the model. */
  assess(sample: Sample<F>): Assessment;
  /**
   * Computes the same as `classify`, or as `assess` with labels, as pausable work; absent if the model does not divide rows among
   * threads itself. `classifyRows` and `assessRows` evaluate every model on threads.
   */
  evaluate?(features: F, labels?: Int32Array): Pausable<RowResults>;
  /**
   * For each training row the scores of the trees that have not seen it, zeros if all have; only after the fit of a forest, model
   * files do not keep it.
   */
  readonly outOfBagScores?: Matrix | undefined;
  /**
   * For each training row the scores of models of other rows, made in the same way; only after the fit of a learner that uses
   * folds itself, model files do not keep it.
   */
  readonly outOfFoldScores?: Matrix | undefined;
  /** Errors and margins on the training rows, if its certificates use them or its fit computes them anyway. */
  readonly training?: TrainingSummary | undefined;
  /**
   * Whether every solver behind the model reached its tolerance; absent if that does not apply, as for trees, or is unknown, as
   * for imported models.
   */
  readonly converged?: boolean;
  /** Warnings about the fit, such as a solver that stopped early. */
  readonly notices?: readonly string[];
  complexity(): Complexity;
  /** Lists bounds on the error on new data that need only the training rows. */
  certificates?(options: { readonly confidence: number }): readonly Certificate[];
  /** Lists bounds for each class, if a theorem gives them. */
  classCertificates?(options: { readonly confidence: number }): readonly Certificate[];
  describe(): Description;
  /** Describes a few trees of an ensemble of trees by the rows that reach their nodes: model files do not keep these. */
  describeTrees?(sample: Sample<F>): Promise<readonly TreeSection[]>;
  /** Returns the score of a class as a sum over trees or features, for exact reasons; undefined if it is not such a sum. */
  additive?(classIndex: number): AdditiveScore<F> | undefined;
  /**
   * Yields the predictions after step 1, 2, … of a model that is grown in steps, in an array that the next step overwrites.
   */
  stagedPredictions?(features: F): Iterable<Int32Array>;
  /** Computes the mean cost of predicting one of these rows, for models made of several machines. */
  evaluations?(features: F): Evaluations;
  /** Reconstruction error of each hidden layer before fine-tuning, from the input up; absent without pre-training. */
  readonly reconstruction?: readonly LayerReconstruction[] | undefined;
  toState(): State;
}
