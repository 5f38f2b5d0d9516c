import { formatCount, formatNumber } from "../../runtime/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import {
  type Certificate,
  checkTraining,
  FAMILY_PREMISES,
  type TrainingEvidence,
  trainingCertificate,
} from "../certificate.js";
import { logBinomialSum } from "../distributions.js";
import { growthPenalty } from "./growth-function.js";

/**
 * ln of what Sauer's lemma bounds the growth function of a family of VC dimension d on m points by (Triviño 2017,
 * Lemma 2.1, eq. 2.22): Π(m) ≤ Σ_{i=0}^{d} C(m, i). It is 2^m for d ≥ m.
 */
export function logSauer(points: number, dimension: number): number {
  return logBinomialSum(points, dimension);
}

/**
 * ln of the simpler bound (em/d)^d of that sum (eq. 2.23), for m ≥ d ≥ 1. Outside that it bounds nothing: then
 * Infinity, but 0 for d = 0, where there is one labelling.
 */
export function logSauerPower(points: number, dimension: number): number {
  if (dimension === 0) return 0;
  if (dimension > points) return Number.POSITIVE_INFINITY;
  return dimension * (1 + Math.log(points / dimension));
}

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

/** A classifier chosen from finitely many. */
export interface FiniteClassEvidence extends TrainingEvidence {
  /** ln|H|: of how many classifiers there were to choose from, fixed before the rows were seen. */
  readonly logSize: number;
}

/**
 * A finite class (Triviño 2017, Theorem 2.2, eq. 2.13): with probability ≥ 1 − δ over the draw of m rows, for all
 * h ∈ H at once, and so for whichever was chosen by looking at the rows,
 *
 *     L(h) ≤ L̂(h) + √((ln|H| + ln(1/δ)) / 2m).
 */
export function finiteClass(evidence: FiniteClassEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, logSize } = evidence;
  if (!(logSize >= 0)) {
    throw new VouchError(
      "option/invalid",
      `A class of e^${logSize} classifiers cannot be: it has at least one.`,
    );
  }
  const error = errors / rows;
  const penalty = Math.sqrt((logSize - Math.log(delta)) / (2 * rows));
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
