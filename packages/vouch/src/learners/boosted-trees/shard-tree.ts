import type { KernelMemory } from "../../runtime/memory.js";
import { FEATURE_BYTES, type GrowingTree, MOST_HISTOGRAM_BYTES } from "./growing-tree.js";

/** A range of nodes, or of features. */
export type Range = readonly [begin: number, end: number];

/** Counts the histograms that a level has at a time: one for each node, or as many as fit. Even, so that siblings stay together. */
export function slotsFor(columns: number, maxDepth: number, rows: number, trees: number): number {
  const widest = Math.min(2 ** (maxDepth - 1), rows + 1);
  // A histogram of this shard, and the sums of two levels.
  const fitting = Math.floor(MOST_HISTOGRAM_BYTES / (3 * trees * columns * FEATURE_BYTES));
  const slots = Math.max(2, Math.min(widest, fitting));
  return slots - (slots % 2);
}

/**
 * A tree that grows on a shard of the rows, level by level, in step with the same tree on other shards. `GrowingTree` has its memory and all
 * that does not depend on other shards; see `kernels/boosted-shard.ts` for the rest.
 */
export class ShardTree {
  readonly tree: GrowingTree;
  readonly #memory: KernelMemory;
  readonly #address: number;
  readonly #slots: number;
  /** Addresses of the sums of histograms of two levels. */
  readonly #totals: readonly [number, number];
  #depth = 0;
  /** Whether the parents of the level have sums. */
  #hasParents = false;
  /** Node → parent, of nodes of the level. */
  #parents = new Map<number, number>();

  constructor(tree: GrowingTree, slots: number, totals: number) {
    this.tree = tree;
    this.#memory = tree.rows.memory;
    this.#address = tree.address;
    this.#slots = slots;
    this.#totals = [totals, totals + slots * this.#histogramBytes];
  }

  /** Returns the bytes of the sums of histograms of a tree. */
  static totalBytes(columns: number, slots: number): number {
    return 2 * slots * columns * FEATURE_BYTES;
  }

  get #histogramBytes(): number {
    return this.tree.rows.columns.columns * FEATURE_BYTES;
  }

  /** Begins a tree on all rows of the shard, or on those that are listed. */
  start(output: number, listed: number | undefined): void {
    const { rows } = this.tree;
    const isEveryRow = listed === undefined;
    const margins = isEveryRow ? rows.margins(output) : 0;
    this.#memory.kernels.boostedStartShard(this.#address, listed ?? rows.rows, isEveryRow, margins);
    this.#depth = 0;
    this.#hasParents = false;
    this.#parents = new Map();
  }

  /** Whether the level is the root. */
  get isRoot(): boolean {
    return this.#depth === 0;
  }

  get levelRange(): Range {
    const { kernels } = this.#memory;
    return [kernels.boostedLevelBegin(this.#address), kernels.boostedLevelEnd(this.#address)];
  }

  get #isWide(): boolean {
    const [begin, end] = this.levelRange;
    return end - begin > this.#slots;
  }

  /** Divides the nodes of the level into ranges whose histograms fit: one unless the level is very wide. */
  batches(): Range[] {
    const [begin, end] = this.levelRange;
    const batches: Range[] = [];
    for (let from = begin; from < end; from += this.#slots)
      batches.push([from, Math.min(end, from + this.#slots)]);
    return batches;
  }

  /** Plans the histograms of the nodes of a batch; returns the number of units. */
  planBuild([begin, end]: Range, target: number): number {
    if (this.#isWide) this.#memory.kernels.boostedPlaceBatch(this.#address, begin, end, true);
    return this.#memory.kernels.boostedPlanShard(this.#address, begin, end, target);
  }

  /** Completes the histograms of the shard, once all units are built. */
  finish([begin, end]: Range): void {
    const { columns } = this.tree.rows.columns;
    for (let k = begin; k < end; k += 2) this.#memory.kernels.boostedFinishPair(this.#address, k, 0, columns);
  }

  /** Gives the histograms of a batch back, once they are sent. */
  release([begin, end]: Range): void {
    if (this.#isWide) this.#memory.kernels.boostedPlaceBatch(this.#address, begin, end, false);
  }

  /** Computes the gradient and the Hessian of the root from the sums of a feature. */
  sumRoot(feature: number): void {
    this.#memory.kernels.boostedSumTotal(this.#address, 0, feature);
  }

  /** The gradient and the Hessian of a node. */
  sums(k: number): Float64Array {
    return this.#memory.f64(this.#memory.kernels.boostedNode(this.#address, k), 2);
  }

  /** Lists the open nodes of a range. */
  openNodes([begin, end]: Range): number[] {
    const { kernels } = this.#memory;
    return Array.from({ length: end - begin }, (_, i) => begin + i).filter(
      (k) => kernels.boostedIsOpen(this.#address, k) !== 0,
    );
  }

  /**
   * Starts the sums of the nodes that shards send with the histograms of this one, and returns these nodes: all open ones, or one of two
   * open siblings if their parent has sums.
   */
  startTotals(batch: Range): number[] {
    const sent: number[] = [];
    for (const k of this.openNodes(batch)) {
      if (this.#isDerived(k)) continue;
      this.#memory.kernels.boostedTakeOwn(this.#address, k, this.#place(k, batch));
      sent.push(k);
    }
    return sent;
  }

  /** Makes the sums of nodes that were not sent, of some features. */
  deriveTotals(batch: Range, [first, end]: Range): void {
    for (const k of this.openNodes(batch)) {
      const parent = this.#parents.get(k);
      if (parent === undefined || !this.#isDerived(k)) continue;
      const { kernels } = this.#memory;
      const from = kernels.boostedTotal(this.#address, parent);
      kernels.boostedDeriveTotal(this.#address, k, this.#place(k, batch), from, k - 1, first, end);
    }
  }

  /** The right one of two open siblings. */
  #isDerived(k: number): boolean {
    if (!this.#hasParents || this.#isWide) return false;
    const { kernels } = this.#memory;
    const [begin] = this.levelRange;
    return (k - begin) % 2 === 1 && kernels.boostedIsOpen(this.#address, k - 1) !== 0;
  }

  #place(k: number, [begin]: Range): number {
    return this.#totals[this.#depth % 2] + (k - begin) * this.#histogramBytes;
  }

  /** Packs the sums of a node, of some features, from an address on; returns the end. */
  pack(k: number, [first, end]: Range, to: number): number {
    return this.#memory.kernels.boostedPack(this.#address, k, first, end, to) >>> 0;
  }

  /** Adds packed sums to those of a node; returns the end of what was read, or 0 if that is beyond the limit. */
  addPacked(k: number, [first, end]: Range, from: number, limit: number): number {
    return this.#memory.kernels.boostedAddPacked(this.#address, k, first, end, from, limit) >>> 0;
  }

  /** Plans the search of some features of the open nodes of a batch; returns the number of units of the level so far. */
  planSearch([begin, end]: Range, [first, last]: Range, target: number): number {
    return this.#memory.kernels.boostedPlanShardSearch(this.#address, begin, end, first, last, target);
  }

  /** Searches a unit on this thread, with the scratch of the leader. */
  search(unit: number): void {
    searchShardUnit(this.tree, unit, 0);
  }

  get splitBytes(): number {
    return this.#memory.kernels.boostedSplitBytes();
  }

  /** Returns the bytes of the best split of a node so far. */
  split(k: number): Uint8Array {
    const { kernels } = this.#memory;
    return this.#memory.u8(kernels.boostedFoundSplit(this.#address, k), kernels.boostedSplitBytes());
  }

  /** Compares the best split of a node with one at an address. */
  takeSplit(k: number, split: number): void {
    this.#memory.kernels.boostedTakeSplit(this.#address, k, split);
  }

  /** Goes to the next level; returns whether it has nodes to search. */
  descend(): boolean {
    const { kernels } = this.#memory;
    const [begin, end] = this.levelRange;
    const hasTotals = !this.#isWide;
    this.#parents = new Map();
    for (let k = begin; k < end; k++) {
      const left = kernels.boostedLeft(this.#address, k);
      if (left > 0) for (const child of [left, left + 1]) this.#parents.set(child, k);
    }
    const isOpen = kernels.boostedDescendShard(this.#address, this.#slots) !== 0;
    this.#hasParents = hasTotals;
    this.#depth++;
    return isOpen;
  }
}

/** Searches a unit of a tree on a shard, on any thread. */
export function searchShardUnit(tree: GrowingTree, unit: number, worker: number): void {
  tree.rows.memory.kernels.boostedSearchShard(tree.address, unit, worker);
}
