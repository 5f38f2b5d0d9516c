import type { Pausable } from "../../runtime/parallel/pausable.js";
import type { Arena, Slice } from "../../runtime/wasm/arena.js";
import { WALKER_BYTES } from "../../runtime/wasm/wasm-exports.js";
import type { TreeColumns } from "../tree/tree-columns.js";
import type { TreeGrower } from "../tree/tree-grower.js";

/**
 * Where the trees of a forest vote on rows that they were not grown on: addresses in the memory of the columns. Many threads add
 * at the same time, so all sums are integers, which do not depend on the order.
 */
export interface VoteBuffers {
  /** Sums of class shares, i32, for each row of the columns. */
  readonly sums: number;
  /** The sum of a share of 1. */
  readonly units: number;
  /** The rows to vote on; absent for the rows that the tree has not drawn. */
  readonly rows?: { readonly pointer: number; readonly length: number };
  /** Only for out-of-bag rows. */
  readonly outOfBag?: OutOfBagPlaces;
}

/** Where the facts about out-of-bag rows are written. */
export interface OutOfBagPlaces {
  /** Number of trees that vote on each row; i32. */
  readonly votes: number;
  /** For each tree the sum of its losses, f64, and their number, i32. */
  readonly lossSums: number;
  readonly lossCounts: number;
  /** Losses on this many rows, spread evenly over all, are also written tree by tree: see `wasm/tree-votes.ts`. */
  readonly measured: number;
  readonly losses: number;
  readonly bits: number;
}

/** Returns the places of the table of losses for each tree: a multiple of 128, so that bits are whole vectors. */
export function paddedRows(measured: number): number {
  return Math.ceil(measured / 128) * 128;
}

/** Rows that walk through a tree between two steps: a millisecond or two. */
const ROWS_PER_STEP = 1 << 14;

/** Lets grown trees vote on rows. */
export class TreeVoter {
  readonly #grower: TreeGrower;
  readonly #columns: TreeColumns;
  readonly #leaves: Slice<Int32Array>;
  readonly #walkers: Slice<Uint8Array>;

  /** `arena` has room for `TreeVoter.bytes`. */
  constructor(grower: TreeGrower, columns: TreeColumns, arena: Arena, mostRows: number) {
    this.#grower = grower;
    this.#columns = columns;
    this.#leaves = arena.i32(mostRows);
    this.#walkers = arena.u8(WALKER_BYTES);
  }

  /** Returns the bytes that a voter takes from an arena, apart from gaps. */
  static bytes(mostRows: number): number {
    return 4 * mostRows + WALKER_BYTES;
  }

  /** Lets the assembled tree of the grower, number `tree` of its forest, vote. Yields every few milliseconds. */
  *vote({ sums, units, rows, outOfBag }: VoteBuffers, tree: number): Pausable<void> {
    const { memory } = this.#columns;
    const { exports } = memory;
    const { state } = this.#grower;
    const length = rows ? rows.length : this.#grower.listOutOfBag();
    const { grown } = this.#grower;
    const list = rows ? rows.pointer : grown.list;
    const leaves = this.#leaves.pointer;
    const { pointer, stride } = this.#columns.cells;
    const sets = grown.setCount > 0 ? grown.sets : 0;
    for (let from = 0; from < length; from += ROWS_PER_STEP) {
      const count = Math.min(ROWS_PER_STEP, length - from);
      const [part, to] = [list + 4 * from, leaves + 4 * from];
      exports.treeWalkRows(grown.nodes, sets, false, pointer, stride, part, count, to, this.#walkers.pointer);
      exports.treeAddVotes(state, part, to, count, sums, units);
      yield;
    }
    if (!outOfBag) return;
    const { measured } = outOfBag;
    const padded = paddedRows(measured);
    exports.treeCountVotes(list, length, outOfBag.votes);
    const losses = outOfBag.losses + 2 * padded * tree;
    const bits = outOfBag.bits + (padded / 8) * tree;
    exports.treeClearLosses(measured, losses, bits);
    memory.f64(outOfBag.lossSums + 8 * tree, 1)[0] = exports.treeSumLosses(
      ...[state, list, leaves, length, this.#columns.rows, measured, losses, bits],
    );
    memory.i32(outOfBag.lossCounts + 4 * tree, 1)[0] = length;
  }
}
