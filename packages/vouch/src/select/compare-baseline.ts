import { baselineError, commonestClass } from "../evaluate/baseline.js";
import { mean, standardDeviation } from "../runtime/statistics.js";
import type { Split } from "../table/splits.js";
import type { Labelled } from "../table/target.js";

/** The baseline of a comparison: it always answers the commonest class of its training rows. */
export interface ComparisonBaseline {
  /** The commonest class of all rows that are not held out, and its index. */
  readonly class: string;
  readonly index: number;
  /** Fraction of misclassified rows of each fold; the answer is the commonest class of the other folds. */
  readonly errors: readonly number[];
  readonly mean: number;
  /** Standard deviation of the errors of the folds. */
  readonly sd: number;
}

/** Computes the errors of the baseline on the folds. */
export function comparisonBaseline(
  data: Pick<Labelled, "labels" | "classes">,
  folds: readonly Split[],
): ComparisonBaseline {
  const { labels, classes } = data;
  const index = commonestClass(labels, classes.length);
  const errors = folds.map(({ train, test }) => baselineError(data, train, test));
  return { class: classes[index], index, errors, mean: mean(errors), sd: standardDeviation(errors) };
}
