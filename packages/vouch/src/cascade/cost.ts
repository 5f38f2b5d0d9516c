/**
 * Bound (9) of a cascade, or what the first leaves of one add to it:
 *
 *   Σ_k [ m_k⁻/m + min(P_k, m_k⁺/m) ],   P_k = 4γ(Σ_{j ≤ depth of k} c(Q_j) + c(H_k)).
 *
 * Where the count is the smaller one, m_k⁻ + m_k⁺ is all that the leaf adds: so the counts are kept as whole numbers,
 * and cascades whose leaves all cost their points have the same bound to the last bit.
 */
export interface Cost {
  /** Points that count in full: the wrong ones, and the right ones of leaves whose count is below the penalty. */
  readonly points: number;
  /** The sum of the penalties that are below the counts. */
  readonly penalty: number;
  /** Wrong points: m times the training error. */
  readonly wrong: number;
}

/** Of no leaf. */
export const NO_COST: Cost = { points: 0, penalty: 0, wrong: 0 };

/** P_k for the complexities c(Q_j) of the gates on the way to the leaf, added up, and c(H_k) of the leaf itself. */
export function penaltyOf(gamma: number, gates: number, leaf: number): number {
  return 4 * gamma * (gates + leaf);
}

/** The cost with one more leaf. */
export function withLeaf(
  cost: Cost,
  leaf: { readonly correct: number; readonly wrong: number },
  penalty: number,
  m: number,
): Cost {
  const wrong = cost.wrong + leaf.wrong;
  const points = cost.points + leaf.wrong;
  if (penalty < leaf.correct / m) return { points, penalty: cost.penalty + penalty, wrong };
  return { points: points + leaf.correct, penalty: cost.penalty, wrong };
}

/** The value of bound (9). */
export function boundOf({ points, penalty }: Cost, m: number): number {
  return points / m + penalty;
}

/**
 * What bound (9) is at least, when `left` points are still to be settled by leaves with penalties of at least
 * `leastPenalty`: either one of these leaves pays its penalty, or all points count in full.
 *
 * That holds for the computed numbers, too, not only up to rounding: the same operations are applied in the same
 * order as in `withLeaf` and `boundOf`, and each of them is monotone when rounded.
 */
export function lowerBoundOf(cost: Cost, left: number, leastPenalty: number, m: number): number {
  const allCount = boundOf({ ...cost, points: cost.points + left }, m);
  const onePays = boundOf({ ...cost, penalty: cost.penalty + leastPenalty }, m);
  return Math.min(allCount, onePays);
}
