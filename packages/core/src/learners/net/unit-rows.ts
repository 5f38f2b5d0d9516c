import type { Arena, Slice } from "../../runtime/wasm/arena.js";
import { LIST_ENTRY_BYTES, layerWidth } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type NonzeroRows, partWordsOf } from "./nonzero-rows.js";

/** Rows are computed in tiles of this many, so that divisions of rows should begin at multiples of it. */
export const ROW_STEP = 4;

/** Rows with a stride that is a multiple of this share few sets of the cache; the shift avoids it. */
const BAD_STRIDE = 256;
const STRIDE_SHIFT = 16;

function strideOf(units: number): number {
  const width = layerWidth(units);
  return width % BAD_STRIDE === 0 ? width + STRIDE_SHIFT : width;
}

function lengthOf(units: number, rows: number): number {
  return strideOf(units) * Math.ceil(rows / ROW_STEP) * ROW_STEP;
}

/**
 * Lists of the units that are not zero: of each row, for products; of each column, for updates, too. Rows of a source that has been
 * listed as a whole need no lists of their own.
 */
interface ListOptions {
  readonly columns: boolean;
  readonly source?: NonzeroRows | undefined;
}

/**
 * Values of the units of a layer in WebAssembly memory, one row for each row of a batch. Rows that are mostly zero have lists of the
 * other numbers, because products that skip zeros are faster then.
 */
export class UnitRows {
  readonly units: number;
  /** Distance from one row to the next, in elements. */
  readonly stride: number;
  /** Number of columns that kernels compute; those beyond the units are 0. */
  readonly width: number;
  readonly pointer: number;
  readonly lists: NonzeroLists | undefined;
  readonly #slice: Slice<Float32Array>;
  readonly #arena: Arena;
  /** The row of the slice that these rows begin with. */
  readonly #first: number;

  /** Takes rows from an arena, or some of those of a slice. */
  constructor(
    arena: Arena,
    units: number,
    rows: number,
    lists?: ListOptions,
    slice = arena.f32(lengthOf(units, rows)),
    first = 0,
  ) {
    this.units = units;
    this.width = layerWidth(units);
    this.stride = strideOf(units);
    this.#arena = arena;
    this.#slice = slice;
    this.#first = first;
    this.pointer = slice.pointer + 4 * first * this.stride;
    if (lists) this.lists = new NonzeroLists(arena, this, rows, lists);
  }

  /** Returns the bytes that the constructor takes, at most. */
  static bytes(units: number, rows: number, lists?: ListOptions): number {
    const own = 4 * lengthOf(units, rows) + 64;
    return lists ? own + NonzeroLists.bytes(units, rows) : own;
  }

  /** Returns a new view at each access: element (r, k) is at r · stride + k. */
  get view(): Float32Array {
    return this.#slice.view.subarray(this.#first * this.stride);
  }

  /** Returns the rows from `first` on, without lists. */
  from(first: number): UnitRows {
    return new UnitRows(this.#arena, this.units, 0, undefined, this.#slice, this.#first + first);
  }

  /** Sets the rows from `begin` to `end` − 1 to zero. */
  clear(begin: number, end: number): void {
    this.view.fill(0, begin * this.stride, end * this.stride);
  }
}

/** Lists of the numbers of a batch that are not zero (see `wasm/net-lists.ts`). */
class NonzeroLists {
  /** Address of the table of the parts of each row's list. */
  readonly parts: number;
  /** 0 if columns are not listed. */
  readonly columns: number;
  readonly columnCounts: number;
  /** Entries for each column. */
  readonly capacity: number;
  /** The rows that batches are taken from, if these are listed. */
  readonly source: NonzeroRows | undefined;
  /** 0 if the lists are those of a source. */
  readonly #rows: number;
  readonly #memory: WasmMemory;
  readonly #of: UnitRows;

  constructor(arena: Arena, of: UnitRows, rows: number, { columns, source }: ListOptions) {
    const entries = layerWidth(of.units) * rows;
    this.#memory = arena.memory;
    this.#of = of;
    this.source = source;
    this.capacity = rows;
    this.parts = arena.i32(rows * partWordsOf(of.units)).pointer;
    this.#rows = source ? 0 : arena.u8(LIST_ENTRY_BYTES * entries).pointer;
    this.columns = columns ? arena.u8(LIST_ENTRY_BYTES * entries).pointer : 0;
    this.columnCounts = columns ? arena.i32(of.width).pointer : 0;
  }

  static bytes(units: number, rows: number): number {
    const width = layerWidth(units);
    return 2 * LIST_ENTRY_BYTES * width * rows + 4 * rows * partWordsOf(units) + 4 * width + 256;
  }

  /** Lists the rows from `begin` to `end` − 1; those of a source are listed already. */
  listRows(begin: number, end: number): void {
    if (this.source) return;
    const { pointer, stride, width } = this.#of;
    this.#memory.exports.netListRows(pointer, stride, width, begin, end, this.#rows, this.parts);
  }

  /** Makes the lists of the rows from `begin` to `end` − 1 those at some places of the source. The units themselves do not change. */
  choose(places: ArrayLike<number>, begin: number, end: number): void {
    if (!this.source) throw new TypeError("There are no lists of a source to choose from.");
    const words = partWordsOf(this.#of.units);
    const own = this.#memory.i32(this.parts, end * words);
    const { parts } = this.source;
    for (let r = begin; r < end; r++) {
      const from = places[r] * words;
      for (let k = 0; k < words; k++) own[r * words + k] = parts[from + k];
    }
  }

  /** Writes the first rows, which have been listed, to other units. */
  writeRows(rows: number, to: UnitRows): void {
    const { width } = this.#of;
    this.#memory.exports.netScatterLists(this.parts, width, rows, to.pointer, to.stride);
  }

  /** Lists some columns of the first rows, which have been listed. */
  listColumns(rows: number, begin: number, end: number): void {
    const { width } = this.#of;
    const { netListColumns } = this.#memory.exports;
    netListColumns(this.parts, width, rows, begin, end, this.columns, this.capacity, this.columnCounts);
  }
}
