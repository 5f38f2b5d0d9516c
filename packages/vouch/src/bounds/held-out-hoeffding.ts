import type { Certificate } from "./certificate.js";
import { checkHeldOut, type HeldOutEvidence, heldOutCertificate, riskOfFailure } from "./held-out.js";

/**
 * Hoeffding's inequality for a fixed classifier (Triviño 2017, Corollary 2.1, eq. 2.5): with probability ≥ 1 − δ
 * over the draw of m independent held-out rows
 *
 *     L ≤ L̂ + √(ln(1/δ) / 2m),   L̂ = errors / m.
 *
 * Never below the exact binomial tail; kept because it is the form in which bounds are usually written.
 */
export function heldOutHoeffding(evidence: HeldOutEvidence): Certificate {
  checkHeldOut(evidence);
  const { rows, errors } = evidence;
  const delta = riskOfFailure(evidence.confidence);
  const error = rows === 0 ? 0 : errors / rows;
  const deviation = Math.sqrt(-Math.log(delta) / (2 * rows));
  const value = rows === 0 ? Number.POSITIVE_INFINITY : error + deviation;
  const terms = { error, deviation, rows, delta };
  const parts = { "error on held-out rows": error, deviation };
  const reference = "Hoeffding (1963); Triviño (2017), eq. 2.5";
  return heldOutCertificate({ name: "held-out-hoeffding", reference, value, terms, parts }, evidence);
}
