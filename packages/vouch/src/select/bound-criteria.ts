import type { FittedFacts } from "../evaluate/trial.js";
import type { Vote } from "../learners/model.js";
import { adaBoostVcPenalty, tooManyRounds } from "../theory/boosting/boosting.js";
import { riskOfFailure } from "../theory/certificate.js";
import { marginVc } from "../theory/margins/margin-bounds.js";
import { tooFewRows, vcPenalty } from "../theory/vc/vc-bound.js";
import type { Criterion, Score, SelectionSettings } from "./criterion.js";

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
function srmRefusal({ complexity }: FittedFacts): string | undefined {
  return complexity.vcDimension === undefined && complexity.vote === undefined
    ? "the VC dimension of the family is infinite or not known"
    : undefined;
}

/** The bound, its two terms, and why it is infinite where it is. */
function srmScore(
  { rows, errors, complexity }: FittedFacts,
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

/** The constants that are tried: 1, ½, …, 2⁻¹⁰ (thesis, §5.2). */
export const ADJUSTMENTS: readonly number[] = Array.from({ length: 11 }, (_, i) => 2 ** -i);

/**
 * Adjusted structural risk minimisation (thesis, §5.2, eq. 5.3): the bound of `srm` with its complexity term times a
 * constant C, because as it is that term outweighs any training error at practical sample sizes.
 *
 * C is found by holdout. With the candidates fitted to one part of the rows, each C chooses the one with the smallest
 * adjusted bound, and the choices are tried on the other part. Of the constants whose choice errs least there the
 * thesis takes one "of the smallest values", because its bounds are close to the validation error: here it is the one whose
 * bound is closest to it, and the larger of two that are equally close. With this C the candidates fitted to all rows
 * are judged. Nothing proves an adjusted bound.
 */
export const adjustedSrmCriterion: Criterion = {
  name: "adjusted-srm",
  summary: "structural risk minimisation with its complexity term scaled by a constant found by holdout",
  measures: "bound",
  needs: ["training", "holdout"],
  refusal: srmRefusal,
  score(candidates, settings) {
    const C = calibrate(
      candidates.map(({ holdout: [{ fitted, trial }] }) => ({
        fitted,
        validationError: trial.errors / trial.rows,
      })),
      settings,
    );
    const scores = candidates.map(({ training: [fitted] }) => adjustedScore(fitted, C, settings));
    return { scores, facts: { C } };
  },
};

/** The score of `srm` with the complexity term times C. */
function adjustedScore(
  fitted: FittedFacts,
  C: number,
  settings: Pick<SelectionSettings, "confidence">,
): Score {
  const { terms, reason } = srmScore(fitted, settings);
  const complexity = C * terms.complexity;
  return {
    value: terms.trainingError + complexity,
    terms: { ...terms, complexity },
    ...(reason !== undefined && { reason }),
  };
}

/** A candidate fitted to one part of the rows, and its error on the other. */
interface Calibrating {
  readonly fitted: FittedFacts;
  readonly validationError: number;
}

/** The constant whose choice errs least, and of several the one whose bound is closest to that error. */
export function calibrate(
  candidates: readonly Calibrating[],
  settings: Pick<SelectionSettings, "confidence">,
): number {
  const choices = ADJUSTMENTS.map((C) => {
    const bounds = candidates.map(({ fitted }) => adjustedScore(fitted, C, settings).value);
    const chosen = bounds.indexOf(Math.min(...bounds));
    const { validationError } = candidates[chosen];
    return { C, validationError, distance: Math.abs(bounds[chosen] - validationError) };
  });
  return choices.reduce((best, choice) => {
    const better = choice.validationError - best.validationError;
    return better < 0 || (better === 0 && choice.distance < best.distance) ? choice : best;
  }).C;
}

/**
 * The margin criterion for committees (thesis, §5.4.1): the bound of Theorem 3.5, in which it is the margins of the
 * training rows that count, and not how many classifiers vote. It speaks of margins above a least one, which is close
 * to 1 unless there are thousands of rows; where no candidate has such margins it cannot tell them apart.
 */
export const marginCriterion: Criterion = {
  name: "margin",
  summary: "bound by the margins of the training rows (Theorem 3.5), for weighted votes such as adaboost",
  measures: "bound",
  needs: ["training"],
  refusal: ({ complexity }) =>
    complexity.vote ? undefined : "Theorem 3.5 is about weighted votes between two classes",
  score: (candidates, { confidence }) => ({
    scores: candidates.map(({ training: [fitted] }) => marginScore(fitted, confidence)),
  }),
};

function marginScore({ rows, errors, margins, complexity }: FittedFacts, confidence: number): Score {
  const vcDimension = complexity.vote?.vcDimension ?? Number.POSITIVE_INFINITY;
  const { value, terms, reason } = marginVc({ rows, errors, margins, vcDimension, confidence });
  // Without a θ the certificate is 1, as any bound may be; but it does not say that the candidate is better than others.
  const silent = terms.n === 0 || value === Number.POSITIVE_INFINITY;
  return silent && reason !== undefined
    ? { value: Number.POSITIVE_INFINITY, terms, reason }
    : { value, terms };
}
