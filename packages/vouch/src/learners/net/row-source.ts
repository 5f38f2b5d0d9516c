import type { Sample } from "../../encode/sample.js";
import type { FloatArray, Matrix } from "../../runtime/matrix.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { UnitRows } from "./dense-layer.js";
import type { ResidentNetwork } from "./resident-network.js";

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
  const singles = new Float32Array(values);
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

/** Rows of a sample from which batches are taken, all by default; weights are scaled to a mean of 1. */
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

  /** Copies rows into a network, by their places in this source; a weight of 1 becomes `unit`. */
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
