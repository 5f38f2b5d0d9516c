import type { Certificate } from "../certificate.js";
import { logHalfSpaceGrowth } from "../vc/growth-of-families.js";
import { deepCascadeEquation6, deepCascadeEquation9, REFERENCE } from "./equations.js";
import {
  type CascadeLeaf,
  type LeafCounts,
  type LeafShare,
  leafTerms,
  lemma2Product,
  productLeaf,
  sumPaid,
} from "./leaf-complexity.js";
import { type CascadeEvidence, deepCascadeDirect, deepCascadeTheorem1 } from "./theorem-1.js";

/**
 * What some leaves add to bound (9). Where the count m_k⁺/m is the smaller one, m_k⁻ + m_k⁺ is all that a leaf adds: so
 * counts are kept as whole numbers, and cascades whose leaves all cost their points have the same bound to the last bit.
 */
interface Cost {
  /** Points that count in full: the wrong ones, and the right ones of leaves whose fraction is below the penalty. */
  readonly points: number;
  /** The sum of the penalties that are below the fractions. */
  readonly penalty: number;
}

/** Of no leaf. */
const NO_COST: Cost = { points: 0, penalty: 0 };

/**
 * The price of a leaf for its own family and the gates before it,
 *
 *     P_k = 4γ (Σ_{j ≤ d_k} c(Q_j) + c(H_k)),   γ > 0.
 */
export function leafPenalty(
  { gateComplexities, complexity }: Pick<CascadeLeaf, "complexity" | "gateComplexities">,
  gamma: number,
): number {
  return 4 * gamma * (lemma2Product(gateComplexities) + complexity);
}

/** The cost with one more leaf. */
function withLeaf(cost: Cost, leaf: LeafCounts, penalty: number, rows: number): Cost {
  const points = cost.points + leaf.wrong;
  return penalty < leaf.correct / rows
    ? { points, penalty: cost.penalty + penalty }
    : { points: points + leaf.correct, penalty: cost.penalty };
}

/** The value of bound (9) for a cost. */
function boundOf({ points, penalty }: Cost, rows: number): number {
  return points / rows + penalty;
}

/**
 * Bound (9) of DeSalvo, Mohri and Syed (2015), by which the search chooses among cascades:
 *
 *     Σ_k [ m_k⁻/m + min(P_k, m_k⁺/m) ],   P_k = 4γ (Σ_{j ≤ d_k} c(Q_j) + c(H_k)).
 *
 * The first terms sum to the training error R̂_S(f).
 */
export function cascadeObjective(leaves: readonly CascadeLeaf[], rows: number, gamma: number): number {
  let cost = NO_COST;
  for (const leaf of leaves) cost = withLeaf(cost, leaf, leafPenalty(leaf, gamma), rows);
  return boundOf(cost, rows);
}

const INCOMPLETE =
  "Without the Õ term this is not a bound by itself: it orders cascades, and is not an error to expect.";

/** Name and reference of an equation of DeSalvo, Mohri and Syed (2015). */
export function equationNamed(equation: number): Pick<Certificate, "name" | "reference"> {
  return { name: `deep-cascade-equation-${equation}`, reference: `${REFERENCE}, eq. ${equation}` };
}

/**
 * An equation that chooses among cascades but leaves terms in Õ, whose constants are not given: it has no confidence
 * and never holds. `symbol` is the penalty of a leaf as the equation writes it.
 */
export function objectiveCertificate(
  equation: number,
  shares: readonly LeafShare[],
  symbol: string,
  more: readonly [string, number][] = [],
): Certificate {
  const error = shares.reduce((sum, { wrong }) => sum + wrong, 0);
  return {
    ...equationNamed(equation),
    value: error + sumPaid(shares),
    confidence: 0,
    holds: false,
    reason: INCOMPLETE,
    premises: [{ statement: "All terms of the equation are known, those in Õ too.", holds: false }],
    terms: Object.fromEntries([
      ["training error", error],
      ...leafTerms(shares, symbol),
      [`Σ min(${symbol}, m⁺/m)`, sumPaid(shares)],
      ...more,
    ]),
    parts: { "training error": error, "what leaves pay": sumPaid(shares) },
    statement: `No guarantee: ${INCOMPLETE}`,
  };
}

/** What a trained cascade knows of itself. */
export interface CascadeFacts extends Omit<CascadeEvidence, "leaves"> {
  /** With complexities that bound R̂_S of the families of gates and leaves: `leafVcComplexity`, `gateVcComplexity`. */
  readonly leaves: readonly CascadeLeaf[];
  /** What the search minimised: the leaves with the complexities that it used, and their scale. */
  readonly objective: { readonly leaves: readonly CascadeLeaf[]; readonly gamma: number };
}

/** All that the theory of cascades says of a trained cascade, without further data. */
export function deepCascadeCertificates(facts: CascadeFacts): Certificate[] {
  const { objective, rows } = facts;
  const evidence = { ...facts, leaves: facts.leaves.map(productLeaf) };
  return [
    deepCascadeTheorem1(evidence),
    deepCascadeEquation6(evidence),
    deepCascadeDirect(evidence),
    deepCascadeEquation9(objective.leaves, rows, objective.gamma),
  ];
}

/**
 * ln of how many ways deep cascades can label n points. Level k < l has a function f_k of a space of dimension D_k, which
 * has the constants in it: points with |f_k(x)| ≤ c_k go on, the others get the sign of f_k; the last level gives its sign to
 * all that reach it. What becomes of a point at level k depends on the signs of f_k(x) − c_k, f_k(x) + c_k and f_k(x), which
 * are linear in (f_k, c_k). So level k treats n points in no more ways than half-spaces of dimension D_k + 2 label 3n
 * points, where the second new dimension decides ties, and the last one in no more ways than those of dimension D_l label n:
 *
 *     ln Π(n) ≤ Σ_{k<l} ln Π_{D_k+2}(3n) + ln Π_{D_l}(n),   Π_D(n) = 2 Σ_{i<D} C(n − 1, i).
 *
 * @param dimensions D_1, …, D_l
 */
export function logCascadeGrowth(points: number, dimensions: readonly number[]): number {
  const last = dimensions.length - 1;
  const logs = dimensions.map((dimension, k) =>
    k === last ? logHalfSpaceGrowth(points, dimension) : logHalfSpaceGrowth(3 * points, dimension + 2),
  );
  return Math.min(
    points * Math.LN2,
    logs.reduce((sum, log) => sum + log, 0),
  );
}
