/**
 * The parameters of the margin distribution loss: the margin mean that is wanted, in (0, 1), and how much margins
 * above it cost.
 */
export interface MarginLoss {
  readonly r: number;
  readonly mu: number;
}

/**
 * The margin distribution loss, of the first and second moment of the margins:
 *
 *     ℓ_md(z) = (z − r)² / r²           for z ≤ r
 *               μ (z − r)² / (1 − r)²   for z > r
 *
 * The poster of mdDF leaves it open; this is the form of the full paper (S.-H. Lyu, L. Yang, Z.-H. Zhou, 2019). It is
 * convex in z, zero at r, one at z = 0 and μ at z = 1.
 */
export function marginLoss(z: number, { r, mu }: MarginLoss): number {
  const distance = z <= r ? (z - r) / r : (z - r) / (1 - r);
  return z <= r ? distance * distance : mu * distance * distance;
}

/** ℓ_md′(z), which is continuous and never falls. */
export function marginLossSlope(z: number, { r, mu }: MarginLoss): number {
  return z <= r ? (2 * (z - r)) / (r * r) : (2 * mu * (z - r)) / ((1 - r) * (1 - r));
}

/** E_S[ℓ_md(z)], where row i counts `distribution[i]`. */
export function meanMarginLoss(margins: Float64Array, distribution: Float64Array, loss: MarginLoss): number {
  let mean = 0;
  for (let i = 0; i < margins.length; i++) mean += distribution[i] * marginLoss(margins[i], loss);
  return mean;
}

/**
 * No row weighs less than this part of the mean. A margin of r exactly has no loss; a fold might have no other rows,
 * and trees cannot grow on nothing.
 */
const LEAST_WEIGHT = 1e-6;

/**
 * D_{t+1}(i) ∝ ℓ_md(z_i), times what row i counts anyway (Algorithm 2, line 9); sums to one. Where no row has any loss,
 * the rows keep what they count.
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
