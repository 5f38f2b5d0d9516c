import { reserveMemory } from "../memory-limit.js";
import type { FloatArray } from "../parallel/shared-array.js";
import { VouchError } from "../vouch-error.js";

export type { FloatArray };

/** A dense matrix in row-major order: element (i, j) is `values[i * columns + j]`. */
export class Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: FloatArray;

  constructor(rows: number, columns: number, values: FloatArray = zeros(rows, columns)) {
    if (values.length !== rows * columns) {
      throw new VouchError(
        "data/malformed",
        `A ${rows} × ${columns} matrix needs ${rows * columns} values, but ${values.length} were given.`,
      );
    }
    this.rows = rows;
    this.columns = columns;
    this.values = values;
  }

  /** Returns row i as a view: writing to it writes to the matrix. */
  row(i: number): FloatArray {
    return this.values.subarray(i * this.columns, (i + 1) * this.columns);
  }

  /** Copies the given rows, in this order, to a new matrix; rows may repeat. */
  select(rows: ArrayLike<number>): Matrix {
    const { columns } = this;
    const values =
      this.values instanceof Float32Array
        ? new Float32Array(rows.length * columns)
        : zeros(rows.length, columns);
    for (let i = 0; i < rows.length; i++) {
      values.set(this.values.subarray(rows[i] * columns, (rows[i] + 1) * columns), i * columns);
    }
    return new Matrix(rows.length, columns, values);
  }

  /** Returns rows `begin` … `end` − 1 as a view. */
  slice(begin: number, end: number): Matrix {
    return new Matrix(
      end - begin,
      this.columns,
      this.values.subarray(begin * this.columns, end * this.columns),
    );
  }

  /** Makes a matrix from an array of equally long rows. */
  static from(rows: readonly ArrayLike<number>[]): Matrix {
    const columns = rows.length === 0 ? 0 : rows[0].length;
    const values = zeros(rows.length, columns);
    for (let i = 0; i < rows.length; i++) {
      if (rows[i].length !== columns) {
        throw new VouchError(
          "data/ragged",
          `Row ${i + 1} has ${rows[i].length} values, but row 1 has ${columns}.`,
        );
      }
      values.set(rows[i], i * columns);
    }
    return new Matrix(rows.length, columns, values);
  }
}

function zeros(rows: number, columns: number): Float64Array {
  reserveMemory(`a matrix of ${rows} × ${columns} numbers`, 8 * rows * columns);
  return new Float64Array(rows * columns);
}
