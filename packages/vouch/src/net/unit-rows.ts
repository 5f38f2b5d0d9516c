import type { Arena, Slice } from "../numeric/arena.js";

/** Columns and rows are rounded up to these: whole panels, whole tiles. */
const WIDTH_STEP = 8;
const ROW_STEP = 4;

/** Rows that lie a multiple of this many numbers apart fall into few sets of the cache. */
const UNLUCKY_STRIDE = 256;
const LUCKY_SHIFT = 16;

/** How many numbers a row of so many units takes. */
export function widthOf(units: number): number {
  return Math.ceil(units / WIDTH_STEP) * WIDTH_STEP;
}

function strideOf(units: number): number {
  const width = widthOf(units);
  return width % UNLUCKY_STRIDE === 0 ? width + LUCKY_SHIFT : width;
}

function lengthOf(units: number, rows: number): number {
  return strideOf(units) * Math.ceil(rows / ROW_STEP) * ROW_STEP;
}

/** Numbers of the units of a layer, one row for each row of a batch, in kernel memory. */
export class UnitRows {
  readonly units: number;
  /** Numbers from one row to the next. */
  readonly stride: number;
  /** Columns that kernels compute; those beyond the units are 0. */
  readonly width: number;
  readonly pointer: number;
  readonly #slice: Slice<Float32Array>;

  /** Takes room for `rows` rows from the arena and clears it. */
  constructor(arena: Arena, units: number, rows: number) {
    this.units = units;
    this.width = widthOf(units);
    this.stride = strideOf(units);
    this.#slice = arena.f32(lengthOf(units, rows));
    this.pointer = this.#slice.pointer;
    this.#slice.view.fill(0);
  }

  /** The bytes that the constructor takes. */
  static bytes(units: number, rows: number): number {
    return 4 * lengthOf(units, rows) + 64;
  }

  /** A new view at each access: element (r, k) is at r · stride + k. */
  get view(): Float32Array {
    return this.#slice.view;
  }
}
