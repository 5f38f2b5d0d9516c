import { VouchError } from "../runtime/vouch-error.js";
import type { NumericColumn, NumericValues } from "./table.js";

/** How many rows are converted at a time: a block of 64 KiB stays in the first-level cache. */
const BLOCK_ROWS = 8192;

/**
 * The values in [start, end) as doubles, whatever their type: hot loops then see one type of array and stay
 * fast. Doubles are viewed, other types are converted into the scratch memory.
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

/** Calls `visit` with one block of doubles after the other and the row each starts at. */
export function forEachBlock(
  values: NumericValues,
  visit: (block: Float64Array, start: number) => void,
): void {
  const scratch = new Float64Array(values instanceof Float64Array ? 0 : Math.min(BLOCK_ROWS, values.length));
  for (let start = 0; start < values.length; start += BLOCK_ROWS) {
    visit(doublesOf(values, start, Math.min(start + BLOCK_ROWS, values.length), scratch), start);
  }
}

/** The error of an infinite cell. */
export function notFinite(table: string, column: NumericColumn, row: number): VouchError {
  return new VouchError(
    "data/not-finite",
    `${table}, row ${row + 1}, column "${column.name}": ${column.values[row]} is not a finite number.`,
    { hint: "Correct the cell, or leave it empty if the value is not known." },
  );
}

/** The smallest and the largest present value, and how many cells are missing. */
export interface ValueRange {
  readonly missing: number;
  /** Infinity when all cells are missing. */
  readonly min: number;
  /** −Infinity when all cells are missing. */
  readonly max: number;
}

/** The range of a column; an infinite cell is an error. */
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

/** How many cells are 0. */
export function zerosIn(values: NumericValues): number {
  let zeros = 0;
  forEachBlock(values, (block) => {
    for (let i = 0; i < block.length; i++) if (block[i] === 0) zeros++;
  });
  return zeros;
}
