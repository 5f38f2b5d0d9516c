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

/** What a committee of stumps for two classes knows of its training. */
export interface StumpCommitteeFacts extends MarginEvidence {
  readonly features: number;
  /** T. */
  readonly rounds: number;
  /** J: how many different questions its stumps ask; a constant stump asks none. */
  readonly questions: number;
}

/**
 * All that is known of a committee of stumps from its training. How many different questions it asks is not known before
 * the rows are seen: J = 0, 1, 2, … gets the share 1/((J + 1)(J + 2)) of δ; these sum to one.
 */
export function stumpCommitteeCertificates(facts: StumpCommitteeFacts): Certificate[] {
  const { features, questions } = facts;
  const vcDimension = stumpVcDimension(features);
  return [
    growthFunctionExact({
      ...facts,
      logGrowth: (points) => logCommitteeGrowth(points, features, questions),
      logChoices: Math.log((questions + 1) * (questions + 2)),
    }),
    adaBoostVc({ ...facts, vcDimension }),
    marginVc({ ...facts, vcDimension }),
  ];
}
