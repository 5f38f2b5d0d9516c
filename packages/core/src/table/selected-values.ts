import type { ColumnValues, NumericValues } from "./column.js";
import { SparseValues } from "./sparse-cells.js";

/** Some rows of an array of cells, in any order, without a copy. */
export class SelectedValues {
  readonly cells: NumericValues;
  readonly rows: Int32Array;

  constructor(cells: NumericValues, rows: Int32Array) {
    this.cells = cells;
    this.rows = rows;
  }

  get length(): number {
    return this.rows.length;
  }

  at(row: number): number {
    return this.cells[this.rows[row]];
  }

  /** Writes the cells in [start, end) to an array. */
  write(start: number, end: number, to: Float64Array): void {
    const { cells, rows } = this;
    if (cells instanceof Float64Array) gather(cells, rows, start, end, to);
    else for (let i = start; i < end; i++) to[i - start] = cells[rows[i]];
  }
}

/** Gathers doubles in a separate function, which sees one type of array and stays fast. */
function gather(cells: Float64Array, rows: Int32Array, start: number, end: number, to: Float64Array): void {
  for (let i = start; i < end; i++) to[i - start] = cells[rows[i]];
}

/** Cells that can be read by row: a column's, or some of its rows'. */
export type ReadableCells = ColumnValues | SelectedValues;

/** Returns the number of a row. */
export function cellAt(values: ReadableCells, row: number): number {
  return values instanceof SparseValues || values instanceof SelectedValues ? values.at(row) : values[row];
}

/** Copies codes in [start, end) to `to`, and returns it. */
export function copiedCodes(codes: ReadableCells, start: number, end: number, to: Int32Array): Int32Array {
  for (let i = start; i < end; i++) to[i - start] = cellAt(codes, i);
  return to.subarray(0, end - start);
}
