import type { Matrix } from "../runtime/maths/matrix.js";
import * as real from "../runtime/maths/portable-math.js";
import { mean, standardDeviation } from "../runtime/maths/statistics.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { CostMatrix } from "../theory/held-out/measures.js";
import { brierLosses, logLosses, scoresForClass } from "./evaluation.js";
import { type MetricName, metricValue } from "./metric-name.js";

/** The metric to optimise, as plain data for other threads and model files. */
export interface Objective {
  readonly metric: MetricName;
  /** Costs of predictions, for the metric `cost`. */
  readonly costs?: CostMatrix | undefined;
  /** Index of the positive class of two, for F1, thresholds and curves; absent with more classes. */
  readonly positive?: number | undefined;
}

/** The default objective. */
export const ERROR: Objective = { metric: "error" };

/** Classified rows of one model, or of one fold. */
export interface ClassifiedRows {
  /** True class index of each row; −1 for a class that the model lacks. */
  readonly labels: Int32Array;
  readonly predictions: Int32Array;
  /** Probabilities, or any scores for AUC. */
  readonly scores: Matrix;
}

/** Label of classes that the model lacks. */
const UNKNOWN = -1;

/** Values of a metric in folds, in its usual direction: AUC, not 1 − AUC. */
export interface MetricValues {
  readonly name: MetricName;
  readonly values: readonly number[];
  readonly mean: number;
  /** Standard deviation over the folds. */
  readonly sd: number;
}

/** Summarises the losses of folds as values of a metric. */
export function metricValues(name: MetricName, losses: readonly ArrayLike<number>[]): MetricValues {
  const values = losses.map((own) => metricValue(name, mean(own)));
  return { name, values, mean: mean(values), sd: standardDeviation(values) };
}

/** Lower limit of probabilities in bounded log losses, so that one confident mistake does not decide alone. */
export const CLIPPED_PROBABILITY = 0.001;

/**
 * Computes one loss per row whose mean is the loss of the metric on these rows: the metric itself, or 1 minus it if
 * larger is better. Two classifiers are compared by the paired differences of these losses, for every metric.
 *
 * Error, cost, log loss and Brier score are means over rows. Other metrics have the losses of their linear
 * approximation (influence function), whose mean is exactly the loss:
 *
 * - balanced error of K classes with n_k of n rows: n / (K n_k) for a mistake in class k.
 * - AUC with placements V_i, the share of rows of the other class that row i is ordered correctly against (DeLong,
 *   DeLong and Clarke-Pearson 1988): L + (n/n_k)(1 − V_i − L) for the loss L = 1 − AUC and a class with n_k of n rows.
 *   With more than two classes, the mean over the classes that occur, each against the rest.
 * - F1 = 2 TP / (2 TP + FP + FN) = a/b: 1 − F1 − (a_i − F1 b_i) n/b. With more than two classes, the mean over the
 *   classes.
 */
export function rowLosses(objective: Objective, rows: ClassifiedRows): Float64Array {
  switch (objective.metric) {
    case "error":
      return rows.predictions.length === 0 ? new Float64Array(0) : mistakes(rows);
    case "balanced-error":
      return balancedLosses(rows);
    case "auc":
      return aucLosses(rows);
    case "log-loss":
      return logLosses(rows.labels, rows.scores, CLIPPED_PROBABILITY);
    case "brier":
      return brierLosses(rows.labels, rows.scores);
    case "f1":
      return f1Losses(objective, rows);
    case "cost":
      return costLosses(objective, rows);
  }
}

/** Returns the maximum loss of a row under a metric whose loss is a mean over rows. */
export function largestLoss({ metric, costs }: Objective, classes: number): number {
  if (metric === "log-loss") return -real.log(CLIPPED_PROBABILITY);
  if (metric === "brier") return classes === 2 ? 1 : 2;
  return metric === "cost" && costs ? dearest(costs) : 1;
}

function mistakes({ labels, predictions }: Pick<ClassifiedRows, "labels" | "predictions">): Float64Array {
  const losses = new Float64Array(labels.length);
  for (let i = 0; i < labels.length; i++) losses[i] = Number(predictions[i] !== labels[i]);
  return losses;
}

function balancedLosses({ labels, predictions }: ClassifiedRows): Float64Array {
  const counts = new Map<number, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return Float64Array.from(labels, (label, i) => {
    const own = counts.get(label) ?? 1;
    return predictions[i] === label ? 0 : labels.length / (counts.size * own);
  });
}

function costLosses({ costs }: Objective, { labels, predictions }: ClassifiedRows): Float64Array {
  if (!costs) throw new VouchError("option/invalid", "The metric cost needs costs.");
  // A row of an unknown class costs as much as the most expensive error.
  const most = dearest(costs);
  return Float64Array.from(labels, (label, i) => (label < 0 ? most : costs[label][predictions[i]]));
}

function dearest(costs: CostMatrix): number {
  return Math.max(...costs.map((row) => Math.max(...row)));
}

function aucLosses({ labels, scores }: ClassifiedRows): Float64Array {
  const rows = labels.length;
  const all = scores.columns === 2 ? [1] : Array.from({ length: scores.columns }, (_, c) => c);
  const losses = new Float64Array(rows);
  let classes = 0;
  for (const c of all) {
    const { own, rest } = scoresForClass(labels, scores, c);
    if (own.length === 0 || rest.length === 0) continue;
    classes++;
    const wrong = Float64Array.from(labels, (label, i) => {
      const score = scores.values[i * scores.columns + c];
      if (label < 0) return 0;
      return label === c ? 1 - shareBelow(rest, score) : shareBelow(own, score);
    });
    const loss = labels.reduce((sum, label, i) => sum + (label === c ? wrong[i] : 0), 0) / own.length;
    const known = own.length + rest.length;
    for (let i = 0; i < rows; i++) {
      if (labels[i] < 0) losses[i] += loss;
      else losses[i] += loss + (known / (labels[i] === c ? own.length : rest.length)) * (wrong[i] - loss);
    }
  }
  if (classes === 0) return losses.fill(0.5);
  return losses.map((loss) => loss / classes);
}

/** Computes the share of ascending values below a score; ties count one half. */
function shareBelow(values: Float64Array, score: number): number {
  return (countBelow(values, score, false) + countBelow(values, score, true)) / (2 * values.length);
}

/** Counts the ascending values below a score, including equal ones if `equal`. */
function countBelow(values: Float64Array, score: number, equal: boolean): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < score || (equal && values[middle] === score)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function f1Losses({ positive }: Objective, { labels, predictions, scores }: ClassifiedRows): Float64Array {
  // Rows of unknown classes count as one additional class, as in `macroF1`.
  const classes = scores.columns === 2 ? [positive ?? 1] : [...Array(scores.columns).keys(), UNKNOWN];
  const rows = labels.length;
  const losses = new Float64Array(rows);
  let counted = 0;
  for (const c of classes) {
    let both = 0;
    let either = 0;
    for (let i = 0; i < rows; i++) {
      const isOwn = Number(labels[i] === c);
      const isPredicted = Number(predictions[i] === c);
      both += 2 * isOwn * isPredicted;
      either += isOwn + isPredicted;
    }
    // A class that neither occurs nor is predicted has no F1.
    if (either === 0) continue;
    counted++;
    const f1 = both / either;
    for (let i = 0; i < rows; i++) {
      const isOwn = Number(labels[i] === c);
      const isPredicted = Number(predictions[i] === c);
      losses[i] += 1 - f1 - (rows / either) * (2 * isOwn * isPredicted - f1 * (isOwn + isPredicted));
    }
  }
  return counted === 0 ? losses.fill(1) : losses.map((loss) => loss / counted);
}
