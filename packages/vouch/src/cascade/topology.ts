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
export interface ChainLevel<Question, Leaf> {
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
export interface LeafOnPath<Question, Leaf> {
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
