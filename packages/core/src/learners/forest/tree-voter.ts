import type { Pausable } from "../../runtime/parallel/pausable.js";
import { type Arena, bytes, f64, i32, type Taken } from "../../runtime/wasm/arena.js";
import { WALKER_BYTES } from "../../runtime/wasm/wasm-exports.js";
import type { TreeColumnsFields } from "../tree/tree-columns.js";
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
  readonly outOfBag?: OutOfBagBuffers;
}

/** Where the facts about out-of-bag rows are written. */
export interface OutOfBagBuffers {
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

/** Returns the length of the table of losses of a tree: a multiple of 128, so that bits are whole vectors. */
export function lossTableRows(measured: number): number {
  return Math.ceil(measured / 128) * 128;
}

/** The leaves of the rows that a tree votes on, and the walking rows. */
export function voterLayout(mostRows: number) {
  return { leaves: i32(mostRows), walkers: bytes(WALKER_BYTES) };
}

/** Rows that walk through a tree between two steps: a millisecond or two. */
const ROWS_PER_STEP = 1 << 14;

/**
 * Facts about rows that trees have not drawn: the number of votes on each row; the sum and the number of the losses of each tree; and
 * the table of losses with the bits of its rows, for an even number of trees.
 */
export function outOfBagLayout(rows: number, trees: number, measured: number) {
  const padded = lossTableRows(measured);
  const even = trees + (trees % 2);
  return {
    votes: i32(rows),
    lossSums: f64(trees),
    lossCounts: i32(trees),
    losses: bytes(2 * padded * even),
    bits: bytes((padded / 8) * even),
  };
}

/** Lets grown trees vote on rows. */
export class TreeVoter {
  readonly #grower: TreeGrower;
  readonly #columns: TreeColumnsFields;
  readonly #scratch: Taken<ReturnType<typeof voterLayout>>;

  /** Takes `voterLayout` from the arena, for votes on at most `mostRows` rows. */
  constructor(grower: TreeGrower, columns: TreeColumnsFields, arena: Arena, mostRows: number) {
    this.#grower = grower;
    this.#columns = columns;
    this.#scratch = arena.take(voterLayout(mostRows));
  }

  /** Lets the assembled tree of the grower, number `tree` of its forest, vote. Yields every few milliseconds. */
  *vote({ sums, units, rows, outOfBag }: VoteBuffers, tree: number): Pausable<void> {
    const { memory } = this.#columns;
    const { exports } = memory;
    const { state } = this.#grower;
    const length = rows ? rows.length : this.#grower.listOutOfBag();
    const { grown } = this.#grower;
    const list = rows ? rows.pointer : grown.list;
    const leaves = this.#scratch.leaves.pointer;
    const { pointer, stride } = this.#columns.cells;
    const sets = grown.setCount > 0 ? grown.sets : 0;
    for (let from = 0; from < length; from += ROWS_PER_STEP) {
      const count = Math.min(ROWS_PER_STEP, length - from);
      const [part, to] = [list + 4 * from, leaves + 4 * from];
      exports.treeWalkRows(
        grown.nodes,
        sets,
        false,
        pointer,
        stride,
        part,
        count,
        to,
        this.#scratch.walkers.pointer,
      );
      exports.treeAddVotes(state, part, to, count, sums, units);
      yield;
    }
    if (!outOfBag) return;
    const { measured } = outOfBag;
    const padded = lossTableRows(measured);
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
