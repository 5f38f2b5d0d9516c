import type { StateReader, Tensor } from "../../runtime/state.js";
import { NODE_WORDS, SET_WORDS } from "../../runtime/tree-kernels.js";
import { CATEGORICAL, FEATURE_SHIFT, type TreeArrays, TreeSet } from "./tree-set.js";

/** Shares are rounded to 24 bits, and there may be thousands of them in a leaf. */
const ROUNDING = 1e-3;

const NAMES = [
  "nodes",
  "nodeStarts",
  "sets",
  "setStarts",
  "leafClasses",
  "leafShares",
  "leafStarts",
] as const;

/** The tensors of a tree set, with a prefix where a model has several sets. */
export function treeTensors({ arrays }: TreeSet, prefix = ""): Record<string, Tensor> {
  return Object.fromEntries(
    NAMES.map((name) => [`${prefix}${name}`, { shape: [arrays[name].length], data: arrays[name] }]),
  );
}

/** The names of these tensors, for `reader.only`. */
export function treeTensorNames(prefix = ""): string[] {
  return NAMES.map((name) => `${prefix}${name}`);
}

/** What leaves hold: shares of classes, which sum to one, or one value of any size. */
type LeafKind = "shares" | "values";

/** Values of leaves in a file are at most so large; larger ones could overflow when they are added up. */
const LARGEST_VALUE = 1e30;

/**
 * The tree set behind tensors that `treeTensors` gave. Whatever is odd is `model/corrupt`: every walk through these
 * trees ends, and stays within the arrays.
 */
export function readTrees(
  reader: StateReader,
  { classes, columns }: { readonly classes: number; readonly columns: number },
  prefix = "",
  leaves: LeafKind = "shares",
): TreeSet {
  const integers = (name: string) => reader.integers(prefix + name, [reader.length(prefix + name)]);
  const leafClasses = reader.integers(
    `${prefix}leafClasses`,
    [reader.length(`${prefix}leafClasses`)],
    0,
    classes - 1,
  );
  const [low, high] = leaves === "shares" ? [0, 1 + ROUNDING] : [-LARGEST_VALUE, LARGEST_VALUE];
  const arrays: TreeArrays = {
    classes,
    columns,
    nodes: integers("nodes"),
    nodeStarts: integers("nodeStarts"),
    sets: integers("sets"),
    setStarts: integers("setStarts"),
    leafClasses,
    leafShares: reader.singles(`${prefix}leafShares`, [leafClasses.length], low, high),
    leafStarts: integers("leafStarts"),
  };
  checkStarts(reader, arrays);
  for (let tree = 0; tree < arrays.nodeStarts.length - 1; tree++) checkTree(reader, arrays, tree, leaves);
  return new TreeSet(arrays);
}

/** Trees begin where the one before ends, and have a node at least. */
function checkStarts(reader: StateReader, arrays: TreeArrays): void {
  const { nodeStarts, setStarts, leafStarts } = arrays;
  const check = (name: string, starts: Int32Array, elements: number, least: number) => {
    const fits =
      starts.length > 1 &&
      starts.length === nodeStarts.length &&
      starts[0] === 0 &&
      starts[starts.length - 1] === elements &&
      starts.every((start, tree) => tree === 0 || start >= starts[tree - 1] + least);
    if (!fits) throw reader.corrupt(`${name} does not say where trees start`);
  };
  check("nodeStarts", nodeStarts, arrays.nodes.length / NODE_WORDS, 1);
  check("setStarts", setStarts, arrays.sets.length / SET_WORDS, 0);
  check("leafStarts", leafStarts, arrays.leafClasses.length, 0);
}

function checkTree(reader: StateReader, arrays: TreeArrays, tree: number, leaves: LeafKind): void {
  const { nodeStarts, setStarts, sets, columns, classes } = arrays;
  const nodes = arrays.nodes.subarray(nodeStarts[tree] * NODE_WORDS, nodeStarts[tree + 1] * NODE_WORDS);
  const ofTree = `in tree ${tree + 1}`;
  for (let at = 0; at < nodes.length; at += NODE_WORDS) {
    const [word, question] = [nodes[at], nodes[at + 1]];
    const node = at / NODE_WORDS;
    if (question === -1) {
      if (word < 0 || word >= classes) throw reader.corrupt(`${ofTree} a leaf has class ${word}`);
    } else if (question < 0) {
      checkLeaf(reader, arrays, tree, word, -1 - question, leaves);
    } else {
      const feature = question >> FEATURE_SHIFT;
      if (feature >= columns)
        throw reader.corrupt(`${ofTree} a node asks for feature ${feature} of ${columns}`);
      const isSet = (question & CATEGORICAL) !== 0;
      if (isSet && (word < 0 || word >= setStarts[tree + 1] - setStarts[tree])) {
        throw reader.corrupt(`${ofTree} a node asks for category set ${word}`);
      }
      const left = isSet ? sets[(setStarts[tree] + word) * SET_WORDS] : word;
      if (left <= node || left + 1 >= nodes.length / NODE_WORDS || left % 2 === 0) {
        throw reader.corrupt(`${ofTree} node ${node} has the child ${left}`);
      }
    }
  }
}

function checkLeaf(
  reader: StateReader,
  arrays: TreeArrays,
  tree: number,
  first: number,
  count: number,
  leaves: LeafKind,
): void {
  const { leafStarts, leafShares } = arrays;
  const begin = leafStarts[tree] + first;
  if (first < 0 || begin + count > leafStarts[tree + 1]) {
    throw reader.corrupt(`in tree ${tree + 1} a leaf has the shares ${first} … ${first + count - 1}`);
  }
  if (leaves === "values") return;
  let sum = 0;
  for (let k = begin; k < begin + count; k++) sum += leafShares[k];
  if (Math.abs(sum - 1) > ROUNDING) {
    throw reader.corrupt(`in tree ${tree + 1} the shares of a leaf sum to ${sum} and not to 1`);
  }
}
