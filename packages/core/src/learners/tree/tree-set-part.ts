import type { Size } from "../../runtime/codec/part-io.js";
import { object, type Part } from "../../runtime/codec/parts.js";
import { float32, int32 } from "../../runtime/codec/tensor-parts.js";
import { NODE_WORDS, SET_WORDS } from "../../runtime/wasm/wasm-exports.js";
import { CATEGORICAL, FEATURE_SHIFT, type TreeArrays, TreeSet } from "./tree-set.js";

/** Shares are rounded to 24 bits, and there may be thousands of them in a leaf. */
const ROUNDING = 1e-3;

/** Largest value of a leaf in a file; larger ones could overflow when they are added up. */
const LARGEST_VALUE = 1e30;

/** The sizes that trees were grown for, and the contents of their leaves. */
interface TreeSetShape {
  readonly classes: Size;
  readonly columns: Size;
  /** Shares of classes, which sum to one, or values of any size. */
  readonly leaves: "shares" | "values";
}

/**
 * Makes the codec of a set of trees. Trees from a file are rejected unless every walk through them ends and stays within the
 * arrays. Names of sizes begin with "trees:", so an object has at most one set; a list may have many.
 */
export function treeSet({ classes, columns, leaves }: TreeSetShape): Part<TreeSet> {
  const [min, max] = leaves === "shares" ? [0, 1 + ROUNDING] : [-LARGEST_VALUE, LARGEST_VALUE];
  const tensors = object({
    nodes: int32(["trees:nodes", NODE_WORDS]),
    nodeStarts: int32(["trees:starts"]),
    sets: int32(["trees:sets", SET_WORDS]),
    setStarts: int32(["trees:starts"]),
    leafClasses: int32(["trees:shares"], { min: 0, below: classes }),
    leafShares: float32(["trees:shares"], { min, max }),
    leafStarts: int32(["trees:starts"]),
  });
  return {
    write: ({ arrays }, to) => tensors.write(arrays, to),
    read(json, from) {
      const stored = tensors.read(json, from);
      const sizes = { classes: from.sizes.get(classes) ?? 0, columns: from.sizes.get(columns) ?? 0 };
      const arrays = { ...sizes, ...stored };
      if (arrays.columns === 0) throw from.corrupt("it has trees but no features");
      const fault = faultOfStarts(arrays) ?? faultOfTrees(arrays, leaves);
      if (fault !== undefined) throw from.corrupt(fault);
      return new TreeSet(arrays);
    },
  };
}

/** Says what is wrong with the starts: every tree begins where the one before ends, and has at least one node. */
function faultOfStarts(arrays: TreeArrays): string | undefined {
  const { nodeStarts, setStarts, leafStarts } = arrays;
  const checks = [
    { name: "nodeStarts", starts: nodeStarts, elements: arrays.nodes.length / NODE_WORDS, least: 1 },
    { name: "setStarts", starts: setStarts, elements: arrays.sets.length / SET_WORDS, least: 0 },
    { name: "leafStarts", starts: leafStarts, elements: arrays.leafClasses.length, least: 0 },
  ];
  const wrong = checks.find(
    ({ starts, elements, least }) =>
      starts.length < 2 ||
      starts[0] !== 0 ||
      starts[starts.length - 1] !== elements ||
      starts.some((start, tree) => tree > 0 && start < starts[tree - 1] + least),
  );
  return wrong && `${wrong.name} does not say where trees start`;
}

/** Says what is wrong with trees, if anything: a walk through them does not end, or leaves the arrays. */
function faultOfTrees(arrays: TreeArrays, leaves: TreeSetShape["leaves"]): string | undefined {
  for (let tree = 0; tree < arrays.nodeStarts.length - 1; tree++) {
    const fault = faultOfTree(arrays, tree, leaves);
    if (fault !== undefined) return `tree ${tree + 1}: ${fault}`;
  }
  return undefined;
}

/**
 * Says what is wrong with a tree. Children come after their parent and left ones have odd numbers, so every walk ends. Every node
 * but the root is the child of one split: nodes that share a child would make a graph with more paths than the file has bytes.
 */
function faultOfTree(arrays: TreeArrays, tree: number, leaves: TreeSetShape["leaves"]): string | undefined {
  const { nodes, nodeStarts, setStarts, sets, columns, classes } = arrays;
  const first = nodeStarts[tree];
  const count = nodeStarts[tree + 1] - first;
  const hasParent = new Uint8Array(count);
  let splits = 0;
  for (let node = 0; node < count; node++) {
    const word = nodes[(first + node) * NODE_WORDS];
    const split = nodes[(first + node) * NODE_WORDS + 1];
    if (split === -1) {
      if (word < 0 || word >= classes) return `a leaf has class ${word}`;
    } else if (split < 0) {
      const fault = faultOfLeaf(arrays, tree, word, -1 - split, leaves);
      if (fault !== undefined) return fault;
    } else {
      const feature = split >> FEATURE_SHIFT;
      if (feature >= columns) return `a node splits on feature ${feature} of ${columns}`;
      const isSet = (split & CATEGORICAL) !== 0;
      if (isSet && (word < 0 || word >= setStarts[tree + 1] - setStarts[tree])) {
        return `a node splits on category set ${word}`;
      }
      const left = isSet ? sets[(setStarts[tree] + word) * SET_WORDS] : word;
      if (left <= node || left + 1 >= count || left % 2 === 0 || hasParent[left] === 1)
        return `node ${node} has the child ${left}`;
      hasParent[left] = 1;
      splits++;
    }
  }
  return count === 2 * splits + 1 ? undefined : `${splits} splits have ${count} nodes`;
}

function faultOfLeaf(
  { leafStarts, leafShares }: TreeArrays,
  tree: number,
  first: number,
  count: number,
  leaves: TreeSetShape["leaves"],
): string | undefined {
  const begin = leafStarts[tree] + first;
  if (first < 0 || begin + count > leafStarts[tree + 1]) {
    return `a leaf has the shares ${first} … ${first + count - 1}`;
  }
  if (leaves === "values") return undefined;
  let sum = 0;
  for (let k = begin; k < begin + count; k++) sum += leafShares[k];
  return Math.abs(sum - 1) > ROUNDING ? `the shares of a leaf sum to ${sum} and not to 1` : undefined;
}
