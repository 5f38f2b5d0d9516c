import type { Pausable } from "../../runtime/parallel/pausable.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Arena, Slice } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { WALKER_BYTES } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { checkTreeRows, rowBytes, type TreeColumns } from "./tree-columns.js";
import type { WasmTree, WasmTrees } from "./wasm-trees.js";

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
  readonly #trees: WasmTrees;
  readonly #memory: WasmMemory;
  readonly #atOnce: number;
  /** Row numbers of a block. */
  readonly #list: Slice<Int32Array>;
  /** The rows of the scores that the rows of a block are added to. */
  readonly #places: Slice<Int32Array>;
  readonly #leaves: Slice<Int32Array>;
  readonly #walkers: Slice<Uint8Array>;

  /** `arena` has room for `TreeWalker.bytes`. */
  constructor(columns: TreeColumns, trees: WasmTrees, arena: Arena) {
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
    this.#walkers = arena.u8(WALKER_BYTES);
  }

  /** Returns the bytes that a walker takes from an arena. */
  static bytes(columns: TreeColumns): number {
    return alignUp(WALKER_BYTES) + 3 * alignUp(4 * rowsAtOnce(columns));
  }

  /** Adds the class shares of the leaves of the rows to their scores. Yields every few milliseconds. */
  *addScores({ rows, begin = 0, end = this.#trees.trees, scores, byRow = false }: Walk): Pausable<void> {
    checkTreeRows(rows, this.#columns.rows);
    const { exports } = this.#memory;
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
        exports.treeAddShares(nodes, leafClasses, leafShares, leaves, places, block.length, scores, classes);
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
  #walk({ nodes, sets }: WasmTree, count: number): number {
    const { pointer, stride } = this.#columns.cells;
    const leaves = this.#leaves.pointer;
    this.#memory.exports.treeWalkRows(
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
