import { NODE_WORDS, SET_WORDS } from "../numeric/tree-kernels.js";
import { TreeSet } from "../tree/index.js";
import type { WorkerTrees } from "./rounds.js";

/** The first trees of all that workers have grown, in their order, with the gains of their splits. */
export function joinTrees(
  parts: readonly WorkerTrees[],
  count: number,
): { readonly trees: TreeSet; readonly gains: Float32Array } {
  const places = parts.flatMap(({ indices, arrays, gains }) =>
    arrays ? indices.map((index, t) => ({ index, arrays, gains: gains[t], t })) : [],
  );
  places.sort((a, b) => a.index - b.index);
  const kept = places.slice(0, count);
  const trees = TreeSet.concat(kept.map(({ arrays, t }) => treesFrom(arrays, t, t + 1)));
  return { trees, gains: joined(kept.map(({ gains }) => gains)) };
}

/** The first trees of a set, and the gains of their splits: a view. */
export function firstTrees(
  trees: TreeSet,
  gains: Float32Array,
  count: number,
): { readonly trees: TreeSet; readonly gains: Float32Array } {
  const first = treesFrom(trees.arrays, 0, count);
  return { trees: first, gains: gains.subarray(0, splitsOf(first)) };
}

/** How many splits the trees of a set have: in each of them one less than leaves. */
export function splitsOf(trees: TreeSet): number {
  return (trees.nodes - trees.trees) / 2;
}

/** Trees `begin` … `end` − 1 of a set. */
function treesFrom(arrays: TreeSet["arrays"], begin: number, end: number): TreeSet {
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

function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
