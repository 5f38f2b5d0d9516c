/**
 * Growth functions Π(n) of families of classifiers: in how many ways they can label n points. Each function returns ln Π(n), or
 * an upper bound on it, for `growthFunctionExact`.
 */
import * as real from "../../runtime/maths/portable-math.js";
import { logBinomialCoefficient, logBinomialSum } from "../log-tails.js";
import { logTreeCount } from "./tree-count.js";

/**
 * Counts the labellings of n points by half-spaces w·φ(x) > 0 in a space of dimension D (Cover 1965, Theorem 1):
 *
 *     Π(n) ≤ 2 Σ_{i=0}^{D−1} C(n − 1, i).
 *
 * For w·φ(x) ≥ 0, where a tie counts as positive, take a constant among the features: for finitely many points
 * w·φ(x) ≥ 0 is w·φ(x) + ε > 0.
 */
export function logHalfSpaceGrowth(points: number, dimension: number): number {
  // There are only 2^n labellings.
  return Math.min(points * Math.LN2, Math.LN2 + logBinomialSum(points - 1, dimension - 1));
}

/**
 * Counts the labellings of n points with K classes by the largest of K linear functions w_k·x + b_k of d features. Whether class k
 * has a larger value than class l at x is the sign of a function that is linear in all weights. Only differences count, so there
 * are (K − 1)(d + 1) numbers to choose, and the label of a point follows from its K(K − 1)/2 signs. With N = nK(K − 1)/2, by Cover
 * (`logHalfSpaceGrowth`),
 *
 *     Π(n) ≤ 2 Σ_{i=0}^{(K−1)(d+1)−1} C(N − 1, i),   and at most K^n.
 */
export function logLinearGrowth(points: number, features: number, classes: number): number {
  const comparisons = (points * classes * (classes - 1)) / 2;
  const dimension = (classes - 1) * (features + 1);
  return Math.min(points * real.log(classes), logHalfSpaceGrowth(comparisons, dimension));
}

/**
 * Counts the labellings of n points by stumps on d features (Triviño 2017, section 3.2.2): each feature has n − 1 thresholds, the
 * two sides get different classes in K(K − 1) ways, and there are K constants,
 *
 *     Π(n) ≤ (n − 1) d K(K − 1) + K,   for two classes 2(n − 1)d + 2.
 *
 * The thesis has 2nd for two classes, which counts the constants once per feature.
 */
export function logStumpGrowth(points: number, features: number, classes = 2): number {
  return real.log((points - 1) * features * classes * (classes - 1) + classes);
}

/**
 * Counts the labellings of n points with K classes by weighted votes of T given classifiers.
 *
 * Whether class k has more votes than class l at a point x depends on which side of a half-space the weights α lie: on the
 * sign of Σ_t α_t (1{h_t(x) = k} − 1{h_t(x) = l}) + c_k − c_l. The constants c are the votes of classifiers that predict one class
 * everywhere, and tiny ones that break ties in favour of the first class. Only their differences count, so there are T + K − 1
 * numbers to choose. The label of a point follows from its K(K − 1)/2 signs, so with N = nK(K − 1)/2, by Cover
 * (`logHalfSpaceGrowth`),
 *
 *     Π(n) ≤ 2 Σ_{i=0}^{T+K−2} C(N − 1, i),   and at most K^n.
 */
export function logVoteGrowth(points: number, voters: number, classes: number): number {
  const comparisons = (points * classes * (classes - 1)) / 2;
  return Math.min(points * real.log(classes), logHalfSpaceGrowth(comparisons, voters + classes - 1));
}

/**
 * Counts the labellings of n points with d features and K classes by weighted votes of J different stumps. The stumps are J of
 * those that a threshold in one of d(n − 1) places and two different classes make; given the stumps, `logVoteGrowth` counts the
 * votes:
 *
 *     Π(n) ≤ C(d(n − 1) K(K − 1), J) · Π_votes(n).
 *
 * With two classes the sign of its weight gives the direction of a stump, so it is C(d(n − 1), J) then. A stump that predicts one
 * class everywhere counts as a constant of the vote. The thesis, after Freund and Schapire, has (em/T)^T (em/V)^{VT} for two
 * classes (eq. 3.11), where stumps that are drawn again count again.
 */
export function logCommitteeGrowth(points: number, features: number, stumps: number, classes = 2): number {
  const sides = classes === 2 ? 1 : classes * (classes - 1);
  const all = features * (points - 1) * sides;
  const chosen = logBinomialCoefficient(all, Math.min(stumps, Math.floor(all / 2)));
  return Math.min(points * real.log(classes), chosen + logVoteGrowth(points, stumps, classes));
}

/** A family of trees on numeric features, which may have missing values. */
export interface NumericTrees {
  /** d: number of features. */
  readonly features: number;
  /** L: maximum number of leaves. */
  readonly leaves: number;
  readonly classes: number;
}

/**
 * Counts the labellings of n points by trees on d numeric features. A node can split n points in d(2(n − 1) + 1) ways: the
 * number is at most the value at one of n − 1 points, with missing ones on either side, or it is missing (`logSplitCount`).
 * `logTreeCount` counts the trees. All thresholds are counted, so the bin boundaries may be anywhere.
 */
export function logTreeGrowth(points: number, { features, leaves, classes }: NumericTrees): number {
  const logSplits = real.log(features * (2 * points - 1));
  const trees = logTreeCount({ leaves, logSplits, logLeafValues: real.log(classes) });
  return Math.min(points * real.log(classes), trees);
}

/**
 * Counts the labellings of n points by weighted votes of T trees: each tree labels the points in one of the ways that
 * `logTreeGrowth` counts, and given these, `logVoteGrowth` counts the votes,
 *
 *     Π(n) ≤ Π_tree(n)^T · Π_votes(n).
 */
export function logTreeCommitteeGrowth(points: number, trees: number, family: NumericTrees): number {
  const { classes } = family;
  const each = logTreeGrowth(points, family);
  return Math.min(points * real.log(classes), trees * each + logVoteGrowth(points, trees, classes));
}

/**
 * Counts the labellings of n points by deep cascades of l levels. Level k < l has a function f_k from a space of dimension D_k
 * that contains the constants: points with |f_k(x)| ≤ c_k go on, the others get the sign of f_k; the last level gives its sign
 * to all points that reach it. The outcome of a point at level k depends on the signs of f_k(x) − c_k, f_k(x) + c_k and
 * f_k(x), which are linear in (f_k, c_k). So level k treats n points in no more ways than half-spaces of dimension D_k + 2
 * label 3n points, where the second extra dimension decides ties, and the last level in no more ways than half-spaces of dimension
 * D_l label n:
 *
 *     ln Π(n) ≤ Σ_{k<l} ln Π_{D_k+2}(3n) + ln Π_{D_l}(n),   Π_D(n) = 2 Σ_{i<D} C(n − 1, i).
 *
 * @param dimensions D_1, …, D_l
 */
export function logCascadeGrowth(points: number, dimensions: readonly number[]): number {
  const last = dimensions.length - 1;
  const logs = dimensions.map((dimension, k) =>
    k === last ? logHalfSpaceGrowth(points, dimension) : logHalfSpaceGrowth(3 * points, dimension + 2),
  );
  return Math.min(
    points * Math.LN2,
    logs.reduce((sum, log) => sum + log, 0),
  );
}
