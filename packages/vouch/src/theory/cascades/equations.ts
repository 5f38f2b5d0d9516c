import { formatNumber } from "../../runtime/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { type Certificate, type Premise, trainingCertificate } from "../certificate.js";
import {
  cascadeObjective,
  equationNamed,
  leafPenalty,
  objectiveCertificate,
} from "./cascade-certificates.js";
import {
  type CascadeLeaf,
  checkLeaves,
  type LeafShare,
  leafShares,
  leafTerms,
  type ProductLeaf,
  productLeaf,
  sumPaid,
} from "./leaf-complexity.js";
import {
  type CascadeEvidence,
  cascadePremises,
  checkEvidence,
  confidenceParts,
  confidenceTerms,
  deepCascadeDirect,
  namedConfidenceTerms,
  sumOfConfidenceTerms,
  trainingError,
} from "./theorem-1.js";

/**
 * Equation (2) of DeSalvo, Mohri and Syed (2015), for leaves with values ±1 and r_k = R̂_S(ℋ_k):
 *
 *     R̂_S(f) + Σ_k min(4r_k, m_k⁺/m)   [+ Õ(l √(ln(pl)/m)), left out].
 */
export function deepCascadeEquation2(leaves: readonly ProductLeaf[], rows: number): Certificate {
  checkLeaves(leaves, rows);
  const shares = leafShares(leaves, rows, ({ complexity }) => 4 * complexity);
  return objectiveCertificate(2, shares, "4r");
}

/** The paper, as the certificates cite it. */
export const REFERENCE = "DeSalvo, Mohri and Syed (2015)";

/** A value with its terms, before the premises. */
export interface PrintedBound {
  readonly name: string;
  readonly reference: string;
  readonly value: number;
  readonly terms: Readonly<Record<string, number>>;
  readonly parts: Readonly<Record<string, number>>;
}

/** Joins the premises of Theorem 1 to a value that was computed as printed. */
export function certificateOfPrinted(bound: PrintedBound, evidence: CascadeEvidence): Certificate {
  const proved = deepCascadeDirect(evidence).value;
  const carried: Premise = {
    statement: "The printed constants are large enough: the value is not below that of deep-cascade-direct.",
    holds: bound.value >= proved,
  };
  const premises = [...cascadePremises(evidence), carried];
  const fault =
    evidence.complexityFault ??
    (carried.holds
      ? undefined
      : `The printed constants give ${formatNumber(bound.value)}, less than the ${formatNumber(proved)} that is proved for this cascade.`);
  return trainingCertificate({ ...bound, premises, ...(fault !== undefined && { fault }) }, evidence);
}

/** The shares of the leaves in Σ min(4r_k, m_k⁺/m); those that pay for their complexity are 𝓚. */
export function theorem1Shares({ leaves, rows }: CascadeEvidence): LeafShare[] {
  return leafShares(leaves, rows, ({ complexity }) => 4 * complexity);
}

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

/**
 * Equation (7) of DeSalvo, Mohri and Syed (2015), for leaves with values in [−1, 1], where ρ_k is the smallest margin of a
 * rightly classified row of leaf k, and 0 if there is none:
 *
 *     R̂_S(f) + Σ_k min(4r_k/ρ_k, m_k⁺/m)   [+ Õ(l √(ln(pl)/m)), left out].
 *
 * The paper asks for Σ 1/ρ_k ≤ 1/ρ. Printed as a sum over all leaves, it is meant over those that pay for their
 * complexity, whose "weighted cardinality" it is called; the last term is this sum.
 */
export function deepCascadeEquation7(leaves: readonly ProductLeaf[], rows: number): Certificate {
  checkLeaves(leaves, rows);
  const shares = leafShares(leaves, rows, penalty);
  const weights = leaves.map((leaf, k) => (shares[k].active === "complexity" ? 1 / marginOf(leaf) : 0));
  const weighted = weights.reduce((sum, weight) => sum + weight, 0);
  return objectiveCertificate(7, shares, "4r/ρ", [["Σ 1/ρ of the leaves that pay 4r/ρ", weighted]]);
}

/** 4r_k/ρ_k; without a rightly classified row nothing is below m_k⁺/m = 0. */
function penalty(leaf: ProductLeaf): number {
  const margin = marginOf(leaf);
  return margin === 0 ? Number.POSITIVE_INFINITY : (4 * leaf.complexity) / margin;
}

function marginOf({ smallestMargin }: ProductLeaf): number {
  if (smallestMargin !== undefined) return smallestMargin;
  throw new VouchError("option/invalid", "Equation (7) needs the smallest margin ρ of every leaf.");
}

/**
 * Equation (8) of DeSalvo, Mohri and Syed (2015): equation (2) with r_k bounded by Lemmas 1 and 2,
 *
 *     R̂_S(f) + Σ_k min(4[Σ_{j ≤ d_k} R̂_S(Q_j) + R̂_S(H_k)], m_k⁺/m)   [+ Õ(l √(ln(pl)/m)), left out].
 */
export function deepCascadeEquation8(leaves: readonly CascadeLeaf[], rows: number): Certificate {
  return { ...deepCascadeEquation2(leaves.map(productLeaf), rows), ...equationNamed(8) };
}

/**
 * Equation (9) of DeSalvo, Mohri and Syed (2015), what the search for a cascade minimises: equation (8) with any complexities c, and
 * scaled by γ. The value is that of `cascadeObjective`, bit for bit.
 */
export function deepCascadeEquation9(
  leaves: readonly CascadeLeaf[],
  rows: number,
  gamma: number,
): Certificate {
  checkLeaves(leaves, rows);
  if (!(gamma > 0)) throw new VouchError("option/invalid", `γ is ${gamma}, but must be above 0.`);
  const shares = leafShares(leaves, rows, (leaf) => leafPenalty(leaf, gamma));
  return {
    ...objectiveCertificate(9, shares, "P", [["γ", gamma]]),
    value: cascadeObjective(leaves, rows, gamma),
  };
}
