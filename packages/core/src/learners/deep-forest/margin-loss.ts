/** The margin distribution loss: the target margin r, in (0, 1), and the cost μ of margins above it. */
export interface MarginLoss {
  readonly r: number;
  readonly mu: number;
}

/**
 * Returns the margin distribution loss, which depends on the first and second moment of the margins:
 *
 *     ℓ_md(z) = (z − r)² / r²           for z ≤ r
 *               μ (z − r)² / (1 − r)²   for z > r
 *
 * The poster version of the paper does not define it; this is the form of the full paper (S.-H. Lyu, L. Yang, Z.-H. Zhou, 2019). It is
 * convex in z, zero at r, one at z = 0 and μ at z = 1.
 */
export function marginLoss(z: number, { r, mu }: MarginLoss): number {
  const distance = z <= r ? (z - r) / r : (z - r) / (1 - r);
  return z <= r ? distance * distance : mu * distance * distance;
}

/** Returns ℓ_md′(z), which is continuous and never falls. */
export function marginLossSlope(z: number, { r, mu }: MarginLoss): number {
  return z <= r ? (2 * (z - r)) / (r * r) : (2 * mu * (z - r)) / ((1 - r) * (1 - r));
}

/** Returns E_S[ℓ_md(z)], where row i has the weight `distribution[i]`. */
export function meanMarginLoss(margins: Float64Array, distribution: Float64Array, loss: MarginLoss): number {
  let mean = 0;
  for (let i = 0; i < margins.length; i++) mean += distribution[i] * marginLoss(margins[i], loss);
  return mean;
}

/**
 * No row weighs less than this part of the mean. A margin of exactly r has no loss, and a fold of such rows alone would have
 * no weight for trees to grow on.
 */
const LEAST_WEIGHT = 1e-6;

/**
 * Returns D_{t+1}(i) ∝ ℓ_md(z_i), times the weight of row i (Algorithm 2, line 9); sums to one. If no row has any loss, rows
 * keep their weights.
 */
export function reweighted(
  margins: Float64Array,
  distribution: Float64Array,
  loss: MarginLoss,
): Float64Array {
  const least = LEAST_WEIGHT * meanMarginLoss(margins, distribution, loss);
  if (least === 0) return distribution;
  const weights = distribution.map((share, i) => share * Math.max(least, marginLoss(margins[i], loss)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/**
 * The margins Σ α_l γ_l(x_i) / Σ α_l of an additive model on its training rows. They are normalised, so in [−1, 1]:
 * otherwise α would only shift their scale. They are at most the margins of the sum Σ α_l h_l / Σ α_l itself, because
 * the largest of sums is at most the sum of the largest.
 */
export class AdditiveMargins {
  readonly values: Float64Array;
  /** Σ α_l; zero before the first layer. */
  readonly total: number;

  constructor(values: Float64Array, total: number) {
    this.values = values;
    this.total = total;
  }

  /** Returns the margins before the first layer. */
  static none(rows: number): AdditiveMargins {
    return new AdditiveMargins(new Float64Array(rows), 0);
  }

  /** Adds a layer with margins γ and weight α ≥ 0; not both weights may be zero. */
  plus(gamma: Float64Array, alpha: number): AdditiveMargins {
    const total = this.total + alpha;
    const share = alpha / total;
    const values = this.values.map((value, i) => value + share * (gamma[i] - value));
    return new AdditiveMargins(values, total);
  }

  /** Selects some of the rows. */
  select(rows: Int32Array): AdditiveMargins {
    const values = Float64Array.from(rows, (row) => this.values[row]);
    return new AdditiveMargins(values, this.total);
  }
}

/**
 * The largest share of the newest layer in the sum. Without it, α_t could become infinite, and the layers before would no
 * longer count.
 */
export const LARGEST_SHARE = 1 - 1 / 1024;

/** Halvings of the interval of shares, after which its ends are nearly neighbouring doubles. */
const HALVINGS = 50;

/** The weight of the first layer; any weight gives the same normalised margins. */
const FIRST_ALPHA = 1;

/**
 * Finds α_t = argmin_{α ≥ 0} E_S[ℓ_md(Σ_{l≤t} α_l γ_l)] of Algorithm 2, line 7, for normalised margins.
 *
 * With the newest layer's share u = α / (S + α), S = Σ_{l<t} α_l, the normalised margin of row i is
 * z_i(u) = (1 − u) a_i + u γ_i, a straight line. ℓ_md is convex, and so is its mean; the slope in u,
 * E_S[ℓ_md′(z_i(u)) (γ_i − a_i)], never falls, and bisection finds where it changes its sign. (In α itself the mean is not
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

/** Returns E_S[ℓ_md′(z_i(u)) (γ_i − a_i)]. */
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

/** Finds where a function that never falls, and is negative at 0, changes its sign; at most `LARGEST_SHARE`. */
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
