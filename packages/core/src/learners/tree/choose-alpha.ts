import { subtreeAt } from "./cost-complexity.js";
import type { FoldTree } from "./grow-and-prune.js";

/** The subtree that cross-validation chose. */
export interface ChosenSubtree {
  /** Its number in the pruning path. */
  readonly index: number;
  /** Cross-validated error and its standard error. */
  readonly error: number;
  readonly standardError: number;
}

/** Errors that differ by less are equal: sums of weights are rounded. */
const TIE = 1e-12;

/**
 * Chooses among the minimal subtrees T_1 ⊃ T_2 ⊃ … of a tree by cross-validation (Breiman et al. 1984, section 3.4.2). T_k is
 * minimal for α_k ≤ α < α_{k+1}. It is judged by the subtrees of the trees of all folds at the geometric mean
 * √(α_k α_{k+1}), the last one by their roots. The subtree with the lowest error is chosen or, with the rule of s standard
 * errors, the smallest one whose error is at most s standard errors above the lowest (section 3.4.3). Ties go to the smaller
 * subtree.
 *
 * With weights w and errors e ∈ {0, 1} of n rows, the error is R = Σ w e / Σ w, and its standard error √(Σ w² (e − R)²) / Σ w,
 * which is √(R (1 − R) / n) without weights.
 *
 * @param alphas α_1 < α_2 < …, per unit of weight
 */
export function chooseSubtree(
  alphas: Float64Array,
  folds: readonly FoldTree[],
  weights: { readonly sum: number; readonly sumOfSquares: number },
  standardErrors: number,
): ChosenSubtree {
  const { sum, sumOfSquares } = weights;
  const judged = Array.from(alphas, (alpha, k) => {
    const next = k + 1 < alphas.length ? alphas[k + 1] : Number.POSITIVE_INFINITY;
    const middle = next === Number.POSITIVE_INFINITY ? next : Math.sqrt(alpha * next);
    let wrong = 0;
    let squares = 0;
    for (const fold of folds) {
      const subtree = subtreeAt(fold.alphas, middle);
      wrong += fold.errors[subtree];
      squares += fold.squares[subtree];
    }
    const error = wrong / sum;
    const variance = squares * (1 - 2 * error) + sumOfSquares * error * error;
    return { error, standardError: Math.sqrt(Math.max(0, variance)) / sum };
  });
  const lowest = judged.reduce((best, other) => (other.error < best.error ? other : best));
  const limit = lowest.error + standardErrors * lowest.standardError + TIE;
  const index = judged.findLastIndex(({ error }) => error <= limit);
  return { index, ...judged[index] };
}
