import { defineRangeTask, forRanges } from "../../runtime/parallel/for-ranges.js";
import { type Pausable, runNow } from "../../runtime/parallel/pausable.js";
import { Arena, bytesOf, f32, i32, Scope } from "../../runtime/wasm/arena.js";
import { NODE_WORDS, SET_WORDS } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { WasmStructure } from "../../runtime/wasm/wasm-structure.js";
import type { TreeColumnsFields } from "./tree-columns.js";
import { CATEGORICAL, type TreeArrays, type TreeSet } from "./tree-set.js";

/** A tree set in WebAssembly memory, as kernels and other threads see it. */
export interface WasmTreesFields
  extends Pick<TreeArrays, "classes" | "columns" | "nodeStarts" | "setStarts" | "leafStarts"> {
  readonly memory: WasmMemory;
  /** The addresses of the nodes, sets, leaf classes and leaf shares of all trees. */
  readonly addresses: WasmTree;
  /** Whether only rows of few categories may walk through the trees: sets have the short form of `writeFewCategories`. */
  readonly fewCategories: boolean;
}

/** The addresses of a tree. */
export interface WasmTree {
  readonly nodes: number;
  /** 0 if it has none. */
  readonly sets: number;
  readonly leafClasses: number;
  readonly leafShares: number;
}

/** A tree set in WebAssembly memory, for the scores of many rows. The owner releases it. */
export class WasmTrees extends WasmStructure implements WasmTreesFields {
  readonly addresses: WasmTree;
  readonly fewCategories: boolean;
  readonly classes: number;
  readonly columns: number;
  readonly nodeStarts: Int32Array;
  readonly setStarts: Int32Array;
  readonly leafStarts: Int32Array;
  private constructor(fields: WasmTreesFields, arena: Arena) {
    super(fields.memory, arena);
    this.addresses = fields.addresses;
    this.fewCategories = fields.fewCategories;
    this.classes = fields.classes;
    this.columns = fields.columns;
    this.nodeStarts = fields.nodeStarts;
    this.setStarts = fields.setStarts;
    this.leafStarts = fields.leafStarts;
  }

  /** Copies a tree set at once, on this thread. */
  static of(trees: TreeSet, columns: TreeColumnsFields): WasmTrees {
    return runNow(WasmTrees.copy(trees, columns));
  }

  /** Copies a tree set to the memory of the columns whose rows will walk through it. */
  static *copy({ arrays, trees }: TreeSet, columns: TreeColumnsFields): Pausable<WasmTrees> {
    const { memory, fewCategories } = columns;
    const { nodeStarts } = arrays;
    const layout = treesLayout(arrays, fewCategories);
    using scope = new Scope();
    const arena = scope.hold(Arena.allocate(bytesOf(layout), memory));
    const { nodes, sets, leafClasses, leafShares } = arena.take(layout);
    const addresses = {
      nodes: nodes.pointer,
      sets: sets.pointer,
      leafClasses: leafClasses.pointer,
      leafShares: leafShares.pointer,
    };
    const division = { count: trees, work: (end: number) => WORK_PER_NODE * nodeStarts[end] };
    yield* forRanges(loadTask, division, (begin, end): TreeRange => {
      return { memory, addresses, fewCategories, arrays, begin, end };
    });
    return new WasmTrees({ ...arrays, memory, addresses, fewCategories }, scope.leave(arena));
  }
}

/** Returns the addresses of tree `index`. */
export function treeAt({ addresses, fewCategories, ...starts }: WasmTreesFields, index: number): WasmTree {
  const { nodeStarts, setStarts, leafStarts } = starts;
  // Bits of few categories are at four times a left child, and the left child of the root's split is 1.
  const setsBefore = setWords(starts, fewCategories, index) - Number(fewCategories);
  return {
    nodes: addresses.nodes + 4 * NODE_WORDS * nodeStarts[index],
    sets: setStarts[index + 1] > setStarts[index] ? addresses.sets + 4 * setsBefore : 0,
    leafClasses: addresses.leafClasses + 4 * leafStarts[index],
    leafShares: addresses.leafShares + 4 * leafStarts[index],
  };
}

/** Counts the words of the sets of the trees before one, in their present form. */
function setWords(
  { nodeStarts, setStarts }: Pick<TreeArrays, "nodeStarts" | "setStarts">,
  fewCategories: boolean,
  tree: number,
): number {
  return fewCategories ? wordsOfSplits(nodeStarts, tree) : SET_WORDS * setStarts[tree];
}

function treesLayout({ nodes, leafClasses, leafShares, ...starts }: TreeArrays, fewCategories: boolean) {
  return {
    nodes: i32(nodes.length),
    sets: i32(setWords(starts, fewCategories, starts.nodeStarts.length - 1)),
    leafClasses: i32(leafClasses.length),
    leafShares: f32(leafShares.length),
  };
}

/** Operations to copy a node with its share of sets and leaves. */
const WORK_PER_NODE = 5;

/** Trees `begin` … `end` − 1 of a set, and where the set goes. */
interface TreeRange extends Pick<WasmTreesFields, "memory" | "addresses" | "fewCategories"> {
  readonly arrays: TreeArrays;
  readonly begin: number;
  readonly end: number;
}

const loadTask = defineRangeTask(
  "tree/load",
  ({ memory, addresses, fewCategories, arrays, begin, end }: TreeRange): void => {
    const { nodeStarts, setStarts, leafStarts } = arrays;
    const nodes = memory.i32(addresses.nodes, arrays.nodes.length);
    const [firstNode, lastNode] = [nodeStarts[begin] * NODE_WORDS, nodeStarts[end] * NODE_WORDS];
    nodes.set(arrays.nodes.subarray(firstNode, lastNode), firstNode);
    const sets = memory.i32(addresses.sets, setWords(arrays, fewCategories, nodeStarts.length - 1));
    if (fewCategories) writeFewCategories(arrays, begin, end, nodes, sets);
    else {
      const [firstSet, lastSet] = [setStarts[begin] * SET_WORDS, setStarts[end] * SET_WORDS];
      sets.set(arrays.sets.subarray(firstSet, lastSet), firstSet);
    }
    const [firstLeaf, lastLeaf] = [leafStarts[begin], leafStarts[end]];
    memory
      .i32(addresses.leafClasses, arrays.leafClasses.length)
      .set(arrays.leafClasses.subarray(firstLeaf, lastLeaf), firstLeaf);
    memory
      .f32(addresses.leafShares, arrays.leafShares.length)
      .set(arrays.leafShares.subarray(firstLeaf, lastLeaf), firstLeaf);
  },
);

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

/** The place of the bit that marks splits of categories. */
const CATEGORICAL_PLACE = 31 - Math.clz32(CATEGORICAL);

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
