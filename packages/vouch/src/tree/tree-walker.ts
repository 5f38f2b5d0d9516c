import { VouchError } from "../error.js";
import type { Arena, Slice } from "../numeric/arena.js";
import { alignUp } from "../numeric/heap.js";
import type { KernelMemory } from "../numeric/memory.js";
import type { Steps } from "../parallel/steps.js";
import { checkRows } from "./check-rows.js";
import type { ResidentTree, ResidentTrees } from "./resident-trees.js";
import { type RowCells, rowBytes, type TreeColumns } from "./tree-columns.js";

/**
 * Rows of about so many bytes walk through a tree before the next tree comes. They stay in the second-level cache, and are
 * many, since each time the tree comes from farther away.
 */
const BYTES_AT_ONCE = 1 << 19;

/** There are at most and at least so many of them. */
const MOST_ROWS_AT_ONCE = 1 << 14;
const FEWEST_ROWS_AT_ONCE = 64;

/** So many walks of a row through a tree lie between two steps: a millisecond or two. */
const WALKS_PER_STEP = 1 << 14;

/** Walks to be done: each listed row through some of the trees. */
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

/** Lets rows walk through trees, on any thread: columns, trees, arena and scores are in the same memory. */
export class TreeWalker {
  readonly #columns: TreeColumns;
  readonly #trees: ResidentTrees;
  readonly #memory: KernelMemory;
  readonly #atOnce: number;
  /** Row numbers of a block, in the columns or, where these are gathered, in the block. */
  readonly #list: Slice<Int32Array>;
  /** Where the scores of each row of a block are to be added. */
  readonly #places: Slice<Int32Array>;
  readonly #leaves: Slice<Int32Array>;
  readonly #walkers: Slice<Uint8Array>;
  readonly #gathered: Slice<Uint8Array>;

  /** `arena` has room for `TreeWalker.bytes`. */
  constructor(columns: TreeColumns, trees: ResidentTrees, arena: Arena) {
    if (columns.columns !== trees.columns) {
      throw new VouchError(
        "data/malformed",
        `The trees were grown on ${trees.columns} features, but there are ${columns.columns}.`,
      );
    }
    if (trees.fewCategories && !columns.fewCategories) {
      throw new VouchError("data/malformed", "The trees were laid out for fewer categories.");
    }
    if (columns.memory !== trees.memory || columns.memory !== arena.memory) {
      throw new VouchError("memory/not-owned", "Columns, trees and scratch are not in one memory.");
    }
    this.#columns = columns;
    this.#trees = trees;
    this.#memory = columns.memory;
    this.#atOnce = rowsAtOnce(columns);
    this.#list = arena.i32(this.#atOnce);
    this.#places = arena.i32(this.#atOnce);
    this.#leaves = arena.i32(this.#atOnce);
    this.#walkers = arena.u8(columns.memory.kernels.treeWalkerBytes());
    this.#gathered = arena.u8(gatheredBytes(columns));
  }

  /** Bytes that a walker takes from an arena. */
  static bytes(columns: TreeColumns): number {
    return (
      alignUp(columns.memory.kernels.treeWalkerBytes()) +
      3 * alignUp(4 * rowsAtOnce(columns)) +
      alignUp(gatheredBytes(columns))
    );
  }

  /** Adds the class shares of the leaves that the rows end in to their scores. Yields every few milliseconds. */
  *addScores({ rows, begin = 0, end = this.#trees.trees, scores, byRow = false }: Walk): Steps<void> {
    checkRows(rows, this.#columns.rows);
    const { kernels } = this.#memory;
    const places = this.#places.pointer;
    let walks = 0;
    for (let from = 0; from < rows.length; from += this.#atOnce) {
      const block = rows.subarray(from, from + this.#atOnce);
      const cells = this.#gather(block);
      this.#places.view.set(byRow ? block : block.map((_, i) => from + i));
      for (let t = begin; t < end; t++) {
        const tree = this.#trees.tree(t);
        const leaves = this.#walk(tree, cells, block.length);
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

  /** The leaf of a tree that each row ends in, as the number of a node of the tree. */
  leaves(tree: number, rows: Int32Array): Int32Array {
    checkRows(rows, this.#columns.rows);
    const leaves = new Int32Array(rows.length);
    for (let from = 0; from < rows.length; from += this.#atOnce) {
      const block = rows.subarray(from, from + this.#atOnce);
      this.#walk(this.#trees.tree(tree), this.#gather(block), block.length);
      leaves.set(this.#leaves.view.subarray(0, block.length), from);
    }
    return leaves;
  }

  /** Lists the rows of a block, and brings their cells together if these are in several places; where they are. */
  #gather(block: Int32Array): RowCells {
    const { table, columns, cells } = this.#columns;
    const list = this.#list.view;
    list.set(block);
    if (cells) return cells;
    const [{ pointer }, stride] = [this.#gathered, rowBytes(columns)];
    this.#memory.kernels.treeGatherRows(table, columns, this.#list.pointer, block.length, pointer, stride);
    for (let i = 0; i < block.length; i++) list[i] = i;
    return { pointer, stride };
  }

  /** Lets the listed rows walk through a tree; where their leaves are. */
  #walk({ nodes, sets }: ResidentTree, { pointer, stride }: RowCells, count: number): number {
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

function gatheredBytes(columns: TreeColumns): number {
  return columns.cells ? 0 : rowsAtOnce(columns) * rowBytes(columns.columns);
}
