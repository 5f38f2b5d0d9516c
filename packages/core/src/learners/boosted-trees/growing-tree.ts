import { bytes, f64, type Scope } from "../../runtime/wasm/arena.js";
import {
  BOOSTED_BYTES,
  BOOSTED_LEVEL_WORD,
  FEATURE_BYTES,
  MOST_CELLS,
  NODE_WORDS,
  SET_WORDS,
} from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { TreeSet } from "../tree/tree-set.js";
import type { BoostedRows } from "./boosted-rows.js";

/** Limit on the bytes of kept histograms, of all trees together; those that are not kept are computed again. */
export const MOST_HISTOGRAM_BYTES = 1 << 28;

/** Limit on the bytes of histograms of parts of rows, of all trees together; without them, threads divide features. */
const MOST_PARTIAL_BYTES = 1 << 26;

/** Levels with no more nodes have histograms of parts on one thread, too, so that units of work are not too large. */
const FEW_NODES = 32;

/** Units of work for each worker, so that none waits long for the last one. */
const UNITS_PER_WORKER = 3;

/** On a shard, all other shards wait for the last unit, too. */
const UNITS_PER_WORKER_OF_SHARD = 8;

/** Returns the number of units into which a job is divided if there are enough rows. */
export function unitTarget(workers: number, sharded = false): number {
  return workers === 1 ? 1 : workers * (sharded ? UNITS_PER_WORKER_OF_SHARD : UNITS_PER_WORKER);
}

/** Options of the growth of a tree: see those of `boosted-trees`. */
export interface TreeLimits {
  readonly lambda: number;
  readonly gamma: number;
  readonly minChildWeight: number;
  readonly learningRate: number;
  readonly maxDepth: number;
}

/** A smaller gain may be rounding. The same as in XGBoost. */
const LEAST_GAIN = 1e-6;

/** Addresses of a growing tree, which threads share. */
export interface TreeAddresses {
  /** The state. */
  readonly tree: number;
  readonly gradients: number;
  readonly mask: number;
}

/** Places of the words of the state that TypeScript reads, in the order of `Boosted` in `wasm/boosted-state.ts`. */
const LEVEL_BEGIN = 0;
const LEVEL_END = 1;
const BUILDS = 2;
const SEARCHES = 3;
const DIVIDES = 4;
const MOVES = 5;
const LIST = 6;
const NODES = 7;
const NODE_COUNT = 8;
const SETS = 9;
const SET_COUNT = 10;
const VALUES = 11;
const GAINS = 12;
const WORDS = 13;

/** A grown tree, and the gain of each of its splits, in the order of the nodes. */
export interface GrownBoostedTree {
  readonly tree: TreeSet;
  readonly gains: Float32Array;
}

/** Determines the memory of a growing tree. */
export interface GrowingShape {
  readonly maxDepth: number;
  /** Threads that work at the same time. */
  readonly workers: number;
  /** Trees that grow at the same time. */
  readonly trees: number;
  /** Whether each node has its own features. */
  readonly masksPerNode: boolean;
  /** If the rows are a shard: the number of all rows, and of the histograms that a level may have at a time. */
  readonly shard?: { readonly rows: number; readonly slots: number };
}

/**
 * A tree that grows in WebAssembly memory, where several threads can work on it. Gradients are rounded to whole units, so that
 * their sums are exact: any order of addition gives the same tree.
 */
export class GrowingTree {
  readonly rows: BoostedRows;
  readonly #memory: WasmMemory;
  /** What the input of a task contains of the tree. */
  readonly addresses: TreeAddresses;

  constructor(rows: BoostedRows, addresses: TreeAddresses) {
    this.rows = rows;
    this.#memory = rows.memory;
    this.addresses = addresses;
  }

  /** Allocates room for trees on these rows; a gradient of 1 is `unit` units. `scratch` is that of all workers. */
  static allocate(
    rows: BoostedRows,
    limits: TreeLimits,
    unit: number,
    shape: GrowingShape,
    scratch: number,
    scope: Scope,
  ): GrowingTree {
    const { memory } = rows;
    const { columns } = rows.fields;
    const { exports } = memory;
    const leaves = Math.min(2 ** shape.maxDepth, shape.shard?.rows ?? rows.rows);
    const histograms = shape.shard?.slots ?? histogramsOf(columns.columns, leaves, shape.trees);
    const sizes = [columns.columns, rows.rows, leaves, histograms, ...unitsOf(rows, leaves, shape)] as const;
    const arrays = scope.take(
      {
        state: bytes(BOOSTED_BYTES),
        gradients: f64(rows.stride),
        mask: bytes(columns.columns * (shape.masksPerNode ? leaves + 1 : 1)),
        parts: bytes(partsBytes(memory, sizes)),
      },
      memory,
    );
    const { pointer: tree } = arrays.state;
    const { pointer: gradients } = arrays.gradients;
    const { pointer: mask } = arrays.mask;
    exports.boostedPlace(tree, arrays.parts.pointer, ...sizes);
    const { pointer, stride } = columns.cells;
    exports.boostedSetSample(tree, columns.table, pointer, stride, gradients, histograms, scratch);
    exports.boostedSetGrowth(
      tree,
      limits.lambda * unit,
      Math.max(limits.gamma, LEAST_GAIN) * unit,
      Math.max(limits.minChildWeight * unit, 1),
      limits.learningRate,
      limits.maxDepth,
    );
    arrays.mask.view.fill(1);
    exports.boostedSetMask(tree, mask, mask, 0);
    return new GrowingTree(rows, { tree, gradients, mask });
  }

  /** A byte for each feature: whether the tree may split on it. */
  get mask(): Uint8Array {
    return this.#memory.u8(this.addresses.mask, this.rows.fields.columns.columns);
  }

  /** Sets the features that the nodes of the level may split on, node after node. */
  setNodeMasks(masks: readonly Uint8Array[]): void {
    const { columns } = this.rows.fields.columns;
    const first = this.addresses.mask + columns;
    for (const [node, mask] of masks.entries()) {
      this.#memory.u8(first + node * columns, columns).set(mask);
    }
    this.#memory.exports.boostedSetMask(this.addresses.tree, this.addresses.mask, first, columns);
  }

  /** Writes rows to the list of those to grow on, from a place of it on. */
  listRows(rows: Int32Array, place: number): void {
    this.#memory.i32(this.#words[LIST] + 4 * place, rows.length).set(rows);
  }

  /**
   * Begins a tree on all rows, whose margins get the values of leaves as they form, or on the first `listed` rows of the list,
   * without that.
   */
  start(output: number, listed: number | undefined): void {
    const isEveryRow = listed === undefined;
    const margins = isEveryRow ? this.rows.margins(output) : 0;
    this.#memory.exports.boostedStart(this.addresses.tree, listed ?? this.rows.rows, isEveryRow, margins);
  }

  /**
   * Divides the search of the level into about `target` units of work. Returns the number of those that build histograms; it is 0
   * if the units of the search build them.
   */
  planBuild(target: number): number {
    return this.#memory.exports.boostedPlanLevel(this.addresses.tree, target);
  }

  get builds(): number {
    return this.#words[BUILDS];
  }

  build(unit: number, worker: number): void {
    this.#memory.exports.boostedBuild(this.addresses.tree, unit, worker);
  }

  /** Returns the number of units that search, once histograms are built. */
  planSearch(): number {
    return this.#memory.exports.boostedPlanSearch(this.addresses.tree);
  }

  get searches(): number {
    return this.#words[SEARCHES];
  }

  search(unit: number, worker: number): void {
    this.#memory.exports.boostedSearch(this.addresses.tree, unit, worker);
  }

  /** Splits the nodes of the level whose gain suffices; returns the number of units that divide rows, about `target`. */
  decide(target: number): number {
    return this.#memory.exports.boostedDecide(this.addresses.tree, target);
  }

  get divides(): number {
    return this.#words[DIVIDES];
  }

  /** Divides rows of a node among its children, or adds leaf values to their margins. */
  divide(unit: number): void {
    this.#memory.exports.boostedDivide(this.addresses.tree, unit);
  }

  /** Returns the number of units that move divided rows. */
  planMoves(): number {
    return this.#memory.exports.boostedPlanMoves(this.addresses.tree);
  }

  get moves(): number {
    return this.#words[MOVES];
  }

  move(unit: number): void {
    this.#memory.exports.boostedMove(this.addresses.tree, unit);
  }

  /** The nodes of the level. */
  get level(): readonly [begin: number, end: number] {
    const words = this.#words;
    return [words[LEVEL_BEGIN], words[LEVEL_END]];
  }

  get #words(): Int32Array {
    return this.#memory.i32(this.addresses.tree + 4 * BOOSTED_LEVEL_WORD, WORDS);
  }

  /** Goes to the next level; returns whether it has nodes to search. */
  descend(): boolean {
    return this.#memory.exports.boostedDescend(this.addresses.tree) !== 0;
  }

  /** Walks a block of rows, these or others, through the grown tree and adds their leaf values to their margins. */
  addTo(rows: BoostedRows, block: number, output: number): void {
    const { pointer, stride } = rows.fields.columns.cells;
    const [begin, end] = rows.blockRange(block);
    const last = Math.min(end, rows.rows);
    this.#memory.exports.boostedAddRows(
      this.addresses.tree,
      pointer,
      stride,
      begin,
      last,
      rows.margins(output),
    );
  }

  /** Copies the tree, as one for an output. */
  take(output: number, unit: number): GrownBoostedTree {
    const memory = this.#memory;
    const words = this.#words;
    const nodes = words[NODE_COUNT];
    const sets = words[SET_COUNT];
    const leaves = (nodes + 1) / 2;
    const set = new TreeSet({
      classes: this.rows.outputs,
      columns: this.rows.fields.columns.columns,
      nodes: memory.i32(words[NODES], nodes * NODE_WORDS).slice(),
      nodeStarts: Int32Array.of(0, nodes),
      sets: memory.i32(words[SETS], sets * SET_WORDS).slice(),
      setStarts: Int32Array.of(0, sets),
      leafClasses: new Int32Array(leaves).fill(output),
      leafShares: memory.f32(words[VALUES], leaves).slice(),
      leafStarts: Int32Array.of(0, leaves),
    });
    const gains = Float32Array.from(memory.f32(words[GAINS], leaves - 1), (gain) => gain / unit);
    return { tree: set, gains };
  }
}

/** Counts the histograms that nodes two levels above the leaves keep for their children, or as many as fit. */
function histogramsOf(columns: number, leaves: number, trees: number): number {
  const fitting = Math.floor(MOST_HISTOGRAM_BYTES / (trees * columns * FEATURE_BYTES));
  return Math.max(1, Math.min(Math.ceil(leaves / 4), fitting));
}

/** Counts the histograms of parts of rows, as many as fit, and the units of work of a level. */
function unitsOf(
  { rows, fields }: BoostedRows,
  leaves: number,
  { workers, trees, shard }: GrowingShape,
): [partials: number, units: number] {
  const { columns } = fields.columns;
  const units = Math.max(unitTarget(workers, shard !== undefined), Math.ceil((rows * columns) / MOST_CELLS));
  const fitting = Math.floor(MOST_PARTIAL_BYTES / (trees * columns * FEATURE_BYTES));
  return [Math.min(2 * units + FEW_NODES, fitting), leaves + 2 * units + FEW_NODES];
}

function partsBytes(memory: WasmMemory, sizes: readonly [...Sizes]): number {
  const state = memory.allocate(BOOSTED_BYTES);
  const bytes = memory.exports.boostedPlace(state.pointer, 0, ...sizes);
  memory.release(state);
  return bytes;
}

type Sizes = [
  columns: number,
  rows: number,
  leaves: number,
  histograms: number,
  partials: number,
  units: number,
];
