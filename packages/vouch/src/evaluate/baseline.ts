import { indexOfLargest } from "../learners/scores.js";
import type { Matrix } from "../runtime/matrix.js";
import { mean } from "../runtime/statistics.js";
import { aucPValue } from "../theory/held-out/auc-bound.js";
import { exactSignTest, pairedMeanTest } from "../theory/held-out/exact-tests.js";
import { meansByGroup } from "./groups.js";
import { auc, logLosses } from "./metrics.js";

/** The best answer that ignores the features: a model must beat it to be worth using. */
export interface Baseline {
  /** The commonest class of the training rows; the first of several. */
  readonly class: string;
  readonly index: number;
  /** Share of each class among the training rows. */
  readonly shares: readonly number[];
}

/** Returns the index of the commonest class, the first of several; labels below 0, of unknown classes, do not count. */
export function commonestClass(labels: Int32Array, classes: number): number {
  return indexOfLargest(countsOf(labels, classes));
}

function countsOf(labels: Int32Array, classes: number): Int32Array {
  const counts = new Int32Array(classes);
  for (const label of labels) if (label >= 0) counts[label]++;
  return counts;
}

/** Computes the error of always answering the commonest class of some rows on others. */
export function baselineError(
  { labels, classes }: { readonly labels: Int32Array; readonly classes: readonly string[] },
  train: Int32Array,
  test: Int32Array,
): number {
  const answer = commonestClass(
    train.map((row) => labels[row]),
    classes.length,
  );
  return test.reduce((wrong, row) => wrong + Number(labels[row] !== answer), 0) / test.length;
}

/** Returns the baseline of training rows; rows of unknown classes are left out. */
export function baselineOf(labels: Int32Array, classes: readonly string[]): Baseline {
  return baselineOfCounts([...countsOf(labels, classes.length)], classes);
}

/** Returns the baseline of training rows from the number of rows of each class. */
export function baselineOfCounts(counts: readonly number[], classes: readonly string[]): Baseline {
  const rows = counts.reduce((sum, count) => sum + count, 0);
  const index = indexOfLargest(counts);
  return { class: classes[index], index, shares: counts.map((count) => (rows > 0 ? count / rows : 0)) };
}

/** A model and the baseline on the same rows, by one measure. */
export interface PairedResult {
  readonly model: number;
  readonly baseline: number;
  /** How much better the model is; negative if it is worse. */
  readonly gain: number;
  /** Probability of a gain this large, or larger, if the model is not better than the baseline; an upper bound. */
  readonly p: number;
}

/** A model against the baseline. */
export interface AgainstBaseline {
  readonly error: PairedResult;
  /** Against the class shares of the training rows, with probabilities clipped to at least 0.001; absent without probabilities. */
  readonly logLoss?: PairedResult;
  /** Against 0.5; only for two classes, both of which occur. */
  readonly auc?: PairedResult;
}

/** Predictions of rows that took no part in training. */
interface TestedRows {
  readonly labels: Int32Array;
  readonly predictions: Int32Array;
  readonly scores: Matrix;
  readonly scoring: "probability" | "decision";
  /** The group of each row, if rows of a group are not independent. */
  readonly groups?: Int32Array | undefined;
}

/** Smaller probabilities count as this in log-losses that must be bounded. */
export const CLIPPED_PROBABILITY = 0.001;

/**
 * Compares a model with the baseline on the same rows. Errors are compared by the exact sign test on the rows that only one of the
 * two gets right (McNemar), or by groups if there are any; log-losses and groups by betting, which assumes nothing about the
 * distribution of the differences; the AUC by the tail of its U-statistic.
 */
export function againstBaseline(baseline: Baseline, rows: TestedRows): AgainstBaseline {
  const { labels, scores, scoring, groups } = rows;
  const area = scores.columns === 2 && !groups ? auc(labels, scores) : undefined;
  return {
    error: errorAgainst(baseline, { labels, groups, mistakes: mistakesOf(rows) }),
    ...(scoring === "probability" && { logLoss: logLossAgainst(baseline, rows) }),
    ...(area !== undefined && { auc: aucAgainstChance(area, labels) }),
  };
}

/** Marks the rows that are misclassified with 1. */
export function mistakesOf({ labels, predictions }: Pick<TestedRows, "labels" | "predictions">): Uint8Array {
  return Uint8Array.from(labels, (label, row) => Number(predictions[row] !== label));
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
  labels.forEach((label, row) => {
    const difference = Number(index !== label) - mistakes[row];
    errors.model += mistakes[row];
    errors.baseline += Number(index !== label);
    if (difference > 0) better++;
    if (difference < 0) worse++;
    differences[row] = difference;
  });
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

function logLossAgainst({ shares }: Baseline, { labels, scores, groups }: TestedRows): PairedResult {
  const own = logLosses(labels, scores, CLIPPED_PROBABILITY);
  const constant = Float64Array.from(labels, (label) => {
    return -Math.log(Math.max(CLIPPED_PROBABILITY, label < 0 ? 0 : shares[label]));
  });
  const differences = constant.map((loss, row) => loss - own[row]);
  const p = pairedMeanTest(
    groups ? meansByGroup(differences, groups) : differences,
    -Math.log(CLIPPED_PROBABILITY),
  );
  const model = mean(own);
  const baseline = mean(constant);
  return { model, baseline, gain: baseline - model, p };
}

function aucAgainstChance(area: number, labels: Int32Array): PairedResult {
  const positives = labels.reduce((count, label) => count + (label === 1 ? 1 : 0), 0);
  const negatives = labels.reduce((count, label) => count + (label === 0 ? 1 : 0), 0);
  return { model: area, baseline: 0.5, gain: area - 0.5, p: aucPValue({ auc: area, positives, negatives }) };
}
