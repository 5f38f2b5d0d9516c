import type { Matrix } from "../runtime/matrix.js";
import { mean } from "../runtime/statistics.js";
import { aucPValue } from "../theory/held-out/auc-bound.js";
import { exactSignTest, pairedMeanTest } from "../theory/held-out/exact-tests.js";
import { auc, logLosses } from "./metrics.js";

/** The best answer that ignores the features: a model must beat it to be worth using. */
export interface Baseline {
  /** The commonest class of the training rows; the first of several. */
  readonly class: string;
  readonly index: number;
  /** Share of each class among the training rows. */
  readonly shares: readonly number[];
}

/** Returns the baseline of training rows; rows of unknown classes are left out. */
export function baselineOf(labels: Int32Array, classes: readonly string[]): Baseline {
  const counts = new Array<number>(classes.length).fill(0);
  for (const label of labels) if (label >= 0) counts[label]++;
  return baselineOfCounts(counts, classes);
}

/** Returns the baseline of training rows from the number of rows of each class. */
export function baselineOfCounts(counts: readonly number[], classes: readonly string[]): Baseline {
  const rows = counts.reduce((sum, count) => sum + count, 0);
  const index = counts.indexOf(Math.max(...counts));
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
    error: errorAgainst(baseline, rows),
    ...(scoring === "probability" && { logLoss: logLossAgainst(baseline, rows) }),
    ...(area !== undefined && { auc: aucAgainstChance(area, labels) }),
  };
}

function errorAgainst({ index }: Baseline, { labels, predictions, groups }: TestedRows): PairedResult {
  const differences = new Float64Array(labels.length);
  let modelErrors = 0;
  let baselineErrors = 0;
  let better = 0;
  let worse = 0;
  labels.forEach((label, row) => {
    const model = predictions[row] === label ? 0 : 1;
    const constant = index === label ? 0 : 1;
    modelErrors += model;
    baselineErrors += constant;
    if (model < constant) better++;
    if (model > constant) worse++;
    differences[row] = constant - model;
  });
  const model = modelErrors / labels.length;
  const constant = baselineErrors / labels.length;
  const p = groups ? pairedMeanTest(meansByGroup(differences, groups), 1) : exactSignTest(better, worse);
  return { model, baseline: constant, gain: constant - model, p };
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

/** Averages values by group: rows of a group are not independent, groups are. */
export function meansByGroup(values: ArrayLike<number>, groups: Int32Array): Float64Array {
  const sums = new Map<number, { sum: number; rows: number }>();
  groups.forEach((group, row) => {
    const own = sums.get(group);
    if (own) {
      own.sum += values[row];
      own.rows++;
    } else sums.set(group, { sum: values[row], rows: 1 });
  });
  return Float64Array.from(sums.values(), ({ sum, rows }) => sum / rows);
}
