import type { Arena, Slice } from "../../runtime/arena.js";
import { LIST_BLOCK, LIST_ENTRY_BYTES } from "../../runtime/kernels.js";
import type { KernelMemory } from "../../runtime/memory.js";

/** Columns are rounded up to a multiple of this: whole vectors, whole panels. */
const WIDTH_STEP = 8;

/** Rows are computed in tiles of this many, so that divisions of rows should begin at multiples of it. */
export const ROW_STEP = 4;

/** Rows with a stride that is a multiple of this share few sets of the cache; the shift avoids it. */
const BAD_STRIDE = 256;
const STRIDE_SHIFT = 16;

/** Returns the number of columns that a row of units takes. */
export function widthOf(units: number): number {
  return Math.ceil(units / WIDTH_STEP) * WIDTH_STEP;
}

function strideOf(units: number): number {
  const width = widthOf(units);
  return width % BAD_STRIDE === 0 ? width + STRIDE_SHIFT : width;
}

function lengthOf(units: number, rows: number): number {
  return strideOf(units) * Math.ceil(rows / ROW_STEP) * ROW_STEP;
}

/** Lists of the units that are not zero: of each row, for products; of each column, for updates, too. */
type Lists = "none" | "rows" | "rows and columns";

/**
 * Values of the units of a layer in kernel memory, one row for each row of a batch. Rows that are mostly zero have lists of the
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
    lists: Lists = "none",
    slice = arena.f32(lengthOf(units, rows)),
    first = 0,
  ) {
    this.units = units;
    this.width = widthOf(units);
    this.stride = strideOf(units);
    this.#arena = arena;
    this.#slice = slice;
    this.#first = first;
    this.pointer = slice.pointer + 4 * first * this.stride;
    if (lists !== "none")
      this.lists = new NonzeroLists(arena, this, rows, { columns: lists === "rows and columns" });
  }

  /** Returns the bytes that the constructor takes. */
  static bytes(units: number, rows: number, lists: Lists = "none"): number {
    const own = 4 * lengthOf(units, rows) + 64;
    return lists === "none" ? own : own + NonzeroLists.bytes(units, rows);
  }

  /** Returns a new view at each access: element (r, k) is at r · stride + k. */
  get view(): Float32Array {
    return this.#slice.view.subarray(this.#first * this.stride);
  }

  /** Returns the rows from `first` on, without lists. */
  from(first: number): UnitRows {
    return new UnitRows(this.#arena, this.units, 0, "none", this.#slice, this.#first + first);
  }

  /** Sets the rows from `begin` to `end` − 1 to zero. */
  clear(begin: number, end: number): void {
    this.view.fill(0, begin * this.stride, end * this.stride);
  }
}

/** Lists of the numbers of a batch that are not zero (see `kernels/net-lists.ts`). */
class NonzeroLists {
  readonly rows: number;
  readonly rowCounts: number;
  /** 0 if columns are not listed. */
  readonly columns: number;
  readonly columnCounts: number;
  /** Entries for each column. */
  readonly capacity: number;
  readonly #memory: KernelMemory;
  readonly #of: UnitRows;

  constructor(arena: Arena, of: UnitRows, rows: number, { columns }: { readonly columns: boolean }) {
    const entries = widthOf(of.units) * rows;
    this.#memory = arena.memory;
    this.#of = of;
    this.capacity = rows;
    this.rows = arena.u8(LIST_ENTRY_BYTES * entries).pointer;
    this.rowCounts = arena.i32(rows * Math.ceil(of.width / LIST_BLOCK)).pointer;
    this.columns = columns ? arena.u8(LIST_ENTRY_BYTES * entries).pointer : 0;
    this.columnCounts = columns ? arena.i32(of.width).pointer : 0;
  }

  static bytes(units: number, rows: number): number {
    const width = widthOf(units);
    return 2 * LIST_ENTRY_BYTES * width * rows + 4 * rows * Math.ceil(width / LIST_BLOCK) + 4 * width + 256;
  }

  /** Lists the rows from `begin` to `end` − 1. */
  listRows(begin: number, end: number): void {
    const { pointer, stride, width } = this.#of;
    this.#memory.kernels.netListRows(pointer, stride, width, begin, end, this.rows, this.rowCounts);
  }

  /** Lists some columns of the first rows, which have been listed. */
  listColumns(rows: number, begin: number, end: number): void {
    this.#memory.kernels.netListColumns(
      this.rows,
      this.rowCounts,
      this.#of.width,
      rows,
      begin,
      end,
      this.columns,
      this.capacity,
      this.columnCounts,
    );
  }
}
