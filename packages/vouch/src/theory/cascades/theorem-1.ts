import { VouchError } from "../../runtime/vouch-error.js";
import {
  type Certificate,
  type Premise,
  SCALED_ENCODING,
  TRAINING_DRAWS,
  trainingCertificate,
} from "../certificate.js";
import { riskOfFailure } from "../held-out/held-out.js";
import { certificateOfPrinted, type PrintedBound, REFERENCE, theorem1Shares } from "./equations.js";
import {
  checkLeaves,
  type LeafShare,
  leafShares,
  leafTerms,
  type ProductLeaf,
  sumPaid,
} from "./leaf-complexity.js";

/** The facts of a trained deep cascade that the theorems about cascades speak of. */
export interface CascadeEvidence {
  /** m: how many rows it was trained on. */
  readonly rows: number;
  /** All l leaves, each row in one of them, with the complexities r_k of their families ℋ_k. */
  readonly leaves: readonly ProductLeaf[];
  /** p: how many families there were to choose from at each level: pairs, where gate and leaf have a choice each. */
  readonly families: number;
  /** Whether the families of the gates were chosen, too, together with those of the leaves or each for itself. */
  readonly gatesChosen: boolean;
  /** The most leaves that a cascade could have had. */
  readonly mostLeaves: number;
  /** The probability 1 − δ with which the bound is to hold; in (0, 1). */
  readonly confidence: number;
  /**
   * Why the r_k are not upper bounds of R̂_S(ℋ_k) for families of functions with values −1, 0 and 1 that were fixed
   * before the rows were seen; absent when they are.
   */
  readonly complexityFault?: string;
}

/** Fails on facts that no cascade can have. */
export function checkEvidence(evidence: CascadeEvidence): void {
  const { rows, leaves, families, mostLeaves, confidence } = evidence;
  riskOfFailure(confidence);
  checkLeaves(leaves, rows);
  if (!(Number.isSafeInteger(families) && families >= 1)) {
    throw new VouchError(
      "option/invalid",
      `There are ${families} families to choose from, but must be at least 1.`,
    );
  }
  if (!(Number.isSafeInteger(mostLeaves) && mostLeaves >= leaves.length)) {
    throw new VouchError(
      "option/invalid",
      `The cascade has ${leaves.length} leaves, but was to have at most ${mostLeaves}.`,
    );
  }
}

/** R̂_S(f) = Σ_k m_k⁻/m. */
export function trainingError({ leaves, rows }: Pick<CascadeEvidence, "leaves" | "rows">): number {
  return leaves.reduce((sum, leaf) => sum + leaf.wrong, 0) / rows;
}

/** What all theorems about cascades ask of the rows and of the complexities. */
export function cascadePremises({ complexityFault }: CascadeEvidence): Premise[] {
  return [
    TRAINING_DRAWS,
    SCALED_ENCODING,
    {
      statement:
        "The complexities are upper bounds for families of classifiers and gates that were fixed before the rows were seen.",
      holds: complexityFault === undefined,
    },
  ];
}

/** The two roots of C(m, p, ρ). */
interface Capacity {
  /** (2/ρ) √(ln(pl)/m). */
  readonly sampling: number;
  /** √(ln(pl)/(ρ²m) · ln(ρ²m/ln(pl))). */
  readonly union: number;
}

/**
 * The price of a choice among p families at each of l leaves in Theorem 1 of DeSalvo, Mohri and Syed (2015),
 *
 *     C(m, p, ρ) = (2/ρ) √(ln(pl)/m) + √( ln(pl)/(ρ²m) · ln(ρ²m/ln(pl)) ),
 *
 * with the second logarithm under the root, as in the theorem on convex ensembles that it comes from (Cortes, Mohri
 * and Syed, "Deep boosting", 2014, Theorem 1). Where ρ²m ≤ ln(pl), that logarithm is not positive: the second root is
 * left out then, and the first one alone is at least 2, so that the bound says nothing anyhow. Without a choice, for
 * pl = 1, both are 0.
 */
export function capacity(rows: number, logFamilies: number, margin: number): Capacity {
  const share = logFamilies / (margin * margin * rows);
  const sampling = 2 * Math.sqrt(share);
  const union = share > 0 && share < 1 ? Math.sqrt(-share * Math.log(share)) : 0;
  return { sampling, union };
}

/**
 * ln(pl), l being the most leaves that a cascade could have had. Where the families of the gates are chosen, too, it
 * becomes l ln p (section 4.1), which is at least as much for p ≥ 2; for p = 1 there is nothing to choose.
 */
export function logFamilies({ families, mostLeaves, gatesChosen }: CascadeEvidence): number {
  const fixedGates = Math.log(families) + Math.log(mostLeaves);
  return gatesChosen ? Math.max(fixedGates, mostLeaves * Math.log(families)) : fixedGates;
}

/** C(m, p, ρ), √(ln(4/δ)/2m), and what choosing ρ among `choices` values adds to the latter. */
interface ConfidenceTerms {
  readonly capacity: Capacity;
  readonly deviation: number;
  readonly choice: number;
}

/** The terms of Theorem 1 that depend on δ and on how much there was to choose. */
export function confidenceTerms(evidence: CascadeEvidence, margin: number, choices: number): ConfidenceTerms {
  const { rows, confidence } = evidence;
  const delta = riskOfFailure(confidence);
  const deviation = Math.sqrt(Math.log(4 / delta) / (2 * rows));
  const choice = Math.sqrt((Math.log(4 / delta) + Math.log(choices)) / (2 * rows)) - deviation;
  return { capacity: capacity(rows, logFamilies(evidence), margin), deviation, choice };
}

/** The same terms by name, in the order of the formula. */
export function namedConfidenceTerms(margin: number, terms: ConfidenceTerms): [string, number][] {
  return [
    ["ρ", margin],
    ["C(m, p, ρ): (2/ρ) √(ln(pl)/m)", terms.capacity.sampling],
    ["C(m, p, ρ): √(ln(pl)/(ρ²m) · ln(ρ²m/ln(pl)))", terms.capacity.union],
    ["√(ln(4/δ)/2m)", terms.deviation],
    ["price of choosing ρ", terms.choice],
  ];
}

/** C(m, p, ρ), δ-term and price as parts of a bound. */
export function confidenceParts({ capacity, deviation, choice }: ConfidenceTerms): Record<string, number> {
  return {
    "C(m, p, ρ)": capacity.sampling + capacity.union,
    "√(ln(4/δ)/2m)": deviation,
    "price of choosing ρ": choice,
  };
}

/** The sum of C(m, p, ρ), δ-term and price. */
export function sumOfConfidenceTerms({ capacity, deviation, choice }: ConfidenceTerms): number {
  return capacity.sampling + capacity.union + deviation + choice;
}

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
