import { VouchError } from "../runtime/vouch-error.js";
import type { NumericColumn, NumericValues } from "./column.js";

/** Rows that are converted at a time: 64 KiB of doubles stay in the cache. */
const BLOCK_ROWS = 8192;

/**
 * Returns the values in [start, end) as doubles, so that hot loops see one type of array and stay fast. Doubles are viewed, other
 * types are converted into the scratch array.
 */
export function doublesOf(
  values: NumericValues,
  start: number,
  end: number,
  scratch: Float64Array,
): Float64Array {
  if (values instanceof Float64Array) return values.subarray(start, end);
  scratch.set(values.subarray(start, end));
  return scratch.subarray(0, end - start);
}

/** Calls `visit` with each block of doubles and its first row. */
export function forEachBlock(
  values: NumericValues,
  visit: (block: Float64Array, start: number) => void,
): void {
  const scratch = new Float64Array(values instanceof Float64Array ? 0 : Math.min(BLOCK_ROWS, values.length));
  for (let start = 0; start < values.length; start += BLOCK_ROWS) {
    visit(doublesOf(values, start, Math.min(start + BLOCK_ROWS, values.length), scratch), start);
  }
}

/** Makes the error of an infinite cell. */
export function notFinite(table: string, column: NumericColumn, row: number): VouchError {
  return new VouchError(
    "data/not-finite",
    `${table}, row ${row + 1}, column "${column.name}": ${column.values[row]} is not a finite number.`,
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
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let missing = 0;
  forEachBlock(column.values, (block, start) => {
    const range = rangeOfBlock(block);
    if (range.min === Number.NEGATIVE_INFINITY || range.max === Number.POSITIVE_INFINITY) {
      const row = block.findIndex((value) => Math.abs(value) === Number.POSITIVE_INFINITY);
      throw notFinite(table, column, start + row);
    }
    if (range.min < min) min = range.min;
    if (range.max > max) max = range.max;
    missing += range.missing;
  });
  return { missing, min, max };
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
export function countZeros(values: NumericValues): number {
  let zeros = 0;
  forEachBlock(values, (block) => {
    for (let i = 0; i < block.length; i++) if (block[i] === 0) zeros++;
  });
  return zeros;
}
