import type { Arena, Slice } from "../../runtime/arena.js";
import { alignUp } from "../../runtime/heap.js";
import { NODE_WORDS, SET_WORDS } from "../../runtime/kernels.js";
import { attachKernelMemory, type KernelMemory } from "../../runtime/memory.js";
import { type Descriptor, Resident } from "../../runtime/resident.js";
import type { Steps } from "../../runtime/steps.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { rowBytes, type TreeColumns, wordsOfSplits, writeFewCategories } from "./tree-columns.js";
import { checkTreeRows } from "./tree-grower.js";
import type { TreeArrays, TreeSet } from "./tree-set.js";

/**
 * Bytes of the rows that walk through a tree before the next tree is loaded. They stay in the second-level cache, and are
 * many, since each time the tree comes from farther away.
 */
const BYTES_AT_ONCE = 1 << 19;

/** Limits on the number of these rows. */
const MOST_ROWS_AT_ONCE = 1 << 14;
const FEWEST_ROWS_AT_ONCE = 64;

/** Walks of a row through a tree between two steps: a millisecond or two. */
const WALKS_PER_STEP = 1 << 14;

/** Walks of each listed row through some of the trees. */
export interface Walk {
  /** Row numbers of the columns, in any order. */
  readonly rows: Int32Array;
  /** Trees `begin` … `end` − 1; by default all. */
  readonly begin?: number;
  readonly end?: number;
  /**
   * The address of the scores, f32, a row of as many as there are classes for each listed row; or, if `byRow`, for each
   * row of the columns.
   */
  readonly scores: number;
  readonly byRow?: boolean;
}

/** Walks rows through trees, on any thread. Columns, trees, arena and scores are in the same memory. */
export class TreeWalker {
  readonly #columns: TreeColumns;
  readonly #trees: ResidentTrees;
  readonly #memory: KernelMemory;
  readonly #atOnce: number;
  /** Row numbers of a block. */
  readonly #list: Slice<Int32Array>;
  /** The rows of the scores that the rows of a block are added to. */
  readonly #places: Slice<Int32Array>;
  readonly #leaves: Slice<Int32Array>;
  readonly #walkers: Slice<Uint8Array>;

  /** `arena` has room for `TreeWalker.bytes`. */
  constructor(columns: TreeColumns, trees: ResidentTrees, arena: Arena) {
    if (columns.columns !== trees.columns) {
      throw new VouchError(
        "data/malformed",
        `The trees were grown on ${trees.columns} features, but the rows have ${columns.columns}.`,
      );
    }
    if (trees.fewCategories && !columns.fewCategories) {
      throw new VouchError("data/malformed", "The trees were laid out for fewer categories.");
    }
    if (columns.memory !== trees.memory || columns.memory !== arena.memory) {
      throw new VouchError("memory/not-owned", "Columns, trees and arena of a walk must be in one memory.");
    }
    this.#columns = columns;
    this.#trees = trees;
    this.#memory = columns.memory;
    this.#atOnce = rowsAtOnce(columns);
    this.#list = arena.i32(this.#atOnce);
    this.#places = arena.i32(this.#atOnce);
    this.#leaves = arena.i32(this.#atOnce);
    this.#walkers = arena.u8(columns.memory.kernels.treeWalkerBytes());
  }

  /** Returns the bytes that a walker takes from an arena. */
  static bytes(columns: TreeColumns): number {
    return alignUp(columns.memory.kernels.treeWalkerBytes()) + 3 * alignUp(4 * rowsAtOnce(columns));
  }

  /** Adds the class shares of the leaves of the rows to their scores. Yields every few milliseconds. */
  *addScores({ rows, begin = 0, end = this.#trees.trees, scores, byRow = false }: Walk): Steps<void> {
    checkTreeRows(rows, this.#columns.rows);
    const { kernels } = this.#memory;
    const places = this.#places.pointer;
    let walks = 0;
    for (let from = 0; from < rows.length; from += this.#atOnce) {
      const block = rows.subarray(from, from + this.#atOnce);
      this.#list.view.set(block);
      this.#places.view.set(byRow ? block : block.map((_, i) => from + i));
      for (let t = begin; t < end; t++) {
        const tree = this.#trees.tree(t);
        const leaves = this.#walk(tree, block.length);
        const { nodes, leafClasses, leafShares } = tree;
        const { classes } = this.#trees;
        kernels.treeAddShares(nodes, leafClasses, leafShares, leaves, places, block.length, scores, classes);
        walks += block.length;
        if (walks < WALKS_PER_STEP) continue;
        walks = 0;
        yield;
      }
    }
  }

  /** Finds the leaf of each row in a tree; a leaf is the number of a node of its tree. */
  leaves(tree: number, rows: Int32Array): Int32Array {
    checkTreeRows(rows, this.#columns.rows);
    const leaves = new Int32Array(rows.length);
    for (let from = 0; from < rows.length; from += this.#atOnce) {
      const block = rows.subarray(from, from + this.#atOnce);
      this.#list.view.set(block);
      this.#walk(this.#trees.tree(tree), block.length);
      leaves.set(this.#leaves.view.subarray(0, block.length), from);
    }
    return leaves;
  }

  /** Walks the listed rows through a tree; returns the address of their leaves. */
  #walk({ nodes, sets }: ResidentTree, count: number): number {
    const { pointer, stride } = this.#columns.cells;
    const leaves = this.#leaves.pointer;
    this.#memory.kernels.treeWalkRows(
      nodes,
      sets,
      this.#trees.fewCategories,
      pointer,
      stride,
      this.#list.pointer,
      count,
      leaves,
      this.#walkers.pointer,
    );
    return leaves;
  }
}

function rowsAtOnce({ columns }: TreeColumns): number {
  const fitting = Math.floor(BYTES_AT_ONCE / rowBytes(columns));
  return Math.max(FEWEST_ROWS_AT_ONCE, Math.min(MOST_ROWS_AT_ONCE, fitting));
}

/** The address of the trees, and where each of them begins. */
interface Parts extends Pick<TreeArrays, "classes" | "columns" | "nodeStarts" | "setStarts" | "leafStarts"> {
  /** The address of the nodes; sets, classes and shares follow. */
  readonly pointer: number;
  /** Whether sets have the short form of `writeFewCategories`. */
  readonly fewCategories: boolean;
}

/** Resident trees as they are sent to another thread: structured-cloneable. */
export type ResidentTreesDescriptor = Descriptor<Parts>;

/** The addresses of a tree. */
interface ResidentTree {
  readonly nodes: number;
  /** 0 if it has none. */
  readonly sets: number;
  readonly leafClasses: number;
  readonly leafShares: number;
}

/** A tree set in kernel memory, for the scores of many rows. The owner releases it. */
export class ResidentTrees extends Resident<Parts> {
  /** Copies a tree set to the memory of the columns whose rows will walk through it. */
  static of({ arrays }: TreeSet, { memory, fewCategories }: TreeColumns): ResidentTrees {
    const { classes, columns, nodeStarts, setStarts, leafStarts, leafClasses, leafShares } = arrays;
    const startOfClasses = arrays.nodes.length + setWords(arrays, fewCategories, nodeStarts.length - 1);
    const startOfShares = startOfClasses + leafClasses.length;
    const block = memory.allocate(4 * (startOfShares + leafShares.length));
    const { pointer } = block;
    const ints = memory.i32(pointer, startOfShares);
    const nodes = ints.subarray(0, arrays.nodes.length);
    const sets = ints.subarray(arrays.nodes.length, startOfClasses);
    nodes.set(arrays.nodes);
    if (fewCategories) writeFewCategories(arrays, nodes, sets);
    else sets.set(arrays.sets);
    ints.set(leafClasses, startOfClasses);
    memory.f32(pointer + 4 * startOfShares, leafShares.length).set(leafShares);
    const parts = { pointer, fewCategories, classes, columns, nodeStarts, setStarts, leafStarts };
    return new ResidentTrees(memory, parts, [block]);
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
  tree(index: number): ResidentTree {
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
  static attach({ memory, ...parts }: ResidentTreesDescriptor): ResidentTrees {
    return new ResidentTrees(attachKernelMemory(memory), parts, []);
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
