import type { Sample } from "../../encode/sample.js";
import type { FloatArray, Matrix } from "../../runtime/maths/matrix.js";
import { sharedBuffer } from "../../runtime/parallel/shared-array.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { NetworkBuffers } from "./network-buffers.js";
import type { UnitRows } from "./unit-rows.js";

/**
 * Converts features to single precision; values that are already single are not copied. Features are clipped to ±limit;
 * without a limit, numbers too large for single precision are an error.
 */
export function inSinglePrecision(
  { values, columns }: Matrix,
  limit = Number.POSITIVE_INFINITY,
  names?: readonly string[],
): Float32Array {
  if (limit < Number.POSITIVE_INFINITY) return clipped(values, limit);
  if (values instanceof Float32Array) return values;
  const singles = new Float32Array(sharedBuffer(4 * values.length));
  singles.set(values);
  // 0 · x is NaN only for NaN and ±∞.
  let probe = 0;
  for (let k = 0; k < singles.length; k++) probe += 0 * singles[k];
  if (probe === 0) return singles;
  const k = singles.findIndex((value) => !Number.isFinite(value));
  const column = k % columns;
  throw new VouchError(
    "data/not-finite",
    `Row ${Math.floor(k / columns) + 1} has ${values[k]} in feature ${names?.[column] ?? column + 1}, which is too large for a network.`,
    { hint: "Networks compute in single precision: standardise the features." },
  );
}

function clipped(values: FloatArray, limit: number): Float32Array {
  const singles = new Float32Array(sharedBuffer(4 * values.length));
  for (let k = 0; k < singles.length; k++) singles[k] = Math.max(-limit, Math.min(limit, values[k]));
  return singles;
}

/** Products that skip zeros are faster if at most this share of the numbers is not zero. */
const SPARSE = 0.6;

/** Rows that tell whether most numbers are zero. */
const SAMPLED_ROWS = 1000;

/** Tells whether enough features are zero for products to skip them. */
export function areMostlyZero(values: Float32Array, columns: number): boolean {
  const step = Math.max(1, Math.floor(values.length / columns / SAMPLED_ROWS));
  let [count, nonzero] = [0, 0];
  for (let first = 0; first < values.length; first += step * columns) {
    for (let k = first; k < first + columns; k++) if (values[k] !== 0) nonzero++;
    count += columns;
  }
  return nonzero <= SPARSE * count;
}

/** Copies rows of features into some of the rows of units, from `begin` on. */
export function copyRows(
  values: FloatArray,
  columns: number,
  rows: ArrayLike<number>,
  to: UnitRows,
  begin = 0,
  end = rows.length,
): void {
  const { view, stride } = to;
  for (let r = begin; r < end; r++) {
    view.set(values.subarray(rows[r] * columns, (rows[r] + 1) * columns), r * stride);
  }
}

/** Rows of a sample and what training needs of them; structured-cloneable. */
export interface BatchRows {
  readonly values: Float32Array;
  readonly columns: number;
  readonly labels: Int32Array;
  readonly weights: Float64Array | undefined;
}

/** Returns the rows of a sample, given its features in single precision. */
export function batchRows({ features, labels, weights }: Sample<Matrix>, values: Float32Array): BatchRows {
  return { values, columns: features.columns, labels, weights };
}

/** Rows from which batches are taken, all by default; weights are scaled to a mean of 1. */
export class RowSource {
  readonly rows: number;
  readonly #from: BatchRows;
  readonly #meanWeight: number;
  readonly #chosen: Int32Array;

  constructor(from: BatchRows, chosen?: Int32Array) {
    this.#from = from;
    this.#chosen = chosen ?? Int32Array.from(from.labels.keys());
    this.rows = this.#chosen.length;
    const { weights } = from;
    this.#meanWeight = weights ? this.#chosen.reduce((sum, row) => sum + weights[row] / this.rows, 0) : 1;
  }

  /**
   * Makes rows the batch of a network, by their places in this source; a weight of 1 becomes `unit`. The features themselves are
   * taken by the workers.
   */
  choose(network: NetworkBuffers, places: Int32Array, unit: number): void {
    const [rows, labels, weights] = [network.places(), network.labels(), network.rowWeights()];
    const scale = unit / this.#meanWeight;
    for (let r = 0; r < places.length; r++) {
      const row = this.#chosen[places[r]];
      rows[r] = row;
      labels[r] = this.#from.labels[row];
      weights[r] = (this.#from.weights?.[row] ?? 1) * scale;
    }
  }
}
