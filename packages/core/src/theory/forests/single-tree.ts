import * as real from "../../runtime/maths/portable-math.js";
import type { Certificate } from "../certificate.js";
import type { TrainingEvidence } from "../training-certificate.js";
import { growthFunctionExact } from "../vc/growth-function.js";
import { logTreeGrowth, type NumericTrees } from "../vc/growth-of-families.js";

/** The training of one tree on numeric features; `leaves` is the number of its leaves. */
export interface SingleTreeInputs extends TrainingEvidence, NumericTrees {}

/**
 * Lists the certificates of a tree that was grown and pruned on the same rows. The bound by the growth function holds for all
 * trees with at most L leaves at once, so it does not matter how a tree was found among them. But the rows have also chosen L:
 * L = 1, 2, … get the shares 1/(L(L + 1)) of δ, which sum to one,
 *
 *     ln Π(n) = ln(number of ways in which trees with at most L leaves label n points),   ln(choices) = ln(L(L + 1)).
 */
export function singleTreeCertificates(facts: SingleTreeInputs): Certificate[] {
  const { leaves } = facts;
  return [
    growthFunctionExact({
      ...facts,
      logGrowth: (points) => logTreeGrowth(points, facts),
      logChoices: real.log(leaves * (leaves + 1)),
    }),
  ];
}
