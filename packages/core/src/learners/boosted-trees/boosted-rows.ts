import type { BinnedColumns } from "../../encode/binned-columns.js";
import * as real from "../../runtime/maths/portable-math.js";
import { type Block, type WasmMemory, wasmMemory } from "../../runtime/wasm/wasm-memory.js";
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

/** Facts of all rows, if these are a shard of them. */
export interface WholeWeights {
  /** The sum of the weights. */
  readonly weight: number;
  readonly heaviest: number;
}

/** Finds the sum of the weights and the largest one. */
export function weightsOfRows({ features, weights }: LabelledBins): WholeWeights {
  if (!weights) return { weight: features.rows, heaviest: 1 };
  return {
    weight: weights.reduce((sum, each) => sum + each, 0),
    heaviest: weights.reduce((most, each) => Math.max(most, each), 0),
  };
}

/** The units of a loss of 1 of the heaviest row: about as fine as those of gradients. */
const LOSS_UNITS = 2 ** 31;

/** A sum of losses in units, as the high and the low 32 bits of an integer: exact for any number of rows. */
export interface LossSum {
  readonly high: number;
  readonly low: number;
}

/** Boosted rows as they are sent to another thread: structured-cloneable. */
export interface BoostedRowsDescriptor {
  readonly columns: TreeColumnsDescriptor;
  readonly pointer: number;
  readonly outputs: number;
  readonly weight: number;
  readonly lossUnit: number;
}

/**
 * Rows in WebAssembly memory: features, labels, weights and, for each output, the current margin of each row. There is one output
 * for two classes, otherwise one for each class. The owner releases them.
 */
export class BoostedRows {
  readonly memory: WasmMemory;
  readonly columns: TreeColumns;
  readonly outputs: number;
  /** The sum of the weights. */
  readonly weight: number;
  /** Units of a loss of 1. */
  readonly lossUnit: number;
  readonly rows: number;
  /** Number of rows with the padding, of weight 0, that makes it a multiple of eight. */
  readonly stride: number;
  readonly labels: number;
  readonly weights: number;
  /** For several classes: ln Σ exp(margin) of each row. */
  readonly normalisers: number;
  /** The sum of the losses of each block of rows, an integer of 64 bits. */
  readonly losses: number;
  readonly #pointer: number;
  readonly #margins: number;
  readonly #block: Block | undefined;

  private constructor(columns: TreeColumns, parts: Omit<BoostedRowsDescriptor, "columns">, block?: Block) {
    const { pointer, outputs, weight, lossUnit } = parts;
    const stride = paddedRows(columns.rows);
    this.memory = columns.memory;
    this.columns = columns;
    this.outputs = outputs;
    this.weight = weight;
    this.lossUnit = lossUnit;
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

  /** Copies rows to WebAssembly memory. Each starts with the margins `base`, one for each output. */
  static of(
    bins: LabelledBins,
    base: Float64Array,
    { weight, heaviest }: WholeWeights = weightsOfRows(bins),
    memory = wasmMemory(),
  ): BoostedRows {
    const { features, labels, weights } = bins;
    const columns = TreeColumns.of(features, memory);
    try {
      const stride = paddedRows(features.rows);
      const doubles = base.length > 1 ? 2 + base.length : 2;
      const block = memory.allocate((8 * doubles + 4) * stride + 8 * blocksOf(stride));
      const lossUnit = LOSS_UNITS / 2 ** Math.ceil(real.log2(heaviest));
      const parts = { pointer: block.pointer, outputs: base.length, weight, lossUnit };
      const rows = new BoostedRows(columns, parts, block);
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
    const { columns, outputs, weight, lossUnit } = this;
    return { columns: columns.descriptor(), pointer: this.#pointer, outputs, weight, lossUnit };
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
    const { memory, labels, weights, stride, outputs, normalisers, lossUnit } = this;
    const [begin, end] = this.blockRange(block);
    const loss = this.losses + 8 * block;
    const { exports } = memory;
    const margins = this.margins(0);
    if (outputs === 1) {
      exports.boostedLogistic(margins, labels, weights, begin, end, gradients, unit, lossUnit, loss);
      return;
    }
    exports.boostedNormalise(
      ...([margins, stride, outputs, labels, weights, begin, end, normalisers, lossUnit, loss] as const),
    );
  }

  /** The sum of the losses, once all blocks are measured. */
  get lossSum(): LossSum {
    const words = this.memory.i32(this.losses, 2 * this.blocks);
    const sums = Array.from({ length: this.blocks }, (_, block) => ({
      low: words[2 * block] >>> 0,
      high: words[2 * block + 1],
    }));
    return sumOfLosses(sums);
  }

  /** The mean loss, once all blocks are measured. */
  get loss(): number {
    return this.meanLoss(this.lossSum);
  }

  /** Turns the sum of the losses of all rows into their mean. */
  meanLoss({ high, low }: LossSum): number {
    return (high * 2 ** 32 + low) / this.lossUnit / this.weight;
  }
}

/** Adds up sums of losses; the result does not depend on their order. */
export function sumOfLosses(sums: readonly LossSum[]): LossSum {
  let [high, low] = [0, 0];
  for (const sum of sums) {
    high += sum.high;
    low += sum.low;
  }
  const carried = Math.floor(low / 2 ** 32);
  return { high: high + carried, low: low - carried * 2 ** 32 };
}

function paddedRows(rows: number): number {
  return Math.ceil(rows / 8) * 8;
}

function blocksOf(rows: number): number {
  return Math.ceil(rows / ROWS_PER_BLOCK);
}
