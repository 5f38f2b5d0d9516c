import { tooManyRounds } from "../bounds/adaboost-finite.js";
import { adaBoostVcPenalty } from "../bounds/adaboost-vc.js";
import { riskOfFailure } from "../bounds/held-out.js";
import { tooFewRows, vcPenalty } from "../bounds/vc.js";
import type { Vote } from "../learning/model.js";
import type { Criterion, Score, SelectionSettings } from "./criterion.js";
import type { Fitted } from "./evidence.js";

/**
 * Structural risk minimisation (thesis, §2.2.2): training error plus the complexity term of the VC bound, eq. 2.25; for a
 * weighted vote that of Theorem 3.3, eq. 3.11. At practical sample sizes the second outweighs the first, and the
 * simplest candidate wins (§5.2); `adjusted-srm` is the remedy.
 */
export const srmCriterion: Criterion = {
  name: "srm",
  summary: "structural risk minimisation: training error plus the complexity term of the VC bound",
  measures: "bound",
  needs: ["training"],
  refusal: srmRefusal,
  score: (candidates, settings) => ({
    scores: candidates.map(({ training: [fitted] }) => srmScore(fitted, settings)),
  }),
};

/** Why structural risk minimisation cannot judge a model; undefined if it can. */
export function srmRefusal({ complexity }: Fitted): string | undefined {
  return complexity.vcDimension === undefined && complexity.vote === undefined
    ? "the VC dimension of the family is infinite or not known"
    : undefined;
}

/** The bound, its two terms, and why it is infinite where it is. */
export function srmScore(
  { rows, errors, complexity }: Fitted,
  { confidence }: Pick<SelectionSettings, "confidence">,
): Score {
  const trainingError = errors / rows;
  const delta = riskOfFailure(confidence);
  const { penalty, fault } = complexity.vote
    ? votePenalty(complexity.vote, rows, delta)
    : familyPenalty(complexity.vcDimension ?? Number.POSITIVE_INFINITY, rows, delta);
  return {
    value: trainingError + penalty,
    terms: { trainingError, complexity: penalty },
    ...(fault !== undefined && { reason: fault }),
  };
}

/** What the training error is raised by, and why that is infinite where it is. */
interface Penalty {
  readonly penalty: number;
  readonly fault: string | undefined;
}

function votePenalty({ voters: rounds, vcDimension }: Vote, rows: number, delta: number): Penalty {
  return {
    penalty: adaBoostVcPenalty({ rows, rounds, vcDimension }, delta),
    fault: tooManyRounds(rows, rounds) ?? tooFewRows(rows, vcDimension),
  };
}

function familyPenalty(vcDimension: number, rows: number, delta: number): Penalty {
  return { penalty: vcPenalty(vcDimension, rows, delta), fault: tooFewRows(rows, vcDimension) };
}
