import { logHalfSpaceGrowth } from "./growth-half-spaces.js";

/**
 * ln of how many ways weighted votes of T given classifiers can label n points with K classes.
 *
 * Whether class k has more votes than class l at a point x is the side of a half-space on which the weights α lie: the
 * sign of Σ_t α_t (1{h_t(x) = k} − 1{h_t(x) = l}) + c_k − c_l, where the constants c stand for classifiers that say one
 * class everywhere and, tiny ones, for who wins a tie: the class that comes first. Only their differences count, so that
 * there are T + K − 1 numbers to choose. The label of a point follows from its K(K − 1)/2 signs, so with
 * N = nK(K − 1)/2, by Cover (`logHalfSpaceGrowth`),
 *
 *     Π(n) ≤ 2 Σ_{i=0}^{T+K−2} C(N − 1, i),   and K^n are all that there are.
 */
export function logVoteGrowth(points: number, voters: number, classes: number): number {
  const comparisons = (points * classes * (classes - 1)) / 2;
  return Math.min(points * Math.log(classes), logHalfSpaceGrowth(comparisons, voters + classes - 1));
}
