import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { FloatArray } from "../../runtime/maths/matrix.js";
import { sharedBuffer } from "../../runtime/parallel/shared-array.js";
import {
  CATEGORICAL,
  FEATURE_SHIFT,
  NODE_WORDS,
  SET_WORDS,
  SHIFT_PLACE,
} from "../../runtime/wasm/wasm-exports.js";

/**
 * The words of a node, which `wasm/tree-node.ts` defines.
 *
 * - Split of a number: the left child, which the right one follows; the feature (21 bits), a zero, a bit `shift` and
 *   8 bits `cut`. A row goes left if (bin + shift) mod 256 ≤ cut. So the bin 255 of missing cells goes right without
 *   the shift and left with it.
 * - Split of categories: the number of a set; the feature, a one, and 9 zeros. The set has nine words: the left
 *   child, and a bit for each bin that goes left.
 * - Leaf with one class: the class; −1.
 * - Leaf with n > 1 classes: the number of its first share; −1 − n.
 *
 * Children come after their parent, left ones have odd numbers. Nodes, sets and shares are numbered from 0 in each tree.
 */
export { CATEGORICAL, FEATURE_SHIFT };

/** Tells whether a row with this bin goes left at a split of a number. */
export function isLeftOfCut(split: number, bin: number): boolean {
  return ((bin + ((split >> SHIFT_PLACE) & 1)) & 255) <= (split & 255);
}

/** Tells whether missing cells go left at a split of a number. */
export function isMissingLeft(split: number): boolean {
  return ((split >> SHIFT_PLACE) & 1) === 1;
}

/** Returns the last bin that goes left at a split of a number; 254 if all but missing cells do. */
export function lastLeftBin(split: number): number {
  return (split & 255) - ((split >> SHIFT_PLACE) & 1);
}

/** Tells whether a row with this bin goes left at a split of categories; the set begins at `at`. */
export function isInSet(sets: Int32Array, at: number, bin: number): boolean {
  return ((sets[at + 1 + (bin >> 5)] >>> (bin & 31)) & 1) === 1;
}

/** The arrays of a tree set. Those that say where trees start have one element more than there are trees. */
export interface TreeArrays {
  readonly classes: number;
  readonly columns: number;
  /** Two words per node, as above. */
  readonly nodes: Int32Array;
  readonly nodeStarts: Int32Array;
  /** Nine words per set of categories. */
  readonly sets: Int32Array;
  readonly setStarts: Int32Array;
  /** The classes in leaves with more than one, and their shares of the leaf. */
  readonly leafClasses: Int32Array;
  readonly leafShares: Float32Array;
  readonly leafStarts: Int32Array;
}

/** Grown trees in flat arrays: immutable, and structured-cloneable as `arrays`. */
export class TreeSet {
  readonly arrays: TreeArrays;

  constructor(arrays: TreeArrays) {
    this.arrays = arrays;
  }

  get trees(): number {
    return this.arrays.nodeStarts.length - 1;
  }

  get classes(): number {
    return this.arrays.classes;
  }

  /** Number of columns that the trees were grown on. */
  get columns(): number {
    return this.arrays.columns;
  }

  /** Nodes of all trees. */
  get nodes(): number {
    return this.arrays.nodeStarts[this.trees];
  }

  /** Nodes of one tree; every split adds two to the root, so it has (nodes + 1) / 2 leaves. */
  nodesOf(tree: number): number {
    return this.arrays.nodeStarts[tree + 1] - this.arrays.nodeStarts[tree];
  }

  /** Leaves of all trees. */
  get leaves(): number {
    return (this.nodes + this.trees) / 2;
  }

  /** Splits of all trees: in each one less than leaves. */
  get splits(): number {
    return (this.nodes - this.trees) / 2;
  }

  leavesOf(tree: number): number {
    return (this.nodesOf(tree) + 1) / 2;
  }

  /** Depth of the deepest tree. */
  get depth(): number {
    let deepest = 0;
    for (let tree = 0; tree < this.trees; tree++) deepest = Math.max(deepest, this.depthOf(tree));
    return deepest;
  }

  depthOf(tree: number): number {
    const lefts = this.leftChildren(tree);
    const depths = new Int32Array(lefts.length);
    let deepest = 0;
    // Children come after their parent.
    for (let node = 0; node < depths.length; node++) {
      const left = lefts[node];
      if (left === 0) continue;
      depths[left] = depths[node] + 1;
      depths[left + 1] = depths[left];
      deepest = Math.max(deepest, depths[left]);
    }
    return deepest;
  }

  /** Lists the left child of each node of a tree, which the right one follows; 0 for leaves. */
  leftChildren(tree: number): Int32Array {
    const { nodes, nodeStarts, sets, setStarts } = this.arrays;
    return Int32Array.from({ length: this.nodesOf(tree) }, (_, node) => {
      const at = (nodeStarts[tree] + node) * NODE_WORDS;
      const split = nodes[at + 1];
      if (split < 0) return 0;
      return split & CATEGORICAL ? sets[(setStarts[tree] + nodes[at]) * SET_WORDS] : nodes[at];
    });
  }

  /** Joins at least one set; all are of the same columns and classes. Threads share the result. */
  static concat(sets: readonly TreeSet[]): TreeSet {
    const all = sets.map(({ arrays }) => arrays);
    const [{ classes, columns }] = all;
    return new TreeSet({
      classes,
      columns,
      nodes: joinedInts(all.map(({ nodes }) => nodes)),
      nodeStarts: joinedStarts(all.map(({ nodeStarts }) => nodeStarts)),
      sets: joinedInts(all.map(({ sets }) => sets)),
      setStarts: joinedStarts(all.map(({ setStarts }) => setStarts)),
      leafClasses: joinedInts(all.map(({ leafClasses }) => leafClasses)),
      leafShares: joinedFloats(all.map(({ leafShares }) => leafShares)),
      leafStarts: joinedStarts(all.map(({ leafStarts }) => leafStarts)),
    });
  }

  /** Returns a view of trees `begin` … `end` − 1. */
  slice(begin: number, end: number): TreeSet {
    const { arrays } = this;
    const { nodeStarts, setStarts, leafStarts } = arrays;
    const starts = (of: Int32Array) => of.subarray(begin, end + 1).map((start) => start - of[begin]);
    const words = (of: Int32Array, each: number) => [of[begin] * each, of[end] * each] as const;
    return new TreeSet({
      ...arrays,
      nodes: arrays.nodes.subarray(...words(nodeStarts, NODE_WORDS)),
      nodeStarts: starts(nodeStarts),
      sets: arrays.sets.subarray(...words(setStarts, SET_WORDS)),
      setStarts: starts(setStarts),
      leafClasses: arrays.leafClasses.subarray(...words(leafStarts, 1)),
      leafShares: arrays.leafShares.subarray(...words(leafStarts, 1)),
      leafStarts: starts(leafStarts),
    });
  }

  /** Finds the leaf of a row in a tree; a leaf is the number of a node of its tree. */
  leafOf(tree: number, features: Pick<BinnedColumns, "rows" | "bins">, row: number): number {
    const { nodes, nodeStarts, sets, setStarts } = this.arrays;
    const { bins, rows } = features;
    let node = 0;
    for (;;) {
      const at = (nodeStarts[tree] + node) * NODE_WORDS;
      const split = nodes[at + 1];
      if (split < 0) return node;
      const bin = bins[(split >> FEATURE_SHIFT) * rows + row];
      if (split & CATEGORICAL) {
        const set = (setStarts[tree] + nodes[at]) * SET_WORDS;
        node = sets[set] + Number(!isInSet(sets, set, bin));
      } else {
        node = nodes[at] + Number(!isLeftOfCut(split, bin));
      }
    }
  }

  /** Adds the class shares of a leaf of a tree to `scores[from]` and the following. */
  addLeaf(tree: number, leaf: number, scores: FloatArray, from: number): void {
    const { nodes, nodeStarts, leafClasses, leafShares, leafStarts } = this.arrays;
    const at = (nodeStarts[tree] + leaf) * NODE_WORDS;
    const count = -1 - nodes[at + 1];
    if (count === 0) scores[from + nodes[at]]++;
    const first = leafStarts[tree] + nodes[at];
    for (let k = first; k < first + count; k++) scores[from + leafClasses[k]] += leafShares[k];
  }

  /**
   * Adds the class shares that all trees give to a row to `scores[from]` and the following: for few rows, where copying the
   * trees to WebAssembly memory as `WasmTrees` would take longer.
   */
  addRow(features: BinnedColumns, row: number, scores: FloatArray, from: number): void {
    for (let tree = 0; tree < this.trees; tree++) {
      this.addLeaf(tree, this.leafOf(tree, features, row), scores, from);
    }
  }
}

function joinedInts(parts: readonly Int32Array[]): Int32Array {
  return join(parts, new Int32Array(sharedBuffer(4 * totalOf(parts))));
}

function joinedFloats(parts: readonly Float32Array[]): Float32Array {
  return join(parts, new Float32Array(sharedBuffer(4 * totalOf(parts))));
}

function totalOf(parts: readonly ArrayLike<number>[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function join<A extends Int32Array | Float32Array>(parts: readonly A[], to: A): A {
  let at = 0;
  for (const part of parts) {
    to.set(part, at);
    at += part.length;
  }
  return to;
}

function joinedStarts(parts: readonly Int32Array[]): Int32Array {
  const joined = [0];
  let before = 0;
  for (const starts of parts) {
    for (let tree = 1; tree < starts.length; tree++) joined.push(before + starts[tree]);
    before += starts[starts.length - 1];
  }
  return Int32Array.from(joined);
}

/** A node of a tree in words: a leaf with classes and their values, or a split whose right child follows the left one. */
export type TreeSetNode =
  | { readonly kind: "leaf"; readonly classes: Int32Array; readonly values: Float32Array }
  | {
      /** Bins up to `lastLeft` go left, others right; missing cells as `missingLeft` says. */
      readonly kind: "number";
      readonly feature: number;
      readonly left: number;
      readonly lastLeft: number;
      readonly missingLeft: boolean;
    }
  | {
      readonly kind: "categories";
      readonly feature: number;
      readonly left: number;
      readonly isLeft: (bin: number) => boolean;
    };

/** Describes a node of a tree; the root is node 0. */
export function treeSetNode({ arrays }: TreeSet, tree: number, node: number): TreeSetNode {
  const { nodes, nodeStarts, sets, setStarts, leafClasses, leafShares, leafStarts } = arrays;
  const at = (nodeStarts[tree] + node) * NODE_WORDS;
  const word = nodes[at];
  const split = nodes[at + 1];
  if (split === -1) return { kind: "leaf", classes: Int32Array.of(word), values: Float32Array.of(1) };
  if (split < 0) {
    const first = leafStarts[tree] + word;
    const end = first - 1 - split;
    return { kind: "leaf", classes: leafClasses.slice(first, end), values: leafShares.slice(first, end) };
  }
  const feature = split >> FEATURE_SHIFT;
  if (split & CATEGORICAL) {
    const set = (setStarts[tree] + word) * SET_WORDS;
    return { kind: "categories", feature, left: sets[set], isLeft: (bin) => isInSet(sets, set, bin) };
  }
  const missingLeft = isMissingLeft(split) || lastLeftBin(split) > 254;
  return { kind: "number", feature, left: word, lastLeft: lastLeftBin(split), missingLeft };
}
