import { baselineError, baselineLosses, computeBaseline } from "../metrics/baseline.js";
import { type MetricValues, metricValues, type Objective } from "../metrics/objective-metric.js";
import { mean, standardDeviation } from "../runtime/maths/statistics.js";
import type { Split } from "../table/splits.js";
import type { Labelled } from "../table/target.js";

/** The baseline of a comparison: it always answers the most common class of its training rows. */
export interface ComparisonBaseline {
  /**
   * The most common class of all rows that are not held out, or the best constant answer by the metric, and its index.
   */
  readonly class: string;
  readonly index: number;
  /** Fraction of misclassified rows of each fold; the answer is the most common class of the other folds. */
  readonly errors: readonly number[];
  readonly mean: number;
  /** Standard deviation of the errors of the folds. */
  readonly sd: number;
  /** The metric of the comparison in each fold. */
  readonly metric: MetricValues;
  /** Share of each class among all rows that are not held out. */
  readonly shares: readonly number[];
}

/** Computes the errors of the baseline on the folds. */
export function comparisonBaseline(
  data: Pick<Labelled, "labels" | "classes">,
  folds: readonly Split[],
  objective: Objective,
): ComparisonBaseline {
  const { labels, classes } = data;
  const errors = folds.map(({ train, test }) => baselineError(data, train, test));
  const losses = folds.map(({ train, test }) => baselineLosses(objective, data, train, test));
  return {
    ...computeBaseline(labels, classes, objective),
    errors,
    mean: mean(errors),
    sd: standardDeviation(errors),
    metric: metricValues(objective.metric, losses),
  };
}
