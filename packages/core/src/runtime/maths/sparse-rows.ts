import { reserveMemory } from "../memory-limit.js";
import { VouchError } from "../vouch-error.js";
import { type FloatArray, Matrix } from "./matrix.js";

/** The arrays of sparse rows. */
export interface SparseParts {
  /** Row i has the entries [starts[i], starts[i + 1]); the first start is 0, and there is one more than rows. */
  readonly starts: Int32Array;
  /** Column of each entry, strictly ascending within a row. */
  readonly indices: Int32Array;
  /** Value of each entry, finite; zeros are allowed. */
  readonly values: FloatArray;
}

/** A sparse matrix in compressed sparse row format (CSR). The constructor checks the arrays. */
export class SparseRows implements SparseParts {
  readonly rows: number;
  readonly columns: number;
  readonly starts: Int32Array;
  readonly indices: Int32Array;
  readonly values: FloatArray;

  constructor(rows: number, columns: number, { starts, indices, values }: SparseParts) {
    this.rows = rows;
    this.columns = columns;
    this.starts = starts;
    this.indices = indices;
    this.values = values;
    checkStarts(this);
    checkEntries(this);
  }

  /** Number of entries in all rows. */
  get entries(): number {
    return this.indices.length;
  }

  /** Copies the given rows, in this order; rows may repeat. */
  select(rows: ArrayLike<number>): SparseRows {
    const starts = new Int32Array(rows.length + 1);
    for (let i = 0; i < rows.length; i++) {
      starts[i + 1] = starts[i] + this.starts[rows[i] + 1] - this.starts[rows[i]];
    }
    const entries = starts[rows.length];
    const indices = new Int32Array(entries);
    const values = sameKind(this.values, entries);
    for (let i = 0; i < rows.length; i++) {
      const [begin, end] = [this.starts[rows[i]], this.starts[rows[i] + 1]];
      indices.set(this.indices.subarray(begin, end), starts[i]);
      values.set(this.values.subarray(begin, end), starts[i]);
    }
    return new SparseRows(rows.length, this.columns, { starts, indices, values });
  }

  /** Returns rows `begin` … `end` − 1; the entries are views. */
  slice(begin: number, end: number): SparseRows {
    const first = this.starts[begin];
    const starts = Int32Array.from({ length: end - begin + 1 }, (_, i) => this.starts[begin + i] - first);
    const indices = this.indices.subarray(first, this.starts[end]);
    const values = this.values.subarray(first, this.starts[end]);
    return new SparseRows(end - begin, this.columns, { starts, indices, values });
  }

  /** Converts to a dense matrix. */
  toMatrix(): Matrix {
    const { rows, columns, starts, indices } = this;
    reserveMemory(`a matrix of ${rows} × ${columns} numbers`, this.values.BYTES_PER_ELEMENT * rows * columns);
    const values = sameKind(this.values, rows * columns);
    for (let i = 0; i < rows; i++) {
      for (let e = starts[i]; e < starts[i + 1]; e++) values[i * columns + indices[e]] = this.values[e];
    }
    return new Matrix(rows, columns, values);
  }

  /** Takes the elements of a matrix that are not zero. */
  static fromMatrix({ rows, columns, values }: Matrix): SparseRows {
    const entries = countNonzero(values);
    const starts = new Int32Array(rows + 1);
    const indices = new Int32Array(entries);
    const kept = sameKind(values, entries);
    let next = 0;
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        const value = values[i * columns + j];
        if (value === 0) continue;
        indices[next] = j;
        kept[next++] = value;
      }
      starts[i + 1] = next;
    }
    return new SparseRows(rows, columns, { starts, indices, values: kept });
  }
}

function countNonzero(values: FloatArray): number {
  let count = 0;
  for (let k = 0; k < values.length; k++) if (values[k] !== 0) count++;
  return count;
}

function sameKind(like: FloatArray, length: number): FloatArray {
  return like instanceof Float32Array ? new Float32Array(length) : new Float64Array(length);
}

function checkStarts({ rows, columns, starts, indices, values }: SparseRows): void {
  if (!(Number.isInteger(rows) && rows >= 0 && Number.isInteger(columns) && columns >= 0)) {
    throw malformed(`Sparse rows cannot have the shape ${rows} × ${columns}.`);
  }
  if (starts.length !== rows + 1) {
    throw malformed(`${rows} sparse rows need ${rows + 1} starts, but ${starts.length} were given.`);
  }
  if (starts[0] !== 0) throw malformed(`The first row starts at entry ${starts[0]} and not at 0.`);
  for (let i = 0; i < rows; i++) {
    if (starts[i + 1] < starts[i]) {
      throw malformed(`Row ${i + 1} starts at entry ${starts[i]} and ends before it, at ${starts[i + 1]}.`);
    }
  }
  if (indices.length !== starts[rows] || values.length !== starts[rows]) {
    throw malformed(
      `The rows have ${starts[rows]} entries, but there are ${indices.length} indices and ${values.length} values.`,
    );
  }
}

function checkEntries({ rows, columns, starts, indices, values }: SparseRows): void {
  for (let i = 0; i < rows; i++) {
    let previous = -1;
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const column = indices[e];
      if (!(column > previous && column < columns)) throw wrongColumn(i, column, previous, columns);
      previous = column;
      if (!Number.isFinite(values[e])) {
        throw new VouchError("data/not-finite", `Row ${i + 1} has ${values[e]} in column ${column + 1}.`, {
          hint: "Values must be finite numbers: fill in missing values, or leave them out.",
        });
      }
    }
  }
}

function wrongColumn(i: number, column: number, previous: number, columns: number): VouchError {
  if (column < 0 || column >= columns) {
    return malformed(
      `Row ${i + 1} has an entry in column index ${column}, but there are ${columns} columns.`,
    );
  }
  if (column === previous) return malformed(`Row ${i + 1} has two entries in column index ${column}.`);
  return malformed(
    `Row ${i + 1} has an entry in column index ${column} after one in ${previous}: they must ascend.`,
  );
}

function malformed(message: string): VouchError {
  return new VouchError("data/malformed", message, {
    hint: "Column indices count from 0 and ascend strictly within a row.",
  });
}
