import { VouchError } from "../error.js";
import { lemma1Product } from "./lemma-1-product.js";
import { lemma2Product } from "./lemma-2-product.js";
import { lemma3SignedProduct } from "./lemma-3-product.js";

/** What a leaf does with the training rows that reach it. */
export interface LeafCounts {
  /** m_k⁺: how many it classifies rightly. */
  readonly correct: number;
  /** m_k⁻: how many it classifies wrongly; a score of exactly 0 is wrong. */
  readonly wrong: number;
}

/** A leaf of a deep cascade, with the complexity of its own family and of the gates before it. */
export interface CascadeLeaf extends LeafCounts {
  /** k, from 1. */
  readonly level: number;
  /** d_k: how many gates a point passes on its way, the one that sends it to the leaf among them. */
  readonly depth: number;
  /** Degree of the polynomial kernel at this level. */
  readonly degree: number;
  /** How many training rows reach it: correct + wrong. */
  readonly points: number;
  /** c(H_k): complexity of the family that its classifier is from. */
  readonly complexity: number;
  /** c(Q_j) for each of the `depth` gates. */
  readonly gateComplexities: readonly number[];
  /** ρ_k: the smallest y·h_k(x) of its rightly classified rows, h_k with values in [−1, 1]. */
  readonly smallestMargin?: number;
}

/** A leaf with the complexity of its whole family ℋ_k = {s·h : s a selector of the leaf, h ∈ H_k}. */
export interface ProductLeaf extends LeafCounts {
  /** r_k: R̂_S(ℋ_k), or an upper bound of it, on all m rows. */
  readonly complexity: number;
  readonly smallestMargin?: number;
}

/** r_k ≤ Σ_j R̂_S(Q_j) + R̂_S(H_k) for leaf classifiers with values ±1, by Lemmas 2 and 1. */
export function productLeaf(leaf: CascadeLeaf): ProductLeaf {
  const { complexity, gateComplexities } = leaf;
  return { ...leaf, complexity: lemma1Product(lemma2Product(gateComplexities), complexity) };
}

/** r_k ≤ 2Σ_j R̂_S(Q_j) + 2R̂_S(H_k) for leaf classifiers with values in [−1, 1], by Lemmas 2 and 3. */
export function realValuedProductLeaf(leaf: CascadeLeaf): ProductLeaf {
  const { complexity, gateComplexities } = leaf;
  return { ...leaf, complexity: lemma3SignedProduct(lemma2Product(gateComplexities), complexity) };
}

/** Fails unless the leaves share all rows out among them and their complexities are numbers ≥ 0. */
export function checkLeaves(leaves: readonly ProductLeaf[], rows: number): void {
  let reached = 0;
  leaves.forEach(({ correct, wrong, complexity, smallestMargin = 1 }, index) => {
    const counts = [correct, wrong].every((count) => Number.isSafeInteger(count) && count >= 0);
    if (!counts || !(complexity >= 0) || !(smallestMargin >= 0)) {
      throw new VouchError(
        "option/invalid",
        `Leaf ${index + 1} has ${correct} right and ${wrong} wrong rows, complexity ${complexity} and smallest margin ${smallestMargin}: counts must be whole, and nothing may be negative.`,
      );
    }
    reached += correct + wrong;
  });
  if (rows > 0 && reached === rows) return;
  throw new VouchError(
    "option/invalid",
    `${reached} rows reach the ${leaves.length} leaves of a cascade of ${rows} rows, but each row reaches exactly one leaf.`,
  );
}
