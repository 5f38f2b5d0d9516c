import { type LeafShare, leafShares, leafTerms, sumPaid } from "./cascade-leaf-terms.js";
import type { Certificate } from "./certificate.js";
import {
  type CascadeEvidence,
  cascadePremises,
  checkEvidence,
  trainingError,
} from "./deep-cascade-evidence.js";
import { riskOfFailure } from "./held-out.js";
import { trainingCertificate } from "./training-certificate.js";

/**
 * A bound for deep cascades without the detour over convex ensembles that Theorem 1 of DeSalvo, Mohri and
 * Syed (2015) takes, and with smaller constants. With probability ≥ 1 − δ, for all cascades f of at most L leaves, l being those of f,
 *
 *     R(f) ≤ R̂_S(f) + min( Σ_k r_k, Σ_k min(2r_k, m_k⁺/m) ) + 2 √((ln L + l ln p + ln(2^l − 1) + ln(1/δ)) / 2m).
 *
 * Proof. Fix l, the family of each leaf and a set J of leaves, not empty. Let g = Σ_{k∈J} s_k h_k, which is f on J and 0
 * elsewhere, and Φ(u) = min(1, max(0, 1 − u)). As yg is −1, 0 or 1, Φ(yg) = 1[yg ≤ 0] ≥ 1[yf ≤ 0], and its mean over the
 * sample is R̂_S(f) + Σ_{k∉J} m_k⁺/m. The supremum over g of E[Φ(yg)] − Ê_S[Φ(yg)], less 2R̂_S of the functions Φ(yg),
 * has a mean of at most 0 (symmetrisation) and changes by at most 2/m with one row, so it is at most 2√(ln(1/δ′)/2m)
 * (McDiarmid). That is 1/m for the supremum and 1/m for 2R̂_S: with ψ = Φ(yg) − ½, which has the same R̂_S, the mean over
 * the sign of the row is between that of the other rows alone and ½ more,
 *
 *     sup A ≤ ½ sup(A + ψ) + ½ sup(A − ψ) ≤ sup A + ½,   A = Σ of the other rows.
 *
 * Φ is 1-Lipschitz, so that R̂_S of the Φ(yg) is at most Σ_{k∈J} r_k (Talagrand's contraction). Together
 *
 *     R(f) ≤ R̂_S(f) + 2 Σ_{k∈J} r_k + Σ_{k∉J} m_k⁺/m + 2√(ln(1/δ′)/2m),
 *
 * and for J all leaves (1 − yg)/2, which is ½-Lipschitz, can take the place of Φ: then 2r_k is r_k. A union bound over
 * the L values of l, the p^l choices of families and the 2^l − 1 sets J gives δ′ = δ/(L p^l (2^l − 1)). J may then be
 * chosen after the sample was seen: the leaves with m_k⁺/m > 2r_k, or all. ∎
 *
 * A score of exactly 0 counts as wrong in m_k⁻, though f then says the first class: f has values ±1, and its errors are
 * at most those that are counted.
 */
export function deepCascadeDirect(evidence: CascadeEvidence): Certificate {
  checkEvidence(evidence);
  const { leaves, rows, complexityFault } = evidence;
  const error = trainingError(evidence);
  const deviation = directDeviation(evidence);
  const all = leafShares(leaves, rows, ({ complexity }) => complexity).map(payingComplexity);
  const some = leafShares(leaves, rows, ({ complexity }) => 2 * complexity);
  const complexity = Math.min(sumPaid(all), sumPaid(some));
  const bound = {
    name: "deep-cascade-direct",
    reference: "docs/guarantees-cascades.md; after DeSalvo, Mohri and Syed (2015), Theorem 1",
    value: error + complexity + deviation,
    terms: Object.fromEntries([
      ["training error", error],
      ...(sumPaid(all) <= sumPaid(some) ? leafTerms(all, "r") : leafTerms(some, "2r")),
      ["min(Σ r, Σ min(2r, m⁺/m))", complexity],
      ["deviation", deviation],
    ]),
    parts: { "training error": error, "complexity of the leaves": complexity, deviation },
    premises: cascadePremises(evidence),
    ...(complexityFault !== undefined && { fault: complexityFault }),
  };
  return trainingCertificate(bound, evidence);
}

function payingComplexity(share: LeafShare): LeafShare {
  return { ...share, active: "complexity" };
}

/** 2 √((ln L + l ln p + ln(2^l − 1) + ln(1/δ)) / 2m). */
function directDeviation({ leaves, rows, families, mostLeaves, confidence }: CascadeEvidence): number {
  const l = leaves.length;
  const sets = l * Math.LN2 + Math.log1p(-(2 ** -l));
  const choices = Math.log(mostLeaves) + l * Math.log(families) + sets;
  return 2 * Math.sqrt((choices - Math.log(riskOfFailure(confidence))) / (2 * rows));
}
