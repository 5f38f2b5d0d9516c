import type { BinnedFeature } from "../../encode/binned-columns.js";
import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";

/** A family of decision trees. */
export interface TreeFamily {
  /** L: maximum number of leaves. */
  readonly leaves: number;
  /** ln s, s being the number of splits that a node can make. */
  readonly logSplits: number;
  /** ln c, c being the number of different leaves: `Math.log(classes)` if a leaf holds a class. */
  readonly logLeafValues: number;
}

/**
 * Counts decision trees with at most L leaves, as a logarithm. A tree with l leaves has l − 1 inner nodes. It has one of C_{l−1}
 * shapes (binary trees with ordered children, Catalan numbers), one of s splits at each inner node and one of c values at each
 * leaf:
 *
 *     |H| = Σ_{l=1}^{L} C_{l−1} s^{l−1} c^l,   C_n = C(2n, n)/(n + 1),   C_n/C_{n−1} = 2(2n − 1)/(n + 1).
 *
 * These are trees as they are written down. Different trees may compute the same function, so this is an upper bound on the
 * number of functions. The terms grow by factors sc·C_n/C_{n−1} ≥ 1: the sum is kept relative to its last term, so that nothing
 * overflows.
 */
export function logTreeCount({ leaves, logSplits, logLeafValues }: TreeFamily): number {
  if (!(Number.isSafeInteger(leaves) && leaves >= 1)) {
    throw new VouchError(
      "option/invalid",
      `The maximum number of leaves must be a whole number of at least 1, not ${leaves}.`,
    );
  }
  if (!(logLeafValues >= 0) || !(logSplits >= 0 || logSplits === Number.NEGATIVE_INFINITY)) {
    throw new VouchError(
      "option/invalid",
      `The logarithms of the numbers of splits and leaf values must be at least 0 (−∞ without splits), not ${logSplits} and ${logLeafValues}.`,
    );
  }
  if (logSplits === Number.NEGATIVE_INFINITY) return logLeafValues;
  let lastTerm = logLeafValues;
  let sum = 1;
  for (let n = 1; n < leaves; n++) {
    const growth = real.log((2 * (2 * n - 1)) / (n + 1)) + logSplits + logLeafValues;
    lastTerm += growth;
    sum = sum * real.exp(-growth) + 1;
  }
  return lastTerm + real.log(sum);
}

/**
 * Counts the splits that a node can make on binned columns, as a logarithm.
 *
 * A numeric column with c bin boundaries has 2c + 1 splits: the bin is at most b, with missing cells on either side, or the cell
 * is missing. A categorical column with v levels has 2^v − 1: the levels and the missing cells are divided into two non-empty
 * groups. A split and its negation count once, because the children of a node are ordered (`logTreeCount`).
 */
export function logSplitCount(features: readonly BinnedFeature[]): number {
  let splits = 0;
  for (const feature of features) {
    splits += feature.kind === "numeric" ? 2 * feature.cuts.length + 1 : 2 ** feature.levels.length - 1;
  }
  return real.log(splits);
}

/** A layer of a deep forest: its number of trees, and the trees that each could have been. */
export interface TreeBlock {
  /** Number of trees in all its forests and all k folds, because all of them predict new rows. */
  readonly trees: number;
  /** The maximum number of leaves of a tree, known before the rows were seen: at most rows/minLeafRows. */
  readonly leaves: number;
  /** The columns that its trees saw, including those that earlier layers have added. */
  readonly features: readonly BinnedFeature[];
  readonly classes: number;
}

/** ln of the number of doubles that a weight α can be. */
const LOG_WEIGHTS = 64 * Math.LN2;

/**
 * Counts the functions H_t of each layer of a deep forest, as logarithms.
 *
 * H_t must contain every function of x that can get a vote at layer t. The function of a layer is the mean of its trees, and a
 * tree whose leaves hold class distributions is a mean of trees whose leaves hold one class each (draw the class of each leaf
 * at random). So F is a convex combination of trees with a class in each leaf, and margin theorems are about convex
 * combinations: one tree with classes is enough for layer t itself. But this tree splits on f_{t−1}(x), which the data have chosen
 * too, with all trees, their distributions and the weights. So
 *
 *     ln|H_t| = ln|trees of layer t with classes| + Σ_{s<t} ( ln|blocks of layer s| + ln 2⁶⁴ ),
 *
 * the last for α_s. The bin boundaries, which come from the rows, are not counted.
 */
export function logFamilySizes(blocks: readonly TreeBlock[]): number[] {
  let earlier = 0;
  return blocks.map((block) => {
    const { leaves, features, classes } = block;
    const logLeafValues = real.log(classes);
    const own = logTreeCount({ leaves, logSplits: logSplitCount(features), logLeafValues });
    const size = earlier + own;
    earlier += logBlockCount(block) + LOG_WEIGHTS;
    return size;
  });
}

/** Counts the ways to fill a block with trees whose leaves hold class distributions, as a logarithm. */
function logBlockCount({ trees, leaves, features, classes }: TreeBlock): number {
  const logSplits = logSplitCount(features);
  return trees * logTreeCount({ leaves, logSplits, logLeafValues: logDistributionCount(classes) });
}

/** The number of 32-bit floating-point numbers from 0 to 1: those with the bits of 0, of 1 and all between. */
const SHARES = 0x3f800000 + 1;

/** Counts the class distributions that a leaf can hold, each share a 32-bit number from 0 to 1, as a logarithm. */
function logDistributionCount(classes: number): number {
  return classes * real.log(SHARES);
}
