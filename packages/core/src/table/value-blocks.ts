import { VouchError } from "../runtime/vouch-error.js";
import type { NumericColumn } from "./column.js";
import { cellAt, type ReadableCells, SelectedValues } from "./selected-values.js";
import { SparseValues } from "./sparse-cells.js";

/** Number of rows to convert at a time: 64 KiB of doubles stay in the cache. */
export const BLOCK_ROWS = 8192;

/**
 * Returns the values in [start, end) as doubles, so that hot loops see one type of array and stay fast. Doubles are
 * viewed; other types, sparse values and selected rows are converted into the scratch array.
 */
export function doublesOf(
  values: ReadableCells,
  start: number,
  end: number,
  scratch: Float64Array,
): Float64Array {
  if (values instanceof Float64Array) return values.subarray(start, end);
  if (values instanceof SparseValues || values instanceof SelectedValues) {
    values.write(start, end, scratch);
    return scratch.subarray(0, end - start);
  }
  scratch.set(values.subarray(start, end));
  return scratch.subarray(0, end - start);
}

/** Calls `visit` with each block of doubles and its first row. */
export function forEachBlock(
  values: ReadableCells,
  visit: (block: Float64Array, start: number) => void,
): void {
  const scratch = new Float64Array(values instanceof Float64Array ? 0 : Math.min(BLOCK_ROWS, values.length));
  for (let start = 0; start < values.length; start += BLOCK_ROWS) {
    visit(doublesOf(values, start, Math.min(start + BLOCK_ROWS, values.length), scratch), start);
  }
}

/** A named column of numbers, or some rows of one. */
export interface ReadableColumn {
  readonly name: string;
  readonly values: ReadableCells;
}

/** Makes the error of an infinite cell. */
export function notFinite(table: string, { name, values }: ReadableColumn, row: number): VouchError {
  return new VouchError(
    "data/not-finite",
    `${table}, row ${row + 1}, column "${name}": ${cellAt(values, row)} is not a finite number.`,
    { hint: "Correct the cell, or leave it empty if the value is unknown." },
  );
}

/** Smallest and largest present value, and number of missing cells. */
export interface ValueRange {
  readonly missing: number;
  /** Infinity if all cells are missing. */
  readonly min: number;
  /** −Infinity if all cells are missing. */
  readonly max: number;
}

/** Finds the range of a column. Throws on an infinite cell. */
export function rangeOf(table: string, column: NumericColumn): ValueRange {
  const { infinite, ...range } = rangeOfCells(column.values);
  if (infinite !== undefined) throw notFinite(table, column, infinite);
  return range;
}

/** The range of cells, or the first row with an infinite one, in which case the range is unknown. */
export interface CheckedRange extends ValueRange {
  readonly infinite?: number;
}

/** Finds the range of cells, or an infinite one. */
export function rangeOfCells(values: ReadableCells): CheckedRange {
  if (values instanceof SparseValues) return sparseRange(values);
  const scratch = new Float64Array(values instanceof Float64Array ? 0 : Math.min(BLOCK_ROWS, values.length));
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let missing = 0;
  for (let start = 0; start < values.length; start += BLOCK_ROWS) {
    const block = doublesOf(values, start, Math.min(start + BLOCK_ROWS, values.length), scratch);
    const range = rangeOfBlock(block);
    if (range.min === Number.NEGATIVE_INFINITY || range.max === Number.POSITIVE_INFINITY) {
      const row = block.findIndex((value) => Math.abs(value) === Number.POSITIVE_INFINITY);
      return { ...range, infinite: start + row };
    }
    if (range.min < min) min = range.min;
    if (range.max > max) max = range.max;
    missing += range.missing;
  }
  // Adding 0 turns −0 into 0, whichever came first.
  return { missing, min: min + 0, max: max + 0 };
}

/** Finds the range of the stored cells, and of 0 if there are others. */
function sparseRange(values: SparseValues): CheckedRange {
  const { rows, first, last } = values;
  const { min, max, missing } = rangeOfBlock(values.values.subarray(first, last));
  if (min === Number.NEGATIVE_INFINITY || max === Number.POSITIVE_INFINITY) {
    const infinite = rows
      .subarray(first, last)
      .find((row) => Math.abs(values.at(row)) === Number.POSITIVE_INFINITY);
    if (infinite !== undefined) return { min, max, missing, infinite };
  }
  if (values.entries === values.length) return { missing, min: min + 0, max: max + 0 };
  return { missing, min: Math.min(min, 0) + 0, max: Math.max(max, 0) + 0 };
}

function rangeOfBlock(block: Float64Array): ValueRange {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let missing = 0;
  for (let i = 0; i < block.length; i++) {
    const value = block[i];
    if (value < min) min = value;
    if (value > max) max = value;
    if (Number.isNaN(value)) missing++;
  }
  return { missing, min, max };
}

/** Counts the cells that are 0. */
export function countZeros(values: ReadableCells): number {
  if (values instanceof SparseValues) {
    const { first, last, length } = values;
    let others = 0;
    for (let e = first; e < last; e++) if (values.values[e] !== 0) others++;
    return length - others;
  }
  let zeros = 0;
  forEachBlock(values, (block) => {
    for (let i = 0; i < block.length; i++) if (block[i] === 0) zeros++;
  });
  return zeros;
}
