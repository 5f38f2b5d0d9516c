import { SparseRows } from "../runtime/maths/sparse-rows.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import { sharedFloats, sharedInts } from "../runtime/parallel/shared-array.js";
import type { Column, NumericColumn } from "../table/column.js";
import { SparseValues } from "../table/sparse-cells.js";
import type { Table } from "../table/table.js";
import { forEachBlock, notFinite } from "../table/value-blocks.js";
import type { NumericEncoding } from "./encoder.js";
import type { FlagCells, NumberCells } from "./encoding-steps.js";
import { type ColumnCells, encodedNumber } from "./numeric-cells.js";
import type { EncodedRows } from "./write-matrix.js";

/** Rows are sparse if at most this fraction of their cells is not zero. */
const SPARSE_BELOW = 0.4;

/** Rows with fewer cells, 64 MB of numbers, become a matrix for learners that are faster with a small matrix. */
const LARGE = 2 ** 23;

/** Entries visited between two pauses: a few milliseconds. */
const ENTRIES_AT_ONCE = 2 ** 18;

/** Tells whether rows have so many cells, and so few that are not zero, that a matrix of them wastes memory. */
export function isLargeAndSparse(shape: Pick<SparseRows, "rows" | "columns" | "entries">): boolean {
  const cells = shape.rows * shape.columns;
  return cells >= LARGE && shape.entries <= SPARSE_BELOW * cells;
}

/** Tells the same of the columns of a table, before they have features; text and categories count as cells that are not zero. */
export function isLargeSparseTable({ rows, columns }: Table): boolean {
  const entries = columns.reduce((sum, column) => sum + keptCount(column), 0);
  return isLargeAndSparse({ rows, columns: columns.length, entries });
}

/** Tells whether most features of a table are zero because its columns are sparse. */
export function isMostlyZero({ rows, cells, width }: EncodedRows): boolean {
  if (!cells.some(({ column }) => column.kind === "numeric" && column.values instanceof SparseValues)) {
    return false;
  }
  const entries = cells.reduce((sum, own) => sum + mostEntries(own, rows), 0);
  return entries <= SPARSE_BELOW * rows * width;
}

/** Bounds the number of cells of a column's features that are not zero. */
function mostEntries({ column, numbers, flags }: ColumnCells, rows: number): number {
  const kept = keptCount(column);
  const shifted = flags.filter(({ off }) => off !== 0).length;
  // A row has one level.
  const ofFlags = shifted * rows + (flags.length > shifted ? kept : 0);
  return numbers.reduce((sum, number) => sum + (keepsZero(number) ? kept : rows), ofFlags);
}

/** Counts the cells of a column, without the zeros of a sparse one. */
function keptCount(column: Column): number {
  if (column.kind === "categorical") return column.codes.length;
  return column.values instanceof SparseValues ? column.values.entries : column.values.length;
}

function keepsZero(number: NumberCells): boolean {
  return encodedNumber(0, number) === 0;
}

/** Writes the features that are not zero: the entries of `SparseRows.fromMatrix`. Throws on an infinite cell. */
export function* writeSparseRows(
  table: EncodedRows,
  precision: NonNullable<NumericEncoding["precision"]>,
): Pausable<SparseRows> {
  const { rows, width } = table;
  const starts = sharedInts(rows + 1);
  yield* visitEntries(table, (row) => {
    starts[row + 1]++;
  });
  for (let i = 0; i < rows; i++) starts[i + 1] += starts[i];
  const indices = sharedInts(starts[rows]);
  const values = sharedFloats(starts[rows], precision);
  const next = starts.slice();
  yield* visitEntries(table, (row, value, feature) => {
    indices[next[row]] = feature;
    values[next[row]++] = value;
  });
  return new SparseRows(rows, width, { starts, indices, values });
}

type Visit = (row: number, value: number, feature: number) => void;

/** Visits the features that are not zero, feature by feature. */
function* visitEntries({ name, cells }: EncodedRows, visit: Visit): Pausable<void> {
  let sincePause = 0;
  for (const { column, numbers, flags } of cells) {
    if (column.kind === "categorical") for (const flag of flags) visitLevelFlags(column.codes, flag, visit);
    else {
      for (const number of numbers) visitNumbers(name, column, number, visit);
      for (const flag of flags) visitMissingFlags(column, flag, visit);
    }
    sincePause += keptCount(column);
    if (sincePause > ENTRIES_AT_ONCE) {
      yield;
      sincePause = 0;
    }
  }
}

function visitNumbers(table: string, column: NumericColumn, number: NumberCells, visit: Visit): void {
  visitCells(column, keepsZero(number), (row, x) => {
    const value = encodedNumber(x, number);
    if (Number.isNaN(value)) throw notFinite(table, column, row);
    if (value !== 0) visit(row, value, number.offset);
  });
}

function visitMissingFlags(column: NumericColumn, { offset, on, off }: FlagCells, visit: Visit): void {
  visitCells(column, off === 0, (row, x) => {
    const value = Number.isNaN(x) ? on : off;
    if (value !== 0) visit(row, value, offset);
  });
}

function visitLevelFlags(
  codes: Int32Array,
  { offset, code, on, off, neutral }: FlagCells,
  visit: Visit,
): void {
  for (let i = 0; i < codes.length; i++) {
    const value = codes[i] === code ? on : codes[i] < 0 ? neutral : off;
    if (value !== 0) visit(i, value, offset);
  }
}

/** Visits the cells of a column, only those that are kept of a sparse one if zeros do not matter. */
function visitCells(
  { values }: NumericColumn,
  skipsZeros: boolean,
  visit: (row: number, x: number) => void,
): void {
  if (values instanceof SparseValues && skipsZeros) {
    for (let e = values.first; e < values.last; e++) visit(values.rows[e], values.values[e]);
    return;
  }
  forEachBlock(values, (block, start) => {
    for (let i = 0; i < block.length; i++) visit(start + i, block[i]);
  });
}
