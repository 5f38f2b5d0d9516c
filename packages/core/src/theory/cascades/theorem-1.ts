import * as real from "../../runtime/maths/portable-math.js";
import { formatNumber } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { type Certificate, checkedPremise, riskOfFailure } from "../certificate.js";
import { trainingCertificate } from "../training-certificate.js";
import {
  type CascadeEvidence,
  cascadePremises,
  checkCascade,
  computeTrainingError,
  deepCascadeDirect,
  logShapes,
} from "./direct-bound.js";
import {
  type CascadeLeaf,
  type LeafCost,
  leafCosts,
  leafTerms,
  productLeaf,
  totalCost,
} from "./leaf-complexity.js";
import { deepCascadeEquation9, findEquation, REFERENCE } from "./objectives.js";

/** A trained cascade, and ρ if it was fixed in advance. */
export interface Theorem1Evidence extends CascadeEvidence {
  /** ρ in (0, 1], fixed before the rows were seen; by default the best of 1, 1/2, …, 1/l, at a price. */
  readonly margin?: number;
}

/**
 * Bounds the error of a deep cascade by Theorem 1 of DeSalvo, Mohri and Syed (2015): with probability ≥ 1 − δ, for all cascades f
 * with leaves of values ±1, with r_k = R̂_S(ℋ_k) and 𝓚 = {k : m_k⁺/m > 4r_k},
 *
 *     R(f) ≤ R̂_S(f) + Σ_k min(4r_k, m_k⁺/m) + min_{𝓛 ⊆ 𝓚, |𝓛| ≥ |𝓚| − 1/ρ} Σ_{k∈𝓛} [m_k⁺/m − 4r_k]
 *            + C(m, p, ρ) + √(ln(4/δ)/2m).
 *
 * At most 1/ρ leaves pay for their complexity; the others pay for the rows that they classify correctly.
 *
 * The minimum depends on ρ only through ⌊1/ρ⌋, and C falls as ρ grows, so restricting ρ to 1/j with j = 1 … l loses nothing. A union
 * bound over these l values puts δ/l in place of δ, which is the term "price of choosing ρ". The paper mentions a term
 * O(√(log log₂(1/ρ)/m)) for all ρ > 0 (Koltchinskii and Panchenko 2002, Theorem 2); that one also rounds ρ to powers of two and so
 * doubles the terms in 1/ρ. For l values the union bound is smaller.
 *
 * The constants are as printed. The theorem on convex ensembles that the paper cites for them has, in the form we know,
 * expected complexities and a larger second root, so its proof does not support these constants. The certificate therefore
 * holds only if its value is not below `deepCascadeDirect`, which has a complete proof; this is one of the premises.
 */
export function deepCascadeTheorem1(evidence: Theorem1Evidence): Certificate {
  checkCascade(evidence);
  const candidates = margins(evidence).map((margin) => theorem1At(margin, evidence));
  const best = candidates.reduce((a, b) => (b.value < a.value ? b : a));
  const bound = { ...best, name: "deep-cascade-theorem-1", reference: `${REFERENCE}, Theorem 1` };
  return certificateOfPrinted(bound, evidence);
}

function margins({ margin, mostLeaves }: Theorem1Evidence): number[] {
  if (margin === undefined) return Array.from({ length: mostLeaves }, (_, j) => 1 / (j + 1));
  if (margin > 0 && margin <= 1) return [margin];
  throw new VouchError("option/invalid", `The margin ρ must be above 0 and at most 1, not ${margin}.`);
}

function theorem1At(
  margin: number,
  evidence: Theorem1Evidence,
): Pick<PrintedBound, "value" | "terms" | "parts"> {
  const error = computeTrainingError(evidence);
  const costs = theorem1Costs(evidence);
  const { charged, surplus } = cheapestSubset(costs, margin);
  const confidence = confidenceTerms(
    evidence,
    margin,
    evidence.margin === undefined ? evidence.mostLeaves : 1,
  );
  const terms = Object.fromEntries([
    ["training error", error],
    ...leafTerms(charged, "4r"),
    ["Σ min(4r, m⁺/m)", totalCost(costs)],
    ["min over 𝓛 of Σ [m⁺/m − 4r]", surplus],
    ...namedConfidenceTerms(margin, confidence),
  ]);
  const parts = {
    "training error": error,
    "cost of the leaves": totalCost(costs) + surplus,
    ...confidenceParts(confidence),
  };
  return { value: error + totalCost(costs) + surplus + sumOfConfidenceTerms(confidence), terms, parts };
}

/** Computes the costs of the leaves in Σ min(4r_k, m_k⁺/m); those whose cost is their complexity are 𝓚. */
function theorem1Costs({ leaves, rows }: CascadeEvidence): LeafCost[] {
  return leafCosts(leaves, rows, ({ complexity }) => 4 * complexity);
}

/**
 * Computes min_{𝓛 ⊆ 𝓚, |𝓛| ≥ |𝓚| − 1/ρ} Σ_{k∈𝓛} [m_k⁺/m − 4r_k]: all terms are positive, so 𝓛 has as few leaves as it may,
 * those with the smallest terms. Returns the sum, and the costs, where the leaves of 𝓛 are at their caps.
 */
function cheapestSubset(
  costs: readonly LeafCost[],
  margin: number,
): { charged: LeafCost[]; surplus: number } {
  const excess = ({ cap, complexity }: LeafCost) => cap - complexity;
  const ascending = costs
    .filter(({ active }) => active === "complexity")
    .sort((a, b) => excess(a) - excess(b));
  // 1/(1/j) is j up to rounding, which must not turn j into j − 1.
  const atComplexity = Math.floor((1 / margin) * (1 + 1e-12));
  const chosen = new Set(ascending.slice(0, Math.max(0, ascending.length - atComplexity)));
  let surplus = 0;
  for (const cost of chosen) surplus += excess(cost);
  const charged = costs.map((cost) => (chosen.has(cost) ? { ...cost, active: "cap" as const } : cost));
  return { charged, surplus };
}

/**
 * Bounds the error of a deep cascade by equation (6) of DeSalvo, Mohri and Syed (2015), Theorem 1 for |𝓚| ≤ 1/ρ, where 𝓛 is empty:
 *
 *     R(f) ≤ R̂_S(f) + Σ_k min(4r_k, m_k⁺/m) + C(m, p, ρ) + √(ln(4/δ)/2m),
 *
 * with the largest such ρ, 1/|𝓚|. It is chosen after the sample was seen, so it costs the same as in `deepCascadeTheorem1`,
 * which is never above this.
 */
export function deepCascadeEquation6(evidence: CascadeEvidence): Certificate {
  checkCascade(evidence);
  const error = computeTrainingError(evidence);
  const costs = theorem1Costs(evidence);
  const atComplexity = costs.filter(({ active }) => active === "complexity").length;
  const margin = 1 / Math.max(1, atComplexity);
  const confidence = confidenceTerms(evidence, margin, evidence.mostLeaves);
  const bound = {
    ...findEquation(6),
    value: error + totalCost(costs) + sumOfConfidenceTerms(confidence),
    terms: Object.fromEntries([
      ["training error", error],
      ...leafTerms(costs, "4r"),
      ["Σ min(4r, m⁺/m)", totalCost(costs)],
      ...namedConfidenceTerms(margin, confidence),
    ]),
    parts: {
      "training error": error,
      "cost of the leaves": totalCost(costs),
      ...confidenceParts(confidence),
    },
  };
  return certificateOfPrinted(bound, evidence);
}

/** A bound as printed, before its premises. */
interface PrintedBound extends Pick<Certificate, "name" | "reference" | "value" | "terms"> {
  readonly parts: Readonly<Record<string, number>>;
}

/** Completes a value that was computed as printed with the premises of Theorem 1. */
function certificateOfPrinted(bound: PrintedBound, evidence: CascadeEvidence): Certificate {
  const proved = deepCascadeDirect(evidence).value;
  const carried = checkedPremise(
    "The printed constants are large enough: the value is not below that of deep-cascade-direct.",
    bound.value >= proved,
  );
  const premises = [...cascadePremises(evidence), carried];
  const fault =
    evidence.complexityFault ??
    (carried.status === "checked"
      ? undefined
      : `The printed constants give ${formatNumber(bound.value)}, less than the ${formatNumber(proved)} that is proved for this cascade.`);
  return trainingCertificate(
    { ...bound, premises, ...(fault !== undefined && { fault }), role: "comparison" },
    evidence,
  );
}

/** The two roots of C(m, p, ρ). */
interface Capacity {
  /** (2/ρ) √(ln(pl)/m). */
  readonly sampling: number;
  /** √(ln(pl)/(ρ²m) · ln(ρ²m/ln(pl))). */
  readonly union: number;
}

/**
 * Computes the price of a choice among p families at each of l leaves in Theorem 1 of DeSalvo, Mohri and Syed (2015),
 *
 *     C(m, p, ρ) = (2/ρ) √(ln(pl)/m) + √( ln(pl)/(ρ²m) · ln(ρ²m/ln(pl)) ),
 *
 * with the second logarithm under the root, as in the theorem on convex ensembles that it comes from (Cortes, Mohri
 * and Syed, "Deep boosting", 2014, Theorem 1). If ρ²m ≤ ln(pl), that logarithm is not positive: the second root is then left out,
 * and the first one alone is at least 2, so the bound is vacuous anyway. Without a choice, for pl = 1, both are 0.
 */
function capacity(rows: number, logChoices: number, margin: number): Capacity {
  const share = logChoices / (margin * margin * rows);
  const sampling = 2 * Math.sqrt(share);
  const union = share > 0 && share < 1 ? Math.sqrt(-share * real.log(share)) : 0;
  return { sampling, union };
}

/**
 * Computes ln(pl), where l is the most leaves that the cascade could have had. If the families of the gates are chosen too, it
 * becomes l ln p (section 4.1), which is at least as much for p ≥ 2; for p = 1 there is nothing to choose. A choice of the tree's
 * shape adds the logarithm of their number.
 */
function logFamilyChoices(evidence: CascadeEvidence): number {
  const { families, mostLeaves, gatesChosen } = evidence;
  const fixedGates = real.log(families) + real.log(mostLeaves);
  const chosen = gatesChosen ? Math.max(fixedGates, mostLeaves * real.log(families)) : fixedGates;
  return chosen + logShapes(evidence, mostLeaves);
}

/** C(m, p, ρ), √(ln(4/δ)/2m), and the amount by which the choice of ρ raises the latter. */
interface ConfidenceTerms {
  readonly capacity: Capacity;
  readonly deviation: number;
  readonly choice: number;
}

/** Computes the terms of Theorem 1 that depend on δ and on the number of choices; `choices` counts the values of ρ. */
function confidenceTerms(evidence: CascadeEvidence, margin: number, choices: number): ConfidenceTerms {
  const { rows, confidence } = evidence;
  const delta = riskOfFailure(confidence);
  const deviation = Math.sqrt(real.log(4 / delta) / (2 * rows));
  const choice = Math.sqrt((real.log(4 / delta) + real.log(choices)) / (2 * rows)) - deviation;
  return { capacity: capacity(rows, logFamilyChoices(evidence), margin), deviation, choice };
}

function sumOfConfidenceTerms({ capacity, deviation, choice }: ConfidenceTerms): number {
  return capacity.sampling + capacity.union + deviation + choice;
}

/** Names the same terms in the order of the formula. */
function namedConfidenceTerms(margin: number, terms: ConfidenceTerms): [string, number][] {
  return [
    ["ρ", margin],
    ["C(m, p, ρ): (2/ρ) √(ln(pl)/m)", terms.capacity.sampling],
    ["C(m, p, ρ): √(ln(pl)/(ρ²m) · ln(ρ²m/ln(pl)))", terms.capacity.union],
    ["√(ln(4/δ)/2m)", terms.deviation],
    ["price of choosing ρ", terms.choice],
  ];
}

function confidenceParts({ capacity, deviation, choice }: ConfidenceTerms): Record<string, number> {
  return {
    "C(m, p, ρ)": capacity.sampling + capacity.union,
    "√(ln(4/δ)/2m)": deviation,
    "price of choosing ρ": choice,
  };
}

/** The training of a deep cascade. */
export interface CascadeInputs extends Omit<CascadeEvidence, "leaves"> {
  /** With complexities that bound R̂_S of the families of gates and leaves: `leafVcComplexity`, `gateVcComplexity`. */
  readonly leaves: readonly CascadeLeaf[];
  /** The objective that the search minimised: the leaves with the complexities that it used, and their scale. */
  readonly objective: { readonly leaves: readonly CascadeLeaf[]; readonly gamma: number };
}

/** Lists the certificates of a trained cascade. */
export function deepCascadeCertificates(facts: CascadeInputs): Certificate[] {
  const { objective, rows } = facts;
  const evidence = { ...facts, leaves: facts.leaves.map(productLeaf) };
  return [
    deepCascadeTheorem1(evidence),
    deepCascadeEquation6(evidence),
    deepCascadeDirect(evidence),
    deepCascadeEquation9(objective.leaves, rows, objective.gamma),
  ];
}
