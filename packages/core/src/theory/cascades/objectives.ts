/**
 * Equations (2), (7), (8) and (9) of DeSalvo, Mohri and Syed (2015): objectives that rank cascades but bound nothing, because the
 * constants of their Õ term are not given.
 */
import { VouchError } from "../../runtime/vouch-error.js";
import type { Certificate } from "../certificate.js";
import {
  type CascadeLeaf,
  checkLeaves,
  type LeafCost,
  type LeafCounts,
  leafCosts,
  leafTerms,
  lemma2Product,
  type ProductLeaf,
  productLeaf,
  totalCost,
} from "./leaf-complexity.js";

/** The paper, as the certificates cite it. */
export const REFERENCE = "DeSalvo, Mohri and Syed (2015)";

/** Returns the name and reference of an equation of the paper. */
export function findEquation(equation: number): Pick<Certificate, "name" | "reference"> {
  return { name: `deep-cascade-equation-${equation}`, reference: `${REFERENCE}, eq. ${equation}` };
}

/**
 * Evaluates bound (9), which the search minimises:
 *
 *     Σ_k [ m_k⁻/m + min(P_k, m_k⁺/m) ],   P_k = 4γ (Σ_{j ≤ d_k} c(Q_j) + c(H_k)).
 *
 * The first terms sum to the training error R̂_S(f).
 */
export function cascadeObjective(leaves: readonly CascadeLeaf[], rows: number, gamma: number): number {
  let cost = NO_COST;
  for (const leaf of leaves) cost = withLeaf(cost, leaf, leafPenalty(leaf, gamma), rows);
  return computeObjective(cost, rows);
}

/**
 * Computes the complexity cost of a leaf for its own family and the gates before it,
 *
 *     P_k = 4γ (Σ_{j ≤ d_k} c(Q_j) + c(H_k)),   γ > 0.
 */
export function leafPenalty(
  { gateComplexities, complexity }: Pick<CascadeLeaf, "complexity" | "gateComplexities">,
  gamma: number,
): number {
  return 4 * gamma * (lemma2Product(gateComplexities) + complexity);
}

/**
 * The amount that the first leaves of a cascade add to bound (9). If the cap m_k⁺/m is smaller, a leaf adds (m_k⁻ + m_k⁺)/m: so
 * points are kept as integers, and cascades whose leaves are all at their caps have the same bound to the last bit.
 */
export interface CascadeCost {
  /** Points that count in full: the wrong ones, and the correct ones of leaves whose cap is below the penalty. */
  readonly points: number;
  /** The sum of the penalties that are below the caps. */
  readonly penalty: number;
  /** Misclassified points: m times the training error. */
  readonly wrong: number;
}

/** The cost of a cascade without leaves. */
export const NO_COST: CascadeCost = { points: 0, penalty: 0, wrong: 0 };

/** Adds the cost of one more leaf. */
export function withLeaf(cost: CascadeCost, leaf: LeafCounts, penalty: number, rows: number): CascadeCost {
  const points = cost.points + leaf.wrong;
  const wrong = cost.wrong + leaf.wrong;
  return penalty < leaf.correct / rows
    ? { points, penalty: cost.penalty + penalty, wrong }
    : { points: points + leaf.correct, penalty: cost.penalty, wrong };
}

/** Computes bound (9) from a cost. */
export function computeObjective({ points, penalty }: CascadeCost, rows: number): number {
  return points / rows + penalty;
}

/**
 * Evaluates equation (9): equation (8) with any complexities c, scaled by γ. The value equals `cascadeObjective`, bit for bit.
 */
export function deepCascadeEquation9(
  leaves: readonly CascadeLeaf[],
  rows: number,
  gamma: number,
): Certificate {
  checkLeaves(leaves, rows);
  if (!(gamma > 0)) throw new VouchError("option/invalid", `γ must be above 0, not ${gamma}.`);
  const costs = leafCosts(leaves, rows, (leaf) => leafPenalty(leaf, gamma));
  return {
    ...objectiveCertificate(9, costs, "P", [["γ", gamma]]),
    value: cascadeObjective(leaves, rows, gamma),
  };
}

/**
 * Evaluates equation (8): equation (2) with r_k bounded by Lemmas 1 and 2,
 *
 *     R̂_S(f) + Σ_k min(4[Σ_{j ≤ d_k} R̂_S(Q_j) + R̂_S(H_k)], m_k⁺/m)   [+ Õ(l √(ln(pl)/m)), left out].
 */
export function deepCascadeEquation8(leaves: readonly CascadeLeaf[], rows: number): Certificate {
  return { ...deepCascadeEquation2(leaves.map(productLeaf), rows), ...findEquation(8) };
}

/**
 * Evaluates equation (7), for leaves with values in [−1, 1], where ρ_k is the smallest margin of a correctly classified row of leaf k,
 * and 0 if there is none:
 *
 *     R̂_S(f) + Σ_k min(4r_k/ρ_k, m_k⁺/m)   [+ Õ(l √(ln(pl)/m)), left out].
 *
 * The paper requires Σ 1/ρ_k ≤ 1/ρ. The sum is printed over all leaves but is meant over those whose cost is their complexity,
 * as its name "weighted cardinality" says; the last term is this sum.
 */
export function deepCascadeEquation7(leaves: readonly ProductLeaf[], rows: number): Certificate {
  checkLeaves(leaves, rows);
  const costs = leafCosts(leaves, rows, marginPenalty);
  const weights = leaves.map((leaf, k) => (costs[k].active === "complexity" ? 1 / marginOf(leaf) : 0));
  const weighted = weights.reduce((sum, weight) => sum + weight, 0);
  return objectiveCertificate(7, costs, "4r/ρ", [["Σ 1/ρ of the leaves with cost 4r/ρ", weighted]]);
}

/** Computes 4r_k/ρ_k; Infinity without a correctly classified row, where the cap m_k⁺/m is 0. */
function marginPenalty(leaf: ProductLeaf): number {
  const margin = marginOf(leaf);
  return margin === 0 ? Number.POSITIVE_INFINITY : (4 * leaf.complexity) / margin;
}

function marginOf({ smallestMargin }: ProductLeaf): number {
  if (smallestMargin !== undefined) return smallestMargin;
  throw new VouchError("option/invalid", "Equation (7) needs the smallest margin ρ of every leaf.");
}

/**
 * Evaluates equation (2), for leaves with values ±1 and r_k = R̂_S(ℋ_k):
 *
 *     R̂_S(f) + Σ_k min(4r_k, m_k⁺/m)   [+ Õ(l √(ln(pl)/m)), left out].
 */
export function deepCascadeEquation2(leaves: readonly ProductLeaf[], rows: number): Certificate {
  checkLeaves(leaves, rows);
  const costs = leafCosts(leaves, rows, ({ complexity }) => 4 * complexity);
  return objectiveCertificate(2, costs, "4r");
}

const INCOMPLETE =
  "Without its Õ term this is not a bound: it ranks cascades, and is not an error to expect.";

/**
 * Makes a certificate of an equation that ranks cascades but leaves terms in Õ, whose constants are not given: it has confidence 0 and
 * never holds. `symbol` is the complexity term of a leaf as the equation writes it.
 */
function objectiveCertificate(
  equation: number,
  costs: readonly LeafCost[],
  symbol: string,
  more: readonly [string, number][] = [],
): Certificate {
  const error = costs.reduce((sum, { wrong }) => sum + wrong, 0);
  return {
    ...findEquation(equation),
    measure: "error",
    value: error + totalCost(costs),
    confidence: 0,
    holds: false,
    reason: INCOMPLETE,
    premises: [{ text: "All terms of the equation are known, including those in Õ.", status: "violated" }],
    terms: Object.fromEntries([
      ["training error", error],
      ...leafTerms(costs, symbol),
      [`Σ min(${symbol}, m⁺/m)`, totalCost(costs)],
      ...more,
    ]),
    parts: { "training error": error, "cost of the leaves": totalCost(costs) },
    statement: `No guarantee: ${INCOMPLETE}`,
    role: "comparison",
  };
}
