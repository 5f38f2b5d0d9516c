import type { CategoricalColumn, NumericColumn } from "vouch";
import { reserveMemory } from "vouch/errors";
import { MISSING_MARKERS } from "./cell.js";

const FIRST_CAPACITY = 1024;
const SLAB_BYTES = 1 << 20;

/** A column under construction. */
export type ColumnBuilder = NumericBuilder | CategoricalBuilder;

/** Starts a column of the given kind. */
export function columnBuilder(kind: ColumnBuilder["kind"], name: string): ColumnBuilder {
  return kind === "numeric" ? new NumericBuilder(name) : new CategoricalBuilder(name);
}

/** Builds a numeric column; a row that is never set is a missing cell. */
class NumericBuilder {
  readonly kind = "numeric";
  readonly name: string;
  #values = floatColumns(1, FIRST_CAPACITY)[0];
  #filled = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Sets a cell. Rows must come in ascending order; setting the same row again overwrites it. */
  set(row: number, value: number): void {
    this.#fillTo(row);
    this.#values[row] = value;
    this.#filled = row + 1;
  }

  finish(rows: number): NumericColumn {
    this.#fillTo(rows);
    return { kind: "numeric", name: this.name, values: this.#values.subarray(0, rows) };
  }

  #fillTo(row: number): void {
    if (row >= this.#values.length) {
      const [longer] = floatColumns(1, Math.max(row + 1, 2 * this.#values.length));
      longer.set(this.#values);
      this.#values = longer;
    }
    if (row > this.#filled) this.#values.fill(Number.NaN, this.#filled, row);
  }
}

/** Builds a categorical column; levels are in order of first appearance. */
export class CategoricalBuilder {
  readonly kind = "categorical";
  readonly name: string;
  readonly #codeOf = new Map<string, number>();
  #codes = codeColumns(1, FIRST_CAPACITY)[0];
  #filled = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Sets a cell; a missing marker is a missing cell. Rows must come in ascending order. */
  set(row: number, text: string): void {
    this.#fillTo(row);
    this.#codes[row] = this.#code(text);
    this.#filled = row + 1;
  }

  finish(rows: number): CategoricalColumn {
    this.#fillTo(rows);
    return {
      kind: "categorical",
      name: this.name,
      codes: this.#codes.subarray(0, rows),
      levels: [...this.#codeOf.keys()],
    };
  }

  #code(text: string): number {
    const known = this.#codeOf.get(text);
    if (known !== undefined) return known;
    if (MISSING_MARKERS.has(text)) return -1;
    this.#codeOf.set(text, this.#codeOf.size);
    return this.#codeOf.size - 1;
  }

  #fillTo(row: number): void {
    if (row >= this.#codes.length) {
      const [longer] = codeColumns(1, Math.max(row + 1, 2 * this.#codes.length));
      longer.set(this.#codes);
      this.#codes = longer;
    }
    if (row > this.#filled) this.#codes.fill(-1, this.#filled, row);
  }
}

/** Allocates the values of `columns` numeric columns, all zero, in memory that threads can share. */
export function floatColumns(columns: number, length: number): Float64Array[] {
  return allocateColumns(columns, length, Float64Array);
}

/** Allocates the codes of `columns` categorical columns, all zero, in memory that threads can share. */
export function codeColumns(columns: number, length: number): Int32Array[] {
  return allocateColumns(columns, length, Int32Array);
}

interface ArrayType<A> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, offset: number, length: number): A;
}

/** Allocates columns; short ones share a buffer, because a buffer each would cost more than the columns themselves. */
function allocateColumns<A>(columns: number, length: number, Type: ArrayType<A>): A[] {
  const bytes = length * Type.BYTES_PER_ELEMENT;
  const perSlab = Math.max(1, Math.floor(SLAB_BYTES / Math.max(1, bytes)));
  reserveMemory(`a table of ${length} rows and ${columns} columns`, columns * bytes);
  const arrays: A[] = [];
  for (let first = 0; first < columns; first += perSlab) {
    const count = Math.min(perSlab, columns - first);
    const slab = allocateBuffer(count * bytes);
    for (let i = 0; i < count; i++) arrays.push(new Type(slab, i * bytes, length));
  }
  return arrays;
}

/** Allocates shared memory; a web page that is not cross-origin isolated has none. */
export function allocateBuffer(bytes: number): ArrayBufferLike {
  return typeof SharedArrayBuffer === "undefined" ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);
}
