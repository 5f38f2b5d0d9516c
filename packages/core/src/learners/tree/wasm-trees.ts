import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { NODE_WORDS, SET_WORDS } from "../../runtime/wasm/wasm-exports.js";
import { attachWasmMemory, type WasmMemory, type WasmMemoryHandle } from "../../runtime/wasm/wasm-memory.js";
import { type Descriptor, WasmStructure } from "../../runtime/wasm/wasm-structure.js";
import type { TreeColumns } from "./tree-columns.js";
import { CATEGORICAL, type TreeArrays, type TreeSet } from "./tree-set.js";

/** The address of the trees, and where each of them begins. */
interface Parts extends Pick<TreeArrays, "classes" | "columns" | "nodeStarts" | "setStarts" | "leafStarts"> {
  /** The address of the nodes; sets, classes and shares follow. */
  readonly pointer: number;
  /** Whether sets have the short form of `writeFewCategories`. */
  readonly fewCategories: boolean;
}

/** WasmStructure trees as they are sent to another thread: structured-cloneable. */
export type WasmTreesDescriptor = Descriptor<Parts>;

/** The addresses of a tree. */
export interface WasmTree {
  readonly nodes: number;
  /** 0 if it has none. */
  readonly sets: number;
  readonly leafClasses: number;
  readonly leafShares: number;
}

/** A tree set in WebAssembly memory, for the scores of many rows. The owner releases it. */
export class WasmTrees extends WasmStructure<Parts> {
  /** Copies a tree set to the memory of the columns whose rows will walk through it. */
  static of({ arrays, trees }: TreeSet, columns: TreeColumns): WasmTrees {
    const resident = WasmTrees.#allocate(arrays, columns);
    writeTrees(resident.memory, { ...resident.parts, arrays, begin: 0, end: trees });
    return resident;
  }

  /** Copies a tree set on the threads of the run. */
  static async onThreads(set: TreeSet, columns: TreeColumns, { executor, signal }: Run): Promise<WasmTrees> {
    const { trees, arrays } = set;
    const { memory } = columns;
    const tasks = Math.min(trees, 4 * executor.threads, Math.floor(set.nodes / NODES_PER_TASK));
    if (!memory.shared || executor.threads === 1 || tasks < 2) return WasmTrees.of(set, columns);
    const resident = WasmTrees.#allocate(arrays, columns);
    const common = {
      memory: memory.handle,
      pointer: resident.parts.pointer,
      fewCategories: resident.fewCategories,
      arrays: sharedArrays(arrays),
    };
    const start = (task: number) => Math.floor((task * trees) / tasks);
    const inputs = Array.from({ length: tasks }, (_, task) => {
      return { ...common, begin: start(task), end: start(task + 1) };
    });
    try {
      const milliseconds = set.nodes / NODES_PER_MILLISECOND;
      await executor.map(loadTask, inputs, { ...(signal && { signal }), milliseconds });
    } catch (error) {
      resident.release();
      throw error;
    }
    return resident;
  }

  static #allocate(arrays: TreeArrays, { memory, fewCategories }: TreeColumns): WasmTrees {
    const { classes, columns, nodeStarts, setStarts, leafStarts } = arrays;
    const { end } = placesOf(arrays, fewCategories);
    const block = memory.allocate(4 * end);
    const parts = {
      pointer: block.pointer,
      fewCategories,
      classes,
      columns,
      nodeStarts,
      setStarts,
      leafStarts,
    };
    return new WasmTrees(memory, parts, [block]);
  }

  get trees(): number {
    return this.parts.nodeStarts.length - 1;
  }

  get classes(): number {
    return this.parts.classes;
  }

  get columns(): number {
    return this.parts.columns;
  }

  /** Whether only rows of few categories may walk through the trees. */
  get fewCategories(): boolean {
    return this.parts.fewCategories;
  }

  /** Returns the addresses of tree `index`. */
  tree(index: number): WasmTree {
    const { pointer, fewCategories, nodeStarts, setStarts, leafStarts } = this.parts;
    const { trees } = this;
    const sets = pointer + 4 * NODE_WORDS * nodeStarts[trees];
    const leafClasses = sets + 4 * setWords(this.parts, fewCategories, trees);
    const leafShares = leafClasses + 4 * leafStarts[trees];
    // Bits of few categories are at four times a left child: that of the root's split is 1.
    const ofTree = 4 * (setWords(this.parts, fewCategories, index) - Number(fewCategories));
    return {
      nodes: pointer + 4 * NODE_WORDS * nodeStarts[index],
      sets: setStarts[index + 1] > setStarts[index] ? sets + ofTree : 0,
      leafClasses: leafClasses + 4 * leafStarts[index],
      leafShares: leafShares + 4 * leafStarts[index],
    };
  }

  /** Attaches to trees that another thread, or this one, has laid out. */
  static attach({ memory, ...parts }: WasmTreesDescriptor): WasmTrees {
    return new WasmTrees(attachWasmMemory(memory), parts, []);
  }
}

/** Counts the words of the sets of the trees before one, in their present form. */
function setWords(
  { nodeStarts, setStarts }: Pick<Parts, "nodeStarts" | "setStarts">,
  fewCategories: boolean,
  tree: number,
): number {
  return fewCategories ? wordsOfSplits(nodeStarts, tree) : SET_WORDS * setStarts[tree];
}

/** Where the parts of all trees begin, in words: nodes first. */
function placesOf({ nodes, leafClasses, leafShares, ...starts }: TreeArrays, fewCategories: boolean) {
  const sets = nodes.length;
  const classes = sets + setWords(starts, fewCategories, starts.nodeStarts.length - 1);
  const shares = classes + leafClasses.length;
  return { sets, classes, shares, end: shares + leafShares.length };
}

/** Trees `begin` … `end` − 1 of a set, and where the set goes. */
interface TreeRange {
  readonly pointer: number;
  readonly fewCategories: boolean;
  readonly arrays: TreeArrays;
  readonly begin: number;
  readonly end: number;
}

function writeTrees(memory: WasmMemory, { pointer, fewCategories, arrays, begin, end }: TreeRange): void {
  const { nodeStarts, setStarts, leafStarts } = arrays;
  const places = placesOf(arrays, fewCategories);
  const words = memory.i32(pointer, places.shares);
  const nodes = words.subarray(0, places.sets);
  const sets = words.subarray(places.sets, places.classes);
  const [firstNode, lastNode] = [nodeStarts[begin] * NODE_WORDS, nodeStarts[end] * NODE_WORDS];
  nodes.set(arrays.nodes.subarray(firstNode, lastNode), firstNode);
  if (fewCategories) writeFewCategories(arrays, begin, end, nodes, sets);
  else {
    const [first, last] = [setStarts[begin] * SET_WORDS, setStarts[end] * SET_WORDS];
    sets.set(arrays.sets.subarray(first, last), first);
  }
  const [firstLeaf, lastLeaf] = [leafStarts[begin], leafStarts[end]];
  words.set(arrays.leafClasses.subarray(firstLeaf, lastLeaf), places.classes + firstLeaf);
  memory
    .f32(pointer + 4 * places.shares, arrays.leafShares.length)
    .set(arrays.leafShares.subarray(firstLeaf, lastLeaf), firstLeaf);
}

/** Nodes of a task. */
const NODES_PER_TASK = 1 << 17;

/** Nodes that are copied in a millisecond, very roughly; only for estimates of time. */
const NODES_PER_MILLISECOND = 200_000;

const loadTask = defineTask(
  "tree/load",
  ({ memory, ...range }: TreeRange & { readonly memory: WasmMemoryHandle }): void => {
    writeTrees(attachWasmMemory(memory), range);
  },
);

function sharedArrays(arrays: TreeArrays): TreeArrays {
  return {
    ...arrays,
    nodes: onSharedMemory(arrays.nodes),
    sets: onSharedMemory(arrays.sets),
    leafClasses: onSharedMemory(arrays.leafClasses),
    leafShares: onSharedMemory(arrays.leafShares),
  };
}

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
