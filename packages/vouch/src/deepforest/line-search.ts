import type { AdditiveMargins } from "./additive-margins.js";
import { type MarginLoss, marginLossSlope } from "./margin-loss.js";

/**
 * The largest share that the newest layer can have in the sum: where more would be better still, α_t would be
 * infinite and all layers before it in vain.
 */
export const LARGEST_SHARE = 1 - 1 / 1024;

/** Halvings of the interval of shares: its ends are then neighbouring doubles, or nearly. */
const HALVINGS = 50;

/** The weight of the first layer: alone, any weight gives the same normalised margins. */
const FIRST_ALPHA = 1;

/**
 * α_t = argmin_{α ≥ 0} E_S[ℓ_md(Σ_{l≤t} α_l γ_l)] of Algorithm 2, line 7, for normalised margins.
 *
 * With the newest layer's share u = α / (S + α), S = Σ_{l<t} α_l, the normalised margin of row i is
 * z_i(u) = (1 − u) a_i + u γ_i, a straight line; ℓ_md is convex, hence so is its mean, and the slope in u,
 * E_S[ℓ_md′(z_i(u)) (γ_i − a_i)], never falls: bisection finds where it changes its sign. (In α itself the mean is not
 * convex.) α = 0 if the slope is positive from the start; u is at most `LARGEST_SHARE`.
 */
export function bestAlpha(
  before: AdditiveMargins,
  gamma: Float64Array,
  distribution: Float64Array,
  loss: MarginLoss,
): number {
  if (before.total === 0) return FIRST_ALPHA;
  const slope = (share: number) => slopeAt(share, before.values, gamma, distribution, loss);
  if (slope(0) >= 0) return 0;
  const share = rootOf(slope);
  return (before.total * share) / (1 - share);
}

/** E_S[ℓ_md′(z_i(u)) (γ_i − a_i)]. */
function slopeAt(
  share: number,
  before: Float64Array,
  gamma: Float64Array,
  distribution: Float64Array,
  loss: MarginLoss,
): number {
  let sum = 0;
  for (let i = 0; i < gamma.length; i++) {
    const step = gamma[i] - before[i];
    sum += distribution[i] * marginLossSlope(before[i] + share * step, loss) * step;
  }
  return sum;
}

/** Where a function that never falls, and is negative at 0, changes its sign; `LARGEST_SHARE` if that is beyond it. */
function rootOf(slope: (share: number) => number): number {
  if (slope(LARGEST_SHARE) <= 0) return LARGEST_SHARE;
  let low = 0;
  let high = LARGEST_SHARE;
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (low + high) / 2;
    if (slope(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
