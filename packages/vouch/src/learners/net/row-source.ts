import type { Sample } from "../../encode/sample.js";
import type { Arena, Slice } from "../../runtime/arena.js";
import type { FloatArray, Matrix } from "../../runtime/matrix.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { ResidentNetwork } from "./resident-network.js";

/**
 * Features in single precision: the same values if they are, a copy otherwise. Numbers beyond ±limit count as ±limit;
 * without a limit, numbers too large for single precision are an error.
 */
export function inSinglePrecision(
  { values, columns }: Matrix,
  limit = Number.POSITIVE_INFINITY,
  names?: readonly string[],
): Float32Array {
  if (limit < Number.POSITIVE_INFINITY) return limited(values, limit);
  if (values instanceof Float32Array) return values;
  const singles = new Float32Array(values);
  // 0 · x is NaN for NaN and ±∞ only.
  let probe = 0;
  for (let k = 0; k < singles.length; k++) probe += 0 * singles[k];
  if (probe === 0) return singles;
  const k = singles.findIndex((value) => !Number.isFinite(value));
  const column = k % columns;
  throw new VouchError(
    "data/not-finite",
    `Row ${Math.floor(k / columns) + 1} has ${values[k]} in feature ${names?.[column] ?? column + 1}, too large for a network.`,
    { hint: "Networks compute in single precision: standardise the features." },
  );
}

function limited(values: FloatArray, limit: number): Float32Array {
  const singles = new Float32Array(values.length);
  for (let k = 0; k < singles.length; k++) singles[k] = Math.max(-limit, Math.min(limit, values[k]));
  return singles;
}

/** Copies rows of single-precision features into the rows of units. */
export function copyRows(values: Float32Array, columns: number, rows: ArrayLike<number>, to: UnitRows): void {
  const { view, stride } = to;
  for (let r = 0; r < rows.length; r++) {
    view.set(values.subarray(rows[r] * columns, (rows[r] + 1) * columns), r * stride);
  }
}

/** Some rows of a sample, or all, from which batches are taken; weights are 1 on average. */
export class RowSource {
  readonly rows: number;
  readonly #values: Float32Array;
  readonly #columns: number;
  readonly #labels: Int32Array;
  readonly #weights: Float64Array | undefined;
  readonly #meanWeight: number;
  readonly #chosen: Int32Array;

  constructor(sample: Sample<Matrix>, values: Float32Array, chosen?: Int32Array) {
    this.#values = values;
    this.#columns = sample.features.columns;
    this.#labels = sample.labels;
    this.#weights = sample.weights;
    this.#chosen = chosen ?? Int32Array.from(sample.labels.keys());
    this.rows = this.#chosen.length;
    const { weights } = sample;
    this.#meanWeight = weights ? this.#chosen.reduce((sum, row) => sum + weights[row] / this.rows, 0) : 1;
  }

  /** Puts some of the rows into a network, by their places in this source; a weight of 1 becomes `unit`. */
  fill(network: ResidentNetwork, places: Int32Array, unit: number): void {
    const rows = places.map((place) => this.#chosen[place]);
    const labels = network.labels();
    const weights = network.rowWeights();
    const scale = unit / this.#meanWeight;
    copyRows(this.#values, this.#columns, rows, network.input);
    for (let r = 0; r < rows.length; r++) {
      labels[r] = this.#labels[rows[r]];
      weights[r] = (this.#weights?.[rows[r]] ?? 1) * scale;
    }
  }
}

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
