import { checkRounds, enoughRowsForRounds, tooManyRounds } from "./adaboost-finite.js";
import type { Certificate } from "./certificate.js";
import {
  checkTraining,
  FAMILY_PREMISES,
  type TrainingEvidence,
  trainingCertificate,
} from "./training-certificate.js";
import { checkVcDimension, tooFewRows } from "./vc.js";

/** The size of a committee: what the bound on boosting depends on. */
export interface CommitteeSize {
  /** m. */
  readonly rows: number;
  /** T. */
  readonly rounds: number;
  /** V of the family that each round chooses from, or an upper bound of it. */
  readonly vcDimension: number;
}

/**
 * How eq. 3.11 is read: as printed, or as Table 5.1 was computed, with `m` where the equation has `em`, twice.
 * Only the equation is a bound.
 */
export type AdaBoostVcReading = "equation" | "table";

/**
 * The term of eq. 3.11 that the training error is raised by; Infinity for m < max(T, V). With d = 12 features, V = 7
 * (`stumpVcDimension`) and δ = 0.05 the reading `table` gives Table 5.1 to all its decimals.
 */
export function adaBoostVcPenalty(
  { rows, rounds, vcDimension }: CommitteeSize,
  delta: number,
  reading: AdaBoostVcReading = "equation",
): number {
  if (rows < Math.max(rounds, vcDimension)) return Number.POSITIVE_INFINITY;
  const e = reading === "equation" ? 1 : 0;
  const votes = e + Math.log(rows / rounds);
  const stumps = vcDimension * (e + Math.log(rows / vcDimension));
  return Math.sqrt((32 * (rounds * (votes + stumps) + Math.log(8 / delta))) / rows);
}

/**
 * AdaBoost on a family of VC dimension V (Triviño 2017, Theorem 3.3, eq. 3.11): with probability ≥ 1 − δ, for
 * m ≥ max(T, V),
 *
 *     L(H) ≤ L̂(H) + √(32 (T (ln(em/T) + V ln(em/V)) + ln(8/δ)) / m).
 */
export function adaBoostVc(evidence: TrainingEvidence & CommitteeSize): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, rounds, vcDimension } = evidence;
  checkRounds(rounds);
  checkVcDimension(vcDimension);
  const error = errors / rows;
  const penalty = adaBoostVcPenalty(evidence, delta);
  const rounding = tooManyRounds(rows, rounds);
  const shattering = tooFewRows(rows, vcDimension);
  const fault = rounding ?? shattering;
  const bound = {
    name: "adaboost-vc",
    reference: "Triviño (2017), eq. 3.11",
    value: error + penalty,
    terms: { "training error": error, T: rounds, V: vcDimension, penalty, rows, delta },
    parts: { "training error": error, penalty },
    premises: [
      ...FAMILY_PREMISES,
      enoughRowsForRounds(rounding),
      { statement: "There are at least as many rows as the VC dimension.", holds: shattering === undefined },
    ],
    ...(fault !== undefined && { fault }),
  };
  return trainingCertificate(bound, evidence);
}
