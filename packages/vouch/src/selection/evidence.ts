import type { Complexity, LayerReconstruction } from "../learning/model.js";

/** How a model did on rows that it had not seen. */
export interface Trial {
  readonly rows: number;
  readonly errors: number;
  /** How well its pre-trained layers gave back the rows that they were trained on; only of models that pre-train. */
  readonly reconstruction?: readonly LayerReconstruction[];
}

/** What is known of a model from the rows that it was trained on. */
export interface Fitted extends Trial {
  readonly complexity: Complexity;
  /** Normalised margins of the training rows, as `marginQuantiles` sums them up. */
  readonly margins: readonly number[];
  /** ln of the likelihood of the training rows' labels; only where the learner maximises it. */
  readonly logLikelihood?: number;
}

/** Everything that criteria judge a candidate by. What no criterion needs is left empty. */
export interface Evidence {
  /** The candidate fitted to all rows: one, or none. */
  readonly training: readonly Fitted[];
  /** The candidate fitted to a part of the rows and tried on the others: one, or none. */
  readonly holdout: readonly { readonly fitted: Fitted; readonly trial: Trial }[];
  /** The candidate fitted to all folds but one and tried on that one, for each fold. */
  readonly folds: readonly Trial[];
  /** The candidate fitted to all rows but one and tried on that one, for each row. */
  readonly leaveOneOut: readonly Trial[];
}

/** A kind of evidence. */
export type Need = keyof Evidence;
