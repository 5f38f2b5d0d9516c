import { NODE_WORDS, SET_WORDS } from "../numeric/tree-kernels.js";
import { CATEGORICAL_PLACE } from "./node.js";
import type { TreeArrays } from "./tree-set.js";

/**
 * Where categories have bins below 63 only, the one of missing cells besides, a set needs two words, which a walk finds
 * without a detour: a split of categories has its left child, as one of a number has, and as all left children are odd,
 * 1, 3, … in each tree, there are as many places for two words as splits. Bit b says whether bin b goes right; the last
 * one is that of missing cells. Writes this form over copied nodes and to two words per split of all trees.
 */
export function writeFewCategories(arrays: TreeArrays, nodes: Int32Array, bits: Int32Array): void {
  const { nodeStarts, setStarts } = arrays;
  for (let tree = 0; tree < nodeStarts.length - 1; tree++) {
    if (setStarts[tree + 1] === setStarts[tree]) continue;
    writeBits(arrays, tree, bits);
    writeLeftChildren(arrays, tree, nodes);
  }
}

/** Two words for each split of the trees before one; every split adds two nodes to the root. */
export function wordsOfSplits(nodeStarts: Int32Array, tree: number): number {
  return nodeStarts[tree] - tree;
}

function writeBits({ nodeStarts, sets, setStarts }: TreeArrays, tree: number, bits: Int32Array): void {
  const first = wordsOfSplits(nodeStarts, tree);
  const end = setStarts[tree + 1] * SET_WORDS;
  for (let set = setStarts[tree] * SET_WORDS; set < end; set += SET_WORDS) {
    const left = sets[set];
    bits[first + left - 1] = ~sets[set + 1];
    bits[first + left] = (~sets[set + 2] & 0x7fffffff) | (~sets[set + 8] & 0x80000000);
  }
}

/** Without branches, since the kind of a node is anyone's guess. */
function writeLeftChildren(
  { nodeStarts, sets, setStarts }: TreeArrays,
  tree: number,
  nodes: Int32Array,
): void {
  const first = setStarts[tree] * SET_WORDS;
  const end = nodeStarts[tree + 1] * NODE_WORDS;
  for (let at = nodeStarts[tree] * NODE_WORDS; at < end; at += NODE_WORDS) {
    const word = nodes[at];
    const question = nodes[at + 1];
    // All ones if it is a split of categories: not negative, as leaves are.
    const isSet = -((question >> CATEGORICAL_PLACE) & ~(question >> 31) & 1);
    const left = sets[first + Math.imul(word & isSet, SET_WORDS)];
    nodes[at] = (left & isSet) | (word & ~isSet);
  }
}
