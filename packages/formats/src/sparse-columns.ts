import { reserveMemory } from "@vouch/core/internal/runtime/memory-limit";
import { yieldToEventLoop } from "@vouch/core/internal/runtime/parallel/event-loop";
import { sharedBuffer } from "@vouch/core/internal/runtime/parallel/shared-array";
import type { NumericColumn } from "@vouch/core/internal/table/column";
import { SparseValues } from "@vouch/core/internal/table/sparse-cells";
import { floatColumns } from "./column-builder.js";

/** Number of entries per chunk. Chunks avoid copying while the entries grow. */
const CHUNK = 2 ** 16;
/** Columns with more entries than this share of the rows are dense; an entry takes 12 bytes, a dense cell 8. */
const DENSE_ABOVE = 0.25;
/** Memory of a column apart from its cells: its name, and its objects in tables. */
const COLUMN_BYTES = 200;

interface Chunk {
  readonly columns: Int32Array;
  readonly values: Float64Array;
}

/** Builds numeric columns row by row; cells that are not added are 0. */
export class SparseColumns {
  /** Number of complete rows. */
  rows = 0;
  /** Number of columns so far. */
  width = 0;
  readonly #chunks: Chunk[] = [];
  #count = 0;
  /** Number of entries up to the end of each row. */
  #ends = new Int32Array(1024);

  /** Number of non-zero cells so far. */
  get entries(): number {
    return this.#count;
  }

  /** Adds a cell to the current row; columns must ascend within a row. */
  add(column: number, value: number): void {
    if (column >= this.width) this.width = column + 1;
    if (Object.is(value, 0)) return;
    const at = this.#count % CHUNK;
    if (at === 0) this.#addChunk();
    const { columns, values } = this.#chunks[Math.floor(this.#count / CHUNK)];
    columns[at] = column;
    values[at] = value;
    this.#count++;
  }

  /** Completes the current row. */
  endRow(): void {
    if (this.rows === this.#ends.length) {
      const longer = new Int32Array(2 * this.rows);
      longer.set(this.#ends);
      this.#ends = longer;
    }
    this.#ends[this.rows++] = this.#count;
  }

  /** Discards the cells of the current row. */
  restartRow(): void {
    this.#count = this.rows === 0 ? 0 : this.#ends[this.rows - 1];
  }

  /** Builds one column per name; there may be more names than columns so far. Consumes the entries. */
  async finish(names: readonly string[], signal?: AbortSignal): Promise<NumericColumn[]> {
    const counts = await this.#countEntries(names.length, signal);
    const arrays = this.#allocate(counts);
    await this.#distribute(arrays, signal);
    const { dense, starts, slab } = arrays;
    const nothing = new SparseValues(this.rows, { ...slab, last: 0 });
    return names.map((name, j) => {
      const [first, last] = [starts[j], starts[j + 1]];
      const sparse = first === last ? nothing : new SparseValues(this.rows, { ...slab, first, last });
      return { kind: "numeric", name, values: dense.get(j) ?? sparse };
    });
  }

  #addChunk(): void {
    if (this.#chunks.length > this.#count / CHUNK) return;
    this.#chunks.push({ columns: new Int32Array(CHUNK), values: new Float64Array(CHUNK) });
  }

  async #countEntries(width: number, signal: AbortSignal | undefined): Promise<Int32Array> {
    const counts = new Int32Array(width);
    for (const [c, { columns }] of this.#chunks.entries()) {
      const end = Math.min(CHUNK, this.#count - c * CHUNK);
      for (let at = 0; at < end; at++) counts[columns[at]]++;
      await yieldToEventLoop(signal);
    }
    return counts;
  }

  #allocate(counts: Int32Array): ColumnArrays {
    const { rows } = this;
    const width = counts.length;
    const isDense = (j: number) => counts[j] > DENSE_ABOVE * rows;
    const starts = new Int32Array(width + 1);
    let denseColumns = 0;
    for (let j = 0; j < width; j++) {
      starts[j + 1] = starts[j] + (isDense(j) ? 0 : counts[j]);
      if (isDense(j)) denseColumns++;
    }
    const entries = starts[width];
    reserveMemory(`a table of ${rows} rows and ${width} columns`, 12 * entries + COLUMN_BYTES * width);
    const values = floatColumns(denseColumns, rows);
    const dense = new Map<number, Float64Array>();
    for (let j = 0; j < width; j++) if (isDense(j)) dense.set(j, values[dense.size]);
    const slab = {
      rows: new Int32Array(sharedBuffer(4 * entries)),
      values: new Float64Array(sharedBuffer(8 * entries)),
    };
    return { dense, starts, slab };
  }

  /** Copies every entry to its column in the order of the rows, and releases the chunks on the way. */
  async #distribute({ dense, starts, slab }: ColumnArrays, signal: AbortSignal | undefined): Promise<void> {
    const next = starts.slice();
    let row = 0;
    for (let c = 0; c * CHUNK < this.#count; c++) {
      const { columns, values } = this.#chunks[c];
      const end = Math.min(CHUNK, this.#count - c * CHUNK);
      for (let at = 0; at < end; at++) {
        while (this.#ends[row] <= c * CHUNK + at) row++;
        const column = columns[at];
        const cells = dense.get(column);
        if (cells) cells[row] = values[at];
        else {
          slab.rows[next[column]] = row;
          slab.values[next[column]++] = values[at];
        }
      }
      this.#chunks[c] = NO_CHUNK;
      await yieldToEventLoop(signal);
    }
    this.#chunks.length = 0;
  }
}

/** Arrays of finished columns. */
interface ColumnArrays {
  /** Dense columns by index. */
  readonly dense: ReadonlyMap<number, Float64Array>;
  /** Column j has the entries [starts[j], starts[j + 1]) of the slab. */
  readonly starts: Int32Array;
  readonly slab: { readonly rows: Int32Array; readonly values: Float64Array };
}

const NO_CHUNK: Chunk = { columns: new Int32Array(0), values: new Float64Array(0) };
