import { VouchError } from "../runtime/vouch-error.js";

/** The non-zero cells of a column; columns of a table may share the arrays. */
export interface SparseCells {
  /** Row of each cell; strictly ascending from `first` to `last`. */
  readonly rows: Int32Array;
  /** The cells; NaN is missing. */
  readonly values: Float64Array;
  /** The entries [first, last) of both arrays belong to the column; by default all. */
  readonly first?: number;
  readonly last?: number;
}

/** Cells of a numeric column that is mostly 0; only non-zero cells are stored, by row. */
export class SparseValues {
  /** Number of cells, including zeros. */
  readonly length: number;
  readonly rows: Int32Array;
  readonly values: Float64Array;
  readonly first: number;
  readonly last: number;

  constructor(length: number, { rows, values, first = 0, last = rows.length }: SparseCells) {
    this.length = length;
    this.rows = rows;
    this.values = values;
    this.first = first;
    this.last = last;
    checkEntries(this);
  }

  /** Number of stored cells. */
  get entries(): number {
    return this.last - this.first;
  }

  /** Returns the cell of a row. */
  at(row: number): number {
    const entry = this.entryFrom(row);
    return entry < this.last && this.rows[entry] === row ? this.values[entry] : 0;
  }

  /** Finds the first entry of this row or a later one. */
  entryFrom(row: number): number {
    let low = this.first;
    let high = this.last;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.rows[middle] < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Writes the cells of the rows [start, end) to the start of an array. */
  write(start: number, end: number, to: Float64Array): void {
    to.fill(0, 0, end - start);
    for (let e = this.entryFrom(start); e < this.last && this.rows[e] < end; e++) {
      to[this.rows[e] - start] = this.values[e];
    }
  }

  /** Copies the stored cells of the rows [start, end). */
  subarray(start: number, end: number): SparseValues {
    const [first, last] = [this.entryFrom(start), this.entryFrom(end)];
    const rows = this.rows.slice(first, last).map((row) => row - start);
    return new SparseValues(end - start, { rows, values: this.values.subarray(first, last) });
  }

  /** Copies all cells, including zeros. */
  toArray(): Float64Array {
    const cells = new Float64Array(this.length);
    this.write(0, this.length, cells);
    return cells;
  }

  /** Visits all cells, zeros included. */
  *[Symbol.iterator](): Generator<number, undefined> {
    let entry = this.first;
    for (let row = 0; row < this.length; row++) {
      yield entry < this.last && this.rows[entry] === row ? this.values[entry++] : 0;
    }
    return undefined;
  }

  /** Stores the non-zero cells of an array. */
  static from(cells: ArrayLike<number>): SparseValues {
    const rows: number[] = [];
    for (let i = 0; i < cells.length; i++) if (!Object.is(cells[i], 0)) rows.push(i);
    return new SparseValues(cells.length, {
      rows: Int32Array.from(rows),
      values: Float64Array.from(rows, (row) => cells[row]),
    });
  }
}

function checkEntries({ length, rows, values, first, last }: SparseValues): void {
  if (!(first >= 0 && first <= last && last <= rows.length && last <= values.length)) {
    throw malformed(`Entries ${first} to ${last} of ${rows.length} rows and ${values.length} values.`);
  }
  let previous = -1;
  for (let e = first; e < last; e++) {
    if (!(rows[e] > previous && rows[e] < length)) {
      throw malformed(`Row ${rows[e]} after row ${previous} in a column of ${length} cells.`);
    }
    previous = rows[e];
  }
}

function malformed(problem: string): VouchError {
  return new VouchError("data/malformed", `Sparse cells are out of order. ${problem}`, {
    hint: "Rows count from 0 and ascend strictly.",
  });
}
