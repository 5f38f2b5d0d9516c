/** The cascades to choose from. A choice is what a node may be: the degree of its kernel, a pair of families, … */
export interface CascadeSpace {
  /** How many choices a node has. They are numbered from 0, the simplest first: ties go to the smaller number. */
  readonly choices: number;
  /** The choices that differ in the last node of a cascade, which asks no question. */
  readonly lastChoices: readonly number[];
  /** The shares of a node's points that its gate may send on, ascending, each in (0, 1]. */
  readonly fractions: readonly number[];
  /** How many nodes a cascade has, at least and at most. */
  readonly minDepth: number;
  readonly maxDepth: number;
  /** Whether a node's choice is never smaller than that of the node before it. */
  readonly nonDecreasing: boolean;
  /** Whether all gates of a cascade send on the same share, as in Algorithm 1. */
  readonly sameFraction: boolean;
}

/** Where a cascade stands when its next node is to be chosen. */
export interface Position {
  /** Nodes so far. */
  readonly level: number;
  /** Choice of the last of them; 0 at the root. */
  readonly choice: number;
  /** Index of the fraction of its gate; −1 at the root. */
  readonly fraction: number;
}

/** Before the first node. */
export const ROOT: Position = { level: 0, choice: 0, fraction: -1 };

/** The smallest choice that a node after this position may have. */
export function firstChoice(space: CascadeSpace, { choice }: Position): number {
  return space.nonDecreasing ? choice : 0;
}

/** The fractions, as indices, that the gate of the next node may have. */
export function gateRange(space: CascadeSpace, { fraction }: Position): readonly [from: number, to: number] {
  return space.sameFraction && fraction >= 0 ? [fraction, fraction + 1] : [0, space.fractions.length];
}

/**
 * Counts cascades. Two cascades count as distinct when their choices or their fractions differ, up to a fraction or a
 * question of the last node, which has no gate: without constraints Σ_l (|M|·|G|)^(l−1)·|G|. Algorithms 2 and 3
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

  /** As many as the printed algorithms list. */
  get listed(): number {
    const { sameFraction, fractions, choices, lastChoices } = this.#space;
    // With one fraction for all gates it is chosen once: only cascades of one node, which have no gate, gain.
    if (!sameFraction) return (this.distinct * fractions.length * choices) / lastChoices.length;
    const single = this.#space.minDepth === 1 ? lastChoices.length : 0;
    return ((this.distinct - single + single * fractions.length) * choices) / lastChoices.length;
  }

  /** The distinct cascades that begin as the position says. */
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

  /** Those among them whose next node is the one chosen. */
  through(position: Position, choice: number): number {
    const { minDepth, maxDepth, lastChoices } = this.#space;
    const level = position.level + 1;
    const ends = level >= minDepth && lastChoices.includes(choice) ? 1 : 0;
    if (level >= maxDepth) return ends;
    const [from, to] = gateRange(this.#space, position);
    return ends + (to - from) * this.from({ level, choice, fraction: from });
  }
}

/**
 * A tree of questions with a classifier at each leaf: points for which the answer is yes go on, the others stay
 * behind. The papers' cascades are chains, where `stay` is always a leaf; nothing here needs that.
 */
export type CascadeTree<Question, Leaf> =
  | { readonly kind: "leaf"; readonly leaf: Leaf }
  | {
      readonly kind: "fork";
      readonly question: Question;
      readonly on: CascadeTree<Question, Leaf>;
      readonly stay: CascadeTree<Question, Leaf>;
    };

/** A level of a chain; the last one has no question. */
interface ChainLevel<Question, Leaf> {
  readonly leaf: Leaf;
  readonly question?: Question;
}

/** The papers' topology: the points that stay at a level are classified by its leaf (Figure 1). */
export function chain<Question, Leaf>(
  levels: readonly ChainLevel<Question, Leaf>[],
): CascadeTree<Question, Leaf> {
  const [{ leaf, question }, ...rest] = levels;
  if (question === undefined) return { kind: "leaf", leaf };
  return { kind: "fork", question, on: chain(rest), stay: { kind: "leaf", leaf } };
}

/** A leaf, with the questions on the way to it. */
interface LeafOnPath<Question, Leaf> {
  readonly leaf: Leaf;
  /** Outermost first; `on` says which answer leads to the leaf. */
  readonly path: readonly { readonly question: Question; readonly on: boolean }[];
}

/** All leaves, those that stay behind first: in a chain by increasing depth. */
export function leavesOf<Question, Leaf>(
  tree: CascadeTree<Question, Leaf>,
  path: LeafOnPath<Question, Leaf>["path"] = [],
): LeafOnPath<Question, Leaf>[] {
  if (tree.kind === "leaf") return [{ leaf: tree.leaf, path }];
  const { question, on, stay } = tree;
  return [
    ...leavesOf(stay, [...path, { question, on: false }]),
    ...leavesOf(on, [...path, { question, on: true }]),
  ];
}

/**
 * Sends rows through the tree and hands those that reach each leaf over, leaf after leaf in the order of `leavesOf`.
 * `answers` says for each of the rows given whether it goes on.
 */
export function route<Question, Leaf>(
  tree: CascadeTree<Question, Leaf>,
  rows: Int32Array,
  answers: (question: Question, rows: Int32Array) => ArrayLike<boolean | number>,
  arrive: (leaf: Leaf, rows: Int32Array) => void,
): void {
  if (tree.kind === "leaf") {
    arrive(tree.leaf, rows);
    return;
  }
  const yes = answers(tree.question, rows);
  route(
    tree.stay,
    rows.filter((_, i) => !yes[i]),
    answers,
    arrive,
  );
  route(
    tree.on,
    rows.filter((_, i) => yes[i]),
    answers,
    arrive,
  );
}
