import { adaBoostVc } from "./adaboost-vc.js";
import type { Certificate } from "./certificate.js";
import { growthFunctionExact } from "./growth-function-exact.js";
import { logStumpGrowth } from "./growth-stump.js";
import { logCommitteeGrowth } from "./growth-stump-committee.js";
import { type MarginEvidence, marginVc } from "./margin-vc.js";
import type { TrainingEvidence } from "./training-certificate.js";
import { vcBound } from "./vc.js";
import { stumpVcDimension } from "./vc-dimension-stump.js";

/** What a stump knows of its training. */
export interface StumpFacts extends TrainingEvidence {
  readonly features: number;
  readonly classes: number;
}

/** All that is known of a stump from its training. */
export function stumpCertificates(facts: StumpFacts): Certificate[] {
  const { features, classes } = facts;
  const logGrowth = (points: number) => logStumpGrowth(points, features, classes);
  const exact = growthFunctionExact({ ...facts, logGrowth });
  return classes === 2 ? [exact, vcBound({ ...facts, vcDimension: stumpVcDimension(features) })] : [exact];
}

/** What a committee of stumps knows of its training. */
export interface StumpCommitteeFacts extends MarginEvidence {
  readonly features: number;
  readonly classes: number;
  /** T. */
  readonly rounds: number;
  /**
   * J: how many different stumps vote, a constant one not counted. With two classes those that ask the same question
   * are one, whichever way round they answer.
   */
  readonly stumps: number;
}

/**
 * All that is known of a committee of stumps from its training. How many different ones vote is not known before the rows
 * are seen: J = 0, 1, 2, … gets the share 1/((J + 1)(J + 2)) of δ; these sum to one. The bounds of the thesis are about
 * two classes.
 */
export function stumpCommitteeCertificates(facts: StumpCommitteeFacts): Certificate[] {
  const { features, stumps, classes } = facts;
  const exact = growthFunctionExact({
    ...facts,
    logGrowth: (points) => logCommitteeGrowth(points, features, stumps, classes),
    logChoices: Math.log((stumps + 1) * (stumps + 2)),
  });
  if (classes > 2) return [exact];
  const vcDimension = stumpVcDimension(features);
  return [exact, adaBoostVc({ ...facts, vcDimension }), marginVc({ ...facts, vcDimension })];
}
