import { logVoteGrowth } from "./growth-votes.js";
import { logTreeCount } from "./tree-count.js";

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
