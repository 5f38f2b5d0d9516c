import { mean, standardDeviation } from "@vouch/core/internal/runtime/maths/statistics";
import { studentTail } from "@vouch/core/internal/theory/test-tails";

/** An interval of numbers. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Default confidence of intervals. */
export const CONFIDENCE = 0.95;

/** Computes the t with P(T > t) = `tail`, for a tail below ½, by bisection. */
export function studentQuantile(tail: number, freedom: number): number {
  let [low, high] = [0, 1];
  while (studentTail(high, freedom) > tail) high *= 2;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (studentTail(middle, freedom) > tail) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * Computes Student's confidence interval of the mean of independent values. Errors on random splits of the same rows
 * are not independent; `overlap`, the ratio of test to training rows, corrects for that (Nadeau and Bengio 2003).
 */
export function meanInterval(values: readonly number[], confidence = CONFIDENCE, overlap = 0): Interval {
  const centre = mean(values);
  if (values.length < 2) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const error = standardDeviation(values) * Math.sqrt(1 / values.length + overlap);
  const t = studentQuantile((1 - confidence) / 2, values.length - 1);
  return { low: centre - t * error, high: centre + t * error };
}

/** Computes the interval that contains the central share of the values. */
export function centralInterval(values: readonly number[], share = CONFIDENCE): Interval {
  const sorted = values.toSorted((a, b) => a - b);
  const outside = Math.floor(((1 - share) / 2) * values.length);
  return { low: sorted[outside], high: sorted[sorted.length - 1 - outside] };
}

/** Computes the two-sided p-value of the paired t-test; 1 if there is no difference, 0 if all differences are equal. */
export function pairedP(differences: readonly number[]): number {
  const centre = Math.abs(mean(differences));
  if (centre === 0 || differences.length < 2) return 1;
  const error = standardDeviation(differences) / Math.sqrt(differences.length);
  return error === 0 ? 0 : Math.min(1, 2 * studentTail(centre / error, differences.length - 1));
}

/** Adjusts the p-values of several tests to control the probability of any false rejection (Holm 1979). */
export function holmAdjusted(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => values[a] - values[b]);
  const adjusted = new Array<number>(values.length).fill(1);
  let largest = 0;
  order.forEach((index, rank) => {
    largest = Math.max(largest, Math.min(1, (values.length - rank) * values[index]));
    adjusted[index] = largest;
  });
  return adjusted;
}

/** Formats an interval with a number of decimals; "–" if it is infinite. */
export function intervalCell({ low, high }: Interval, decimals: number): string {
  return Number.isFinite(low) ? `${low.toFixed(decimals)} to ${high.toFixed(decimals)}` : "–";
}
