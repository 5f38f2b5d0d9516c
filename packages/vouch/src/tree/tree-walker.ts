import { VouchError } from "../error.js";
import type { Arena, Slice } from "../numeric/arena.js";
import { alignUp } from "../numeric/heap.js";
import type { KernelMemory } from "../numeric/memory.js";
import type { Steps } from "../parallel/steps.js";
import { checkRows } from "./check-rows.js";
import type { ResidentTree, ResidentTrees } from "./resident-trees.js";
import type { TreeColumns } from "./tree-columns.js";

/** So many rows walk through a tree before the next tree comes. */
const ROWS_AT_ONCE = 256;

/** So many walks of a row through a tree lie between two steps: a millisecond or two. */
const WALKS_PER_STEP = 1 << 16;

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
  readonly #list: Slice<Int32Array>;
  readonly #places: Slice<Int32Array>;
  readonly #walking: Slice<Int32Array>;
  readonly #leaves: Slice<Int32Array>;
  readonly #block: Slice<Uint8Array>;

  /** `arena` has room for `TreeWalker.bytes`. */
  constructor(columns: TreeColumns, trees: ResidentTrees, arena: Arena) {
    if (columns.columns !== trees.columns) {
      throw new VouchError(
        "data/malformed",
        `The trees were grown on ${trees.columns} features, but there are ${columns.columns}.`,
      );
    }
    if (columns.memory !== trees.memory || columns.memory !== arena.memory) {
      throw new VouchError("memory/not-owned", "Columns, trees and scratch are not in one memory.");
    }
    this.#columns = columns;
    this.#trees = trees;
    this.#memory = columns.memory;
    this.#list = arena.i32(ROWS_AT_ONCE);
    this.#places = arena.i32(ROWS_AT_ONCE);
    this.#walking = arena.i32(ROWS_AT_ONCE);
    this.#leaves = arena.i32(ROWS_AT_ONCE);
    this.#block = arena.u8(ROWS_AT_ONCE * strideOf(columns.columns));
  }

  /** Bytes that a walker takes from an arena. */
  static bytes({ columns }: { readonly columns: number }): number {
    return 4 * alignUp(4 * ROWS_AT_ONCE) + alignUp(ROWS_AT_ONCE * strideOf(columns));
  }

  /** Adds the class shares of the leaves that the rows end in to their scores. Yields every few milliseconds. */
  *addScores({ rows, begin = 0, end = this.#trees.trees, scores, byRow = false }: Walk): Steps<void> {
    checkRows(rows, this.#columns.rows);
    const { classes } = this.#trees;
    const { kernels } = this.#memory;
    let walks = 0;
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const count = this.#beginBlock(rows, from, byRow, end - begin);
      for (let t = begin; t < end; t++) {
        const tree = this.#trees.tree(t);
        this.#walk(tree, count, end - begin);
        const { nodes, leafClasses, leafShares } = tree;
        const leaves = this.#leaves.pointer;
        kernels.treeAddShares(
          nodes,
          leafClasses,
          leafShares,
          leaves,
          this.#places.pointer,
          count,
          scores,
          classes,
        );
        walks += count;
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
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const count = this.#beginBlock(rows, from, false, 1);
      this.#walk(this.#trees.tree(tree), count, 1);
      leaves.set(this.#leaves.view.subarray(0, count), from);
    }
    return leaves;
  }

  /** Takes up to a block of rows, which will walk through so many trees; how many rows there are. */
  #beginBlock(rows: Int32Array, from: number, byRow: boolean, trees: number): number {
    const part = rows.subarray(from, from + ROWS_AT_ONCE);
    this.#list.view.set(part);
    if (byRow) this.#places.view.set(part);
    else for (let i = 0, places = this.#places.view; i < part.length; i++) places[i] = from + i;
    const { table, columns } = this.#columns;
    if (isWorthGathering(trees, columns)) {
      const { kernels } = this.#memory;
      kernels.treeGatherRows(
        table,
        columns,
        this.#list.pointer,
        part.length,
        this.#block.pointer,
        strideOf(columns),
      );
    }
    return part.length;
  }

  #walk({ nodes, sets }: ResidentTree, count: number, trees: number): void {
    const { kernels } = this.#memory;
    const { table, columns } = this.#columns;
    const leaves = this.#leaves.pointer;
    if (isWorthGathering(trees, columns)) {
      kernels.treeWalkRows(
        nodes,
        sets,
        this.#block.pointer,
        strideOf(columns),
        count,
        this.#walking.pointer,
        leaves,
      );
    } else {
      kernels.treeWalkColumns(nodes, sets, table, this.#list.pointer, count, leaves);
    }
  }
}

/** A walk looks at some twenty cells: for few trees that is less than to bring whole rows together. */
function isWorthGathering(trees: number, columns: number): boolean {
  return trees * 32 >= columns;
}

/** Rows lie so many bytes apart: whole groups of eight cells. */
function strideOf(columns: number): number {
  return Math.ceil(columns / 8) * 8;
}
