import { reserveMemory } from "@vouch/core/internal/runtime/memory-limit";
import { sharedBuffer } from "@vouch/core/internal/runtime/parallel/shared-array";
import type { CategoricalColumn, NumericColumn } from "@vouch/core/internal/table/column";
import { isMissingMarker } from "@vouch/core/internal/table/missing-markers";
import { type ColumnMemory, checkLevels } from "./column-memory.js";

const SLAB_BYTES = 1 << 20;

/** A column under construction. */
export type ColumnBuilder = NumericBuilder | CategoricalBuilder;

/** Starts a column of the given kind. */
export function columnBuilder(
  kind: ColumnBuilder["kind"],
  name: string,
  memory: ColumnMemory,
): ColumnBuilder {
  return kind === "numeric" ? new NumericBuilder(name, memory) : new CategoricalBuilder(name, memory);
}

/** Builds a numeric column; rows that are never set are missing cells. */
class NumericBuilder {
  readonly kind = "numeric";
  readonly name: string;
  readonly #memory: ColumnMemory;
  #values: Float64Array = new Float64Array(0);
  #filled = 0;

  constructor(name: string, memory: ColumnMemory) {
    memory.addColumn();
    this.name = name;
    this.#memory = memory;
  }

  /** Sets a cell. Rows must come in ascending order; setting the same row again overwrites it. */
  set(row: number, value: number): void {
    if (row >= this.#values.length) this.#reserve(Math.max(row + 1, 2 * this.#values.length));
    if (row > this.#filled) this.#values.fill(Number.NaN, this.#filled, row);
    this.#values[row] = value;
    this.#filled = row + 1;
  }

  finish(rows: number): NumericColumn {
    if (rows > this.#values.length) this.#reserve(rows);
    this.#values.fill(Number.NaN, this.#filled, rows);
    return { kind: "numeric", name: this.name, values: this.#values.subarray(0, rows) };
  }

  #reserve(length: number): void {
    const longer = this.#memory.floats(length);
    longer.set(this.#values);
    this.#memory.release(this.#values);
    this.#values = longer;
  }
}

/** Builds a categorical column with levels in order of first appearance. */
export class CategoricalBuilder {
  readonly kind = "categorical";
  readonly name: string;
  readonly #memory: ColumnMemory;
  readonly #codeOf = new Map<string, number>();
  #codes: Int32Array = new Int32Array(0);
  #filled = 0;

  constructor(name: string, memory: ColumnMemory) {
    memory.addColumn();
    this.name = name;
    this.#memory = memory;
  }

  /** Sets a cell; missing markers become missing cells. Rows must come in ascending order. */
  set(row: number, text: string): void {
    if (row >= this.#codes.length) this.#reserve(Math.max(row + 1, 2 * this.#codes.length));
    if (row > this.#filled) this.#codes.fill(-1, this.#filled, row);
    this.#codes[row] = this.#code(text);
    this.#filled = row + 1;
  }

  finish(rows: number): CategoricalColumn {
    if (rows > this.#codes.length) this.#reserve(rows);
    this.#codes.fill(-1, this.#filled, rows);
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
    if (isMissingMarker(text)) return -1;
    checkLevels(this.name, this.#codeOf.size + 1);
    this.#codeOf.set(text, this.#codeOf.size);
    return this.#codeOf.size - 1;
  }

  #reserve(length: number): void {
    const longer = this.#memory.integers(length);
    longer.set(this.#codes);
    this.#memory.release(this.#codes);
    this.#codes = longer;
  }
}

/** Allocates `columns` numeric columns of zeros in shared memory. */
export function floatColumns(columns: number, length: number): Float64Array[] {
  return allocateColumns(columns, length, Float64Array);
}

/** Allocates `columns` arrays of zero codes in shared memory. */
export function codeColumns(columns: number, length: number): Int32Array[] {
  return allocateColumns(columns, length, Int32Array);
}

interface ArrayType<A> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, offset: number, length: number): A;
}

/** Allocates columns; short ones share a buffer, because separate buffers would cost more than the columns. */
export function allocateColumns<A>(columns: number, length: number, Type: ArrayType<A>): A[] {
  // Rounded up to eight bytes, so that each column is aligned for its elements.
  const bytes = Math.ceil((length * Type.BYTES_PER_ELEMENT) / 8) * 8;
  const perSlab = Math.max(1, Math.floor(SLAB_BYTES / Math.max(1, bytes)));
  reserveMemory(`a table of ${length} rows and ${columns} columns`, columns * bytes);
  const arrays: A[] = [];
  for (let first = 0; first < columns; first += perSlab) {
    const count = Math.min(perSlab, columns - first);
    const slab = sharedBuffer(count * bytes);
    for (let i = 0; i < count; i++) arrays.push(new Type(slab, i * bytes, length));
  }
  return arrays;
}
