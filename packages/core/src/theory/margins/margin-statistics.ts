import { VouchError } from "../../runtime/vouch-error.js";

/** Number of quantiles that summarise margins: the minimum, every per cent, the maximum. */
export const MARGIN_QUANTILES = 101;

/** A summary of the margin distribution. */
export interface MarginStatistics {
  /** E_S[γ]. */
  readonly mean: number;
  /** Var_S[γ] = E_S[γ²] − E_S²[γ], with m in the denominator. */
  readonly variance: number;
  /**
   * λ = √(Var_S[γ] / E_S²[γ]), the margin ratio of Lyu, Yang and Zhou (2019): the smaller, the more alike the margins are
   * relative to their size. Meaningful only if the mean is positive. Infinity for a mean of 0, unless the variance is 0 too.
   */
  readonly ratio: number;
  /** The margins at 0%, 1%, … 100% of their ascending order. */
  readonly quantiles: readonly number[];
}

/** Computes mean, variance, ratio and quantiles of margins in [−1, 1]. */
export function marginStatistics(margins: ArrayLike<number>): MarginStatistics {
  const sorted = Float64Array.from(margins).sort();
  const rows = sorted.length;
  // NaN sorts behind everything else, so it is the last one if there is any.
  if (rows === 0 || !Number.isFinite(sorted[0]) || !Number.isFinite(sorted[rows - 1])) {
    throw new VouchError(
      "option/invalid",
      "Margin statistics need at least one margin, and finite ones only.",
    );
  }
  const mean = sorted.reduce((sum, margin) => sum + margin, 0) / rows;
  const variance = sorted.reduce((sum, margin) => sum + (margin - mean) ** 2, 0) / rows;
  const ratio = variance === 0 ? 0 : Math.sqrt(variance) / Math.abs(mean);
  return { mean, variance, ratio, quantiles: quantilesOf(sorted) };
}

/** With fewer margins, sorting all of them is as fast. */
const MIN_MARGINS_TO_BUCKET = 20_000;
const BUCKETS = 2 ** 14;

/** Returns the margins at 0%, 1%, … 100% of their ascending order; each is one of the margins. */
export function marginQuantiles(margins: Float64Array): number[] {
  return margins.length < MIN_MARGINS_TO_BUCKET
    ? quantilesOf(margins.slice().sort())
    : bucketedQuantiles(margins);
}

function quantilesOf(sorted: Float64Array): number[] {
  return quantilePlaces(sorted.length).map((place) => sorted[place]);
}

/** Lists the places of the quantiles in the ascending order. */
function quantilePlaces(rows: number): number[] {
  const last = MARGIN_QUANTILES - 1;
  return Array.from({ length: MARGIN_QUANTILES }, (_, percent) => Math.floor((percent * (rows - 1)) / last));
}

/** Sorts only the margins of those buckets that have a quantile; NaN is above all others. */
function bucketedQuantiles(margins: Float64Array): number[] {
  const ends = new Uint32Array(BUCKETS + 1);
  for (let i = 0; i < margins.length; i++) ends[bucketOf(margins[i])]++;
  for (let bucket = 1; bucket <= BUCKETS; bucket++) ends[bucket] += ends[bucket - 1];
  const places = quantilePlaces(margins.length);
  const wanted = new Uint8Array(BUCKETS + 1);
  let bucket = 0;
  let count = 0;
  const bucketAt = places.map((place) => {
    while (ends[bucket] <= place) bucket++;
    if (wanted[bucket] === 0) count += ends[bucket] - (ends[bucket - 1] ?? 0);
    wanted[bucket] = 1;
    return bucket;
  });
  const kept = new Float64Array(count);
  for (let i = 0, k = 0; k < count; i++) if (wanted[bucketOf(margins[i])] === 1) kept[k++] = margins[i];
  kept.sort();
  // Margins of earlier buckets that have no quantile are not among the sorted ones.
  let missing = 0;
  let next = 0;
  return places.map((place, q) => {
    for (; next <= bucketAt[q]; next++) {
      if (wanted[next] === 0) missing += ends[next] - (ends[next - 1] ?? 0);
    }
    return kept[place - missing];
  });
}

/** Returns the bucket of a margin; buckets ascend. */
function bucketOf(margin: number): number {
  if (Number.isNaN(margin)) return BUCKETS;
  return Math.max(0, Math.min(BUCKETS - 1, Math.floor((margin + 1) * (BUCKETS / 2))));
}

/**
 * Bounds P_S(margin ≤ θ) from above, given the quantiles of the margins of some rows: by the share of the rows below the first
 * quantile above θ.
 */
export function shareUpTo(theta: number, quantiles: readonly number[], rows: number): number {
  const last = quantiles.length - 1;
  const above = quantiles.findIndex((margin) => margin > theta);
  return above < 0 ? 1 : Math.floor((above * (rows - 1)) / last) / rows;
}
