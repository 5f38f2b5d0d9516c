import type { BinnedColumns } from "../../encode/binned-columns.js";
import { type Block, type KernelMemory, kernelMemory } from "../../runtime/memory.js";
import { TreeColumns, type TreeColumnsDescriptor } from "../tree/tree-columns.js";

/** Rows whose losses are added up together, so that sums do not depend on the number of threads. */
const ROWS_PER_BLOCK = 4096;

/** Rows to boost on, or held-out rows. */
export interface LabelledBins {
  readonly features: BinnedColumns;
  readonly labels: Int32Array;
  /** Undefined if all rows have weight 1. */
  readonly weights: Float64Array | undefined;
}

/** Boosted rows as they are sent to another thread: structured-cloneable. */
export interface BoostedRowsDescriptor {
  readonly columns: TreeColumnsDescriptor;
  readonly pointer: number;
  readonly outputs: number;
  readonly weight: number;
}

/**
 * Rows in kernel memory: features, labels, weights and, for each output, the current margin of each row. There is one output
 * for two classes, otherwise one for each class. The owner releases them.
 */
export class BoostedRows {
  readonly memory: KernelMemory;
  readonly columns: TreeColumns;
  readonly outputs: number;
  /** The sum of the weights. */
  readonly weight: number;
  readonly rows: number;
  /** Number of rows with the padding, of weight 0, that makes it a multiple of eight. */
  readonly stride: number;
  readonly labels: number;
  readonly weights: number;
  /** For several classes: ln Σ exp(margin) of each row. */
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
    this.#margins = this.normalisers + (outputs > 1 ? 8 * stride : 0);
    this.labels = this.#margins + 8 * stride * outputs;
    this.losses = this.labels + 4 * stride;
    this.#pointer = pointer;
    this.#block = block;
  }

  /** Copies rows to kernel memory. Each starts with the margins `base`, one for each output. */
  static of(
    { features, labels, weights }: LabelledBins,
    base: Float64Array,
    memory = kernelMemory(),
  ): BoostedRows {
    const columns = TreeColumns.of(features, memory);
    try {
      const stride = paddedRows(features.rows);
      const doubles = base.length > 1 ? 2 + base.length : 2;
      const block = memory.allocate((8 * doubles + 4) * stride + 8 * blocksOf(stride));
      const weight = weights ? weights.reduce((sum, each) => sum + each, 0) : features.rows;
      const rows = new BoostedRows(columns, { pointer: block.pointer, outputs: base.length, weight }, block);
      const padded = memory.f64(rows.weights, stride);
      if (weights) padded.set(weights);
      else padded.fill(1);
      padded.fill(0, features.rows);
      memory.i32(rows.labels, stride).fill(0, features.rows).set(labels);
      for (const [output, margin] of base.entries()) memory.f64(rows.margins(output), stride).fill(margin);
      return rows;
    } catch (error) {
      columns.release();
      throw error;
    }
  }

  /** Describes the rows for another thread to attach. */
  descriptor(): BoostedRowsDescriptor {
    const { columns, outputs, weight } = this;
    return { columns: columns.descriptor(), pointer: this.#pointer, outputs, weight };
  }

  /** Attaches to rows that another thread, or this one, has laid out. */
  static attach({ columns, ...parts }: BoostedRowsDescriptor): BoostedRows {
    return new BoostedRows(TreeColumns.attach(columns), parts);
  }

  /** Releases the memory, if this object has allocated it. */
  release(): void {
    if (!this.#block) return;
    this.memory.release(this.#block);
    this.columns.release();
  }

  /** Returns the address of the margins of an output. */
  margins(output: number): number {
    return this.#margins + 8 * this.stride * output;
  }

  /** Where the cells of rows are: always known unless columns were appended. */
  get cells(): NonNullable<TreeColumns["cells"]> {
    const { cells } = this.columns;
    if (!cells) throw new TypeError("The cells of boosted rows are in several places.");
    return cells;
  }

  get blocks(): number {
    return blocksOf(this.rows);
  }

  /** Returns the rows of a block, padding included. */
  blockRange(block: number): readonly [begin: number, end: number] {
    const end = Math.min(this.stride, (block + 1) * ROWS_PER_BLOCK);
    return [block * ROWS_PER_BLOCK, end];
  }

  /** Computes the loss of a block of rows; for two classes also gradients, if there is an address for them. */
  measureBlock(block: number, gradients = 0, unit = 1): void {
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

  /** The mean loss, once all blocks are measured. */
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
