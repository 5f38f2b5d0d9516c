import { Matrix } from "../numeric/matrix.js";

/**
 * Probabilities of the classes from what the trees have added to the margins to begin with, row after row. Two classes
 * have one margin F, and p = 1 / (1 + exp(−F)) is the probability of the second; of several, exp(F_k) / Σ exp(F_j).
 */
export function probabilitiesOf(sums: Float32Array, base: Float64Array): Matrix {
  return base.length === 1 ? ofTwo(sums, base[0]) : ofSeveral(sums, base);
}

function ofTwo(sums: Float32Array, base: number): Matrix {
  const values = new Float64Array(2 * sums.length);
  for (let i = 0; i < sums.length; i++) {
    const margin = base + sums[i];
    // From the smaller of the two: neither overflows nor loses digits.
    const smaller = Math.exp(-Math.abs(margin));
    const share = smaller / (1 + smaller);
    values[2 * i] = margin > 0 ? share : 1 - share;
    values[2 * i + 1] = margin > 0 ? 1 - share : share;
  }
  return new Matrix(sums.length, 2, values);
}

function ofSeveral(sums: Float32Array, base: Float64Array): Matrix {
  const classes = base.length;
  const values = Float64Array.from(sums, (sum, k) => base[k % classes] + sum);
  for (let from = 0; from < values.length; from += classes) {
    const margins = values.subarray(from, from + classes);
    const most = margins.reduce((high, margin) => Math.max(high, margin), -Infinity);
    let total = 0;
    for (let k = 0; k < classes; k++) total += margins[k] = Math.exp(margins[k] - most);
    for (let k = 0; k < classes; k++) margins[k] /= total;
  }
  return new Matrix(sums.length / classes, classes, values);
}
