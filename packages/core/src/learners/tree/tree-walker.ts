import type { Pausable } from "../../runtime/parallel/pausable.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { type Arena, bytes, i32, type Taken } from "../../runtime/wasm/arena.js";
import { WALKER_BYTES } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { checkTreeRows, rowBytes, type TreeColumnsFields } from "./tree-columns.js";
import { treeAt, type WasmTree, type WasmTreesFields } from "./wasm-trees.js";

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
  /** The address of the scores, f32: one for each class of each listed row. */
  readonly scores: number;
}

/** Walks rows through trees, on any thread. Columns, trees, arena and scores are in the same memory. */
export class TreeWalker {
  readonly #columns: TreeColumnsFields;
  readonly #trees: WasmTreesFields;
  readonly #memory: WasmMemory;
  readonly #atOnce: number;
  readonly #scratch: Taken<ReturnType<typeof walkerLayout>>;

  /** Takes `walkerLayout` from the arena. */
  constructor(columns: TreeColumnsFields, trees: WasmTreesFields, arena: Arena) {
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
    this.#scratch = arena.take(walkerLayout(columns));
  }

  /** Adds the class shares of the leaves of the rows to their scores. Yields every few milliseconds. */
  *addScores({ rows, begin = 0, end = this.#trees.nodeStarts.length - 1, scores }: Walk): Pausable<void> {
    checkTreeRows(rows, this.#columns.rows);
    const { exports } = this.#memory;
    const { classes } = this.#trees;
    let walks = 0;
    for (let from = 0; from < rows.length; from += this.#atOnce) {
      const block = rows.subarray(from, from + this.#atOnce);
      this.#scratch.list.view.set(block);
      const to = scores + 4 * classes * from;
      for (let t = begin; t < end; t++) {
        const tree = treeAt(this.#trees, t);
        const leaves = this.#walk(tree, block.length);
        const { nodes, leafClasses, leafShares } = tree;
        exports.treeAddShares(nodes, leafClasses, leafShares, leaves, block.length, to, classes);
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
      this.#scratch.list.view.set(block);
      this.#walk(treeAt(this.#trees, tree), block.length);
      leaves.set(this.#scratch.leaves.view.subarray(0, block.length), from);
    }
    return leaves;
  }

  /** Walks the listed rows through a tree; returns the address of their leaves. */
  #walk({ nodes, sets }: WasmTree, count: number): number {
    const { pointer, stride } = this.#columns.cells;
    const { list, leaves, walkers } = this.#scratch;
    this.#memory.exports.treeWalkRows(
      nodes,
      sets,
      this.#trees.fewCategories,
      pointer,
      stride,
      list.pointer,
      count,
      leaves.pointer,
      walkers.pointer,
    );
    return leaves.pointer;
  }
}

/** The numbers of the rows of a block, their leaves, and the walking rows. */
export function walkerLayout(columns: Pick<TreeColumnsFields, "columns">) {
  const rows = rowsAtOnce(columns);
  return { list: i32(rows), leaves: i32(rows), walkers: bytes(WALKER_BYTES) };
}

function rowsAtOnce({ columns }: Pick<TreeColumnsFields, "columns">): number {
  const fitting = Math.floor(BYTES_AT_ONCE / rowBytes(columns));
  return Math.max(FEWEST_ROWS_AT_ONCE, Math.min(MOST_ROWS_AT_ONCE, fitting));
}
