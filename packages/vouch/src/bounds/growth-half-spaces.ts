import { logBinomialSum } from "../numeric/log-binomial.js";

/**
 * ln of how many ways the half-spaces w·φ(x) > 0 of a space of dimension D can label n points (Cover 1965, Theorem 1):
 *
 *     Π(n) ≤ 2 Σ_{i=0}^{D−1} C(n − 1, i).
 *
 * For w·φ(x) ≥ 0, where a tie counts as positive, take a constant among the features: for finitely many points
 * w·φ(x) ≥ 0 is w·φ(x) + ε > 0.
 */
export function logHalfSpaceGrowth(points: number, dimension: number): number {
  // 2^n labellings are all there are.
  return Math.min(points * Math.LN2, Math.LN2 + logBinomialSum(points - 1, dimension - 1));
}
