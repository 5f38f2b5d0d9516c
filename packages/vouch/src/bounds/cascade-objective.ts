import type { CascadeLeaf, LeafCounts } from "./cascade-leaf.js";
import { lemma2Product } from "./lemma-2-product.js";

/**
 * What some leaves add to bound (9). Where the count m_k⁺/m is the smaller one, m_k⁻ + m_k⁺ is all that a leaf adds: so
 * counts are kept as whole numbers, and cascades whose leaves all cost their points have the same bound to the last bit.
 */
export interface Cost {
  /** Points that count in full: the wrong ones, and the right ones of leaves whose fraction is below the penalty. */
  readonly points: number;
  /** The sum of the penalties that are below the fractions. */
  readonly penalty: number;
}

/** Of no leaf. */
export const NO_COST: Cost = { points: 0, penalty: 0 };

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
export function withLeaf(cost: Cost, leaf: LeafCounts, penalty: number, rows: number): Cost {
  const points = cost.points + leaf.wrong;
  return penalty < leaf.correct / rows
    ? { points, penalty: cost.penalty + penalty }
    : { points: points + leaf.correct, penalty: cost.penalty };
}

/** The value of bound (9) for a cost. */
export function boundOf({ points, penalty }: Cost, rows: number): number {
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
