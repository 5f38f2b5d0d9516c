import { mean, standardDeviation } from "@vouch/core/internal/runtime/maths/statistics";
import { exactSignTest } from "@vouch/core/internal/theory/held-out/exact-tests";
import { studentTail } from "@vouch/core/internal/theory/test-tails";

/** Numbers of rows that just one of two classifiers gets right, as in McNemar's test. */
export interface DiscordantRows {
  /** Rows that only the first gets right. */
  readonly first: number;
  /** Rows that only the second gets right. */
  readonly second: number;
}

/** Counts the rows that just one of two classifiers gets right. */
export function discordantRows(first: Int32Array, second: Int32Array, labels: Int32Array): DiscordantRows {
  const onlyIn = (one: Int32Array, other: Int32Array) =>
    labels.reduce((count, label, i) => count + (one[i] === label && other[i] !== label ? 1 : 0), 0);
  return { first: onlyIn(first, second), second: onlyIn(second, first) };
}

/**
 * Computes the one-sided sign test: the probability of at least this many discordant rows in favour of the first
 * classifier if both are equally good, so that each row is a fair coin toss.
 */
export function signTest({ first, second }: DiscordantRows): number {
  return exactSignTest(first, second);
}

/**
 * Computes the one-sided paired t-test: the probability that the first numbers are below the second by at least as much
 * on average, if only chance makes them differ; ½ if the means are equal.
 *
 * Errors in folds that share training rows are not independent. With `ratio`, the number of test rows per training row
 * of a fold, the variance of the mean is (1/n + ratio) times the variance of the differences, as in the corrected
 * resampled t-test (Nadeau and Bengio 2003).
 */
export function pairedTTest(first: readonly number[], second: readonly number[], ratio = 0): number {
  const differences = second.map((value, i) => value - first[i]);
  const centre = mean(differences);
  if (centre === 0) return 0.5;
  const deviation = standardDeviation(differences);
  const standardError =
    ratio === 0
      ? deviation / Math.sqrt(differences.length)
      : deviation * Math.sqrt(1 / differences.length + ratio);
  if (standardError === 0) return centre > 0 ? 0 : 1;
  return studentTail(centre / standardError, differences.length - 1);
}
