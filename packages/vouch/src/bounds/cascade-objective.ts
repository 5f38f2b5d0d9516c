import type { CascadeLeaf } from "./cascade-leaf.js";
import { lemma1Product } from "./lemma-1-product.js";
import { lemma2Product } from "./lemma-2-product.js";

/**
 * The price of a leaf for its own family and the gates before it,
 *
 *     P_k = 4γ (Σ_{j ≤ d_k} c(Q_j) + c(H_k)),   γ > 0.
 */
export function leafPenalty(
  { gateComplexities, complexity }: Pick<CascadeLeaf, "complexity" | "gateComplexities">,
  gamma: number,
): number {
  return 4 * gamma * lemma1Product(lemma2Product(gateComplexities), complexity);
}

/** What a leaf adds to bound (9) on a sample of m rows: m_k⁻/m + min(P_k, m_k⁺/m). */
export function leafCost(
  leaf: Pick<CascadeLeaf, "correct" | "wrong" | "complexity" | "gateComplexities">,
  rows: number,
  gamma: number,
): number {
  return leaf.wrong / rows + Math.min(leafPenalty(leaf, gamma), leaf.correct / rows);
}

/**
 * Bound (9) of deep-cascades.md, by which the search chooses among cascades:
 *
 *     Σ_k [ m_k⁻/m + min(P_k, m_k⁺/m) ],   P_k = 4γ (Σ_{j ≤ d_k} c(Q_j) + c(H_k)).
 *
 * The first terms sum to the training error R̂_S(f). The costs of the leaves are added from the first to the last, so
 * that a search which adds them to those of a prefix gets the same bits.
 */
export function cascadeObjective(leaves: readonly CascadeLeaf[], rows: number, gamma: number): number {
  return leaves.reduce((sum, leaf) => sum + leafCost(leaf, rows, gamma), 0);
}
