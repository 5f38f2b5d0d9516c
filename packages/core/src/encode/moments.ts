import * as real from "../runtime/maths/portable-math.js";
import { inParallel, type Pausable } from "../runtime/parallel/pausable.js";
import { definePureTask } from "../runtime/parallel/task.js";
import type { NumericColumn } from "../table/column.js";
import {
  type CellSource,
  cellsFrom,
  numberSource,
  sharedSource,
  sourceLength,
} from "../table/column-cells.js";
import type { ReadableCells } from "../table/selected-values.js";
import { SparseValues } from "../table/sparse-cells.js";
import {
  BLOCK_ROWS,
  type CheckedRange,
  countZeros,
  forEachBlock,
  rangeOfCells,
  type ValueRange,
} from "../table/value-blocks.js";

/** Mean and standard deviation of `scale · x` over the present cells x of a column. */
export interface Moments {
  /** A power of two; 1 unless squares of the values would overflow or underflow. */
  readonly scale: number;
  readonly mean: number;
  /** With n in the denominator; positive. */
  readonly deviation: number;
}

/**
 * Computes mean and deviation in two passes about the middle of the range, so that neither a large offset nor extreme values lose
 * precision. Sparse values give the same bits as the same cells in an array.
 */
export function momentsOf(values: ReadableCells, { min, max, missing }: ValueRange): Moments {
  const scale = safeScale(Math.max(Math.abs(min), Math.abs(max)));
  const present = values.length - missing;
  const middle = (min * scale) / 2 + (max * scale) / 2;
  const mean = middle + total(values, sumAbout, scale, middle) / present;
  return { scale, mean, deviation: Math.sqrt(total(values, squaresAbout, scale, mean) / present) };
}

/** The range of a column; if it varies, also its moments and the number of cells that are 0. */
export interface ColumnMoments {
  readonly range: CheckedRange;
  readonly varying?: { readonly moments: Moments; readonly zeros: number };
}

/** Milliseconds that the moments of a cell take, about. */
const MILLISECONDS_PER_CELL = 1e-5;

/** Computes the moments of columns, on threads if there are many cells. */
export function* momentsOfColumns(columns: readonly NumericColumn[]): Pausable<ColumnMoments[]> {
  const sources = columns.map((column) => numberSource(column));
  const dense = sources.flatMap((source) => source ?? []);
  const cells = dense.reduce((sum, source) => sum + sourceLength(source), 0);
  const found = yield* inParallel(momentsTask, dense, {
    milliseconds: cells * MILLISECONDS_PER_CELL,
    share: sharedSource,
  });
  const moments: ColumnMoments[] = [];
  let next = 0;
  for (const [j, source] of sources.entries()) {
    moments.push(source ? found[next++] : columnMoments(columns[j].values));
    if (!source) yield;
  }
  return moments;
}

const momentsTask = definePureTask("encode/moments", (source: CellSource) =>
  columnMoments(cellsFrom(source)),
);

function columnMoments(values: ReadableCells): ColumnMoments {
  const range = rangeOfCells(values);
  if (range.infinite !== undefined || !(range.min < range.max)) return { range };
  return { range, varying: { moments: momentsOf(values, range), zeros: countZeros(values) } };
}

/** Returns 1 if squares of values up to `largest` are safe, otherwise the power of two that scales it near 1. */
function safeScale(largest: number): number {
  const exponent = Math.floor(real.log2(largest));
  return Math.abs(exponent) < 400 ? 1 : 2 ** -Math.max(-1000, Math.min(1000, exponent));
}

/** Adds a function of `scale · x − centre` over the present cells of a block to a sum. */
type AddBlock = (sum: number, block: Float64Array, scale: number, centre: number) => number;

function total(values: ReadableCells, add: AddBlock, scale: number, centre: number): number {
  if (values instanceof SparseValues) return sparseTotal(values, add, scale, centre);
  let sum = 0;
  forEachBlock(values, (block) => {
    sum += add(0, block, scale, centre);
  });
  return sum;
}

function sumAbout(start: number, block: Float64Array, scale: number, centre: number): number {
  let sum = start;
  for (let i = 0; i < block.length; i++) {
    const difference = block[i] * scale - centre;
    if (!Number.isNaN(difference)) sum += difference;
  }
  return sum;
}

function squaresAbout(start: number, block: Float64Array, scale: number, centre: number): number {
  let sum = start;
  for (let i = 0; i < block.length; i++) {
    const difference = block[i] * scale - centre;
    if (!Number.isNaN(difference)) sum += difference * difference;
  }
  return sum;
}

/** Sums sparse values block by block, in the order of the rows, with each run of zeros at once. */
function sparseTotal(values: SparseValues, add: AddBlock, scale: number, centre: number): number {
  const { rows, values: cells, last, length } = values;
  const ofZero = add(0, Float64Array.of(0), scale, centre);
  const cell = new Float64Array(1);
  let sum = 0;
  let entry = values.first;
  for (let start = 0; start < length; start += BLOCK_ROWS) {
    const end = Math.min(start + BLOCK_ROWS, length);
    let row = start;
    let ofBlock = 0;
    for (; entry < last && rows[entry] < end; entry++) {
      cell[0] = cells[entry];
      ofBlock = add(addRepeatedly(ofBlock, ofZero, rows[entry] - row), cell, scale, centre);
      row = rows[entry] + 1;
    }
    sum += addRepeatedly(ofBlock, ofZero, end - row);
  }
  return sum;
}

/** Fewer additions are done one by one. */
const MIN_REPEATS = 8;

/**
 * Adds a term to a sum a number of times, one after the other, with the same roundings but in few steps. While the sum stays
 * between two powers of two, its last place has the same value, so that each addition changes it by the same amount. Ties are the
 * exception: they are rounded to an even last place, and alike from then on, so two equal changes must come first.
 */
export function addRepeatedly(start: number, term: number, times: number): number {
  let sum = start;
  for (let left = times; left > 0; left--) {
    const next = sum + term;
    if (next === sum) return sum;
    const change = next - sum;
    sum = next;
    if (left < MIN_REPEATS || sum + term - sum !== change) continue;
    const steps = Math.min(left - 1, stepsBetweenPowers(sum, change));
    sum += steps * change;
    left -= steps;
  }
  return sum;
}

/** Counts the steps of this size that surely leave a number between the powers of two around it. */
function stepsBetweenPowers(from: number, step: number): number {
  const size = Math.abs(from);
  let power = 2 ** Math.floor(real.log2(size));
  // Logarithms are rounded.
  if (power > size) power /= 2;
  if (2 * power <= size) power *= 2;
  const room = from > 0 === step > 0 ? 2 * power - size : size - power;
  return Math.max(0, Math.floor(room / Math.abs(step)) - 2);
}
