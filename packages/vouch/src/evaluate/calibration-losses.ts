import { sigmoid, softmax, softplus } from "./calibrator.js";
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
  readonly #targets: Float64Array;
  /** Weights that sum to one. */
  readonly #shares: Float64Array;
  /** Logits at the last point. */
  readonly #logits: Float64Array;
  readonly #curvatures: Float64Array;
  readonly #errors: Float64Array;
  #at: Float64Array | undefined;

  constructor(columns: readonly Float64Array[], { targets, weights }: WeightedTargets) {
    const total = sumOf(weights);
    this.#columns = columns;
    this.#targets = targets;
    this.#shares = weights.map((weight) => weight / total);
    this.#logits = new Float64Array(targets.length);
    this.#curvatures = new Float64Array(targets.length);
    this.#errors = new Float64Array(targets.length);
  }

  value(at: Float64Array): number {
    const logits = this.#logitsAt(at);
    const targets = this.#targets;
    const shares = this.#shares;
    let loss = 0;
    for (let i = 0; i < logits.length; i++) {
      if (shares[i] > 0) loss += shares[i] * (softplus(logits[i]) - targets[i] * logits[i]);
    }
    return loss;
  }

  derivatives(at: Float64Array) {
    const logits = this.#logitsAt(at);
    const size = at.length;
    const gradient = new Float64Array(size);
    const hessian = new Float64Array(size * size);
    const shares = this.#shares;
    const targets = this.#targets;
    const curvatures = this.#curvatures;
    const errors = this.#errors;
    for (let i = 0; i < logits.length; i++) {
      const share = shares[i];
      const p = share === 0 ? 0 : sigmoid(logits[i]);
      curvatures[i] = share * p * (1 - p);
      errors[i] = share * (p - targets[i]);
    }
    for (let j = 0; j < size; j++) {
      const column = this.#columns[j];
      gradient[j] = product(errors, column);
      for (let k = 0; k <= j; k++) hessian[j * size + k] = triple(curvatures, column, this.#columns[k]);
    }
    return { gradient, hessian: mirrored(hessian, size) };
  }

  #logitsAt(at: Float64Array): Float64Array {
    const logits = this.#logits;
    if (this.#at === at) return logits;
    this.#at = at;
    logits.fill(0);
    this.#columns.forEach((column, j) => {
      const x = at[j];
      for (let i = 0; i < column.length; i++) logits[i] += x * column[i];
    });
    return logits;
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
      const { row, logScores } = this;
      const weight = share * weights[i];
      for (let k = 0; k < classes; k++) {
        const p = row[k];
        const score = logScores[start + k];
        gradient[k] += weight * (p - targets[start + k]) * score;
        gradient[classes + k] += weight * (p - targets[start + k]);
        for (let j = 0; j <= k; j++) {
          const curvature = weight * p * ((j === k ? 1 : 0) - row[j]);
          const other = logScores[start + j];
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

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** Computes Σ a_i b_i c_i. */
function triple(a: Float64Array, b: Float64Array, c: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i] * c[i];
  return sum;
}
