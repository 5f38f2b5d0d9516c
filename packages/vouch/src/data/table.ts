/**
 * Numeric cells. A missing cell is NaN, so only float arrays can hold one; integer arrays are for columns
 * without missing cells (pixels, counts) and save memory.
 */
export type NumericValues =
  | Float64Array
  | Float32Array
  | Int32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array;

/** A column of numbers. */
export interface NumericColumn {
  readonly kind: "numeric";
  readonly name: string;
  readonly values: NumericValues;
}

/** A column of categories: `levels[codes[i]]` is the text of row i, a code of −1 is a missing cell. */
export interface CategoricalColumn {
  readonly kind: "categorical";
  readonly name: string;
  readonly codes: Int32Array;
  readonly levels: readonly string[];
}

/** One named column of raw data. */
export type Column = NumericColumn | CategoricalColumn;

/** Raw data: equally long named columns, and where they came from, for messages. */
export class Table {
  /** What messages call it: a file name, a data set's name. */
  readonly name: string;
  readonly rows: number;
  readonly columns: readonly Column[];

  constructor(name: string, rows: number, columns: readonly Column[]) {
    this.name = name;
    this.rows = rows;
    this.columns = columns;
  }
}
