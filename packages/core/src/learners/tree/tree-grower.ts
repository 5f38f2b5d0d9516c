import { Random } from "../../runtime/maths/random.js";
import type { Pausable } from "../../runtime/parallel/pausable.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { Arena, bytes } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import {
  GIVEN_DRAWS,
  GROWER_BYTES,
  GROWN_TREE,
  NODE_WORDS,
  SET_WORDS,
} from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { checkedGrowth, type TreeGrowth } from "./growth-options.js";
import { markSample } from "./sample-rows.js";
import { checkTreeRows, type TreeColumnsFields } from "./tree-columns.js";
import { TreeSet } from "./tree-set.js";
import type { TreeTargetFields } from "./tree-target.js";

/** The tree to grow, which depends only on this, the columns and the target. */
interface GrowRequest {
  readonly growth: TreeGrowth;
  /** Rows to grow on, such as the training rows of a fold: distinct, in any order. */
  readonly rows: Int32Array;
  /** Whether to grow on a bootstrap sample of these. */
  readonly bootstrap: boolean;
  readonly seed: number;
  /** Number of draws, with replacement for a bootstrap sample and otherwise without; by default as many as there are rows. */
  readonly draws?: number;
}

/** A tree, and facts that are known only from its growth. */
export interface GrownTree {
  /** A set of this one tree. */
  readonly tree: TreeSet;
  /**
   * Impurity decrease per column: Σ (w·i − w_L·i_L − w_R·i_R) / w_root, with the Gini index or the entropy in nats.
   */
  readonly decreases: Float64Array;
  /** The rows that were not drawn, ascending as in the request. */
  readonly outOfBag: Int32Array;
}

/** Where the listed rows, their numbers of draws and the grown tree are in memory. */
interface GrownAddresses {
  readonly list: number;
  readonly drawn: number;
  readonly nodes: number;
  readonly nodeCount: number;
  readonly sets: number;
  readonly setCount: number;
  readonly leafClasses: number;
  readonly leafShares: number;
  readonly leafCount: number;
  readonly decreases: number;
}

/** Cells read between two steps: a millisecond or two. */
const CELLS_PER_STEP = 1 << 20;

/** The sizes that slots depend on. */
interface SlotShape {
  /** No tree will be grown on more rows. */
  readonly mostRows: number;
  /** Whether trees may be grown by entropy. */
  readonly entropy: boolean;
}

/** Room for trees while they grow; threads that help each other use the same slots. */
export interface TreeSlots extends SlotShape {
  /** The address of the first slot; the others follow. */
  readonly pointer: number;
  /** Size of each slot. */
  readonly bytes: number;
}

/** The state of a grower and its scratch. */
export function growerLayout({ memory, columns }: TreeColumnsFields, { classes, weights }: TreeTargetFields) {
  return {
    state: bytes(GROWER_BYTES),
    scratch: bytes(memory.exports.treeScratchBytes(columns, classes, weights !== 0)),
  };
}

/** A grower with a slot of its own, for trees on all rows. */
export function loneGrowerLayout(columns: TreeColumnsFields, target: TreeTargetFields) {
  const slot = slotBytes(columns, target, { mostRows: columns.rows, entropy: true });
  return { slot: bytes(slot), grower: growerLayout(columns, target) };
}

/** Returns the size of a slot. */
export function slotBytes(
  { memory, columns, hasCategories }: TreeColumnsFields,
  { weights }: TreeTargetFields,
  { mostRows, entropy }: SlotShape,
): number {
  const { exports } = memory;
  return alignUp(exports.treeSlotBytes(columns, mostRows, weights !== 0, hasCategories, entropy));
}

/** Prepares slots for their first trees. */
export function clearSlots(
  columns: TreeColumnsFields,
  target: TreeTargetFields,
  slots: TreeSlots,
  count: number,
): void {
  const { memory } = columns;
  using state = Arena.allocate(GROWER_BYTES, memory);
  const { pointer } = state.u8(GROWER_BYTES);
  for (let index = 0; index < count; index++) {
    placeSlot(pointer, columns, target, slots, index);
    memory.exports.treeClearSlot(pointer, columns.columns);
  }
}

/** Makes a slot the current one of a grower, given the address of its state. */
function placeSlot(
  state: number,
  { memory, columns, hasCategories }: TreeColumnsFields,
  { weights }: TreeTargetFields,
  { pointer, bytes: size, mostRows, entropy }: TreeSlots,
  index: number,
): void {
  const at = pointer + index * size;
  memory.exports.treePlaceSlot(state, at, columns, mostRows, weights !== 0, hasCategories, entropy);
}

/**
 * Grows trees on any thread, alone or together with other threads. Columns, target, arena and slots are in the same memory.
 *
 * Large trees consist of jobs, parts that depend only on the tree: any thread that takes a job grows the same nodes. See
 * `wasm/tree-jobs.ts`.
 */
export class TreeGrower {
  readonly #columns: TreeColumnsFields;
  readonly #target: TreeTargetFields;
  readonly #memory: WasmMemory;
  readonly #tree: number;
  readonly #slots: TreeSlots;

  /** Makes a grower for shared slots, which takes `growerLayout` from the arena. */
  constructor(columns: TreeColumnsFields, target: TreeTargetFields, arena: Arena, slots: TreeSlots) {
    if (target.rows !== columns.rows) {
      throw new VouchError("data/malformed", `There are ${columns.rows} rows but ${target.rows} labels.`);
    }
    if (columns.memory !== target.memory || columns.memory !== arena.memory) {
      throw new VouchError("memory/not-owned", "Columns, target and arena of a tree must be in one memory.");
    }
    this.#columns = columns;
    this.#target = target;
    this.#memory = columns.memory;
    const { state, scratch } = arena.take(growerLayout(columns, target));
    this.#tree = state.pointer;
    const { exports } = this.#memory;
    exports.treePlace(this.#tree, scratch.pointer, columns.columns, target.classes, target.weights !== 0);
    exports.treeSetSample(this.#tree, columns.table, columns.rows, target.labels, target.weights);
    this.#slots = slots;
  }

  /** Makes a grower with a slot of its own, which takes `loneGrowerLayout` from the arena. */
  static alone(columns: TreeColumnsFields, target: TreeTargetFields, arena: Arena): TreeGrower {
    const shape = { mostRows: columns.rows, entropy: true };
    const size = slotBytes(columns, target, shape);
    const { slot } = arena.take({ slot: bytes(size) });
    const grower = new TreeGrower(columns, target, arena, { ...shape, pointer: slot.pointer, bytes: size });
    grower.use(0);
    columns.memory.exports.treeClearSlot(grower.state, columns.columns);
    return grower;
  }

  /** Turns to a slot. */
  use(index: number): void {
    placeSlot(this.#tree, this.#columns, this.#target, this.#slots, index);
  }

  /** Grows a tree alone: the same for the same request on any thread. Yields every few milliseconds. */
  *grow(request: GrowRequest): Pausable<GrownTree> {
    this.use(0);
    this.setGrowth(request.growth);
    this.start(request);
    while (this.takeJob()) {
      while (!this.growSome()) yield;
      this.closeJob();
    }
    this.assemble();
    return { tree: this.#takeTree(), decreases: this.#decreases(), outOfBag: this.#outOfBag() };
  }

  /** Draws the rows of a tree. Its first job then waits in the slot. */
  start(request: GrowRequest): void {
    const { rows, seed } = request;
    const { exports } = this.#memory;
    this.#writeRows(rows);
    const random = new Random(seed);
    exports.treeSetRandom(this.#tree, random.bits(), random.bits(), random.bits(), random.bits());
    if (exports.treeStart(this.#tree, rows.length, this.#prepareDraws(request)) === 0) {
      throw new VouchError("data/malformed", "All rows to grow a tree on have weight zero.");
    }
  }

  /** Returns how many draws the kernel makes, 0 to take all rows. Draws without replacement are made here. */
  #prepareDraws({ rows: { length: rows }, bootstrap, seed, draws = rows }: GrowRequest): number {
    if (bootstrap) return Math.min(draws, rows);
    if (draws >= rows) return 0;
    markSample(draws, seed, this.#memory.u16(this.grown.drawn, rows));
    return GIVEN_DRAWS;
  }

  /** Takes a job of the slot, if one is waiting. */
  takeJob(): boolean {
    return this.#memory.exports.treeTakeJob(this.#tree) !== 0;
  }

  /** Grows a part of the job, for a millisecond or two; returns whether it is finished. */
  growSome(): boolean {
    return this.#memory.exports.treeGrow(this.#tree, CELLS_PER_STEP) !== 0;
  }

  /** Ends the job; returns whether all jobs of the tree have ended. */
  closeJob(): boolean {
    return this.#memory.exports.treeCloseJob(this.#tree) !== 0;
  }

  /** Joins the jobs of the tree, once all have ended. */
  assemble(): void {
    this.#memory.exports.treeAssemble(this.#tree);
  }

  /** Adds the decreases of impurity of the assembled tree to sums of i64, in units of 1 / `units`. */
  sumDecreases(sums: number, units: number): void {
    this.#memory.exports.treeSumDecreases(this.#tree, sums, units);
  }

  /** The address of the thread's state, for kernels that use the assembled tree. */
  get state(): number {
    return this.#tree;
  }

  /** The listed rows and the assembled tree: addresses and counts. */
  get grown(): GrownAddresses {
    const words = this.#memory.i32(this.#tree + GROWN_TREE + 8, 10);
    const [list, drawn, nodes, nodeCount, sets, setCount, leafClasses, leafShares, leafCount, decreases] =
      words;
    return { list, drawn, nodes, nodeCount, sets, setCount, leafClasses, leafShares, leafCount, decreases };
  }

  /** Moves the rows that the tree has not seen to the front of its list of rows; returns their number. */
  listOutOfBag(): number {
    return this.#memory.exports.treeOutOfBag(this.#tree);
  }

  /** Sets how trees grow: those that start, and those whose jobs are taken. */
  setGrowth(growth: TreeGrowth): void {
    const { criterion, splits, featuresPerSplit, maxDepth, minLeafRows, minSplitRows } =
      checkedGrowth(growth);
    this.#memory.exports.treeSetGrowth(
      this.#tree,
      criterion === "entropy",
      splits === "random",
      Math.min(featuresPerSplit, this.#columns.columns),
      maxDepth,
      minLeafRows,
      minSplitRows,
    );
  }

  #writeRows(rows: Int32Array): void {
    if (rows.length === 0) throw new VouchError("data/no-rows", "There are no rows to grow a tree on.");
    if (rows.length > this.#slots.mostRows) {
      throw new RangeError(
        `A tree on ${rows.length} rows does not fit in scratch for ${this.#slots.mostRows}.`,
      );
    }
    checkTreeRows(rows, this.#columns.rows);
    this.#memory.i32(this.grown.list, rows.length).set(rows);
  }

  /** Copies the assembled tree to an array: its nodes, sets, classes of leaves and shares of leaves. */
  copyTree(allocate: (length: number) => Int32Array) {
    const grown = this.grown;
    const { nodeCount: nodes, setCount: sets, leafCount: shares } = grown;
    const words = allocate(nodes * NODE_WORDS + sets * SET_WORDS + 2 * shares);
    let at = 0;
    for (const [pointer, length] of [
      [grown.nodes, nodes * NODE_WORDS],
      [grown.sets, sets * SET_WORDS],
      [grown.leafClasses, shares],
      [grown.leafShares, shares],
    ]) {
      if (length > 0) words.set(this.#memory.i32(pointer, length), at);
      at += length;
    }
    return { nodes, sets, shares, words };
  }

  #takeTree(): TreeSet {
    const grown = this.grown;
    const { nodeCount: nodes, setCount: sets, leafCount: shares } = grown;
    return new TreeSet({
      classes: this.#target.classes,
      columns: this.#columns.columns,
      nodes: this.#ints(grown.nodes, nodes * NODE_WORDS),
      nodeStarts: Int32Array.of(0, nodes),
      sets: this.#ints(grown.sets, sets * SET_WORDS),
      setStarts: Int32Array.of(0, sets),
      leafClasses: this.#ints(grown.leafClasses, shares),
      leafShares: this.#floats(grown.leafShares, shares),
      leafStarts: Int32Array.of(0, shares),
    });
  }

  #decreases(): Float64Array {
    const { memory, columns } = this.#columns;
    const [weight] = memory.f64(this.#tree + GROWN_TREE, 1);
    const decreases = memory.f64(this.grown.decreases, columns);
    return Float64Array.from(decreases, (decrease) => Math.max(0, decrease / weight));
  }

  #outOfBag(): Int32Array {
    return this.#ints(this.grown.list, this.listOutOfBag());
  }

  #ints(pointer: number, length: number): Int32Array {
    return this.#memory.i32(pointer, length).slice();
  }

  #floats(pointer: number, length: number): Float32Array {
    return this.#memory.f32(pointer, length).slice();
  }
}
