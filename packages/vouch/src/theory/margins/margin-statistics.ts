import { VouchError } from "../../runtime/vouch-error.js";

/** How many quantiles summarise margins: the minimum, every percent, the maximum. */
export const MARGIN_QUANTILES = 101;

/** The margin distribution in a few numbers. */
export interface MarginStatistics {
  /** E_S[γ]. */
  readonly mean: number;
  /** Var_S[γ] = E_S[γ²] − E_S²[γ], with m in the denominator. */
  readonly variance: number;
  /**
   * λ = √(Var_S[γ] / E_S²[γ]), the margin ratio of Lyu, Yang and Zhou (2019): the smaller, the more alike the
   * margins are for their size. It says something only where the mean is positive. Infinity for a mean of 0, unless
   * the variance is 0 too.
   */
  readonly ratio: number;
  /** The margins at 0 %, 1 %, … 100 % of their ascending order. */
  readonly quantiles: readonly number[];
}

/** Mean, variance, ratio and quantiles of some margins in [−1, 1]. */
export function marginStatistics(margins: ArrayLike<number>): MarginStatistics {
  const sorted = Float64Array.from(margins).sort();
  const rows = sorted.length;
  // NaN sorts behind everything else, so that it is the last one where there is any.
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

/** The margins at 0 %, 1 %, … 100 % of their ascending order; each is one of the margins. */
export function marginQuantiles(margins: Float64Array): number[] {
  return quantilesOf(margins.slice().sort());
}

function quantilesOf(sorted: Float64Array): number[] {
  const last = MARGIN_QUANTILES - 1;
  return Array.from(
    { length: MARGIN_QUANTILES },
    (_, percent) => sorted[Math.floor((percent * (sorted.length - 1)) / last)],
  );
}
