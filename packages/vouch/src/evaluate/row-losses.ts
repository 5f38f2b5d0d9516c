import type { Classification } from "../learners/model.js";
import { VouchError } from "../runtime/vouch-error.js";
import { brierLosses, logLosses } from "./metrics.js";

/** Metrics that are means of a loss of each row. */
export type RowMetric = "error" | "log-loss" | "brier";

/** Smaller probabilities count as this, so that a few rows with a probability of 0 do not outweigh all others. */
const LEAST_PROBABILITY = 1e-3;

/** Computes the loss of each row by a metric; smaller is better. */
export function lossesOfRows(
  metric: RowMetric,
  labels: Int32Array,
  { scores, predictions }: Classification,
): Float64Array {
  switch (metric) {
    case "error":
      return Float64Array.from(labels, (label, i) => Number(label !== predictions[i]));
    case "log-loss":
      return logLosses(labels, scores, LEAST_PROBABILITY);
    case "brier":
      return brierLosses(labels, scores);
  }
}

/** Returns the metric, or the default: log-loss for probabilities, error for decision values. Throws if it needs probabilities. */
export function rowMetricFor(
  { scoring, learner }: { readonly scoring: "probability" | "decision"; readonly learner: string },
  metric: RowMetric | undefined,
): RowMetric {
  if (metric === undefined) return scoring === "probability" ? "log-loss" : "error";
  if (metric === "error" || scoring === "probability") return metric;
  throw new VouchError(
    "learner/unsupported",
    `The ${metric} of ${learner} is not defined: it gives no probabilities.`,
    {
      hint: 'Measure the "error" instead.',
    },
  );
}
