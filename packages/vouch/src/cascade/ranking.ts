/** What cascades are compared by, in this order. */
export interface Rank {
  /** Bound (9), to twelve decimals, as a whole number: what differs by rounding only is a tie. */
  readonly bound: number;
  /** Misclassified training points. */
  readonly wrong: number;
  /** The choices of the nodes, first node first. */
  readonly choices: readonly number[];
  /** The fractions of the gates, as indices, first gate first: one less than there are nodes. */
  readonly fractions: readonly number[];
}

/** A bound as ranks hold it. Monotone: a smaller bound never has a larger rank. */
export function rankedBound(bound: number): number {
  return Math.round(bound * 1e12);
}

/**
 * Negative if `a` is the better one: smaller bound, then smaller training error, then shorter, then lower choices
 * (degrees of kernels), then smaller fractions, the first node first. Zero only for the same cascade.
 */
export function compareRanks(a: Rank, b: Rank): number {
  return (
    a.bound - b.bound ||
    a.wrong - b.wrong ||
    a.choices.length - b.choices.length ||
    compareLists(a.choices, b.choices) ||
    compareLists(a.fractions, b.fractions)
  );
}

/** Lexicographic, of lists of the same length. */
function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return 0;
}
