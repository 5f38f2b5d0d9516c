import type { BinnedFeature } from "../../encode/binned-columns.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { logBinomialCoefficient, logBinomialSum } from "../distributions.js";

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

/**
 * ln of how many ways stumps can label n points with d features (Triviño 2017, section 3.2.2): each feature can be cut
 * in n − 1 places, the two sides get different classes in K(K − 1) ways, and there are K constants,
 *
 *     Π(n) ≤ (n − 1) d K(K − 1) + K,   for two classes 2(n − 1)d + 2.
 *
 * The thesis has 2nd for two classes, which also counts the constants once per feature.
 */
export function logStumpGrowth(points: number, features: number, classes = 2): number {
  return Math.log((points - 1) * features * classes * (classes - 1) + classes);
}

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

/**
 * ln s, s being the number of questions that a node of a tree can ask of binned columns.
 *
 * Of a numeric column with c cuts: "is the bin at most b?", where missing cells go to either side, or "is the cell
 * missing?": 2c + 1 questions. Of a categorical column with v levels: the levels and the missing cells are divided
 * into two groups, neither empty: 2^v − 1 questions. A question and its negation are one question, as a tree tells
 * its children apart (below).
 */
export function logQuestionCount(features: readonly BinnedFeature[]): number {
  let questions = 0;
  for (const feature of features) {
    questions += feature.kind === "numeric" ? 2 * feature.cuts.length + 1 : 2 ** feature.levels.length - 1;
  }
  return Math.log(questions);
}

/** Which trees are counted. */
export interface TreeFamily {
  /** L: the most leaves that a tree may have. */
  readonly leaves: number;
  /** ln s: of the number of questions that a node can ask. */
  readonly logQuestions: number;
  /** ln c: of the number of different leaves. `Math.log(classes)` where leaves hold a class. */
  readonly logLeafValues: number;
}

/**
 * ln of the number of decision trees with at most L leaves. A tree with l leaves has l − 1 nodes that ask; it is one of
 * C_{l−1} shapes (binary trees that tell left from right, Catalan's number), with one of s questions at each node and
 * one of c values at each leaf:
 *
 *     |H| = Σ_{l=1}^{L} C_{l−1} s^{l−1} c^l,   C_n = C(2n, n)/(n + 1),   C_n/C_{n−1} = 2(2n − 1)/(n + 1).
 *
 * These are trees as they are written down. Different ones may compute the same function, so that this is an upper
 * bound of the number of functions. The terms grow by factors sc·C_n/C_{n−1} ≥ 1: the sum is kept relative to its
 * last term, so that nothing overflows.
 */
export function logTreeCount({ leaves, logQuestions, logLeafValues }: TreeFamily): number {
  if (!(Number.isSafeInteger(leaves) && leaves >= 1)) {
    throw new VouchError(
      "option/invalid",
      `Trees are to have at most ${leaves} leaves: it must be at least 1.`,
    );
  }
  if (!(logLeafValues >= 0) || !(logQuestions >= 0 || logQuestions === Number.NEGATIVE_INFINITY)) {
    throw new VouchError(
      "option/invalid",
      `e^${logQuestions} questions and e^${logLeafValues} values of a leaf are not counts that trees can have.`,
    );
  }
  if (logQuestions === Number.NEGATIVE_INFINITY) return logLeafValues;
  let lastTerm = logLeafValues;
  let sum = 1;
  for (let n = 1; n < leaves; n++) {
    const growth = Math.log((2 * (2 * n - 1)) / (n + 1)) + logQuestions + logLeafValues;
    lastTerm += growth;
    sum = sum * Math.exp(-growth) + 1;
  }
  return lastTerm + Math.log(sum);
}

/** 32-bit floating-point numbers from 0 to 1: those with the bits of 0, of 1 and all between. */
const SHARES = 0x3f800000 + 1;

/** ln of the number of class distributions that a leaf can hold, each share being a 32-bit number from 0 to 1. */
export function logDistributionCount(classes: number): number {
  return classes * Math.log(SHARES);
}

/** A layer of a deep forest: how many trees it has and which they could have been. */
export interface TreeBlock {
  /** All trees of all its forests and all k folds, as all take part in its function of new rows. */
  readonly trees: number;
  /** The most leaves that a tree of it could have had, known before the rows were: at most rows/minLeafRows. */
  readonly leaves: number;
  /** The columns that its trees saw, those that earlier layers have added among them. */
  readonly features: readonly BinnedFeature[];
  readonly classes: number;
}

/** ln of the number of ways to fill a block: its trees with class distributions in their leaves, one by one. */
export function logBlockCount({ trees, leaves, features, classes }: TreeBlock): number {
  const logQuestions = logQuestionCount(features);
  return trees * logTreeCount({ leaves, logQuestions, logLeafValues: logDistributionCount(classes) });
}

/** ln of the number of doubles that α can be. */
const LOG_WEIGHTS = 64 * Math.LN2;

/**
 * ln|H_t| of each layer of a deep forest.
 *
 * H_t must hold every function of x that can get a vote at layer t. The block's function is the mean of its trees, and a
 * tree whose leaves hold class distributions is a mean of trees whose leaves hold one class each (draw the class of
 * each leaf at random). F thus is a convex combination of trees with a class in each leaf, and margins and theorem
 * speak of convex combinations: one tree with classes is enough for layer t itself. But it asks of f_{t−1}(x), which the
 * data have chosen, too, with all trees, their distributions and the weights. So
 *
 *     ln|H_t| = ln|trees of layer t with classes| + Σ_{s<t} ( ln|blocks of layer s| + ln 2⁶⁴ ),
 *
 * the last for α_s. What is not counted: the cuts between bins, which come from the rows.
 */
export function logFamilySizes(blocks: readonly TreeBlock[]): number[] {
  let earlier = 0;
  return blocks.map((block) => {
    const { leaves, features, classes } = block;
    const logLeafValues = Math.log(classes);
    const own = logTreeCount({ leaves, logQuestions: logQuestionCount(features), logLeafValues });
    const size = earlier + own;
    earlier += logBlockCount(block) + LOG_WEIGHTS;
    return size;
  });
}

/** Trees on numbers, some of which may be missing. */
export interface NumericTrees {
  /** d. */
  readonly features: number;
  /** L: the most leaves that a tree can have. */
  readonly leaves: number;
  readonly classes: number;
}

/**
 * ln of how many ways trees can label n points with d numeric features. Of n points a node can ask d(2(n − 1) + 1)
 * different questions: is the number at most that of one of n − 1 points, with missing ones on either side, or is it
 * missing (`logQuestionCount`). So many are the trees of `logTreeCount`. Where the cuts of bins lie does not matter, as
 * all places are counted.
 */
export function logTreeGrowth(points: number, { features, leaves, classes }: NumericTrees): number {
  const logQuestions = Math.log(features * (2 * points - 1));
  const trees = logTreeCount({ leaves, logQuestions, logLeafValues: Math.log(classes) });
  return Math.min(points * Math.log(classes), trees);
}

/**
 * ln of how many ways weighted votes of T trees can label n points: each tree in one of the ways above, and given what
 * they say the votes (`logVoteGrowth`),
 *
 *     Π(n) ≤ Π_tree(n)^T · Π_votes(n).
 */
export function logTreeCommitteeGrowth(points: number, trees: number, family: NumericTrees): number {
  const { classes } = family;
  const each = logTreeGrowth(points, family);
  return Math.min(points * Math.log(classes), trees * each + logVoteGrowth(points, trees, classes));
}
