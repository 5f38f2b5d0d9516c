import { VouchError } from "../../runtime/vouch-error.js";
import { sortedQuantiles } from "./margin-quantiles.js";

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
  return { mean, variance, ratio, quantiles: sortedQuantiles(sorted) };
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
