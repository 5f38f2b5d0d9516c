import type { Certificate } from "./certificate.js";
import {
  checkTraining,
  FAMILY_PREMISES,
  type TrainingEvidence,
  trainingCertificate,
} from "./training-certificate.js";

/** A classifier chosen from a family that can label the rows in so many ways at most. */
export interface GrowthEvidence extends TrainingEvidence {
  /** ln Π_H(m), or an upper bound of it. */
  readonly logGrowth: number;
}

/**
 * The constants 8 and 32 of Theorem 2.3: √(32 (ln(8/δ) + ln Π) / m), the term that the training error is raised by.
 * Infinity where ln Π is.
 */
export function growthPenalty(logGrowth: number, rows: number, delta: number): number {
  return Math.sqrt((32 * (Math.log(8 / delta) + logGrowth)) / rows);
}

/**
 * The growth function (Triviño 2017, Theorem 2.3, eq. 2.21): with probability ≥ 1 − δ, for all h ∈ H,
 *
 *     L(h) ≤ L̂(h) + √(32 (ln(8/δ) + ln Π_H(m)) / m).
 *
 * With the double sample counted exactly instead of by 8 and 32 it is `growthFunctionExact`, which is far smaller.
 */
export function growthFunction(evidence: GrowthEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, logGrowth } = evidence;
  const error = errors / rows;
  const penalty = growthPenalty(logGrowth, rows, delta);
  const bound = {
    name: "growth-function",
    reference: "Triviño (2017), eq. 2.21",
    value: error + penalty,
    terms: { "training error": error, "ln Π(m)": logGrowth, penalty, rows, delta },
    parts: { "training error": error, penalty },
    premises: FAMILY_PREMISES,
  };
  return trainingCertificate(bound, evidence);
}
