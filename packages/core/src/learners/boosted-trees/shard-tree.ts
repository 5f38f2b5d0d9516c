import { FEATURE_BYTES } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type GrowingTree, MOST_HISTOGRAM_BYTES } from "./growing-tree.js";

/** A range of nodes, or of features. */
export type Range = readonly [begin: number, end: number];

/** The nodes of a tree that has no more of them. */
export const NO_NODES: Range = [0, 0];

/** Returns the nodes of the widest level that is searched. */
function widestLevel(maxDepth: number, rows: number): number {
  return Math.min(2 ** (maxDepth - 1), rows + 1);
}

/**
 * Counts the histograms that a level has at a time: one for each node, or as many as fit. Even, so that siblings stay
 * together.
 */
export function slotsFor(columns: number, maxDepth: number, rows: number, trees: number): number {
  // A histogram of this shard, one that is packed, and the sums of two levels.
  const fitting = Math.floor(MOST_HISTOGRAM_BYTES / (4 * trees * columns * FEATURE_BYTES));
  const slots = Math.max(2, Math.min(widestLevel(maxDepth, rows), fitting));
  return slots - (slots % 2);
}

/**
 * Counts the nodes of a batch whose histograms are sent, at most: of two siblings one, unless levels are so wide that parents
 * are not kept.
 */
export function mostSent(slots: number, maxDepth: number, rows: number): number {
  return widestLevel(maxDepth, rows) > slots ? slots : Math.max(1, slots / 2);
}

/**
 * A tree that grows on a shard of the rows, level by level, in step with the same tree on other shards. `GrowingTree` has its
 * memory and all that does not depend on other shards; see `wasm/boosted-shard.ts` for the rest.
 */
export class ShardTree {
  readonly tree: GrowingTree;
  readonly #memory: WasmMemory;
  readonly #slots: number;
  /** Addresses of the sums of histograms of two levels. */
  readonly #totals: readonly [number, number];
  #depth = 0;

  constructor(tree: GrowingTree, slots: number, totals: number) {
    this.tree = tree;
    this.#memory = tree.rows.memory;
    this.#slots = slots;
    this.#totals = [totals, totals + slots * tree.rows.fields.columns.columns * FEATURE_BYTES];
  }

  /** Returns the bytes of the sums of histograms of a tree. */
  static totalBytes(columns: number, slots: number): number {
    return 2 * slots * columns * FEATURE_BYTES;
  }

  get address(): number {
    return this.tree.addresses.tree;
  }

  /** Begins a tree on all rows of the shard, or on those that are listed. */
  start(output: number, listed: number | undefined): void {
    const { rows } = this.tree;
    const isEveryRow = listed === undefined;
    const margins = isEveryRow ? rows.margins(output) : 0;
    this.#memory.exports.boostedStartShard(this.address, listed ?? rows.rows, isEveryRow, margins);
    this.#depth = 0;
  }

  /** Whether the level is the root. */
  get isRoot(): boolean {
    return this.#depth === 0;
  }

  get #isWide(): boolean {
    const [begin, end] = this.tree.level;
    return end - begin > this.#slots;
  }

  /** Divides the nodes of the level into ranges whose histograms fit: one unless the level is very wide. */
  batches(): Range[] {
    const [begin, end] = this.tree.level;
    const batches: Range[] = [];
    for (let from = begin; from < end; from += this.#slots)
      batches.push([from, Math.min(end, from + this.#slots)]);
    return batches;
  }

  /** Plans the histograms of the nodes of a batch; returns the number of units. */
  planBuild([begin, end]: Range, target: number): number {
    const { exports } = this.#memory;
    if (this.#isWide) exports.boostedPlaceBatch(this.address, begin, end, true);
    return exports.boostedPlanShard(this.address, begin, end, this.#totals[this.#depth % 2], target);
  }

  /** Gives the histograms of a batch back, once they are sent. */
  release([begin, end]: Range): void {
    if (this.#isWide) this.#memory.exports.boostedPlaceBatch(this.address, begin, end, false);
  }

  /** Computes the gradient and the Hessian of the root from the sums of a feature. */
  sumRoot(feature: number): void {
    this.#memory.exports.boostedSumOfNode(this.address, 0, feature);
  }

  /** The gradient and the Hessian of the root. */
  get rootSums(): Float64Array {
    return this.#memory.f64(this.#memory.exports.boostedNode(this.address, 0), 2);
  }

  /** Starts the sums of nodes that shards send, of some features, with the histograms of this shard. */
  startTotals([begin, end]: Range, [first, last]: Range): void {
    this.#memory.exports.boostedStartTotals(this.address, begin, end, first, last);
  }

  /** Packs the sums of nodes that shards send, of some features, from an address on; returns the end. */
  packTotals([begin, end]: Range, [first, last]: Range, to: number): number {
    return this.#memory.exports.boostedPackTotals(this.address, begin, end, first, last, to) >>> 0;
  }

  /** Adds packed sums to those of nodes that shards send; returns the end of what was read, or 0 if that is beyond the limit. */
  addPacked([begin, end]: Range, [first, last]: Range, from: number, limit: number): number {
    return this.#memory.exports.boostedAddPacked(this.address, begin, end, first, last, from, limit) >>> 0;
  }

  /** Plans the search of some features of the open nodes of a batch; returns the number of units of the level so far. */
  planSearch([begin, end]: Range, [first, last]: Range, target: number): number {
    return this.#memory.exports.boostedPlanShardSearch(this.address, begin, end, first, last, target);
  }

  /** Searches a unit on this thread, with the scratch of the leader. */
  search(unit: number): void {
    searchShardUnit(this.tree, unit, 0);
  }

  /** Writes the best splits of the open nodes of a batch to an address; returns the end. */
  putSplits([begin, end]: Range, to: number): number {
    return this.#memory.exports.boostedWriteBestSplits(this.address, begin, end, to) >>> 0;
  }

  /**
   * Keeps the better of these splits and those at an address, which are by some features; returns the end, or 0 if they are
   * not.
   */
  takeSplits([begin, end]: Range, [first, last]: Range, from: number): number {
    return this.#memory.exports.boostedMergeBestSplits(this.address, begin, end, first, last, from) >>> 0;
  }

  /** Goes to the next level; returns whether it has nodes to search. */
  descend(): boolean {
    this.#depth++;
    return this.#memory.exports.boostedDescendShard(this.address, this.#slots) !== 0;
  }
}

/** Some nodes of the level of a tree. */
export interface LevelPart {
  readonly tree: ShardTree;
  readonly batch: Range;
}

/** Searches a unit of a tree on a shard, on any thread. */
export function searchShardUnit(tree: GrowingTree, unit: number, worker: number): void {
  tree.rows.memory.exports.boostedSearchShard(tree.addresses.tree, unit, worker);
}
