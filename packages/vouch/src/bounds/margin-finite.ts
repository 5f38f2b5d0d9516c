import { VouchError } from "../error.js";
import type { Certificate } from "./certificate.js";
import { type MarginEvidence, shareUpTo } from "./margin-vc.js";
import { checkTraining, FAMILY_PREMISES, trainingCertificate } from "./training-certificate.js";

/**
 * The margin bound for a finite class (Triviño 2017, Theorem 3.4, eq. 3.13) up to its constant, which the O hides: for
 * θ > √(ln|H| / 4m)
 *
 *     P_S(M ≤ θ) + √( ln|H|/(mθ²) · ln(mθ²/ln|H|) + ln(1/δ)/m ).
 *
 * The constant being unknown this orders committees and bounds nothing; it is marked as not holding. The inner logarithm
 * is taken as 0 where it would be negative.
 */
export function marginFinite(
  evidence: MarginEvidence & { readonly logSize: number },
  theta: number,
): Certificate {
  const delta = checkTraining(evidence);
  const { rows, logSize } = evidence;
  if (!(theta > 0)) throw new VouchError("option/invalid", `The margin θ is ${theta}, but must be above 0.`);
  const least = Math.sqrt(logSize / (4 * rows));
  const share = shareUpTo(theta, evidence);
  const scaled = (rows * theta * theta) / logSize;
  const penalty = Math.sqrt(Math.max(0, Math.log(scaled)) / scaled - Math.log(delta) / rows);
  const fault =
    theta > least
      ? "The constant in O(…) of Theorem 3.4 is not given: the value orders committees and bounds nothing."
      : `Theorem 3.4 is about margins θ above ${least}.`;
  const bound = {
    name: "adaboost-margin-finite",
    reference: "Triviño (2017), eq. 3.13, up to its constant",
    value: theta > least ? share + penalty : Number.POSITIVE_INFINITY,
    terms: { θ: theta, "P(M ≤ θ)": share, "ln|H|": logSize, penalty, rows, delta },
    ...(theta > least && { parts: { "P(M ≤ θ)": share, penalty } }),
    premises: [...FAMILY_PREMISES, { statement: "All constants of the theorem are known.", holds: false }],
    fault,
  };
  return trainingCertificate(bound, evidence);
}
