import { indexOfLargest } from "../learners/scores.js";
import { Matrix } from "../runtime/maths/matrix.js";
import * as real from "../runtime/maths/portable-math.js";
import { mean } from "../runtime/maths/statistics.js";
import { classCounts } from "../table/target.js";
import { binomialAtMost } from "../theory/distributions.js";
import { aucPValue } from "../theory/held-out/auc-bound.js";
import { exactSignTest, pairedMeanTest } from "../theory/held-out/exact-tests.js";
import { studentTail } from "../theory/test-tails.js";
import { auc, logLosses } from "./evaluation.js";
import { meansByGroup, sumsByGroup } from "./groups.js";
import { type MetricName, metricValue } from "./metric-name.js";
import { CLIPPED_PROBABILITY, ERROR, largestLoss, type Objective, rowLosses } from "./objective-metric.js";

/** The best answer that ignores the features. A useful model must beat it. */
export interface Baseline {
  /**
   * The best constant answer: the most common class of the training rows, or the cheapest one if predictions have
   * costs.
   */
  readonly class: string;
  readonly index: number;
  /** Share of each class among the training rows. */
  readonly shares: readonly number[];
}

/**
 * Returns the index of the most common class, the first if tied; ignores negative labels, which are unknown classes.
 */
export function commonestClass(labels: Int32Array, classes: number): number {
  return indexOfLargest(classCounts(labels, classes));
}

/** Computes the error of always answering the most common class of some rows, on other rows. */
export function baselineError(
  { labels, classes }: { readonly labels: Int32Array; readonly classes: readonly string[] },
  train: Int32Array,
  test: Int32Array,
): number {
  const answer = indexOfLargest(countsOfRows(labels, train, classes.length));
  let wrong = 0;
  for (let i = 0; i < test.length; i++) if (labels[test[i]] !== answer) wrong++;
  return wrong / test.length;
}

/** Counts the classes of some rows without copying their labels; ignores unknown classes. */
function countsOfRows(labels: Int32Array, rows: Int32Array, classes: number): Int32Array {
  const counts = new Int32Array(classes);
  for (let i = 0; i < rows.length; i++) {
    const label = labels[rows[i]];
    if (label >= 0) counts[label]++;
  }
  return counts;
}

/** Computes the losses of the best constant answer of some rows, on other rows. */
export function baselineLosses(
  objective: Objective,
  { labels, classes }: { readonly labels: Int32Array; readonly classes: readonly string[] },
  train: Int32Array,
  test: Int32Array,
): Float64Array {
  const counts = countsOfRows(labels, train, classes.length);
  const baseline = baselineOfCounts([...counts], classes, objective);
  return constantLosses(
    objective,
    baseline,
    test.map((row) => labels[row]),
  );
}

/** Computes the losses of a baseline whose probabilities are the class shares of the training rows. */
export function constantLosses(
  objective: Objective,
  { index, shares }: Baseline,
  labels: Int32Array,
): Float64Array {
  const scores = new Matrix(labels.length, shares.length);
  for (let i = 0; i < scores.values.length; i++) scores.values[i] = shares[i % shares.length];
  return rowLosses(objective, { labels, predictions: new Int32Array(labels.length).fill(index), scores });
}

/** Finds the best answer for a metric if only the class shares are known; the first if tied. */
function bestConstant({ metric, costs, positive }: Objective, shares: readonly number[]): number {
  if (metric === "f1" && positive !== undefined) return positive;
  if (metric !== "cost" || !costs) return indexOfLargest(shares);
  const gains = shares.map((_, k) => -shares.reduce((cost, share, t) => cost + share * costs[t][k], 0));
  return indexOfLargest(gains);
}

/** Returns the baseline of training rows; ignores rows of unknown classes. */
export function computeBaseline(
  labels: Int32Array,
  classes: readonly string[],
  objective: Objective = ERROR,
): Baseline {
  return baselineOfCounts([...classCounts(labels, classes.length)], classes, objective);
}

/** Returns the baseline for the number of training rows of each class. */
export function baselineOfCounts(
  counts: readonly number[],
  classes: readonly string[],
  objective: Objective = ERROR,
): Baseline {
  const rows = counts.reduce((sum, count) => sum + count, 0);
  const shares = counts.map((count) => (rows > 0 ? count / rows : 0));
  const index = bestConstant(objective, shares);
  return { class: classes[index], index, shares };
}

/** A model and the baseline on the same rows, by one measure. */
export interface PairedResult {
  readonly model: number;
  readonly baseline: number;
  /** How much better the model is; negative if it is worse. */
  readonly gain: number;
  /** Upper bound on the probability of at least this gain if the model is not better than the baseline. */
  readonly p: number;
}

/** A model against the baseline. */
export interface AgainstBaseline {
  readonly error: PairedResult;
  /**
   * Against the class shares of the training rows, with probabilities clipped to at least 0.001; absent without
   * probabilities.
   */
  readonly logLoss?: PairedResult;
  /** Against 0.5; only for two classes that both occur. */
  readonly auc?: PairedResult;
  /** By the metric to optimise; absent if that is the error. */
  readonly objective?: PairedResult & { readonly metric: MetricName };
}

/** Predictions of rows that took no part in training. */
interface TestedRows {
  readonly labels: Int32Array;
  readonly predictions: Int32Array;
  readonly scores: Matrix;
  readonly scoring: "probability" | "decision";
  /** The group of each row, if rows of a group are not independent. */
  readonly groups?: Int32Array | undefined;
  /** The area under the ROC curve, if it is known. */
  readonly area?: number | undefined;
}

/**
 * Compares a model with the baseline on the same rows. Errors are compared by the exact sign test on the rows that only
 * one of the two gets right (McNemar), or by groups if there are any. Log losses and groups are compared by betting,
 * which assumes nothing about the distribution of the differences, and the AUC by the tail of its U-statistic.
 */
export function againstBaseline(
  baseline: Baseline,
  rows: TestedRows,
  objective: Objective = ERROR,
): AgainstBaseline {
  const { labels, scores, scoring, groups } = rows;
  const area = scores.columns === 2 && !groups ? (rows.area ?? auc(labels, scores)) : undefined;
  return {
    error: errorAgainst(baseline, { labels, groups, mistakes: markMistakes(rows) }),
    ...(scoring === "probability" && { logLoss: logLossAgainst(baseline, rows) }),
    ...(area !== undefined && { auc: aucAgainstChance(area, labels) }),
    ...(objective.metric !== "error" && {
      objective: { metric: objective.metric, ...objectiveAgainst(objective, baseline, rows) },
    }),
  };
}

/** Marks misclassified rows with 1. */
export function markMistakes({
  labels,
  predictions,
}: Pick<TestedRows, "labels" | "predictions">): Uint8Array {
  const mistakes = new Uint8Array(labels.length);
  for (let row = 0; row < labels.length; row++) mistakes[row] = Number(predictions[row] !== labels[row]);
  return mistakes;
}

/** Compares errors, given 1 for each row that the model misclassifies; with groups, the mean errors of groups. */
export function errorAgainst(
  { index }: Pick<Baseline, "index">,
  { labels, mistakes, groups }: { labels: Int32Array; mistakes: Uint8Array; groups?: Int32Array | undefined },
): PairedResult {
  const differences = new Float64Array(labels.length);
  const errors = { model: 0, baseline: 0 };
  let better = 0;
  let worse = 0;
  for (let row = 0; row < labels.length; row++) {
    const wrong = Number(index !== labels[row]);
    const difference = wrong - mistakes[row];
    errors.model += mistakes[row];
    errors.baseline += wrong;
    if (difference > 0) better++;
    if (difference < 0) worse++;
    differences[row] = difference;
  }
  if (groups) {
    const model = mean(meansByGroup(mistakes, groups));
    const gains = meansByGroup(differences, groups);
    const gain = mean(gains);
    return { model, baseline: model + gain, gain, p: pairedMeanTest(gains, 1) };
  }
  const model = errors.model / labels.length;
  const baseline = errors.baseline / labels.length;
  return { model, baseline, gain: baseline - model, p: exactSignTest(better, worse) };
}

/**
 * Compares a classifier with the baseline by the metric of an objective, in its usual direction (AUC, not 1 − AUC). The
 * p-value is exact or an upper bound for error, cost, log loss, Brier score and the AUC of two classes. For balanced
 * error, F1 and other AUCs it is an approximation, see `cautiousTest`. With groups, means over rows become means over
 * groups.
 */
export function objectiveAgainst(objective: Objective, baseline: Baseline, rows: TestedRows): PairedResult {
  const { metric } = objective;
  const { labels, scores, groups } = rows;
  if (metric === "error") return errorAgainst(baseline, { labels, groups, mistakes: markMistakes(rows) });
  const isMean = metric === "log-loss" || metric === "brier" || metric === "cost";
  const own = rowLosses(objective, rows);
  const constant = constantLosses(objective, baseline, labels);
  const differences = constant.map((loss, row) => loss - own[row]);
  const units = (losses: Float64Array) => (isMean && groups ? meansByGroup(losses, groups) : losses);
  const result = {
    model: metricValue(metric, mean(units(own))),
    baseline: metricValue(metric, mean(units(constant))),
    gain: mean(units(differences)),
  };
  const costs = metric === "cost" && !groups ? costsOfDeparture(objective, baseline) : undefined;
  if (costs) return { ...result, p: departureTest(differences, costs) };
  if (isMean) {
    const range = Math.max(Number.MIN_VALUE, largestLoss(objective, scores.columns));
    return { ...result, p: pairedMeanTest(units(differences), range) };
  }
  if (metric === "auc" && scores.columns === 2 && !groups) {
    return labels.includes(0) && labels.includes(1)
      ? aucAgainstChance(result.model, labels)
      : { ...result, p: 1 };
  }
  return { ...result, p: result.gain > 0 ? cautiousTest(objective, baseline, rows) : 1 };
}

/** What a classifier of two classes gains by a correct departure from the baseline, and loses by a wrong one. */
interface Departure {
  readonly gain: number;
  readonly loss: number;
}

/** Returns gain and loss of departures; undefined with more classes, or if one of the two is not positive. */
function costsOfDeparture({ costs }: Objective, { index }: Baseline): Departure | undefined {
  if (costs?.length !== 2) return undefined;
  const other = 1 - index;
  const gain = costs[other][index] - costs[other][other];
  const loss = costs[index][other] - costs[index][index];
  return gain > 0 && loss > 0 ? { gain, loss } : undefined;
}

/**
 * Computes the exact p-value of a mean cost below the baseline's. The classifier costs as much as the baseline where
 * the answers agree. Where it departs, it gains with probability 1 − q and loses with probability q, so its mean cost
 * is lower if and only if q < gain / (gain + loss). That is a binomial test given the number of departures, and the
 * sign test if gain and loss are equal.
 */
function departureTest(differences: Float64Array, { gain, loss }: Departure): number {
  const losses = differences.reduce((count, difference) => count + Number(difference < 0), 0);
  const departures = differences.reduce((count, difference) => count + Number(difference !== 0), 0);
  return departures === 0 ? 1 : binomialAtMost(losses, departures, gain / (gain + loss));
}

/**
 * Computes a p-value of a gain by Student's t-test of the paired differences. A few rows of a class that all happen to
 * be right would have no variance and seem certain. The test is therefore repeated with one more misclassified row, of
 * the rarest class or of the baseline's, and the larger p-value counts.
 */
function cautiousTest(objective: Objective, baseline: Baseline, rows: TestedRows): number {
  const counts = classCounts(rows.labels, rows.scores.columns);
  const rarest = counts.reduce((best, count, k) => (count > 0 && !(count >= counts[best]) ? k : best), -1);
  const classes = new Set([baseline.index, rarest < 0 ? baseline.index : rarest]);
  const tests = [...classes].map((label) => {
    const more = withMistake(rows, label);
    const own = rowLosses(objective, more);
    const constant = constantLosses(objective, baseline, more.labels);
    return meanTest(
      constant.map((loss, row) => loss - own[row]),
      more.groups,
    );
  });
  return Math.max(...tests);
}

/** Adds a row of a class, in its own group, with the lowest score for its class and the highest for another one. */
function withMistake(rows: TestedRows, label: number): TestedRows {
  const { labels, predictions, scores, groups } = rows;
  const { columns, values } = scores;
  const wrong = label === 0 ? 1 : 0;
  let low = 0;
  let high = 1;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const more = new Matrix(labels.length + 1, columns);
  more.values.set(values);
  more.row(labels.length).fill(low)[wrong] = high;
  return {
    ...rows,
    labels: extended(labels, label),
    predictions: extended(predictions, wrong),
    scores: more,
    groups: groups && extended(groups, -1),
  };
}

function extended(values: Int32Array, last: number): Int32Array {
  const longer = new Int32Array(values.length + 1);
  longer.set(values);
  longer[values.length] = last;
  return longer;
}

/**
 * Computes the one-sided p-value of Student's t-test of a mean above 0; 1 for fewer than two values. With groups, the
 * sums of a group's deviations are the independent values.
 */
function meanTest(values: Float64Array, groups: Int32Array | undefined): number {
  const centre = mean(values);
  const deviations = values.map((value) => value - centre);
  const sums = groups ? sumsByGroup(deviations, groups) : deviations;
  const freedom = sums.length - 1;
  if (freedom < 1) return 1;
  const squares = sums.reduce((sum, own) => sum + own ** 2, 0);
  const error = Math.sqrt((squares * sums.length) / freedom) / values.length;
  if (!(error > 0)) return 1;
  const tail = studentTail(Math.abs(centre) / error, freedom);
  return centre > 0 ? tail : 1 - tail;
}

function logLossAgainst({ shares }: Baseline, { labels, scores, groups }: TestedRows): PairedResult {
  const own = logLosses(labels, scores, CLIPPED_PROBABILITY);
  const ofClass = shares.map((share) => -real.log(Math.max(CLIPPED_PROBABILITY, share)));
  const ofUnknown = -real.log(CLIPPED_PROBABILITY);
  const constant = new Float64Array(labels.length);
  const differences = new Float64Array(labels.length);
  for (let row = 0; row < labels.length; row++) {
    constant[row] = labels[row] < 0 ? ofUnknown : ofClass[labels[row]];
    differences[row] = constant[row] - own[row];
  }
  const p = pairedMeanTest(
    groups ? meansByGroup(differences, groups) : differences,
    -real.log(CLIPPED_PROBABILITY),
  );
  const model = mean(own);
  const baseline = mean(constant);
  return { model, baseline, gain: baseline - model, p };
}

function aucAgainstChance(area: number, labels: Int32Array): PairedResult {
  const [negatives, positives] = classCounts(labels, 2);
  return { model: area, baseline: 0.5, gain: area - 0.5, p: aucPValue({ auc: area, positives, negatives }) };
}
