import { NODE_WORDS, SET_WORDS } from "../../runtime/wasm/wasm-exports.js";
import { CATEGORICAL_PLACE, type TreeArrays } from "./tree-set.js";

/**
 * Writes the short form of category sets over copied nodes and to two words per split of trees `begin` … `end` − 1. If all categories have
 * bins below 63, apart from the one of missing cells, a set needs only two words, which a walk finds directly: a split of
 * categories then holds its left child, as one of a number does, and as all left children are odd, 1, 3, … in each tree,
 * there are as many places for two words as splits. Bit b says whether bin b goes right; the last bit is that of missing
 * cells.
 */
export function writeFewCategories(
  arrays: TreeArrays,
  begin: number,
  end: number,
  nodes: Int32Array,
  bits: Int32Array,
): void {
  const { setStarts } = arrays;
  for (let tree = begin; tree < end; tree++) {
    if (setStarts[tree + 1] === setStarts[tree]) continue;
    writeBits(arrays, tree, bits);
    writeLeftChildren(arrays, tree, nodes);
  }
}

/** Counts two words for each split of the trees before one; every split adds two nodes to the root. */
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

/** Writes left children without branches, which the processor would mispredict half of the time. */
function writeLeftChildren(
  { nodeStarts, sets, setStarts }: TreeArrays,
  tree: number,
  nodes: Int32Array,
): void {
  const first = setStarts[tree] * SET_WORDS;
  const end = nodeStarts[tree + 1] * NODE_WORDS;
  for (let at = nodeStarts[tree] * NODE_WORDS; at < end; at += NODE_WORDS) {
    const word = nodes[at];
    const split = nodes[at + 1];
    // All ones if it is a split of categories: not negative, as leaves are.
    const isSet = -((split >> CATEGORICAL_PLACE) & ~(split >> 31) & 1);
    const left = sets[first + Math.imul(word & isSet, SET_WORDS)];
    nodes[at] = (left & isSet) | (word & ~isSet);
  }
}
