import type { Column } from "vouch";
import { MISSING_MARKERS } from "./cell.js";
import { sharedCodes, sharedFloats } from "./shared-array.js";

const FIRST_CAPACITY = 1024;

/** A numeric column in the making; a row that is never set is a missing cell. */
export class NumericBuilder {
  readonly kind = "numeric";
  readonly name: string;
  #values: Float64Array;
  #filled = 0;

  constructor(name: string, capacity = FIRST_CAPACITY) {
    this.name = name;
    this.#values = sharedFloats(1, capacity)[0];
  }

  /** Rows must come in ascending order; the same row again overwrites. */
  set(row: number, value: number): void {
    this.#fillTo(row);
    this.#values[row] = value;
    this.#filled = row + 1;
  }

  finish(rows: number): Column {
    this.#fillTo(rows);
    return { kind: "numeric", name: this.name, values: this.#values.subarray(0, rows) };
  }

  #fillTo(row: number): void {
    if (row >= this.#values.length) {
      const [grown] = sharedFloats(1, Math.max(row + 1, 2 * this.#values.length));
      grown.set(this.#values);
      this.#values = grown;
    }
    if (row > this.#filled) this.#values.fill(Number.NaN, this.#filled, row);
  }
}

/** A categorical column in the making; levels come in the order in which they turn up. */
export class CategoricalBuilder {
  readonly kind = "categorical";
  readonly name: string;
  readonly #codeOf = new Map<string, number>();
  #codes: Int32Array;
  #filled = 0;

  constructor(name: string, capacity = FIRST_CAPACITY) {
    this.name = name;
    this.#codes = sharedCodes(1, capacity)[0];
  }

  /** Rows must come in ascending order; a missing marker is a missing cell. */
  set(row: number, text: string): void {
    this.#fillTo(row);
    this.#codes[row] = this.#code(text);
    this.#filled = row + 1;
  }

  finish(rows: number): Column {
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
      const [grown] = sharedCodes(1, Math.max(row + 1, 2 * this.#codes.length));
      grown.set(this.#codes);
      this.#codes = grown;
    }
    if (row > this.#filled) this.#codes.fill(-1, this.#filled, row);
  }
}
