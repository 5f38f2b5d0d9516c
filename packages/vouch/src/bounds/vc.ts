import { VouchError } from "../error.js";
import { formatCount, formatNumber } from "../number-format.js";
import type { Certificate } from "./certificate.js";
import { growthPenalty } from "./growth-function.js";
import { logSauerPower } from "./sauer.js";
import {
  checkTraining,
  FAMILY_PREMISES,
  type TrainingEvidence,
  trainingCertificate,
} from "./training-certificate.js";

/** A classifier chosen from a family of known VC dimension. */
export interface VcEvidence extends TrainingEvidence {
  /** V ≥ 1, or an upper bound of it. */
  readonly vcDimension: number;
}

/**
 * What structural risk minimisation adds to the training error (section 2.2.2): √(32 (ln(8/δ) + V ln(em/V)) / m), and
 * Infinity for m < V, where the formula means nothing.
 */
export function vcPenalty(vcDimension: number, rows: number, delta: number): number {
  return growthPenalty(logSauerPower(rows, vcDimension), rows, delta);
}

/**
 * The VC bound (Triviño 2017, Theorem 2.4, eq. 2.25): with probability ≥ 1 − δ, for all h of a family of VC
 * dimension V ≤ m,
 *
 *     L(h) ≤ L̂(h) + √(32 (ln(8/δ) + V ln(em/V)) / m).
 */
export function vcBound(evidence: VcEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, vcDimension } = evidence;
  checkVcDimension(vcDimension);
  const error = errors / rows;
  const penalty = vcPenalty(vcDimension, rows, delta);
  const fault = tooFewRows(rows, vcDimension);
  const bound = {
    name: "vc",
    reference: "Triviño (2017), eq. 2.25",
    value: error + penalty,
    terms: { "training error": error, V: vcDimension, penalty, rows, delta },
    parts: { "training error": error, penalty },
    premises: [
      ...FAMILY_PREMISES,
      { statement: "There are at least as many rows as the VC dimension.", holds: fault === undefined },
    ],
    ...(fault !== undefined && { fault }),
  };
  return trainingCertificate(bound, evidence);
}

/** Fails unless the dimension is a number from 1; it may be infinite. */
export function checkVcDimension(vcDimension: number): void {
  if (vcDimension >= 1) return;
  throw new VouchError("option/invalid", `The VC dimension is ${vcDimension}, but must be at least 1.`);
}

/** Why a bound by the VC dimension says nothing, where there are fewer rows than that. */
export function tooFewRows(rows: number, vcDimension: number): string | undefined {
  if (rows >= vcDimension) return undefined;
  return `There are ${formatCount(rows, "row")}, fewer than the VC dimension ${formatNumber(vcDimension)}: such a family can label them in any way.`;
}
