import { adaBoostVc } from "./adaboost-vc.js";
import type { Certificate } from "./certificate.js";
import { growthFunctionExact } from "./growth-function-exact.js";
import { logTreeCommitteeGrowth, type NumericTrees } from "./growth-tree-committee.js";
import { type MarginEvidence, marginVc } from "./margin-vc.js";
import { treeVcDimension } from "./vc-dimension-tree.js";

/** What a committee of trees on numbers knows of its training. */
export interface TreeCommitteeFacts extends MarginEvidence, NumericTrees {
  /** T. */
  readonly rounds: number;
}

/**
 * All that is known of a committee of trees from its training. How many trees there are may depend on the rows: T = 1, 2, …
 * gets the share 1/(T(T + 1)) of δ; these sum to one. How many leaves they can have must not. The bounds of the thesis
 * are about two classes.
 */
export function treeCommitteeCertificates(facts: TreeCommitteeFacts): Certificate[] {
  const { rounds, features, leaves, classes } = facts;
  const exact = growthFunctionExact({
    ...facts,
    logGrowth: (points) => logTreeCommitteeGrowth(points, rounds, facts),
    logChoices: Math.log(rounds * (rounds + 1)),
  });
  if (classes > 2) return [exact];
  const vcDimension = treeVcDimension(features, leaves);
  return [exact, adaBoostVc({ ...facts, vcDimension }), marginVc({ ...facts, vcDimension })];
}
