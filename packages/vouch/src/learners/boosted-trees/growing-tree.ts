import { alignUp } from "../../runtime/heap.js";
import { NODE_WORDS, SET_WORDS } from "../../runtime/kernels.js";
import type { Block, KernelMemory } from "../../runtime/memory.js";
import type { TreeColumns } from "../tree/tree-columns.js";
import { TreeSet } from "../tree/tree-set.js";
import type { BoostedRows } from "./boosted-rows.js";

/** Limit on the bytes of kept histograms, of all trees together; those that are not kept are computed again. */
const MOST_HISTOGRAM_BYTES = 1 << 28;

/** Bytes of the histogram of a feature; `kernels/boosted-state.ts` has the same. */
const FEATURE_BYTES = 4160;

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
interface GrowingShape {
  readonly maxDepth: number;
  /** Threads that work on the tree at the same time. */
  readonly workers: number;
  /** Trees that grow at the same time. */
  readonly trees: number;
  /** Whether each node has its own features. */
  readonly masksPerNode: boolean;
}

/**
 * A tree that grows in kernel memory, where several threads can work on it. Gradients are rounded to whole units, so that
 * their sums are exact: any order of addition gives the same tree.
 */
export class GrowingTree {
  readonly rows: BoostedRows;
  readonly #memory: KernelMemory;
  readonly #parts: GrowingTreeDescriptor;
  readonly #block: Block | undefined;

  private constructor(rows: BoostedRows, parts: GrowingTreeDescriptor, block?: Block) {
    this.rows = rows;
    this.#memory = rows.memory;
    this.#parts = parts;
    this.#block = block;
  }

  /** Allocates room for trees on these rows; a gradient of 1 is `unit` units. */
  static allocate(rows: BoostedRows, limits: TreeLimits, unit: number, shape: GrowingShape): GrowingTree {
    const { memory, columns } = rows;
    const { kernels } = memory;
    const leaves = Math.min(2 ** shape.maxDepth, rows.rows);
    const histograms = histogramsOf(columns.columns, leaves, shape.trees);
    const sizes = [columns.columns, rows.rows, leaves, histograms, shape.workers] as const;
    const maskBytes = alignUp(columns.columns * (shape.masksPerNode ? leaves + 1 : 1));
    const before = alignUp(kernels.boostedStateBytes()) + alignUp(8 * rows.stride) + maskBytes;
    const block = memory.allocate(before + partsBytes(memory, sizes));
    const tree = block.pointer;
    const gradients = tree + alignUp(kernels.boostedStateBytes());
    const mask = gradients + alignUp(8 * rows.stride);
    kernels.boostedPlace(tree, block.pointer + before, ...sizes);
    const { pointer, stride } = rows.cells;
    kernels.boostedSetSample(tree, columns.table, pointer, stride, gradients, histograms);
    kernels.boostedSetGrowth(
      tree,
      limits.lambda * unit,
      Math.max(limits.gamma, LEAST_GAIN) * unit,
      Math.max(limits.minChildWeight * unit, 1),
      limits.learningRate,
      limits.maxDepth,
    );
    memory.u8(mask, maskBytes).fill(1);
    kernels.boostedSetMask(tree, mask, 0);
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
    this.#memory.kernels.boostedSetMask(this.#parts.tree, first, columns);
  }

  /** Begins a tree on the given rows. */
  start(rows: Int32Array): void {
    const { kernels } = this.#memory;
    const { tree } = this.#parts;
    this.#memory.i32(kernels.boostedRowList(tree), rows.length).set(rows);
    kernels.boostedStart(tree, rows.length);
  }

  /** Searches the splits of the nodes of the level by some features, as a given worker. */
  search({ first, width, twoValued }: FeatureBlock, worker: number): void {
    const signed = twoValued ? -width : width;
    this.#memory.kernels.boostedSearchLevel(this.#parts.tree, first, signed, worker);
  }

  /** Splits the nodes of the level whose gain suffices. */
  decide(): void {
    this.#memory.kernels.boostedDecide(this.#parts.tree);
  }

  /** Number of nodes of the level. */
  get width(): number {
    const { kernels } = this.#memory;
    return kernels.boostedLevelEnd(this.#parts.tree) - kernels.boostedLevelBegin(this.#parts.tree);
  }

  /** Divides the rows of a node of the level among its children, or adds its leaf value to the margins at an address. */
  settle(node: number, margins: number): void {
    const { kernels } = this.#memory;
    kernels.boostedSettle(this.#parts.tree, kernels.boostedLevelBegin(this.#parts.tree) + node, margins);
  }

  /** Goes to the next level; returns whether it has nodes to search. */
  descend(): boolean {
    return this.#memory.kernels.boostedDescend(this.#parts.tree) !== 0;
  }

  /** Walks a block of rows, these or others, through the grown tree and adds their leaf values to their margins. */
  addTo(rows: BoostedRows, block: number, output: number): void {
    const { pointer, stride } = rows.cells;
    const [begin, end] = rows.blockRange(block);
    const last = Math.min(end, rows.rows);
    this.#memory.kernels.boostedAddRows(this.#parts.tree, pointer, stride, begin, last, rows.margins(output));
  }

  /** Copies the tree, as one for an output. */
  take(output: number, unit: number): GrownBoostedTree {
    const memory = this.#memory;
    const { kernels } = memory;
    const { tree } = this.#parts;
    const nodes = kernels.boostedNodeCount(tree);
    const sets = kernels.boostedSetCount(tree);
    const leaves = (nodes + 1) / 2;
    const set = new TreeSet({
      classes: this.rows.outputs,
      columns: this.rows.columns.columns,
      nodes: memory.i32(kernels.boostedNodes(tree), nodes * NODE_WORDS).slice(),
      nodeStarts: Int32Array.of(0, nodes),
      sets: memory.i32(kernels.boostedSets(tree), sets * SET_WORDS).slice(),
      setStarts: Int32Array.of(0, sets),
      leafClasses: new Int32Array(leaves).fill(output),
      leafShares: memory.f32(kernels.boostedValues(tree), leaves).slice(),
      leafStarts: Int32Array.of(0, leaves),
    });
    const gains = Float32Array.from(
      memory.f32(kernels.boostedGains(tree), leaves - 1),
      (gain) => gain / unit,
    );
    return { tree: set, gains };
  }
}

/** Features `first` … `first + width − 1`, which kernels search together. */
export interface FeatureBlock {
  readonly first: number;
  readonly width: number;
  /** Whether all of them have two values. */
  readonly twoValued: boolean;
}

/** Divides features into blocks: up to eight with two values, or eight or four of any kind; four for many workers. */
export function featureBlocks({ memory, table, columns }: TreeColumns, workers: number): FeatureBlock[] {
  const widest = workers > 1 && columns < 16 * workers ? 4 : 8;
  const isTwoValued = (column: number) => memory.kernels.boostedIsTwoValued(table, column) !== 0;
  const blocks: FeatureBlock[] = [];
  for (let first = 0; first < columns; ) {
    const twoValued = isTwoValued(first);
    let run = 1;
    while (run < 8 && first + run < columns && isTwoValued(first + run) === twoValued) run++;
    const width = twoValued ? run : run >= widest ? widest : run >= 4 ? 4 : 1;
    blocks.push({ first, width, twoValued });
    first += width;
  }
  return blocks;
}

/** Counts the histograms that nodes two levels above the leaves keep for their children, or as many as fit. */
function histogramsOf(columns: number, leaves: number, trees: number): number {
  const fitting = Math.floor(MOST_HISTOGRAM_BYTES / (trees * columns * FEATURE_BYTES));
  return Math.max(1, Math.min(Math.ceil(leaves / 4), fitting));
}

function partsBytes(
  memory: KernelMemory,
  sizes: readonly [columns: number, rows: number, leaves: number, histograms: number, workers: number],
): number {
  const state = memory.allocate(memory.kernels.boostedStateBytes());
  const bytes = memory.kernels.boostedPlace(state.pointer, 0, ...sizes);
  memory.release(state);
  return bytes;
}
