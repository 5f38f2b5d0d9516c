import type { BinnedColumns } from "../encode/binned-columns.js";
import type { TreeSum } from "../learners/additive.js";
import { CATEGORICAL, FEATURE_SHIFT, isInSet, isLeftOfCut } from "../learners/tree/tree-set.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import { NODE_WORDS, SET_WORDS } from "../runtime/wasm/wasm-exports.js";

/** Rows to explain and rows to compare them with, in one block, and the raw column of each feature. */
export interface TreeRows {
  readonly features: BinnedColumns;
  /** Rows to explain. */
  readonly rows: Int32Array;
  readonly background: Int32Array;
  readonly columnOf: readonly number[];
  readonly columns: number;
}

/**
 * Pairs of rows that walk through a tree between two pauses, and the number of loaded nodes that counts as one pair: a
 * millisecond in total.
 */
const PAIRS_PER_STEP = 256;
const NODES_PER_PAIR = 16;

/** Marks the side of its split that a column takes; a column is on both sides until the two rows diverge. */
const TOGETHER = 0;
const AS_ROW = 1;
const AS_BACKGROUND = 2;

/**
 * Adds the exact Shapley values of raw columns for a sum of trees to `sums`, which has a row of `columns` values for
 * each row. This is interventional TreeSHAP (Lundberg et al. 2020, Nature Machine Intelligence 2, algorithm 3), v(S) =
 * mean over background rows b of f(x on S, b elsewhere).
 *
 * For one tree, one x and one b, a mixed row reaches a leaf if every column on its path takes the side of x, or of b,
 * where the two diverge. With a columns on the side of x and q on the side of b, the leaf of value v adds
 *
 *     + v · (a − 1)! q! / (a + q)!  to each of the a columns,   − v · a! (q − 1)! / (a + q)!  to each of the q columns.
 *
 * A walk visits only leaves that some mixed row reaches; all features of a column take the same side.
 */
export function* addTreeShapley(
  { trees, output, weight }: TreeSum,
  given: TreeRows,
  sums: Float64Array,
): Pausable<void> {
  const { rows, background, columns } = given;
  const walk = new PairWalk(given, trees.depth);
  const scale = 1 / background.length;
  let pairs = 0;
  for (let t = 0; t < trees.trees; t++) {
    pairs += trees.nodesOf(t) / NODES_PER_PAIR;
    if (!walk.load({ trees, output }, t, weight(t) * scale)) continue;
    for (let i = 0; i < rows.length; i++) {
      const own = sums.subarray(i * columns, (i + 1) * columns);
      walk.follow(rows[i]);
      for (let b = 0; b < background.length; b++) walk.add(b, own);
      pairs += background.length;
      if (pairs < PAIRS_PER_STEP) continue;
      pairs = 0;
      yield;
    }
  }
}

/** Computes the sum of trees for rows, in double precision. */
export function treeSumOf(sum: TreeSum, features: BinnedColumns, rows: Int32Array): Float64Array {
  const { base, trees, output, weight } = sum;
  const leaf = new Float64Array(trees.classes);
  const totals = new Float64Array(rows.length).fill(base);
  for (let t = 0; t < trees.trees; t++) {
    const factor = weight(t);
    for (let i = 0; i < rows.length; i++) {
      leaf[output] = 0;
      trees.addLeaf(t, trees.leafOf(t, features, rows[i]), leaf, 0);
      totals[i] += factor * leaf[output];
    }
  }
  return totals;
}

/**
 * Words of a node of a loaded tree: the raw column, or −1 at a leaf; the left child; and, once a walk has reached the
 * node, a bit for each background row that goes right.
 */
const COLUMN = 0;
const LEFT = 1;
const RIGHT_BITS = 2;

/** Walks a row and a background row through one tree at a time, with typed arrays and without recursion. */
class PairWalk {
  readonly #given: TreeRows;
  /** Words per node: one bit for each background row. */
  readonly #stride: number;
  readonly #weights: Float64Array[] = [];
  /** The side that each column takes on the way to the current node. */
  readonly #sides: Uint8Array;
  // Open divergences of the two rows on the way to the current node: column, child of the background row, and the sum
  // before it.
  readonly #column: Int32Array;
  readonly #other: Int32Array;
  readonly #before: Float64Array;
  #trees: TreeSum["trees"] | undefined;
  #tree = 0;
  #count = 0;
  #nodes = new Int32Array(0);
  /** The values of the leaves. */
  #values = new Float64Array(0);
  /** The child to which the current row goes. */
  #children = new Int32Array(0);
  /** The load in which the bits of each node were set. One row reaches few nodes of a large tree. */
  #loadOfBits = new Int32Array(0);
  #load = 0;

  constructor(given: TreeRows, depth: number) {
    this.#given = given;
    this.#stride = RIGHT_BITS + Math.ceil(given.background.length / 32);
    this.#sides = new Uint8Array(given.columns);
    const most = Math.min(given.columns, depth);
    this.#column = new Int32Array(most);
    this.#other = new Int32Array(most);
    this.#before = new Float64Array(most);
    for (let n = 0; n <= Math.min(most, MOST_TABLED); n++) this.#weights.push(weightsOf(n));
  }

  /** Loads a tree with its values multiplied; returns false if the output is 0 in all leaves. */
  load({ trees, output }: Pick<TreeSum, "trees" | "output">, tree: number, factor: number): boolean {
    const { nodes, nodeStarts, sets, setStarts } = trees.arrays;
    const { columnOf } = this.#given;
    this.#load++;
    this.#trees = trees;
    this.#tree = tree;
    this.#count = trees.nodesOf(tree);
    if (this.#values.length < this.#count) this.#allocate(this.#count);
    const leaf = new Float64Array(trees.classes);
    let any = false;
    for (let node = 0; node < this.#count; node++) {
      const at = (nodeStarts[tree] + node) * NODE_WORDS;
      const to = node * this.#stride;
      const split = nodes[at + 1];
      if (split < 0) {
        leaf[output] = 0;
        trees.addLeaf(tree, node, leaf, 0);
        this.#nodes[to + COLUMN] = -1;
        this.#values[node] = factor * leaf[output];
        any ||= this.#values[node] !== 0;
        continue;
      }
      const set = split & CATEGORICAL ? (setStarts[tree] + nodes[at]) * SET_WORDS : -1;
      this.#nodes[to + COLUMN] = columnOf[split >> FEATURE_SHIFT];
      this.#nodes[to + LEFT] = set < 0 ? nodes[at] : sets[set];
    }
    return any;
  }

  /** Finds the background rows that go right at a split. */
  #setBits(node: number): void {
    const { arrays } = this.#trees ?? {};
    if (!arrays) return;
    const { background } = this.#given;
    const { nodes, nodeStarts, setStarts } = arrays;
    const at = (nodeStarts[this.#tree] + node) * NODE_WORDS;
    const split = nodes[at + 1];
    const set = split & CATEGORICAL ? (setStarts[this.#tree] + nodes[at]) * SET_WORDS : -1;
    const to = node * this.#stride + RIGHT_BITS;
    this.#nodes.fill(0, to, (node + 1) * this.#stride);
    for (let b = 0; b < background.length; b++) {
      if (this.#isRight(split, set, background[b])) this.#nodes[to + (b >> 5)] |= 1 << (b & 31);
    }
    this.#loadOfBits[node] = this.#load;
  }

  /** Finds the child of every split to which a row goes. */
  follow(row: number): void {
    const trees = this.#trees;
    if (!trees) return;
    const { nodes, nodeStarts, sets, setStarts } = trees.arrays;
    for (let node = 0; node < this.#count; node++) {
      const at = (nodeStarts[this.#tree] + node) * NODE_WORDS;
      const split = nodes[at + 1];
      if (split < 0) continue;
      const set = split & CATEGORICAL ? (setStarts[this.#tree] + nodes[at]) * SET_WORDS : -1;
      const left = set < 0 ? nodes[at] : sets[set];
      this.#children[node] = left + Number(this.#isRight(split, set, row));
    }
  }

  #isRight(split: number, set: number, row: number): boolean {
    const { bins, rows } = this.#given.features;
    const bin = bins[(split >> FEATURE_SHIFT) * rows + row];
    const sets = this.#trees?.arrays.sets;
    return set < 0 || !sets ? !isLeftOfCut(split, bin) : !isInSet(sets, set, bin);
  }

  #allocate(nodes: number): void {
    this.#nodes = new Int32Array(nodes * this.#stride);
    this.#values = new Float64Array(nodes);
    this.#children = new Int32Array(nodes);
    this.#loadOfBits = new Int32Array(nodes);
  }

  /**
   * Adds the values of the columns for the followed row and background row b. `forRow` and `forBackground` are running
   * sums over the leaves in the order of the walk; their growth within the subtree of a divergence is the share of its
   * column.
   */
  add(b: number, sums: Float64Array): void {
    const nodes = this.#nodes;
    const children = this.#children;
    const values = this.#values;
    const weights = this.#weights;
    const sides = this.#sides;
    const columns = this.#column;
    const others = this.#other;
    const before = this.#before;
    const stride = this.#stride;
    const loadOfBits = this.#loadOfBits;
    const load = this.#load;
    const word = RIGHT_BITS + (b >> 5);
    const bit = b & 31;
    let open = 0;
    let asRow = 0;
    let forRow = 0;
    let forBackground = 0;
    let node = 0;
    for (;;) {
      // Descend to a leaf, first to the side of the row wherever the two diverge.
      for (let at = node * stride; nodes[at] >= 0; at = node * stride) {
        const column = nodes[at];
        const side = sides[column];
        const xChild = children[node];
        if (side === AS_ROW) {
          node = xChild;
          continue;
        }
        if (loadOfBits[node] !== load) this.#setBits(node);
        const bChild = nodes[at + LEFT] + ((nodes[at + word] >>> bit) & 1);
        if (side === AS_BACKGROUND || xChild === bChild) {
          node = bChild;
          continue;
        }
        columns[open] = column;
        others[open] = bChild;
        before[open++] = forRow;
        sides[column] = AS_ROW;
        asRow++;
        node = xChild;
      }
      const value = values[node];
      if (value !== 0) {
        // Index 0 has weight 0: no column is on that side.
        const own = open > MOST_TABLED ? undefined : weights[open];
        forRow += value * (own ? own[asRow] : weightOf(open, asRow));
        forBackground += value * (own ? own[open - asRow] : weightOf(open, open - asRow));
      }
      // Return to the last divergence whose other side has not been walked.
      for (;;) {
        if (open === 0) return;
        const last = open - 1;
        const column = columns[last];
        if (sides[column] === AS_ROW) {
          sums[column] += forRow - before[last];
          before[last] = forBackground;
          sides[column] = AS_BACKGROUND;
          asRow--;
          node = others[last];
          break;
        }
        sums[column] -= forBackground - before[last];
        sides[column] = TOGETHER;
        open = last;
      }
    }
  }
}

/**
 * Weights of up to this many divergences are cached; a table of all would take memory quadratic in the depth of a tree.
 */
const MOST_TABLED = 1000;

/** Computes (k − 1)! (n − k)! / n! for a large n; 0 for k = 0. In double precision, it is 0 unless k is near 1 or n. */
function weightOf(n: number, k: number): number {
  let weight = k > 0 ? 1 / n : 0;
  for (let i = 2; i <= Math.min(k, n + 1 - k) && weight > 0; i++) weight = (weight * (i - 1)) / (n - i + 1);
  return weight;
}

/** Computes (k − 1)! (n − k)! / n! for k = 1 … n, at index k; 0 at index 0. */
function weightsOf(n: number): Float64Array {
  const weights = new Float64Array(n + 1);
  if (n > 0) weights[1] = 1 / n;
  for (let k = 2; k <= n; k++) weights[k] = (weights[k - 1] * (k - 1)) / (n - k + 1);
  return weights;
}
