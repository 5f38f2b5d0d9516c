import type { Criterion, Score, SelectionSettings } from "./criterion.js";
import type { Fitted } from "./evidence.js";
import { srmRefusal, srmScore } from "./srm.js";

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
export function adjustedScore(
  fitted: Fitted,
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
export interface Calibrating {
  readonly fitted: Fitted;
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
