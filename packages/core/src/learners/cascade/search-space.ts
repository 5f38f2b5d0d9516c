import { type CascadeCost, computeObjective } from "../../theory/cascades/objectives.js";

/** The cascades to choose from. A choice is one of the forms of a node: the degree of its kernel, a pair of families, … */
export interface CascadeSpace {
  /** Number of choices of a node. They are numbered from 0, the simplest first: ties go to the smaller number. */
  readonly choices: number;
  /** The choices that differ in the last node of a cascade, which has no gate. */
  readonly lastChoices: readonly number[];
  /** The fractions of a node's points that its gate may pass on, ascending, each in (0, 1]. */
  readonly fractions: readonly number[];
  readonly minDepth: number;
  readonly maxDepth: number;
  /** Whether a node's choice is never smaller than that of the node before it. */
  readonly nonDecreasing: boolean;
  /** Whether all gates of a cascade pass on the same fraction, as in Algorithm 1. */
  readonly sameFraction: boolean;
}

/** Counts the points in a fraction of n: ⌈μ·n⌉, where a μ·n that is off a whole number only by rounding is that number. */
export function pointsOfFraction(fraction: number, n: number): number {
  return Math.max(1, Math.ceil(fraction * n - 1e-9));
}

/** The state of a cascade when its next node is to be chosen. */
export interface Position {
  /** Number of nodes so far. */
  readonly level: number;
  /** Choice of the last of them; 0 at the root. */
  readonly choice: number;
  /** Index of the fraction of its gate; −1 at the root. */
  readonly fraction: number;
}

export const ROOT: Position = { level: 0, choice: 0, fraction: -1 };

/** Returns the smallest choice that a node after this position may have. */
export function firstChoice(space: CascadeSpace, { choice }: Position): number {
  return space.nonDecreasing ? choice : 0;
}

/** Returns the fractions, as indices, that the gate of the next node may have. */
export function gateRange(space: CascadeSpace, { fraction }: Position): readonly [from: number, to: number] {
  return space.sameFraction && fraction >= 0 ? [fraction, fraction + 1] : [0, space.fractions.length];
}

/**
 * Counts cascades. Two cascades are distinct when their choices or their fractions differ, up to a fraction or a
 * gate family of the last node, which has no gate: without constraints Σ_l (|M|·|G|)^(l−1)·|G|. Algorithms 2 and 3
 * as printed also run over a fraction of the last node, |M| times as many: Σ_l (|M|·|G|)^l.
 */
export class CascadeCount {
  readonly #space: CascadeSpace;
  readonly #counts = new Map<string, number>();

  constructor(space: CascadeSpace) {
    this.#space = space;
  }

  /** All distinct cascades. */
  get distinct(): number {
    return this.from(ROOT);
  }

  /** The number that the printed algorithms list. */
  get listed(): number {
    const { sameFraction, fractions, choices, lastChoices } = this.#space;
    // With one fraction for all gates it is chosen once: only cascades of one node, which have no gate, gain.
    if (!sameFraction) return (this.distinct * fractions.length * choices) / lastChoices.length;
    const single = this.#space.minDepth === 1 ? lastChoices.length : 0;
    return ((this.distinct - single + single * fractions.length) * choices) / lastChoices.length;
  }

  /** Counts the distinct cascades that begin as the position says. */
  from(position: Position): number {
    const { choices, nonDecreasing, sameFraction } = this.#space;
    const first = firstChoice(this.#space, position);
    const chosen = sameFraction && position.fraction >= 0;
    const key = `${position.level} ${nonDecreasing ? first : 0} ${chosen}`;
    const known = this.#counts.get(key);
    if (known !== undefined) return known;
    let count = 0;
    for (let choice = first; choice < choices; choice++) count += this.through(position, choice);
    this.#counts.set(key, count);
    return count;
  }

  /** Counts those among them whose next node is the one chosen. */
  through(position: Position, choice: number): number {
    const { minDepth, maxDepth, lastChoices } = this.#space;
    const level = position.level + 1;
    const ends = level >= minDepth && lastChoices.includes(choice) ? 1 : 0;
    if (level >= maxDepth) return ends;
    const [from, to] = gateRange(this.#space, position);
    return ends + (to - from) * this.from({ level, choice, fraction: from });
  }
}

/** The complexities of the families that a node's parts come from. */
export interface NodeComplexity {
  /** c(H_k) */
  readonly leaf: number;
  /** c(Q_k) */
  readonly gate: number;
}

/** How complexity is measured. */
export interface ComplexityMeasure {
  /** Measures a node that was trained on this many points. */
  of(choice: number, points: number, node: { readonly norm: number }): NodeComplexity;
  /** Returns a lower bound on both complexities of such a node, by what is known before training. */
  least(choice: number, points: number): number;
}

/** Computes P_k from the sum of the complexities c(Q_j) of the gates on the way to the leaf, and c(H_k) of the leaf. */
export function penaltyOf(gamma: number, gates: number, leaf: number): number {
  return 4 * gamma * (gates + leaf);
}

/**
 * Computes a lower bound on (9) when `left` points are still to be settled by leaves with penalties of at least
 * `leastPenalty`: either one of these leaves costs its penalty, or all points count in full.
 *
 * It holds for the computed numbers too, not only up to rounding: the same operations are applied in the same
 * order as in `withLeaf` and `computeObjective`, and each of them is monotone when rounded.
 */
export function lowerBoundOf(cost: CascadeCost, left: number, leastPenalty: number, m: number): number {
  const allCount = computeObjective({ ...cost, points: cost.points + left }, m);
  const onePays = computeObjective({ ...cost, penalty: cost.penalty + leastPenalty }, m);
  return Math.min(allCount, onePays);
}

/** A binary heap: the item that compares smallest comes out first. */
export class PriorityQueue<Item> {
  readonly #compare: (a: Item, b: Item) => number;
  readonly #items: Item[] = [];

  /** `compare` must distinguish any two items, so that the result does not depend on the order in which they were added. */
  constructor(compare: (a: Item, b: Item) => number) {
    this.#compare = compare;
  }

  get first(): Item | undefined {
    return this.#items.at(0);
  }

  /** All items, in no order. */
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

  /** Puts an item in the first place and moves it down to where it belongs. */
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
