import { TreeSet } from "../tree/index.js";
import type { WorkerTrees } from "./rounds.js";

/** The first trees of all that workers have grown, in their order, with the gains of their splits. */
export function joinTrees(
  parts: readonly WorkerTrees[],
  count: number,
): { readonly trees: TreeSet; readonly gains: Float32Array } {
  const places = parts.flatMap(({ indices, arrays, gains }) =>
    arrays ? indices.map((index, t) => ({ index, trees: new TreeSet(arrays), gains: gains[t], t })) : [],
  );
  places.sort((a, b) => a.index - b.index);
  const kept = places.slice(0, count);
  const trees = TreeSet.concat(kept.map(({ trees, t }) => trees.slice(t, t + 1)));
  return { trees, gains: joined(kept.map(({ gains }) => gains)) };
}

/** The first trees of a set, and the gains of their splits: a view. */
export function firstTrees(
  trees: TreeSet,
  gains: Float32Array,
  count: number,
): { readonly trees: TreeSet; readonly gains: Float32Array } {
  const first = trees.slice(0, count);
  return { trees: first, gains: gains.subarray(0, splitsOf(first)) };
}

/** How many splits the trees of a set have: in each of them one less than leaves. */
export function splitsOf(trees: TreeSet): number {
  return (trees.nodes - trees.trees) / 2;
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
