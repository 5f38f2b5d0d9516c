/**
 * Bound (9) of a cascade, or what the first leaves of one add to it:
 *
 *   Σ_k [ m_k⁻/m + min(P_k, m_k⁺/m) ],   P_k = 4γ(Σ_{j ≤ depth of k} c(Q_j) + c(H_k)).
 *
 * Where the count is the smaller one, m_k⁻ + m_k⁺ is all that the leaf adds: so the counts are kept as whole numbers,
 * and cascades whose leaves all cost their points have the same bound to the last bit.
 */
export interface SearchCost {
  /** Points that count in full: the wrong ones, and the right ones of leaves whose count is below the penalty. */
  readonly points: number;
  /** The sum of the penalties that are below the counts. */
  readonly penalty: number;
  /** Wrong points: m times the training error. */
  readonly wrong: number;
}

/** Of no leaf. */
export const NO_SEARCH_COST: SearchCost = { points: 0, penalty: 0, wrong: 0 };

/** P_k for the complexities c(Q_j) of the gates on the way to the leaf, added up, and c(H_k) of the leaf itself. */
export function penaltyOf(gamma: number, gates: number, leaf: number): number {
  return 4 * gamma * (gates + leaf);
}

/** The cost with one more leaf. */
export function withSearchLeaf(
  cost: SearchCost,
  leaf: { readonly correct: number; readonly wrong: number },
  penalty: number,
  m: number,
): SearchCost {
  const wrong = cost.wrong + leaf.wrong;
  const points = cost.points + leaf.wrong;
  if (penalty < leaf.correct / m) return { points, penalty: cost.penalty + penalty, wrong };
  return { points: points + leaf.correct, penalty: cost.penalty, wrong };
}

/** The value of bound (9). */
export function searchBound({ points, penalty }: SearchCost, m: number): number {
  return points / m + penalty;
}

/**
 * What bound (9) is at least, when `left` points are still to be settled by leaves with penalties of at least
 * `leastPenalty`: either one of these leaves pays its penalty, or all points count in full.
 *
 * That holds for the computed numbers, too, not only up to rounding: the same operations are applied in the same
 * order as in `withSearchLeaf` and `searchBound`, and each of them is monotone when rounded.
 */
export function lowerBoundOf(cost: SearchCost, left: number, leastPenalty: number, m: number): number {
  const allCount = searchBound({ ...cost, points: cost.points + left }, m);
  const onePays = searchBound({ ...cost, penalty: cost.penalty + leastPenalty }, m);
  return Math.min(allCount, onePays);
}

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

/** A binary heap: the item that compares smallest comes out first. */
export class PriorityQueue<Item> {
  readonly #compare: (a: Item, b: Item) => number;
  readonly #items: Item[] = [];

  /** `compare` must tell any two items apart, so that the order in which they went in does not matter. */
  constructor(compare: (a: Item, b: Item) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The smallest item, which stays. */
  get first(): Item | undefined {
    return this.#items.at(0);
  }

  /** What is in the queue, in no order. */
  get items(): readonly Item[] {
    return this.#items;
  }

  push(item: Item): void {
    const items = this.#items;
    let place = items.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.#compare(items[parent], item) <= 0) break;
      items[place] = items[parent];
      place = parent;
    }
    items[place] = item;
  }

  /** Takes the smallest item out. */
  pop(): Item | undefined {
    const items = this.#items;
    const first = items.at(0);
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.#sink(last);
    return first;
  }

  /** Puts an item in the place of the first one, and from there where it belongs. */
  #sink(item: Item): void {
    const items = this.#items;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#compare(items[child + 1], items[child]) < 0) child++;
      if (this.#compare(item, items[child]) <= 0) break;
      items[place] = items[child];
      place = child;
    }
    items[place] = item;
  }
}
