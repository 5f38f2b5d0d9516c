import { Matrix } from "../../runtime/matrix.js";
import { indexOfLargest, predictionsOf } from "../scores.js";
import type { NetworkWeights } from "./network-weights.js";
import { type NetworkForm, ResidentNetwork } from "./resident-network.js";
import { copyRows, inSinglePrecision, type UnitRows } from "./row-source.js";

/** Rows that go through the network together. */
const TOGETHER = 256;

/** The sums of the last layer for every row. */
export function networkSums(network: NetworkWeights, form: NetworkForm, features: Matrix): Matrix {
  const { rows, columns } = features;
  const units = network.sizes[network.sizes.length - 1];
  const sums = new Float64Array(rows * units);
  const values = inSinglePrecision(features, form.inputLimit);
  const resident = new ResidentNetwork(network, form, Math.min(TOGETHER, Math.max(1, rows)));
  try {
    for (let first = 0; first < rows; first += TOGETHER) {
      const count = Math.min(TOGETHER, rows - first);
      const places = Int32Array.from({ length: count }, (_, r) => first + r);
      copyRows(values, columns, places, resident.input);
      takeRows(resident.sums(count), count, sums.subarray(first * units));
    }
  } finally {
    resident.release();
  }
  return new Matrix(rows, units, sums);
}

function takeRows({ view, stride, units }: UnitRows, rows: number, to: Float64Array): void {
  for (let r = 0; r < rows; r++) {
    for (let k = 0; k < units; k++) to[r * units + k] = view[r * stride + k];
  }
}

/** The class that sums decide for: that of the largest, or by the sign of a single one. */
export function decisionsOf(sums: Matrix): Int32Array {
  if (sums.columns > 1) return predictionsOf(sums);
  return Int32Array.from(sums.values, (z) => (z > 0 ? 1 : 0));
}

/** Probabilities of the classes from sums: softmax, or 1/(1 + e^±z) of a single one. */
export function networkProbabilities(sums: Matrix): Matrix {
  return sums.columns === 1 ? logisticProbabilities(sums) : softmaxProbabilities(sums);
}

function logisticProbabilities({ rows, values }: Matrix): Matrix {
  const probabilities = new Float64Array(2 * rows);
  for (let i = 0; i < rows; i++) {
    probabilities[2 * i] = 1 / (1 + Math.exp(values[i]));
    probabilities[2 * i + 1] = 1 / (1 + Math.exp(-values[i]));
  }
  return new Matrix(rows, 2, probabilities);
}

function softmaxProbabilities({ rows, columns, values }: Matrix): Matrix {
  const probabilities = new Float64Array(values.length);
  for (let i = 0; i < rows; i++) {
    const first = i * columns;
    const most = values[first + indexOfLargest(values, first, columns)];
    let total = 0;
    for (let k = first; k < first + columns; k++) {
      probabilities[k] = Math.exp(values[k] - most);
      total += probabilities[k];
    }
    for (let k = first; k < first + columns; k++) probabilities[k] /= total;
  }
  return new Matrix(rows, columns, probabilities);
}
