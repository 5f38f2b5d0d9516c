import { VouchError } from "../error.js";
import type { Arena } from "../numeric/arena.js";
import { ALIGNMENT } from "../numeric/heap.js";
import type { KernelMemory } from "../numeric/memory.js";
import { Random } from "../numeric/random.js";
import { NODE_WORDS, SET_WORDS } from "../numeric/tree-kernels.js";
import type { Steps } from "../parallel/steps.js";
import { checkRows } from "./check-rows.js";
import { checkedGrowth, type Growth } from "./growth.js";
import type { TreeColumns } from "./tree-columns.js";
import { TreeSet } from "./tree-set.js";
import type { TreeTarget } from "./tree-target.js";

/** The tree to grow: it depends on these, on columns and target, and on nothing else. */
export interface GrowRequest {
  readonly growth: Growth;
  /** Rows to grow on, such as the training rows of a fold: different ones, in any order. */
  readonly rows: Int32Array;
  /** Whether to draw as many rows from these, with replacement. */
  readonly bootstrap: boolean;
  readonly seed: number;
}

/** A tree and what was learned about it while it grew. */
export interface GrownTree {
  /** A set of this one tree. */
  readonly tree: TreeSet;
  /**
   * For each column by how much its splits have decreased the impurity: the sum of (weight of the node) · (impurity) −
   * the same of its children, divided by the weight of the root. Gini index, or entropy in nats.
   */
  readonly decreases: Float64Array;
  /** The rows that bootstrap did not draw, ascending as in the request; none without bootstrap. */
  readonly outOfBag: Int32Array;
}

/** So many cells are looked at between two steps: a millisecond or two. */
const CELLS_PER_STEP = 1 << 20;

/** Grows trees, one after the other, on any thread: the columns, the target and the arena are in the same memory. */
export class TreeGrower {
  readonly #columns: TreeColumns;
  readonly #target: TreeTarget;
  readonly #memory: KernelMemory;
  readonly #tree: number;
  readonly #mostRows: number;

  /** `arena` has room for `TreeGrower.bytes`; no tree will be grown on more than `mostRows` rows. */
  constructor(columns: TreeColumns, target: TreeTarget, arena: Arena, mostRows = columns.rows) {
    if (target.rows !== columns.rows) {
      throw new VouchError("data/malformed", `There are ${columns.rows} rows but ${target.rows} labels.`);
    }
    if (columns.memory !== target.memory || columns.memory !== arena.memory) {
      throw new VouchError("memory/not-owned", "Columns, target and scratch of trees are not in one memory.");
    }
    this.#columns = columns;
    this.#target = target;
    this.#memory = columns.memory;
    this.#mostRows = mostRows;
    const { kernels } = this.#memory;
    const shape = shapeOf(columns, target, mostRows);
    this.#tree = arena.u8(kernels.treeStateBytes()).pointer;
    const parts = arena.u8(kernels.treePlace(this.#tree, 0, ...shape));
    kernels.treePlace(this.#tree, parts.pointer, ...shape);
    kernels.treeSetSample(this.#tree, columns.table, columns.rows, target.labels, target.weights);
  }

  /** Bytes that a grower takes from an arena; to be asked on the thread that owns the memory. */
  static bytes(columns: TreeColumns, target: TreeTarget, mostRows = columns.rows): number {
    const { memory } = columns;
    const state = memory.allocate(memory.kernels.treeStateBytes());
    const parts = memory.kernels.treePlace(state.pointer, 0, ...shapeOf(columns, target, mostRows));
    memory.release(state);
    return state.bytes + ALIGNMENT + parts;
  }

  /** Grows a tree, the same for the same request on any thread. Yields every few milliseconds. */
  *grow({ growth, rows, bootstrap, seed }: GrowRequest): Steps<GrownTree> {
    const { kernels } = this.#memory;
    this.#setGrowth(growth);
    this.#writeRows(rows);
    const random = new Random(seed);
    const state = [random.bits(), random.bits(), random.bits(), random.bits()] as const;
    const started = kernels.treeStart(this.#tree, rows.length, bootstrap, ...state);
    if (started === 0) {
      throw new VouchError("data/malformed", "All rows that a tree would grow on have weight zero.");
    }
    while (kernels.treeGrow(this.#tree, CELLS_PER_STEP) === 0) yield;
    return { tree: this.#takeTree(), decreases: this.#decreases(), outOfBag: this.#outOfBag(bootstrap) };
  }

  #setGrowth(growth: Growth): void {
    const { criterion, splits, featuresPerSplit, maxDepth, minLeafRows, minSplitRows } =
      checkedGrowth(growth);
    this.#memory.kernels.treeSetGrowth(
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
    if (rows.length > this.#mostRows) {
      throw new RangeError(`A tree on ${rows.length} rows does not fit in scratch for ${this.#mostRows}.`);
    }
    checkRows(rows, this.#columns.rows);
    this.#memory.i32(this.#memory.kernels.treeRowList(this.#tree), rows.length).set(rows);
  }

  #takeTree(): TreeSet {
    const { kernels } = this.#memory;
    const nodes = kernels.treeNodeCount(this.#tree);
    const sets = kernels.treeSetCount(this.#tree);
    const shares = kernels.treeLeafCount(this.#tree);
    return new TreeSet({
      classes: this.#target.classes,
      columns: this.#columns.columns,
      nodes: this.#ints(kernels.treeNodes(this.#tree), nodes * NODE_WORDS),
      nodeStarts: Int32Array.of(0, nodes),
      sets: this.#ints(kernels.treeSets(this.#tree), sets * SET_WORDS),
      setStarts: Int32Array.of(0, sets),
      leafClasses: this.#ints(kernels.treeLeafClasses(this.#tree), shares),
      leafShares: this.#floats(kernels.treeLeafShares(this.#tree), shares),
      leafStarts: Int32Array.of(0, shares),
    });
  }

  #decreases(): Float64Array {
    const { memory, columns } = this.#columns;
    const weight = memory.kernels.treeRootWeight(this.#tree);
    const decreases = memory.f64(memory.kernels.treeDecreases(this.#tree), columns);
    return Float64Array.from(decreases, (decrease) => Math.max(0, decrease / weight));
  }

  #outOfBag(bootstrap: boolean): Int32Array {
    if (!bootstrap) return new Int32Array(0);
    const { kernels } = this.#memory;
    const list = kernels.treeRowList(this.#tree);
    const count = kernels.treeOutOfBag(this.#tree);
    return this.#ints(list, count);
  }

  #ints(pointer: number, length: number): Int32Array {
    return this.#memory.i32(pointer, length).slice();
  }

  #floats(pointer: number, length: number): Float32Array {
    return this.#memory.f32(pointer, length).slice();
  }
}

/** The numbers that the parts of a growing tree depend on. */
function shapeOf(columns: TreeColumns, target: TreeTarget, mostRows: number) {
  return [columns.columns, target.classes, mostRows, target.weights !== 0] as const;
}
