import * as real from "../../runtime/maths/portable-math.js";
import { formatCount, formatNumber } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { type Certificate, checkedPremise, type Premise } from "../certificate.js";
import { FAMILY_PREMISES } from "../encoding-premises.js";
import { logBinomialSum } from "../log-tails.js";
import { checkTraining, type TrainingEvidence, trainingCertificate } from "../training-certificate.js";
import { growthPenalty } from "./growth-function.js";

/** A classifier from a family of known VC dimension. */
export interface VcEvidence extends TrainingEvidence {
  /** V ≥ 1, or an upper bound on it. */
  readonly vcDimension: number;
}

/**
 * Bounds the error by the VC dimension (Triviño 2017, Theorem 2.4, eq. 2.25): with probability ≥ 1 − δ, for all h of a family
 * of VC dimension V ≤ m,
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
    premises: [...FAMILY_PREMISES, enoughRows(rows, vcDimension)],
    ...(fault !== undefined && { fault }),
    role: "comparison" as const,
  };
  return trainingCertificate(bound, evidence);
}

/**
 * Computes √(32 (ln(8/δ) + V ln(em/V)) / m), which structural risk minimisation adds to the training error (section 2.2.2).
 * Infinity for m < V, where the formula means nothing.
 */
export function vcPenalty(vcDimension: number, rows: number, delta: number): number {
  return growthPenalty(logSauerPower(rows, vcDimension), rows, delta);
}

/**
 * Computes the logarithm of Sauer's bound on the growth function of a family of VC dimension d on m points (Triviño 2017,
 * Lemma 2.1, eq. 2.22): Π(m) ≤ Σ_{i=0}^{d} C(m, i), which is 2^m for d ≥ m.
 */
export function logSauer(points: number, dimension: number): number {
  return logBinomialSum(points, dimension);
}

/**
 * Computes the logarithm of (em/d)^d, a simpler bound on the sum of `logSauer` (eq. 2.23) for m ≥ d ≥ 1. Infinity for d > m,
 * where it bounds nothing; 0 for d = 0, which allows one labelling.
 */
export function logSauerPower(points: number, dimension: number): number {
  if (dimension === 0) return 0;
  if (dimension > points) return Number.POSITIVE_INFINITY;
  return dimension * (1 + real.log(points / dimension));
}

/** Throws unless the VC dimension is at least 1; it may be infinite. */
export function checkVcDimension(vcDimension: number): void {
  if (vcDimension >= 1) return;
  throw new VouchError("option/invalid", `The VC dimension must be at least 1, not ${vcDimension}.`);
}

/** Returns the premise m ≥ V. */
export function enoughRows(rows: number, vcDimension: number): Premise {
  return checkedPremise("There are at least as many training rows as the VC dimension.", rows >= vcDimension);
}

/** Explains why a bound by the VC dimension is vacuous if m < V; undefined otherwise. */
export function tooFewRows(rows: number, vcDimension: number): string | undefined {
  if (rows >= vcDimension) return undefined;
  return `There are ${formatCount(rows, "training row")}, fewer than the VC dimension ${formatNumber(vcDimension)}: the family may be able to label them in every way.`;
}

/** A classifier from a finite family. */
export interface FiniteClassEvidence extends TrainingEvidence {
  /** ln|H|, where H was fixed before the rows were seen. */
  readonly logSize: number;
}

/**
 * Bounds the error by the size of a finite class (Triviño 2017, Theorem 2.2, eq. 2.13): with probability ≥ 1 − δ over the draw
 * of m rows, for all h ∈ H simultaneously, and so for whichever the rows chose,
 *
 *     L(h) ≤ L̂(h) + √((ln|H| + ln(1/δ)) / 2m).
 */
export function finiteClass(evidence: FiniteClassEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, logSize } = evidence;
  if (!(logSize >= 0)) {
    throw new VouchError("option/invalid", `ln|H| must be at least 0, not ${logSize}.`);
  }
  const error = errors / rows;
  const penalty = Math.sqrt((logSize - real.log(delta)) / (2 * rows));
  const bound = {
    name: "finite-class",
    reference: "Triviño (2017), eq. 2.13",
    value: error + penalty,
    terms: { "training error": error, "ln|H|": logSize, penalty, rows, delta },
    parts: { "training error": error, penalty },
    premises: FAMILY_PREMISES,
  };
  return trainingCertificate(bound, evidence);
}
