import type { BinnedColumns } from "../../encode/binned-columns.js";
import * as real from "../../runtime/maths/portable-math.js";
import { f64, i32, type Scope } from "../../runtime/wasm/arena.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import type { TreeColumns } from "../tree/tree-columns.js";

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

/** What threads share of boosted rows. Numbers without another description are addresses. */
export interface BoostedRowsFields {
  readonly columns: Pick<TreeColumns, "memory" | "rows" | "columns" | "table" | "cells">;
  /** Number of margins of a row: one for two classes, otherwise one for each class. */
  readonly outputs: number;
  /** The sum of the weights. */
  readonly weight: number;
  /** Units of a loss of 1. */
  readonly lossUnit: number;
  readonly weights: number;
  readonly labels: number;
  readonly margins: number;
  /** For several classes: ln Σ exp(margin) of each row. */
  readonly normalisers: number;
  /** The sum of the losses of each block of rows, an integer of 64 bits. */
  readonly losses: number;
}

/** Rows in WebAssembly memory: features, labels, weights and, for each output, the current margin of each row. */
export class BoostedRows {
  /** What the input of a task contains of the rows. */
  readonly fields: BoostedRowsFields;
  readonly memory: WasmMemory;
  readonly rows: number;
  readonly outputs: number;
  /** Number of rows with the padding, of weight 0, that makes it a multiple of eight. */
  readonly stride: number;

  constructor(fields: BoostedRowsFields) {
    this.fields = fields;
    this.memory = fields.columns.memory;
    this.rows = fields.columns.rows;
    this.outputs = fields.outputs;
    this.stride = paddedRows(this.rows);
  }

  /**
   * Copies labels and weights of rows to the memory of their columns. Each row starts with the margins `base`, one for each
   * output.
   */
  static allocate(
    columns: TreeColumns,
    bins: LabelledBins,
    base: Float64Array,
    scope: Scope,
    { weight, heaviest }: WholeWeights = weightsOfRows(bins),
  ): BoostedRows {
    const { labels, weights } = bins;
    const { memory } = columns;
    const stride = paddedRows(columns.rows);
    const arrays = scope.take(layoutOf(stride, base.length), memory);
    const padded = arrays.weights.view;
    if (weights) padded.set(weights);
    else padded.fill(1);
    padded.fill(0, columns.rows);
    arrays.labels.view.fill(0, columns.rows).set(labels);
    for (const [output, margin] of base.entries())
      arrays.margins.view.fill(margin, stride * output, stride * (output + 1));
    return new BoostedRows({
      columns,
      outputs: base.length,
      weight,
      lossUnit: LOSS_UNITS / 2 ** Math.ceil(real.log2(heaviest)),
      weights: arrays.weights.pointer,
      labels: arrays.labels.pointer,
      margins: arrays.margins.pointer,
      normalisers: arrays.normalisers.pointer,
      losses: arrays.losses.pointer,
    });
  }

  /** Returns the address of the margins of an output. */
  margins(output: number): number {
    return this.fields.margins + 8 * this.stride * output;
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
    const { stride, outputs } = this;
    const { labels, weights, normalisers, lossUnit, losses } = this.fields;
    const [begin, end] = this.blockRange(block);
    const loss = losses + 8 * block;
    const { exports } = this.memory;
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
    const words = this.memory.i32(this.fields.losses, 2 * this.blocks);
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
    return (high * 2 ** 32 + low) / this.fields.lossUnit / this.fields.weight;
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

function layoutOf(stride: number, outputs: number) {
  return {
    weights: f64(stride),
    normalisers: f64(outputs > 1 ? stride : 0),
    margins: f64(stride * outputs),
    labels: i32(stride),
    losses: f64(blocksOf(stride)),
  };
}

function paddedRows(rows: number): number {
  return Math.ceil(rows / 8) * 8;
}

function blocksOf(rows: number): number {
  return Math.ceil(rows / ROWS_PER_BLOCK);
}
