import * as real from "../../runtime/maths/portable-math.js";
import { type ConvexFunction, projectedNewton } from "../../runtime/maths/projected-newton.js";
import { evenRows } from "../../table/even-rows.js";

/** Factors of the logarithms of the members' probabilities, and an offset for each class. */
export interface LogLinearPool {
  /** a_m ≥ 0, one per member. */
  readonly weights: Float64Array;
  /** b_k, one per class; they sum to zero. */
  readonly offsets: Float64Array;
}

export interface PoolOptions {
  /** Strength of the penalty, in rows. */
  readonly ridge?: number;
  /** Weights of the rows; 1 each if absent. */
  readonly weights?: Float64Array | undefined;
}

/** Smaller probabilities count as this: the zeros of a small forest are not proof. */
export const POOLED_FLOOR = 1e-4;

/** Weights below this are zero. */
const LEAST_WEIGHT = 1e-6;

/** Numbers that are summed over rows at most: a few parameters need no more. */
const MOST_NUMBERS = 2 ** 18;

/**
 * Fits a log-linear pool (Genest and Zidek 1986; stacking as in Wolpert 1992) by log-loss:
 *
 *     p_ik ∝ exp(Σ_m a_m ln p_imk + b_k),   a_m ≥ 0.
 *
 * With two classes that is logistic regression on the log-odds of the members. The loss is convex, and so is the penalty
 * ridge / (2 rows) · (Σ_m (a_m − 1/M)² + Σ_k b_k²), which pulls towards the equally weighted geometric mean.
 */
export function fitLogLinearPool(
  probabilities: readonly Float64Array[],
  labels: Int32Array,
  classes: number,
  { ridge = 1, weights }: PoolOptions = {},
): LogLinearPool {
  const members = probabilities.length;
  const most = Math.ceil(MOST_NUMBERS / (classes * members));
  const rows = evenRows(labels.length, most).filter((row) => labels[row] >= 0);
  const loss = new PoolLoss(probabilities, labels, classes, rows, { ridge, weights });
  const start = new Float64Array(members + classes).fill(1 / members, 0, members);
  const found = projectedNewton(loss, start, members);
  const offsets = found.slice(members);
  const mean = offsets.reduce((sum, offset) => sum + offset, 0) / classes;
  return {
    weights: found.slice(0, members).map((weight) => (weight < LEAST_WEIGHT ? 0 : weight)),
    offsets: offsets.map((offset) => offset - mean),
  };
}

/** The penalised mean log-loss of a pool as a function of (a, b). */
export class PoolLoss implements ConvexFunction {
  readonly #members: number;
  readonly #classes: number;
  /** ln p of row i, member m and class k at (i · members + m) · classes + k. */
  readonly #logs: Float64Array;
  readonly #labels: Int32Array;
  readonly #weights: Float64Array;
  readonly #penalty: number;

  constructor(
    probabilities: readonly Float64Array[],
    labels: Int32Array,
    classes: number,
    rows: Int32Array,
    { ridge, weights }: { readonly ridge: number; readonly weights?: Float64Array | undefined },
  ) {
    const members = probabilities.length;
    this.#members = members;
    this.#classes = classes;
    this.#logs = new Float64Array(rows.length * members * classes);
    this.#labels = Int32Array.from(rows, (row) => labels[row]);
    const own = Float64Array.from(rows, (row) => weights?.[row] ?? 1);
    const total = own.reduce((sum, weight) => sum + weight, 0);
    this.#weights = own.map((weight) => weight / total);
    this.#penalty = ridge / Math.max(1, rows.length);
    for (const [m, member] of probabilities.entries()) {
      for (let i = 0; i < rows.length; i++) {
        const from = rows[i] * classes;
        const to = (i * members + m) * classes;
        for (let k = 0; k < classes; k++) {
          this.#logs[to + k] = real.log(Math.max(POOLED_FLOOR, member[from + k]));
        }
      }
    }
  }

  value(at: Float64Array): number {
    const pooled = new Float64Array(this.#classes);
    let loss = this.#penaltyAt(at);
    for (let i = 0; i < this.#labels.length; i++) {
      const total = this.#pool(at, i, pooled);
      const own = pooled[this.#labels[i]];
      loss += this.#weights[i] * (real.log(total) - own);
    }
    return loss;
  }

  derivatives(at: Float64Array): { gradient: Float64Array; hessian: Float64Array } {
    const size = this.#members + this.#classes;
    const gradient = new Float64Array(size);
    const hessian = new Float64Array(size * size);
    const shares = new Float64Array(this.#classes);
    const means = new Float64Array(this.#members);
    for (let i = 0; i < this.#labels.length; i++) {
      const total = this.#pool(at, i, shares);
      for (let k = 0; k < shares.length; k++) shares[k] = real.exp(shares[k]) / total;
      this.#addRow(i, shares, means, gradient, hessian);
    }
    this.#addPenalty(at, gradient, hessian);
    for (let r = 0; r < size; r++) {
      for (let c = 0; c < r; c++) hessian[c * size + r] = hessian[r * size + c];
    }
    return { gradient, hessian };
  }

  /** Writes the scores of a row, less the largest of them, and sums their exponentials. */
  #pool(at: Float64Array, i: number, scores: Float64Array): number {
    const [members, classes] = [this.#members, this.#classes];
    for (let k = 0; k < classes; k++) scores[k] = at[members + k];
    for (let m = 0; m < members; m++) {
      const start = (i * members + m) * classes;
      for (let k = 0; k < classes; k++) scores[k] += at[m] * this.#logs[start + k];
    }
    let largest = scores[0];
    for (let k = 1; k < classes; k++) largest = Math.max(largest, scores[k]);
    let total = 0;
    for (let k = 0; k < classes; k++) {
      scores[k] -= largest;
      total += real.exp(scores[k]);
    }
    return total;
  }

  /**
   * Adds w (E_p[x] − x_y) to the gradient and w Cov_p[x] to the lower triangle of the Hessian, where x has the logarithms of the
   * members and a one at the class.
   */
  #addRow(
    i: number,
    shares: Float64Array,
    means: Float64Array,
    gradient: Float64Array,
    hessian: Float64Array,
  ): void {
    const [members, classes] = [this.#members, this.#classes];
    const size = members + classes;
    const weight = this.#weights[i];
    const label = this.#labels[i];
    const first = i * members * classes;
    for (let m = 0; m < members; m++) {
      const start = first + m * classes;
      let mean = 0;
      for (let k = 0; k < classes; k++) mean += shares[k] * this.#logs[start + k];
      means[m] = mean;
      gradient[m] += weight * (mean - this.#logs[start + label]);
      for (let n = 0; n <= m; n++) {
        const other = first + n * classes;
        let product = 0;
        for (let k = 0; k < classes; k++)
          product += shares[k] * this.#logs[start + k] * this.#logs[other + k];
        hessian[m * size + n] += weight * (product - mean * means[n]);
      }
    }
    for (let k = 0; k < classes; k++) {
      const row = (members + k) * size;
      const share = weight * shares[k];
      gradient[members + k] += share - (k === label ? weight : 0);
      for (let m = 0; m < members; m++) {
        hessian[row + m] += share * (this.#logs[first + m * classes + k] - means[m]);
      }
      for (let l = 0; l < k; l++) hessian[row + members + l] -= share * shares[l];
      hessian[row + members + k] += share * (1 - shares[k]);
    }
  }

  #penaltyAt(at: Float64Array): number {
    return (this.#penalty / 2) * at.reduce((sum, x, j) => sum + (x - this.#centre(j)) ** 2, 0);
  }

  #addPenalty(at: Float64Array, gradient: Float64Array, hessian: Float64Array): void {
    for (let j = 0; j < at.length; j++) {
      gradient[j] += this.#penalty * (at[j] - this.#centre(j));
      hessian[j * at.length + j] += this.#penalty;
    }
  }

  #centre(j: number): number {
    return j < this.#members ? 1 / this.#members : 0;
  }
}
