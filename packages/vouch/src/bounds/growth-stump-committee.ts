import { logBinomialCoefficient } from "../numeric/log-binomial.js";
import { logVoteGrowth } from "./growth-votes.js";

/**
 * ln of how many ways weighted votes of J different stumps can label n points with d features, K classes. The stumps
 * are J of those that a cut in one of d(n − 1) places and two different classes make, and given the stumps there are as
 * many as `logVoteGrowth` says:
 *
 *     Π(n) ≤ C(d(n − 1) K(K − 1), J) · Π_votes(n).
 *
 * With two classes, which way round a stump says them is the sign of its weight, so it is C(d(n − 1), J) then. A stump
 * that says one class everywhere is no stump here but a constant of the vote. The thesis, after Freund and Schapire,
 * has (em/T)^T (em/V)^{VT} for two classes (eq. 3.11), where stumps that are drawn again count again.
 */
export function logCommitteeGrowth(points: number, features: number, stumps: number, classes = 2): number {
  const sides = classes === 2 ? 1 : classes * (classes - 1);
  const all = features * (points - 1) * sides;
  const chosen = logBinomialCoefficient(all, Math.min(stumps, Math.floor(all / 2)));
  return Math.min(points * Math.log(classes), chosen + logVoteGrowth(points, stumps, classes));
}
