import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { type Certificate, checkedPremise, type Premise, riskOfFailure } from "../certificate.js";
import { FAMILY_PREMISES } from "../encoding-premises.js";
import { logBinomialCoefficient } from "../log-tails.js";
import { type SampleEvidence, trainingCertificate } from "../training-certificate.js";
import { checkLeaves, leafCosts, leafTerms, type ProductLeaf, totalCost } from "./leaf-complexity.js";

/** A trained deep cascade as the theorems see it. */
export interface CascadeEvidence extends SampleEvidence {
  /** All l leaves, with the complexities r_k of their families ℋ_k; each row reaches one of them. */
  readonly leaves: readonly ProductLeaf[];
  /** p: number of families to choose from at each level; number of pairs, if gate and leaf are chosen separately. */
  readonly families: number;
  /** Whether the families of the gates were chosen too, together with the leaf families or separately. */
  readonly gatesChosen: boolean;
  /** L: the most leaves that the cascade could have had. */
  readonly mostLeaves: number;
  /** Whether the cascade could have been any binary tree of gates, not only a chain. */
  readonly anyTree?: boolean;
  /** Why the r_k are not upper bounds on R̂_S(ℋ_k) for families fixed before the rows were seen; absent if they are. */
  readonly complexityFault?: string;
}

/**
 * Bounds the error of a deep cascade directly, without the detour over convex ensembles that Theorem 1 of DeSalvo, Mohri and Syed
 * (2015) takes, and with smaller constants. With probability ≥ 1 − δ, for all cascades f with at most L leaves, where l is the
 * number of leaves of f,
 *
 *     R(f) ≤ R̂_S(f) + min( Σ_k r_k, Σ_k min(2r_k, m_k⁺/m) ) + 2 √((ln L + l ln p + ln(2^l − 1) + ln(1/δ)) / 2m).
 *
 * Proof. Fix l, the family of each leaf, and a non-empty set J of leaves. Let g = Σ_{k∈J} s_k h_k, which is f on J and 0
 * elsewhere, and Φ(u) = min(1, max(0, 1 − u)). As yg is −1, 0 or 1, Φ(yg) = 1[yg ≤ 0] ≥ 1[yf ≤ 0], and the mean of Φ(yg) over the
 * sample is R̂_S(f) + Σ_{k∉J} m_k⁺/m. Take the supremum over g of E[Φ(yg)] − Ê_S[Φ(yg)] and subtract 2R̂_S of the functions Φ(yg).
 * The mean of this difference is at most 0 (symmetrisation), and changing one row changes it by at most 2/m, so it is at most
 * 2√(ln(1/δ′)/2m) with probability 1 − δ′ (McDiarmid). One 1/m of the 2/m is for the supremum, the other for 2R̂_S: with
 * ψ = Φ(yg) − ½, which has the same R̂_S, the mean over the sign of the row is at least the value for the other rows alone and at most ½
 * more,
 *
 *     sup A ≤ ½ sup(A + ψ) + ½ sup(A − ψ) ≤ sup A + ½,   A = Σ of the other rows.
 *
 * Φ is 1-Lipschitz, so R̂_S of the Φ(yg) is at most Σ_{k∈J} r_k (Talagrand's contraction). Together
 *
 *     R(f) ≤ R̂_S(f) + 2 Σ_{k∈J} r_k + Σ_{k∉J} m_k⁺/m + 2√(ln(1/δ′)/2m).
 *
 * If J is the set of all leaves, (1 − yg)/2 can replace Φ. It is ½-Lipschitz, so 2r_k becomes r_k. A union bound over the L values
 * of l, the p^l choices of families and the 2^l − 1 sets J gives δ′ = δ/(L p^l (2^l − 1)). After that, J may be chosen by looking
 * at the sample: the leaves with m_k⁺/m > 2r_k, or all. ∎
 *
 * A score of exactly 0 counts as an error in m_k⁻, although f then predicts the first class: f has values ±1, and makes at most the
 * errors that are counted.
 *
 * If the cascade could have been any tree, its shape is fixed too, and ln C_{l−1} is added under the root (`logTreeShapes`).
 *
 * For K classes, take b_k(x, y) = +1 if h_k(x) = y and −1 otherwise in place of y·h_k(x). A cascade for K classes is then one for two
 * classes on the pairs (x, y), all of which have the label +1; r_k is the complexity of the products s_k b_k. For two classes nothing
 * changes, since σ_i y_i is distributed as σ_i.
 */
export function deepCascadeDirect(evidence: CascadeEvidence): Certificate {
  checkCascade(evidence);
  const { leaves, rows, complexityFault } = evidence;
  const error = computeTrainingError(evidence);
  const deviation = directDeviation(evidence);
  const all = leafCosts(leaves, rows, ({ complexity }) => complexity).map((cost) => ({
    ...cost,
    active: "complexity" as const,
  }));
  const some = leafCosts(leaves, rows, ({ complexity }) => 2 * complexity);
  const complexity = Math.min(totalCost(all), totalCost(some));
  const bound = {
    name: "deep-cascade-direct",
    reference: "docs/guarantees-cascades.md; after DeSalvo, Mohri and Syed (2015), Theorem 1",
    value: error + complexity + deviation,
    terms: Object.fromEntries([
      ["training error", error],
      ...(totalCost(all) <= totalCost(some) ? leafTerms(all, "r") : leafTerms(some, "2r")),
      ["min(Σ r, Σ min(2r, m⁺/m))", complexity],
      ["deviation", deviation],
    ]),
    parts: { "training error": error, "cost of the leaves": complexity, deviation },
    premises: cascadePremises(evidence),
    ...(complexityFault !== undefined && { fault: complexityFault }),
  };
  return trainingCertificate(bound, evidence);
}

/** Computes 2 √((ln L + l ln p + ln(2^l − 1) + ln(1/δ)) / 2m), with ln C_{l−1} for trees. */
function directDeviation(evidence: CascadeEvidence): number {
  const { leaves, rows, families, mostLeaves, confidence } = evidence;
  const l = leaves.length;
  const sets = l * Math.LN2 + real.log1p(-(2 ** -l));
  const choices = real.log(mostLeaves) + l * real.log(families) + sets + logShapes(evidence, l);
  return 2 * Math.sqrt((choices - real.log(riskOfFailure(confidence))) / (2 * rows));
}

/** Returns the logarithm of the number of shapes that a cascade with l leaves could have had. */
export function logShapes({ anyTree = false }: Pick<CascadeEvidence, "anyTree">, l: number): number {
  return anyTree ? logTreeShapes(l) : 0;
}

/** Computes ln C_{l−1}, where the Catalan number C_n = (2n)!/(n!(n + 1)!) counts the binary trees with n + 1 leaves. */
export function logTreeShapes(leaves: number): number {
  const n = leaves - 1;
  return logBinomialCoefficient(2 * n, n) - real.log(n + 1);
}

/** Computes R̂_S(f) = Σ_k m_k⁻/m. */
export function computeTrainingError({ leaves, rows }: Pick<CascadeEvidence, "leaves" | "rows">): number {
  return leaves.reduce((sum, leaf) => sum + leaf.wrong, 0) / rows;
}

/** Lists the premises about rows and complexities that all bounds for cascades share. */
export function cascadePremises({ complexityFault }: CascadeEvidence): Premise[] {
  return [
    ...FAMILY_PREMISES,
    checkedPremise(
      "The complexities are upper bounds for families of classifiers and gates that were fixed before the rows were seen.",
      complexityFault === undefined,
    ),
  ];
}

/** Throws on evidence that no cascade can have. */
export function checkCascade({ rows, leaves, families, mostLeaves, confidence }: CascadeEvidence): void {
  riskOfFailure(confidence);
  checkLeaves(leaves, rows);
  if (!(Number.isSafeInteger(families) && families >= 1)) {
    throw new VouchError(
      "option/invalid",
      `The number of families must be a whole number of at least 1, not ${families}.`,
    );
  }
  if (!(Number.isSafeInteger(mostLeaves) && mostLeaves >= leaves.length)) {
    throw new VouchError(
      "option/invalid",
      `The cascade has ${leaves.length} leaves, more than the maximum of ${mostLeaves}.`,
    );
  }
}
