import { logistic, softmax, softplus } from "./calibrator.js";
import type { ConvexFunction } from "./projected-newton.js";

/** Rows that parameters are fitted to; rows of weight 0 do not count. */
interface WeightedTargets {
  /** Target probability: one per row, or one per row and class. */
  readonly targets: Float64Array;
  readonly weights: Float64Array;
}

/**
 * The mean log-loss of p_i = σ(Σ_j x_j · column_j(i)), Σ_i w_i (ln(1 + e^{l_i}) − t_i l_i) / Σ_i w_i: temperature, Platt and beta
 * scaling of two classes.
 */
export class BinaryLogLoss implements ConvexFunction {
  readonly #columns: readonly Float64Array[];
  readonly #rows: WeightedTargets;
  readonly #total: number;

  constructor(columns: readonly Float64Array[], rows: WeightedTargets) {
    this.#columns = columns;
    this.#rows = rows;
    this.#total = sumOf(rows.weights);
  }

  value(at: Float64Array): number {
    const { targets, weights } = this.#rows;
    let loss = 0;
    for (let i = 0; i < targets.length; i++) {
      if (weights[i] === 0) continue;
      const logit = this.#logit(at, i);
      loss += weights[i] * (softplus(logit) - targets[i] * logit);
    }
    return loss / this.#total;
  }

  derivatives(at: Float64Array) {
    const { targets, weights } = this.#rows;
    const size = at.length;
    const gradient = new Float64Array(size);
    const hessian = new Float64Array(size * size);
    for (let i = 0; i < targets.length; i++) {
      if (weights[i] === 0) continue;
      const p = logistic(this.#logit(at, i));
      const error = (weights[i] / this.#total) * (p - targets[i]);
      const curvature = (weights[i] / this.#total) * p * (1 - p);
      for (let j = 0; j < size; j++) {
        const x = this.#columns[j][i];
        gradient[j] += error * x;
        for (let k = 0; k <= j; k++) hessian[j * size + k] += curvature * x * this.#columns[k][i];
      }
    }
    return { gradient, hessian: mirrored(hessian, size) };
  }

  #logit(at: Float64Array, i: number): number {
    let logit = 0;
    for (let j = 0; j < at.length; j++) logit += at[j] * this.#columns[j][i];
    return logit;
  }
}

/** Scores of several classes, and room for the probabilities of a row. */
abstract class SoftmaxLogLoss {
  protected readonly logScores: Float64Array;
  protected readonly rows: WeightedTargets;
  protected readonly total: number;
  protected readonly row: Float64Array;

  constructor(logScores: Float64Array, rows: WeightedTargets) {
    this.logScores = logScores;
    this.rows = rows;
    this.total = sumOf(rows.weights);
    this.row = new Float64Array(logScores.length / rows.weights.length);
  }
}

/** The mean log-loss of softmax(x · s) of several classes: temperature scaling, with x = 1/T. */
export class TemperatureLogLoss extends SoftmaxLogLoss implements ConvexFunction {
  value([x]: Float64Array): number {
    const { targets, weights } = this.rows;
    const classes = this.row.length;
    let loss = 0;
    for (let i = 0; i < weights.length; i++) {
      if (weights[i] === 0) continue;
      const start = i * classes;
      let own = this.#shares(x, start);
      for (let k = 0; k < classes; k++) own -= targets[start + k] * x * this.logScores[start + k];
      loss += weights[i] * own;
    }
    return loss / this.total;
  }

  derivatives([x]: Float64Array) {
    const { targets, weights } = this.rows;
    const classes = this.row.length;
    let slope = 0;
    let curvature = 0;
    for (let i = 0; i < weights.length; i++) {
      if (weights[i] === 0) continue;
      const start = i * classes;
      this.#shares(x, start);
      let expected = 0;
      let squares = 0;
      let aimed = 0;
      for (let k = 0; k < classes; k++) {
        const score = this.logScores[start + k];
        expected += this.row[k] * score;
        squares += this.row[k] * score * score;
        aimed += targets[start + k] * score;
      }
      slope += weights[i] * (expected - aimed);
      curvature += weights[i] * Math.max(0, squares - expected * expected);
    }
    return {
      gradient: Float64Array.of(slope / this.total),
      hessian: Float64Array.of(curvature / this.total),
    };
  }

  /** Writes softmax(x · s) of a row, and returns ln Σ_k exp(x · s_k). */
  #shares(x: number, start: number): number {
    const row = this.row;
    for (let k = 0; k < row.length; k++) row[k] = x * this.logScores[start + k];
    return softmax(row);
  }
}

/**
 * The mean log-loss of softmax(a_k · s_k + b_k) with variables a, then b (vector scaling), plus a penalty of
 * ½ Σ_k ((a_k − 1)² + b_k²), which counts as much as one row.
 */
export class VectorLogLoss extends SoftmaxLogLoss implements ConvexFunction {
  value(at: Float64Array): number {
    const { targets, weights } = this.rows;
    const classes = this.row.length;
    let loss = 0;
    for (let k = 0; k < classes; k++) loss += ((at[k] - 1) ** 2 + at[classes + k] ** 2) / 2;
    for (let i = 0; i < weights.length; i++) {
      if (weights[i] === 0) continue;
      const start = i * classes;
      let own = this.#shares(at, start);
      for (let k = 0; k < classes; k++) {
        own -= targets[start + k] * (at[k] * this.logScores[start + k] + at[classes + k]);
      }
      loss += weights[i] * own;
    }
    return loss / this.total;
  }

  derivatives(at: Float64Array) {
    const { targets, weights } = this.rows;
    const classes = this.row.length;
    const size = 2 * classes;
    const share = 1 / this.total;
    const gradient = at.map((x, j) => share * (j < classes ? x - 1 : x));
    const hessian = new Float64Array(size * size);
    for (let j = 0; j < size; j++) hessian[j * size + j] = share;
    for (let i = 0; i < weights.length; i++) {
      if (weights[i] === 0) continue;
      const start = i * classes;
      this.#shares(at, start);
      const weight = share * weights[i];
      for (let k = 0; k < classes; k++) {
        const p = this.row[k];
        const score = this.logScores[start + k];
        gradient[k] += weight * (p - targets[start + k]) * score;
        gradient[classes + k] += weight * (p - targets[start + k]);
        for (let j = 0; j <= k; j++) {
          const curvature = weight * p * ((j === k ? 1 : 0) - this.row[j]);
          const other = this.logScores[start + j];
          hessian[k * size + j] += curvature * score * other;
          hessian[(classes + k) * size + j] += curvature * other;
          if (j !== k) hessian[(classes + j) * size + k] += curvature * score;
          hessian[(classes + k) * size + classes + j] += curvature;
        }
      }
    }
    return { gradient, hessian: mirrored(hessian, size) };
  }

  #shares(at: Float64Array, start: number): number {
    const row = this.row;
    const classes = row.length;
    for (let k = 0; k < classes; k++) row[k] = at[k] * this.logScores[start + k] + at[classes + k];
    return softmax(row);
  }
}

/** Copies the lower triangle to the upper one. */
function mirrored(matrix: Float64Array, size: number): Float64Array {
  for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) matrix[j * size + i] = matrix[i * size + j];
  return matrix;
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
