import type { Vote } from "../learners/model.js";
import { adaBoostVcPenalty, tooManyRounds } from "../theory/boosting/boosting.js";
import { riskOfFailure } from "../theory/certificate.js";
import { marginVc } from "../theory/margins/margin-bounds.js";
import { tooFewRows, vcPenalty } from "../theory/vc/vc-bound.js";
import type { TrainingMeasures } from "../validation/trial.js";
import type { Criterion, Score, SelectionSettings } from "./criterion.js";

/**
 * Structural risk minimisation (thesis, §2.2.2): training error plus the complexity term of the VC bound, eq. 2.25, or
 * for a weighted vote the term of Theorem 3.3, eq. 3.11. At practical sample sizes the complexity term dominates and
 * the simplest candidate wins (§5.2); `adjusted-srm` is the remedy.
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

/** Explains why structural risk minimisation cannot judge a model; undefined if it can. */
function srmRefusal({ complexity }: TrainingMeasures): string | undefined {
  return complexity.vcDimension === undefined && complexity.vote === undefined
    ? "the VC dimension of the family is infinite or unknown"
    : undefined;
}

/** Computes the bound and its two terms, and the reason if it is infinite. */
function srmScore(
  { rows, errors, complexity }: TrainingMeasures,
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

/** A complexity term, and the reason if it is infinite. */
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

/** The constants to try: 1, ½, …, 2⁻¹⁰ (thesis, §5.2). */
const ADJUSTMENTS: readonly number[] = Array.from({ length: 11 }, (_, i) => 2 ** -i);

/**
 * Adjusted structural risk minimisation (thesis, §5.2, eq. 5.3): the bound of `srm` with its complexity term times a
 * constant C, because the plain term outweighs any training error at practical sample sizes.
 *
 * C is found by hold-out. With the candidates fitted to one part of the rows, each C chooses the candidate with the
 * smallest adjusted bound, and the choices are tested on the other part. Among the constants whose choice has the
 * smallest error there, the thesis takes one "of the smallest values", because its bounds are close to the validation
 * error. Here it is the one whose bound is closest to that error, and the larger of two that are equally close. This C
 * judges the candidates fitted to all rows. An adjusted bound proves nothing.
 */
export const adjustedSrmCriterion: Criterion = {
  name: "adjusted-srm",
  summary: "structural risk minimisation, its complexity term scaled by a constant found by hold-out",
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

/** Computes the score of `srm` with the complexity term times C. */
function adjustedScore(
  fitted: TrainingMeasures,
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
interface CalibrationTrial {
  readonly fitted: TrainingMeasures;
  readonly validationError: number;
}

/** Finds the constant whose choice has the smallest error; among several, the one whose bound is closest to that error. */
function calibrate(
  candidates: readonly CalibrationTrial[],
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
 * The margin criterion for committees (thesis, §5.4.1): the bound of Theorem 3.5, which depends on the margins of the
 * training rows, not on the number of voters. Margins must exceed a minimum that is close to 1 unless there are
 * thousands of rows. If no candidate has such margins, the criterion cannot distinguish them.
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

function marginScore({ rows, errors, margins, complexity }: TrainingMeasures, confidence: number): Score {
  const vcDimension = complexity.vote?.vcDimension ?? Number.POSITIVE_INFINITY;
  const { value, terms, reason } = marginVc({ rows, errors, margins, vcDimension, confidence });
  // Without a θ the certificate is 1, which does not help to compare candidates.
  const silent = terms.n === 0 || value === Number.POSITIVE_INFINITY;
  return silent && reason !== undefined
    ? { value: Number.POSITIVE_INFINITY, terms, reason }
    : { value, terms };
}
