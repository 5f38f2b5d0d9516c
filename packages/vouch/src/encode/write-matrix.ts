import { type FloatArray, Matrix } from "../runtime/matrix.js";
import { sharedFloats } from "../runtime/shared-array.js";
import type { Steps } from "../runtime/steps.js";
import { doublesOf, notFinite } from "../table/value-blocks.js";
import type { NumericEncoding } from "./encoder.js";
import type { ColumnCells, FlagCells, NumberCells } from "./numeric-cells.js";

/** Rows that are transposed at a time; their cells stay in the cache, however many columns there are. */
const BLOCK_ROWS = 256;
/** A few milliseconds of work. */
const CELLS_BETWEEN_PAUSES = 2 ** 19;

/** A table that is being encoded. */
export interface EncodedRows {
  readonly name: string;
  readonly rows: number;
  /** The features of its columns. */
  readonly cells: readonly ColumnCells[];
  /** Number of features. */
  readonly width: number;
}

/** Writes features row by row. Throws on an infinite cell. */
export function* writeMatrix(
  { name, rows, cells, width }: EncodedRows,
  precision: NonNullable<NumericEncoding["precision"]>,
): Steps<Matrix> {
  const values = sharedFloats(rows * width, precision);
  const scratch = new Float64Array(BLOCK_ROWS);
  let sincePause = 0;
  for (let start = 0; start < rows; start += BLOCK_ROWS) {
    const end = Math.min(start + BLOCK_ROWS, rows);
    for (const { column, numbers, flags } of cells) {
      sincePause += (end - start) * (numbers.length + flags.length);
      if (sincePause > CELLS_BETWEEN_PAUSES) {
        yield;
        sincePause = 0;
      }
      if (column.kind === "categorical") {
        const codes = column.codes.subarray(start, end);
        for (const flag of flags) writeLevelFlags(codes, flag, values, start * width, width);
        continue;
      }
      const block = doublesOf(column.values, start, end, scratch);
      for (const number of numbers) {
        const infinite = writeNumbers(block, number, values, start * width, width);
        if (infinite >= 0) throw notFinite(name, column, start + infinite);
      }
      for (const flag of flags) writeMissingFlags(block, flag, values, start * width, width);
    }
  }
  return new Matrix(rows, width, values);
}

/** Writes the numbers of a block, the hot loop; returns the index of its first infinite cell, or −1. */
function writeNumbers(
  block: Float64Array,
  { offset, scale, shift, factor, fill, limit }: NumberCells,
  values: FloatArray,
  start: number,
  width: number,
): number {
  for (let i = 0, at = start + offset; i < block.length; i++, at += width) {
    const x = block[i];
    const value = (x * scale - shift) * factor;
    if (value <= limit && value >= -limit) values[at] = value;
    else if (Number.isNaN(x)) values[at] = fill;
    else if (Math.abs(x) === Number.POSITIVE_INFINITY) return i;
    else values[at] = value > 0 ? limit : -limit;
  }
  return -1;
}

function writeMissingFlags(
  block: Float64Array,
  { offset, on, off }: FlagCells,
  values: FloatArray,
  start: number,
  width: number,
): void {
  for (let i = 0, at = start + offset; i < block.length; i++, at += width) {
    values[at] = Number.isNaN(block[i]) ? on : off;
  }
}

function writeLevelFlags(
  codes: Int32Array,
  { offset, code, on, off, neutral }: FlagCells,
  values: FloatArray,
  start: number,
  width: number,
): void {
  for (let i = 0, at = start + offset; i < codes.length; i++, at += width) {
    values[at] = codes[i] === code ? on : codes[i] < 0 ? neutral : off;
  }
}
