/** What one leaf brings to the sum of minima in a bound for cascades. */
export interface LeafShare {
  /** m_k⁻/m. */
  readonly wrong: number;
  /** m_k⁺/m. */
  readonly fraction: number;
  /** The complexity that competes with it. */
  readonly penalty: number;
  /** Which of the two the leaf pays. */
  readonly active: "fraction" | "complexity";
}

/**
 * The terms of all leaves by name, in the order of the leaves, `symbol` being the penalty as the formula writes it:
 * `leaf 2: m⁻/m`, `leaf 2: m⁺/m`, `leaf 2: 4r` and what it pays, `leaf 2: pays m⁺/m (fraction)` or
 * `leaf 2: pays 4r (complexity)`.
 */
export function leafTerms(shares: readonly LeafShare[], symbol: string): [string, number][] {
  return shares.flatMap(({ wrong, fraction, penalty, active }, index): [string, number][] => {
    const leaf = `leaf ${index + 1}`;
    return [
      [`${leaf}: m⁻/m`, wrong],
      [`${leaf}: m⁺/m`, fraction],
      [`${leaf}: ${symbol}`, penalty],
      active === "fraction"
        ? [`${leaf}: pays m⁺/m (fraction)`, fraction]
        : [`${leaf}: pays ${symbol} (complexity)`, penalty],
    ];
  });
}

/** min(penalty, m_k⁺/m) of each leaf; the fraction where they are equal, as 𝓚 is {k : m_k⁺/m > 4r_k}. */
export function leafShares<L extends { readonly correct: number; readonly wrong: number }>(
  leaves: readonly L[],
  rows: number,
  penaltyOf: (leaf: L) => number,
): LeafShare[] {
  return leaves.map((leaf) => {
    const fraction = leaf.correct / rows;
    const penalty = penaltyOf(leaf);
    const active = penalty < fraction ? "complexity" : "fraction";
    return { wrong: leaf.wrong / rows, fraction, penalty, active };
  });
}

/** Σ_k of what the leaves pay. */
export function sumPaid(shares: readonly LeafShare[]): number {
  return shares.reduce(
    (sum, { fraction, penalty, active }) => sum + (active === "fraction" ? fraction : penalty),
    0,
  );
}
