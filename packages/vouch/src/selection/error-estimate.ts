import { standardDeviation } from "../numeric/statistics.js";
import type { Score } from "./criterion.js";
import type { Trial } from "./evidence.js";

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
