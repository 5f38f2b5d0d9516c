import { NODE_WORDS, SET_WORDS } from "../../runtime/wasm/wasm-exports.js";
import { CATEGORICAL, FEATURE_SHIFT, isInSet, isMissingLeft, lastLeftBin, type TreeSet } from "./tree-set.js";

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
