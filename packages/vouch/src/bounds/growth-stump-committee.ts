import { logBinomialCoefficient } from "../numeric/log-binomial.js";
import { logHalfSpaceGrowth } from "./growth-half-spaces.js";

/**
 * ln of how many ways weighted votes of J different stumps can label n points with d features, two classes. The stumps
 * are J of d(n − 1) cuts, which way round each says its classes being the sign of its weight; given the stumps a vote
 * is a half-space of the J answers and a constant, which stands for constant stumps and for who wins a tie:
 *
 *     Π(n) ≤ C(d(n − 1), J) · 2 Σ_{i=0}^{J} C(n − 1, i).
 *
 * The thesis, after Freund and Schapire, has (em/T)^T (em/V)^{VT} in its place (eq. 3.11), where stumps that are
 * drawn again count again.
 */
export function logCommitteeGrowth(points: number, features: number, stumps: number): number {
  const cuts = features * (points - 1);
  const chosen = logBinomialCoefficient(cuts, Math.min(stumps, Math.floor(cuts / 2)));
  return Math.min(points * Math.LN2, chosen + logHalfSpaceGrowth(points, stumps + 1));
}
