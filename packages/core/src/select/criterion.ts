import type { Learner } from "../learners/learner.js";
import { metricValue } from "../metrics/metric-name.js";
import type { Objective } from "../metrics/objective-metric.js";
import { mean, standardDeviation } from "../runtime/maths/statistics.js";
import { foldLosses, joinedFolds } from "../validation/fold-losses.js";
import type { TrainingMeasures, Trial } from "../validation/trial.js";

/** Settings that criteria share. */
export interface SelectionSettings {
  /** Number of folds of cross-validation; at least 2. */
  readonly folds: number;
  /** Fraction of the rows that is held out; in (0, 1). */
  readonly holdout: number;
  /** Probability with which bounds hold; in (0, 1). */
  readonly confidence: number;
  /** The metric that `cv`, `holdout` and `leave-one-out` estimate; the error by default. */
  readonly objective: Objective;
}

/** A criterion's score of a candidate; smaller is better. */
export interface Score {
  /** Infinity if the criterion is not informative; never NaN. */
  readonly value: number;
  /** Terms of the value, by name. */
  readonly terms: Readonly<Record<string, number>>;
  /** Why the value is infinite; absent otherwise. */
  readonly reason?: string;
}

/** Scores of all candidates that a criterion can judge, in order. */
export interface Judgement {
  readonly scores: readonly Score[];
  /** Values shared by all scores, such as a calibrated constant. */
  readonly facts?: Readonly<Record<string, number>>;
}

/** A criterion for choosing among candidates. */
export interface Criterion {
  /** Name on the command line. */
  readonly name: string;
  /** One line of help. */
  readonly summary: string;
  /** Whether a score estimates the error, bounds it from above, or only ranks candidates. */
  readonly measures: "error" | "bound" | "order";
  /** The evidence that it needs. */
  readonly needs: readonly EvidenceKind[];
  /**
   * Explains why it cannot judge a model, as a clause after a colon; undefined if it can. Only called if it needs
   * `training`, before other evidence is gathered; absent if it judges all models.
   */
  refusal?(fitted: TrainingMeasures): string | undefined;
  /** Explains why it cannot judge models of a learner, before any is fitted; absent if it judges all. */
  refusalOf?(learner: Learner): string | undefined;
  /** Scores the candidates that it can judge. */
  score(candidates: readonly Evidence[], settings: SelectionSettings): Judgement;
}

/** Errors of a model on rows that it did not see, and reconstruction errors of its pre-trained layers. */
export type TrialErrors = Pick<Trial, "rows" | "errors" | "classified" | "reconstruction">;

/** Evidence about a candidate. Kinds that no criterion needs are empty. */
export interface Evidence {
  /** The candidate fitted to all rows: one or none. */
  readonly training: readonly TrainingMeasures[];
  /** The candidate fitted to a part of the rows and tested on the rest: one or none. */
  readonly holdout: readonly { readonly fitted: TrainingMeasures; readonly trial: TrialErrors }[];
  /** For each fold, the candidate fitted to all other folds and tested on it. */
  readonly folds: readonly TrialErrors[];
  /** For each row, the candidate fitted to all other rows and tested on it. */
  readonly leaveOneOut: readonly TrialErrors[];
}

/** A kind of evidence. */
export type EvidenceKind = keyof Evidence;

/**
 * Computes the error over all trials together (thesis, eq. 2.1): each row counts once, even if folds differ in size.
 * `sd` is the standard deviation of the errors of the trials. For another metric, the value is its loss in the same
 * sense.
 */
export function errorEstimate(trials: readonly TrialErrors[], objective: Objective): Score {
  const rows = trials.reduce((sum, trial) => sum + trial.rows, 0);
  if (objective.metric !== "error") return lossEstimate(trials, rows, objective);
  const errors = trials.reduce((sum, trial) => sum + trial.errors, 0);
  const sd = standardDeviation(trials.map((trial) => trial.errors / trial.rows));
  return { value: errors / rows, terms: { errors, rows, ...(trials.length > 1 && { sd }) } };
}

function lossEstimate(trials: readonly TrialErrors[], rows: number, objective: Objective): Score {
  const folds = trials.flatMap(({ classified }) => (classified ? [classified] : []));
  const classes = folds[0].scores.length / folds[0].labels.length;
  // A single row has neither an AUC nor an F1, so all rows are treated as one fold.
  const isSingle = folds.every(({ labels }) => labels.length === 1);
  const losses = foldLosses(objective, isSingle ? [joinedFolds(folds)] : folds, classes);
  const value = losses.reduce((sum, own) => sum + own.reduce((total, loss) => total + loss, 0), 0) / rows;
  const { metric } = objective;
  const sd = standardDeviation(losses.map((own) => mean(own)));
  return {
    value,
    terms: { [metric]: metricValue(metric, value), rows, ...(losses.length > 1 && { sd }) },
  };
}
