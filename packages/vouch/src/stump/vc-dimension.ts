/**
 * An upper bound of the VC dimension of decision stumps on d features: the largest k with 2^k ≤ 2·d·k (thesis,
 * eq. 3.4), found by trying. Without features only the two constants are left, whose VC dimension is 1.
 */
export function stumpVcDimension(features: number): number {
  let k = 1;
  while (2 ** (k + 1) <= 2 * features * (k + 1)) k++;
  return k;
}
