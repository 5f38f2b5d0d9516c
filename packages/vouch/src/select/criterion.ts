import type { Learner } from "../learners/learner.js";
import type { Complexity, LayerReconstruction } from "../learners/model.js";
import { standardDeviation } from "../runtime/statistics.js";

/** What criteria can be told. */
export interface SelectionSettings {
  /** How many folds cross-validation has; at least 2. */
  readonly folds: number;
  /** Share of the rows that are held out; in (0, 1). */
  readonly holdout: number;
  /** The probability with which bounds hold; in (0, 1). */
  readonly confidence: number;
}

/** What a criterion says of one candidate: the smaller, the better. */
export interface Score {
  /** Infinity where the criterion says nothing; never NaN. */
  readonly value: number;
  /** The parts that the value is made of, by name. */
  readonly terms: Readonly<Record<string, number>>;
  /** Why the value is infinite; absent otherwise. */
  readonly reason?: string;
}

/** What a criterion says of all candidates that it can judge, in their order. */
export interface Judgement {
  readonly scores: readonly Score[];
  /** What holds for all scores, by name: a calibrated constant, a threshold. */
  readonly facts?: Readonly<Record<string, number>>;
}

/** A way to choose among candidates. */
export interface Criterion {
  /** As on the command line. */
  readonly name: string;
  /** One line: what it is. */
  readonly summary: string;
  /** What a score is: an estimate of the error, an upper bound of it, or a number that only orders. */
  readonly measures: "error" | "bound" | "order";
  /** The evidence that has to be gathered for it. */
  readonly needs: readonly EvidenceKind[];
  /**
   * Why it cannot judge models like this, as it follows a colon; undefined if it can. Only asked of criteria that
   * need `training`, before other evidence is gathered; absent if it judges all models.
   */
  refusal?(fitted: Fitted): string | undefined;
  /** Why it cannot judge models of a learner, as it follows a colon, before any is fitted; absent if it judges all. */
  refusalOf?(learner: Learner): string | undefined;
  /** Scores candidates that it has not refused. */
  score(candidates: readonly Evidence[], settings: SelectionSettings): Judgement;
}

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
export type EvidenceKind = keyof Evidence;

/**
 * The share of errors on rows that were not trained on, all trials together (thesis, eq. 2.1): each row counts once,
 * also where folds differ in size. `sd` is the standard deviation of the errors of the trials.
 */
export function errorEstimate(trials: readonly Trial[]): Score {
  const rows = trials.reduce((sum, trial) => sum + trial.rows, 0);
  const errors = trials.reduce((sum, trial) => sum + trial.errors, 0);
  const sd = standardDeviation(trials.map((trial) => trial.errors / trial.rows));
  return { value: errors / rows, terms: { errors, rows, ...(trials.length > 1 && { sd }) } };
}
