/**
 * An upper bound of the VC dimension of decision stumps on d features: the largest k with 2^k ≤ 2·d·k (Triviño 2017,
 * eq. 3.4), found by trying. Without features only the two constants are left, whose VC dimension is 1.
 */
export function stumpVcDimension(features: number): number {
  let k = 1;
  while (2 ** (k + 1) <= 2 * features * (k + 1)) k++;
  return k;
}

/**
 * The closed form 2(1 + log₂ d) of Proposition 3.1, for d ≥ 5. Its proof needs k ≥ 5, too: for smaller k, with which it
 * starts, the bound is true all the same, as 2(1 + log₂ 5) > 6. Infinity for d < 5, of which it says nothing.
 */
export function stumpVcDimensionClosedForm(features: number): number {
  return features >= 5 ? 2 * (1 + Math.log2(features)) : Number.POSITIVE_INFINITY;
}

/** 1.3 (log₂ d + 3), which the thesis found to be above eq. 3.4 by trying: no theorem, no bound rests on it. */
export function stumpVcDimensionEmpirical(features: number): number {
  return 1.3 * (Math.log2(features) + 3);
}
