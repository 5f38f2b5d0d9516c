import type { BinnedColumns } from "../../encode/binned-columns.js";
import { Matrix } from "../../runtime/matrix.js";
import { type Block, type KernelMemory, kernelMemory } from "../../runtime/memory.js";
import { TreeColumns, type TreeColumnsDescriptor } from "../tree/tree-columns.js";

/** Rows whose losses are added up together: sums are the same for any number of threads. */
const ROWS_PER_BLOCK = 4096;

/** Rows that trees are boosted on, or only judged on. */
export interface LabelledBins {
  readonly features: BinnedColumns;
  readonly labels: Int32Array;
  readonly weights: Float64Array;
}

/** Boosted rows as they are sent to another thread: structured-cloneable. */
export interface BoostedRowsDescriptor {
  readonly columns: TreeColumnsDescriptor;
  readonly pointer: number;
  readonly outputs: number;
  readonly weight: number;
}

/**
 * Rows in kernel memory with what trees learn from, and what they have learned so far: for each output, of which there
 * is one for two classes and otherwise one for each class, the margin of each row. The owner releases them.
 */
export class BoostedRows {
  readonly memory: KernelMemory;
  readonly columns: TreeColumns;
  readonly outputs: number;
  /** The sum of the weights. */
  readonly weight: number;
  readonly rows: number;
  /** Rows with those of weight 0 that make their number even, at the least. */
  readonly stride: number;
  readonly labels: number;
  readonly weights: number;
  /** For several classes the logarithms of the sums of the exponentials of the margins. */
  readonly normalisers: number;
  /** The sum of the losses of each block of rows. */
  readonly losses: number;
  readonly #pointer: number;
  readonly #margins: number;
  readonly #block: Block | undefined;

  private constructor(columns: TreeColumns, parts: Omit<BoostedRowsDescriptor, "columns">, block?: Block) {
    const { pointer, outputs, weight } = parts;
    const stride = paddedRows(columns.rows);
    this.memory = columns.memory;
    this.columns = columns;
    this.outputs = outputs;
    this.weight = weight;
    this.rows = columns.rows;
    this.stride = stride;
    this.weights = pointer;
    this.normalisers = this.weights + 8 * stride;
    this.#margins = this.normalisers + 8 * stride;
    this.labels = this.#margins + 8 * stride * outputs;
    this.losses = this.labels + 4 * stride;
    this.#pointer = pointer;
    this.#block = block;
  }

  /** A copy of rows in kernel memory; each begins with the margins `base`, one for each output. */
  static of(
    { features, labels, weights }: LabelledBins,
    base: Float64Array,
    memory = kernelMemory(),
  ): BoostedRows {
    const columns = TreeColumns.of(features, memory);
    try {
      const stride = paddedRows(features.rows);
      const block = memory.allocate(8 * stride * (2 + base.length) + 4 * stride + 8 * blocksOf(stride));
      const weight = weights.reduce((sum, each) => sum + each, 0);
      const rows = new BoostedRows(columns, { pointer: block.pointer, outputs: base.length, weight }, block);
      memory.f64(rows.weights, stride).fill(0).set(weights);
      memory.i32(rows.labels, stride).fill(0).set(labels);
      for (const [output, margin] of base.entries()) memory.f64(rows.margins(output), stride).fill(margin);
      return rows;
    } catch (error) {
      columns.release();
      throw error;
    }
  }

  /** What another thread needs to attach the rows. */
  descriptor(): BoostedRowsDescriptor {
    const { columns, outputs, weight } = this;
    return { columns: columns.descriptor(), pointer: this.#pointer, outputs, weight };
  }

  /** The rows that another thread, or this one, has laid out. */
  static attach({ columns, ...parts }: BoostedRowsDescriptor): BoostedRows {
    return new BoostedRows(TreeColumns.attach(columns), parts);
  }

  /** Gives the memory back, if this object has allocated it. */
  release(): void {
    if (!this.#block) return;
    this.memory.release(this.#block);
    this.columns.release();
  }

  /** The address of the margins of an output. */
  margins(output: number): number {
    return this.#margins + 8 * this.stride * output;
  }

  /** Where the cells of rows are: always known of columns that nothing was put behind. */
  get cells(): NonNullable<TreeColumns["cells"]> {
    const { cells } = this.columns;
    if (!cells) throw new TypeError("The cells of boosted rows are in several places.");
    return cells;
  }

  /** How many blocks the rows are divided into. */
  get blocks(): number {
    return blocksOf(this.rows);
  }

  /** The rows of a block, an even number. */
  blockRange(block: number): readonly [begin: number, end: number] {
    const end = Math.min(this.stride, (block + 1) * ROWS_PER_BLOCK);
    return [block * ROWS_PER_BLOCK, end];
  }

  /** The losses of a block of rows are found and noted; gradients, too, for two classes and with an address for them. */
  judgeBlock(block: number, gradients = 0, unit = 1): void {
    const { memory, labels, weights, stride, outputs, normalisers } = this;
    const [begin, end] = this.blockRange(block);
    const { kernels } = memory;
    const loss =
      outputs === 1
        ? kernels.boostedLogistic(this.margins(0), labels, weights, begin, end, gradients, unit)
        : kernels.boostedNormalise(
            this.margins(0),
            stride,
            outputs,
            labels,
            weights,
            begin,
            end,
            normalisers,
          );
    memory.f64(this.losses, this.blocks)[block] = loss;
  }

  /** The mean loss, once all blocks are judged. */
  get loss(): number {
    const losses = this.memory.f64(this.losses, this.blocks);
    return losses.reduce((sum, loss) => sum + loss, 0) / this.weight;
  }
}

function paddedRows(rows: number): number {
  return Math.ceil(rows / 8) * 8;
}

function blocksOf(rows: number): number {
  return Math.ceil(rows / ROWS_PER_BLOCK);
}

/**
 * Probabilities of the classes from what the trees have added to the margins to begin with, row after row. Two classes
 * have one margin F, and p = 1 / (1 + exp(−F)) is the probability of the second; of several, exp(F_k) / Σ exp(F_j).
 */
export function probabilitiesOf(sums: Float32Array, base: Float64Array): Matrix {
  return base.length === 1 ? ofTwo(sums, base[0]) : ofSeveral(sums, base);
}

function ofTwo(sums: Float32Array, base: number): Matrix {
  const values = new Float64Array(2 * sums.length);
  for (let i = 0; i < sums.length; i++) {
    const margin = base + sums[i];
    // From the smaller of the two: neither overflows nor loses digits.
    const smaller = Math.exp(-Math.abs(margin));
    const share = smaller / (1 + smaller);
    values[2 * i] = margin > 0 ? share : 1 - share;
    values[2 * i + 1] = margin > 0 ? 1 - share : share;
  }
  return new Matrix(sums.length, 2, values);
}

function ofSeveral(sums: Float32Array, base: Float64Array): Matrix {
  const classes = base.length;
  const values = Float64Array.from(sums, (sum, k) => base[k % classes] + sum);
  for (let from = 0; from < values.length; from += classes) {
    const margins = values.subarray(from, from + classes);
    const most = margins.reduce((high, margin) => Math.max(high, margin), -Infinity);
    let total = 0;
    for (let k = 0; k < classes; k++) total += margins[k] = Math.exp(margins[k] - most);
    for (let k = 0; k < classes; k++) margins[k] /= total;
  }
  return new Matrix(sums.length / classes, classes, values);
}
