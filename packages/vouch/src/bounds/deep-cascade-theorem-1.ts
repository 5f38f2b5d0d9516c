import { VouchError } from "../error.js";
import { type LeafShare, leafTerms, sumPaid } from "./cascade-leaf-terms.js";
import type { Certificate } from "./certificate.js";
import {
  confidenceParts,
  confidenceTerms,
  namedConfidenceTerms,
  sumOfConfidenceTerms,
} from "./deep-cascade-confidence.js";
import { type CascadeEvidence, checkEvidence, trainingError } from "./deep-cascade-evidence.js";
import {
  certificateOfPrinted,
  type PrintedBound,
  REFERENCE,
  theorem1Shares,
} from "./deep-cascade-printed.js";

/** The facts of a cascade, and ρ where it is not to be chosen. */
export interface Theorem1Evidence extends CascadeEvidence {
  /** ρ in (0, 1], fixed before the rows were seen; without it the best of 1, 1/2, …, 1/l is taken, at a price. */
  readonly margin?: number;
}

/**
 * Theorem 1 of DeSalvo, Mohri and Syed (2015): with probability ≥ 1 − δ, for all cascades f whose leaves have values ±1, with
 * r_k = R̂_S(ℋ_k) and 𝓚 = {k : m_k⁺/m > 4r_k},
 *
 *     R(f) ≤ R̂_S(f) + Σ_k min(4r_k, m_k⁺/m) + min_{𝓛 ⊆ 𝓚, |𝓛| ≥ |𝓚| − 1/ρ} Σ_{k∈𝓛} [m_k⁺/m − 4r_k]
 *            + C(m, p, ρ) + √(ln(4/δ)/2m).
 *
 * In words: at most 1/ρ leaves can pay for their complexity, the others pay for the rows they get right.
 *
 * ρ counts only through ⌊1/ρ⌋ in the minimum, and C falls as ρ grows, so nothing is lost by choosing it from 1/j,
 * j = 1 … l. A union bound over these l values puts δ/l in the place of δ, which is the term "price of choosing ρ". The
 * paper mentions a term O(√(log log₂(1/ρ)/m)) for all ρ > 0 (Koltchinskii and Panchenko 2002, Theorem 2); that one
 * also rounds ρ to powers of two and so doubles the terms in 1/ρ. For l values the union bound is the smaller one.
 *
 * The constants are as printed. The theorem on convex ensembles that the paper cites for them has, as we know it,
 * expected complexities and a larger second root, so that its proof alone does not carry them. We vouch for the value
 * where it is not below that of `deepCascadeDirect`, which has a complete proof; this is one of the premises.
 */
export function deepCascadeTheorem1(evidence: Theorem1Evidence): Certificate {
  checkEvidence(evidence);
  const candidates = margins(evidence).map((margin) => theorem1At(margin, evidence));
  const best = candidates.reduce((a, b) => (b.value < a.value ? b : a));
  const bound = { ...best, name: "deep-cascade-theorem-1", reference: `${REFERENCE}, Theorem 1` };
  return certificateOfPrinted(bound, evidence);
}

function margins({ margin, mostLeaves }: Theorem1Evidence): number[] {
  if (margin === undefined) return Array.from({ length: mostLeaves }, (_, j) => 1 / (j + 1));
  if (margin > 0 && margin <= 1) return [margin];
  throw new VouchError("option/invalid", `The margin ρ is ${margin}, but must be above 0 and at most 1.`);
}

function theorem1At(
  margin: number,
  evidence: Theorem1Evidence,
): Pick<PrintedBound, "value" | "terms" | "parts"> {
  const error = trainingError(evidence);
  const shares = theorem1Shares(evidence);
  const { paying, surplus } = cheapestSubset(shares, margin);
  const confidence = confidenceTerms(
    evidence,
    margin,
    evidence.margin === undefined ? evidence.mostLeaves : 1,
  );
  const terms = Object.fromEntries([
    ["training error", error],
    ...leafTerms(paying, "4r"),
    ["Σ min(4r, m⁺/m)", sumPaid(shares)],
    ["min over 𝓛 of Σ [m⁺/m − 4r]", surplus],
    ...namedConfidenceTerms(margin, confidence),
  ]);
  const parts = {
    "training error": error,
    "what leaves pay": sumPaid(shares) + surplus,
    ...confidenceParts(confidence),
  };
  return { value: error + sumPaid(shares) + surplus + sumOfConfidenceTerms(confidence), terms, parts };
}

/**
 * min_{𝓛 ⊆ 𝓚, |𝓛| ≥ |𝓚| − 1/ρ} Σ_{k∈𝓛} [m_k⁺/m − 4r_k]: all terms are positive, so 𝓛 has as few leaves as it may,
 * those with the smallest terms. Returns the sum and who then pays what.
 */
export function cheapestSubset(
  shares: readonly LeafShare[],
  margin: number,
): { paying: LeafShare[]; surplus: number } {
  const excess = ({ fraction, penalty }: LeafShare) => fraction - penalty;
  const ascending = shares
    .filter(({ active }) => active === "complexity")
    .sort((a, b) => excess(a) - excess(b));
  // 1/(1/j) is j but for rounding, which must not turn j into j − 1.
  const mayPayComplexity = Math.floor((1 / margin) * (1 + 1e-12));
  const chosen = new Set(ascending.slice(0, Math.max(0, ascending.length - mayPayComplexity)));
  let surplus = 0;
  for (const share of chosen) surplus += excess(share);
  const paying = shares.map((share) =>
    chosen.has(share) ? { ...share, active: "fraction" as const } : share,
  );
  return { paying, surplus };
}
