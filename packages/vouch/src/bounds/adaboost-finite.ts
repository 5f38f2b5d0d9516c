import { VouchError } from "../error.js";
import { formatCount } from "../number-format.js";
import type { Certificate } from "./certificate.js";
import {
  checkTraining,
  FAMILY_PREMISES,
  type TrainingEvidence,
  trainingCertificate,
} from "./training-certificate.js";

/** A committee of classifiers from a finite class. */
export interface AdaBoostFiniteEvidence extends TrainingEvidence {
  /** T: how many rounds there were. */
  readonly rounds: number;
  /** ln|H|: of how many classifiers each round could choose from. */
  readonly logSize: number;
}

/**
 * AdaBoost on a finite class (Triviño 2017, Theorem 3.2, eq. 3.10): with probability ≥ 1 − δ, for m ≥ T,
 *
 *     L(H) ≤ L̂(H) + √(32 (T ln(em|H|/T) + ln(8/δ)) / m).
 */
export function adaBoostFinite(evidence: AdaBoostFiniteEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, rounds, logSize } = evidence;
  checkRounds(rounds);
  const error = errors / rows;
  const fault = tooManyRounds(rows, rounds);
  const capacity = rounds * (1 + Math.log(rows / rounds) + logSize);
  const penalty = fault
    ? Number.POSITIVE_INFINITY
    : Math.sqrt((32 * (capacity + Math.log(8 / delta))) / rows);
  const bound = {
    name: "adaboost-finite",
    reference: "Triviño (2017), eq. 3.10",
    value: error + penalty,
    terms: { "training error": error, T: rounds, "ln|H|": logSize, penalty, rows, delta },
    parts: { "training error": error, penalty },
    premises: [...FAMILY_PREMISES, enoughRowsForRounds(fault)],
    ...(fault !== undefined && { fault }),
  };
  return trainingCertificate(bound, evidence);
}

/** Fails unless there is a whole number of rounds. */
export function checkRounds(rounds: number): void {
  if (Number.isSafeInteger(rounds) && rounds >= 1) return;
  throw new VouchError("option/invalid", `There were ${rounds} rounds of boosting, but must be at least 1.`);
}

/** Why a bound by the rounds says nothing, where there are more rounds than rows. */
export function tooManyRounds(rows: number, rounds: number): string | undefined {
  if (rounds <= rows) return undefined;
  return `There were ${formatCount(rounds, "round")}, more than the ${formatCount(rows, "row")}: such votes can label them in any way.`;
}

/** The premise m ≥ T. */
export function enoughRowsForRounds(fault: string | undefined) {
  return { statement: "There are at least as many rows as rounds.", holds: fault === undefined };
}
