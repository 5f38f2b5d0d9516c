import { leafTerms, sumPaid } from "./cascade-leaf-terms.js";
import type { Certificate } from "./certificate.js";
import {
  confidenceParts,
  confidenceTerms,
  namedConfidenceTerms,
  sumOfConfidenceTerms,
} from "./deep-cascade-confidence.js";
import { type CascadeEvidence, checkEvidence, trainingError } from "./deep-cascade-evidence.js";
import { certificateOfPrinted, REFERENCE, theorem1Shares } from "./deep-cascade-printed.js";

/**
 * Equation (6) of DeSalvo, Mohri and Syed (2015), Theorem 1 for |𝓚| ≤ 1/ρ, where 𝓛 is empty:
 *
 *     R(f) ≤ R̂_S(f) + Σ_k min(4r_k, m_k⁺/m) + C(m, p, ρ) + √(ln(4/δ)/2m),
 *
 * with the largest such ρ, 1/|𝓚|, chosen after the sample was seen and so at the same price as in
 * `deepCascadeTheorem1`, which is never above this.
 */
export function deepCascadeEquation6(evidence: CascadeEvidence): Certificate {
  checkEvidence(evidence);
  const error = trainingError(evidence);
  const shares = theorem1Shares(evidence);
  const payingComplexity = shares.filter(({ active }) => active === "complexity").length;
  const margin = 1 / Math.max(1, payingComplexity);
  const confidence = confidenceTerms(evidence, margin, evidence.mostLeaves);
  const bound = {
    name: "deep-cascade-equation-6",
    reference: `${REFERENCE}, eq. 6`,
    value: error + sumPaid(shares) + sumOfConfidenceTerms(confidence),
    terms: Object.fromEntries([
      ["training error", error],
      ...leafTerms(shares, "4r"),
      ["Σ min(4r, m⁺/m)", sumPaid(shares)],
      ...namedConfidenceTerms(margin, confidence),
    ]),
    parts: {
      "training error": error,
      "what leaves pay": sumPaid(shares),
      ...confidenceParts(confidence),
    },
  };
  return certificateOfPrinted(bound, evidence);
}
