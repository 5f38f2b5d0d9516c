import {
  CATEGORICAL,
  FEATURE_SHIFT,
  isInSet,
  isLeftOfCut,
  type TreeSet,
} from "#core/learners/tree/tree-set.js";
import { NODE_WORDS, SET_WORDS } from "#core/runtime/wasm/wasm-exports.js";
import { type PlainTree, sidesOf } from "./brute-force-tree.js";

/** A tree of a set as nested objects. */
export function plainTree(set: TreeSet, tree = 0, node = 0): PlainTree {
  const { nodes, nodeStarts, sets, setStarts, classes } = set.arrays;
  const at = (nodeStarts[tree] + node) * NODE_WORDS;
  const split = nodes[at + 1];
  if (split < 0) {
    const shares = new Float32Array(classes);
    set.addLeaf(tree, node, shares, 0);
    return { shares: [...shares] };
  }
  const isSet = (split & CATEGORICAL) !== 0;
  const place = (setStarts[tree] + nodes[at]) * SET_WORDS;
  const left = isSet ? sets[place] : nodes[at];
  return {
    feature: split >> FEATURE_SHIFT,
    sides: sidesOf((bin) => (isSet ? isInSet(sets, place, bin) : isLeftOfCut(split, bin))),
    left: plainTree(set, tree, left),
    right: plainTree(set, tree, left + 1),
  };
}
