import { NODE_WORDS, SET_WORDS } from "../../runtime/wasm/wasm-exports.js";
import { CATEGORICAL, TreeSet } from "./tree-set.js";

/** A subtree of a grown tree, and the node of the grown tree that each of its nodes was. */
export interface PrunedTree {
  /** A set of this one tree; its leaves have class 0 until they are filled. */
  readonly tree: TreeSet;
  readonly origins: Int32Array;
}

/** Cuts the branches of a set of one tree below the marked nodes. Numbers of nodes keep their order. */
export function pruneTree(grown: TreeSet, becomesLeaf: (node: number) => boolean): PrunedTree {
  const { nodes, sets } = grown.arrays;
  const lefts = grown.leftChildren(0);
  const origins = [0];
  const words: number[] = [];
  const keptSets: number[] = [];
  for (let node = 0; node < origins.length; node++) {
    const origin = origins[node];
    const left = lefts[origin];
    if (left === 0 || becomesLeaf(origin)) {
      words.push(0, -1);
      continue;
    }
    const split = nodes[origin * NODE_WORDS + 1];
    const newLeft = origins.length;
    origins.push(left, left + 1);
    if (split & CATEGORICAL) {
      const set = nodes[origin * NODE_WORDS] * SET_WORDS;
      words.push(keptSets.length / SET_WORDS, split);
      keptSets.push(newLeft, ...sets.subarray(set + 1, set + SET_WORDS));
    } else words.push(newLeft, split);
  }
  const tree = new TreeSet({
    ...grown.arrays,
    nodes: Int32Array.from(words),
    nodeStarts: Int32Array.of(0, origins.length),
    sets: Int32Array.from(keptSets),
    setStarts: Int32Array.of(0, keptSets.length / SET_WORDS),
    leafClasses: new Int32Array(0),
    leafShares: new Float32Array(0),
    leafStarts: Int32Array.of(0, 0),
  });
  return { tree, origins: Int32Array.from(origins) };
}

/** Fills the leaves of a set of one tree with class shares, given the weight of each class in each leaf. */
export function withLeafShares(
  tree: TreeSet,
  classesOf: readonly (ReadonlyMap<number, number> | undefined)[],
): TreeSet {
  const nodes = tree.arrays.nodes.slice();
  const leafClasses: number[] = [];
  const leafShares: number[] = [];
  classesOf.forEach((classes, node) => {
    if (!classes) return;
    const ascending = [...classes].sort(([a], [b]) => a - b);
    const total = ascending.reduce((sum, [, weight]) => sum + weight, 0);
    const isPure = ascending.length === 1;
    nodes[node * NODE_WORDS] = isPure ? ascending[0][0] : leafClasses.length;
    nodes[node * NODE_WORDS + 1] = isPure ? -1 : -1 - ascending.length;
    if (isPure) return;
    for (const [label, weight] of ascending) {
      leafClasses.push(label);
      leafShares.push(weight / total);
    }
  });
  return new TreeSet({
    ...tree.arrays,
    nodes,
    leafClasses: Int32Array.from(leafClasses),
    leafShares: Float32Array.from(leafShares),
    leafStarts: Int32Array.of(0, leafClasses.length),
  });
}
