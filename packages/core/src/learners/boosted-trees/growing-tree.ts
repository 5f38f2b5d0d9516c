import { alignUp } from "../../runtime/wasm/heap.js";
import {
  BOOSTED_BYTES,
  FEATURE_BYTES,
  MOST_CELLS,
  NODE_WORDS,
  SET_WORDS,
} from "../../runtime/wasm/wasm-exports.js";
import type { Block, WasmMemory } from "../../runtime/wasm/wasm-memory.js";
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

/** A growing tree as it is sent to another thread: structured-cloneable. */
export interface GrowingTreeDescriptor {
  readonly tree: number;
  readonly gradients: number;
  readonly mask: number;
}

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
  readonly #parts: GrowingTreeDescriptor;
  readonly #block: Block | undefined;

  private constructor(rows: BoostedRows, parts: GrowingTreeDescriptor, block?: Block) {
    this.rows = rows;
    this.#memory = rows.memory;
    this.#parts = parts;
    this.#block = block;
  }

  /** Allocates room for trees on these rows; a gradient of 1 is `unit` units. `scratch` is that of all workers. */
  static allocate(
    rows: BoostedRows,
    limits: TreeLimits,
    unit: number,
    shape: GrowingShape,
    scratch: number,
  ): GrowingTree {
    const { memory, columns } = rows;
    const { exports } = memory;
    const leaves = Math.min(2 ** shape.maxDepth, shape.shard?.rows ?? rows.rows);
    const histograms = shape.shard?.slots ?? histogramsOf(columns.columns, leaves, shape.trees);
    const sizes = [columns.columns, rows.rows, leaves, histograms, ...unitsOf(rows, leaves, shape)] as const;
    const maskBytes = alignUp(columns.columns * (shape.masksPerNode ? leaves + 1 : 1));
    const before = alignUp(BOOSTED_BYTES) + alignUp(8 * rows.stride) + maskBytes;
    const block = memory.allocate(before + partsBytes(memory, sizes));
    const tree = block.pointer;
    const gradients = tree + alignUp(BOOSTED_BYTES);
    const mask = gradients + alignUp(8 * rows.stride);
    exports.boostedPlace(tree, block.pointer + before, ...sizes);
    const { pointer, stride } = rows.cells;
    exports.boostedSetSample(tree, columns.table, pointer, stride, gradients, histograms, scratch);
    exports.boostedSetGrowth(
      tree,
      limits.lambda * unit,
      Math.max(limits.gamma, LEAST_GAIN) * unit,
      Math.max(limits.minChildWeight * unit, 1),
      limits.learningRate,
      limits.maxDepth,
    );
    memory.u8(mask, maskBytes).fill(1);
    exports.boostedSetMask(tree, mask, mask, 0);
    return new GrowingTree(rows, { tree, gradients, mask }, block);
  }

  /** Describes the tree for another thread to attach. */
  descriptor(): GrowingTreeDescriptor {
    return this.#parts;
  }

  /** Attaches to a tree that another thread, or this one, has allocated. */
  static attach(rows: BoostedRows, parts: GrowingTreeDescriptor): GrowingTree {
    return new GrowingTree(rows, parts);
  }

  /** Releases the memory, if this object has allocated it. */
  release(): void {
    if (this.#block) this.#memory.release(this.#block);
  }

  /** The address of the gradients. */
  get gradients(): number {
    return this.#parts.gradients;
  }

  /** The address of the state. */
  get address(): number {
    return this.#parts.tree;
  }

  /** A byte for each feature: whether the tree may split on it. */
  get mask(): Uint8Array {
    return this.#memory.u8(this.#parts.mask, this.rows.columns.columns);
  }

  /** Sets the features that the nodes of the level may split on, node after node. */
  setNodeMasks(masks: readonly Uint8Array[]): void {
    const { columns } = this.rows.columns;
    const first = this.#parts.mask + columns;
    for (const [node, mask] of masks.entries()) {
      this.#memory.u8(first + node * columns, columns).set(mask);
    }
    this.#memory.exports.boostedSetMask(this.#parts.tree, this.#parts.mask, first, columns);
  }

  /** Writes rows to the list of those to grow on, from a place of it on. */
  listRows(rows: Int32Array, place: number): void {
    const list = this.#memory.exports.boostedRowList(this.#parts.tree);
    this.#memory.i32(list + 4 * place, rows.length).set(rows);
  }

  /**
   * Begins a tree on all rows, whose margins get the values of leaves as they form, or on the first `listed` rows of the list,
   * without that.
   */
  start(output: number, listed: number | undefined): void {
    const isEveryRow = listed === undefined;
    const margins = isEveryRow ? this.rows.margins(output) : 0;
    this.#memory.exports.boostedStart(this.#parts.tree, listed ?? this.rows.rows, isEveryRow, margins);
  }

  /**
   * Divides the search of the level into about `target` units of work. Returns the number of those that build histograms; it is 0
   * if the units of the search build them.
   */
  planBuild(target: number): number {
    return this.#memory.exports.boostedPlanLevel(this.#parts.tree, target);
  }

  get builds(): number {
    return this.#memory.exports.boostedBuildCount(this.#parts.tree);
  }

  build(unit: number, worker: number): void {
    this.#memory.exports.boostedBuild(this.#parts.tree, unit, worker);
  }

  /** Returns the number of units that search, once histograms are built. */
  planSearch(): number {
    return this.#memory.exports.boostedPlanSearch(this.#parts.tree);
  }

  get searches(): number {
    return this.#memory.exports.boostedSearchCount(this.#parts.tree);
  }

  search(unit: number, worker: number): void {
    this.#memory.exports.boostedSearch(this.#parts.tree, unit, worker);
  }

  /** Splits the nodes of the level whose gain suffices; returns the number of units that divide rows, about `target`. */
  decide(target: number): number {
    return this.#memory.exports.boostedDecide(this.#parts.tree, target);
  }

  get divides(): number {
    return this.#memory.exports.boostedRowCount(this.#parts.tree);
  }

  /** Divides rows of a node among its children, or adds leaf values to their margins. */
  divide(unit: number): void {
    this.#memory.exports.boostedDivide(this.#parts.tree, unit);
  }

  /** Returns the number of units that move divided rows. */
  planMoves(): number {
    return this.#memory.exports.boostedPlanMoves(this.#parts.tree);
  }

  get moves(): number {
    return this.#memory.exports.boostedMoveCount(this.#parts.tree);
  }

  move(unit: number): void {
    this.#memory.exports.boostedMove(this.#parts.tree, unit);
  }

  /** Number of nodes of the level. */
  get width(): number {
    const { exports } = this.#memory;
    return exports.boostedLevelEnd(this.#parts.tree) - exports.boostedLevelBegin(this.#parts.tree);
  }

  /** Goes to the next level; returns whether it has nodes to search. */
  descend(): boolean {
    return this.#memory.exports.boostedDescend(this.#parts.tree) !== 0;
  }

  /** Walks a block of rows, these or others, through the grown tree and adds their leaf values to their margins. */
  addTo(rows: BoostedRows, block: number, output: number): void {
    const { pointer, stride } = rows.cells;
    const [begin, end] = rows.blockRange(block);
    const last = Math.min(end, rows.rows);
    this.#memory.exports.boostedAddRows(this.#parts.tree, pointer, stride, begin, last, rows.margins(output));
  }

  /** Copies the tree, as one for an output. */
  take(output: number, unit: number): GrownBoostedTree {
    const memory = this.#memory;
    const { exports } = memory;
    const { tree } = this.#parts;
    const nodes = exports.boostedNodeCount(tree);
    const sets = exports.boostedSetCount(tree);
    const leaves = (nodes + 1) / 2;
    const set = new TreeSet({
      classes: this.rows.outputs,
      columns: this.rows.columns.columns,
      nodes: memory.i32(exports.boostedNodes(tree), nodes * NODE_WORDS).slice(),
      nodeStarts: Int32Array.of(0, nodes),
      sets: memory.i32(exports.boostedSets(tree), sets * SET_WORDS).slice(),
      setStarts: Int32Array.of(0, sets),
      leafClasses: new Int32Array(leaves).fill(output),
      leafShares: memory.f32(exports.boostedValues(tree), leaves).slice(),
      leafStarts: Int32Array.of(0, leaves),
    });
    const gains = Float32Array.from(
      memory.f32(exports.boostedGains(tree), leaves - 1),
      (gain) => gain / unit,
    );
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
  { rows, columns: { columns } }: BoostedRows,
  leaves: number,
  { workers, trees, shard }: GrowingShape,
): [partials: number, units: number] {
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
