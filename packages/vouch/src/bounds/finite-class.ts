import { VouchError } from "../error.js";
import type { Certificate } from "./certificate.js";
import {
  checkTraining,
  FAMILY_PREMISES,
  type TrainingEvidence,
  trainingCertificate,
} from "./training-certificate.js";

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
