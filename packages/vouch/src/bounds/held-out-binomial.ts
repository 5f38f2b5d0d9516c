import { largestProbability } from "../numeric/binomial.js";
import { type Certificate, partsAbove } from "./certificate.js";
import { checkHeldOut, type HeldOutEvidence, heldOutCertificate, riskOfFailure } from "./held-out.js";

/**
 * The exact binomial tail (Clopper and Pearson 1934, one-sided; Langford, "Tutorial on practical prediction theory
 * for classification", JMLR 6, 2005, the test set bound). A fixed classifier of error L misclassifies X of m
 * independent rows with X ~ Binomial(m, L), so with probability ≥ 1 − δ over the draw of the rows
 *
 *     L ≤ max { p : P(Binomial(m, p) ≤ k) ≥ δ },   k = errors on the m rows.
 *
 * No bound that uses only k and m and holds for every L is smaller.
 */
export function heldOutBinomial(evidence: HeldOutEvidence): Certificate {
  checkHeldOut(evidence);
  const { rows, errors } = evidence;
  const delta = riskOfFailure(evidence.confidence);
  const value = rows === 0 ? Number.POSITIVE_INFINITY : largestProbability(errors, rows, delta);
  const terms = { errors, rows, delta };
  const parts = partsAbove("error on held-out rows", rows === 0 ? 0 : errors / rows, value);
  const reference = "Clopper and Pearson (1934); Langford (2005), test set bound";
  return heldOutCertificate({ name: "held-out-binomial", reference, value, terms, parts }, evidence);
}
