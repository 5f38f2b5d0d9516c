import type { LogisticLoss } from "./logistic-loss.js";

/** Eigenvalues below this fraction of the diagonal count as zero. */
const SINGULAR = 1e-9;

/** Most features and constant whose rank is computed, in time cubic in their number. */
const MOST_FEATURES = 1024;

/** So few parameters are counted in any case. */
const FEW = 40;

/** Matrices of the trace are computed only if that takes less time than about this many gradients. */
const MOST_GRADIENTS = 50;

/** The penalty. */
interface Penalty {
  readonly l1: number;
  readonly l2: number;
}

/**
 * Computes the effective number of parameters at the last evaluated weights,
 *
 *     tr [H_A (H_A + l2·I)⁻¹]
 *
 * for the Hessian H_A of the loss by the weights that are not zero and the intercepts (Hastie and Tibshirani 1990, section 6.8;
 * Zou, Hastie and Tibshirani 2007 for the lasso). Without an L2 penalty it is the rank of H_A: (K − 1)(d + 1) without any
 * penalty and without dependent features, and the number of non-zero weights and intercepts with an L1 penalty. Undefined if
 * it would take long.
 */
export async function effectiveParameters(
  loss: LogisticLoss,
  weights: Float64Array,
  { l1, l2 }: Penalty,
): Promise<number | undefined> {
  const { classes, outputs, features } = loss;
  const own = classes === 2 ? 1 : classes;
  // Only the differences between the intercepts of several classes count, and without a penalty those between all weights.
  if (l1 > 0 && l2 === 0) return nonZero(weights, loss) + Math.max(1, own - 1);
  if (l2 === 0) {
    const rank = await rankOf(loss);
    return rank === undefined ? undefined : rank * Math.max(1, own - 1);
  }
  const active: number[] = [];
  for (let j = 0; j <= features; j++) {
    for (let k = 0; k < own; k++)
      if (j === features || weights[j * outputs + k] !== 0) active.push(j * outputs + k);
  }
  const pairs = (own * (own + 1)) / 2;
  const work = pairs * loss.gramWork + active.length ** 3 / 3;
  if (work > MOST_GRADIENTS * loss.work && active.length > FEW) return undefined;
  const hessian = await hessianOf(loss, active, own);
  return traceOf(hessian, active, loss, l2);
}

function nonZero(weights: Float64Array, { size, outputs }: LogisticLoss): number {
  let count = 0;
  for (let j = 0; j < size - outputs; j++) if (weights[j] !== 0) count++;
  return count;
}

/** Computes the rank of the features and the constant, among rows whose class is not certain. */
async function rankOf(loss: LogisticLoss): Promise<number | undefined> {
  const size = loss.features + 1;
  if (size > MOST_FEATURES) return undefined;
  const gram = await loss.gram(1);
  try {
    const { values, columns } = gram.matrix;
    const scales = Float64Array.from({ length: size }, (_, j) => 1 / Math.sqrt(values[j * columns + j]));
    const matrix = lowerTriangle(size, (a, b) => values[a * columns + b] * scales[a] * scales[b]);
    return cholesky(matrix, SINGULAR).filter((pivot) => pivot > 0).length;
  } finally {
    gram.release();
  }
}

/** Computes the Hessian by the given weights, lower triangle: ∂²/∂w_jk∂w_lm = Σ c p_k([k = m] − p_m) x_j x_l. */
async function hessianOf(
  loss: LogisticLoss,
  active: readonly number[],
  own: number,
): Promise<Float64Array[]> {
  const { outputs } = loss;
  const hessian = active.map((_, a) => new Float64Array(a + 1));
  for (let k = 0; k < own; k++) {
    for (let m = 0; m <= k; m++) {
      const gram = await loss.gram(1, [k, m]);
      try {
        const { values, columns } = gram.matrix;
        for (let a = 0; a < active.length; a++) {
          const [j, output] = [Math.floor(active[a] / outputs), active[a] % outputs];
          for (let b = 0; b <= a; b++) {
            const [l, other] = [Math.floor(active[b] / outputs), active[b] % outputs];
            if (Math.max(output, other) !== k || Math.min(output, other) !== m) continue;
            const value = values[Math.max(j, l) * columns + Math.min(j, l)];
            hessian[a][b] = k === m ? value : -value;
          }
        }
      } finally {
        gram.release();
      }
    }
  }
  return hessian;
}

/** Computes tr[H(H + Λ)⁻¹] = n − tr[Λ(H + Λ)⁻¹]; a tiny ridge stands for the missing penalty of the intercepts. */
function traceOf(hessian: Float64Array[], active: readonly number[], loss: LogisticLoss, l2: number): number {
  const size = active.length;
  const first = loss.size - loss.outputs;
  const largest = hessian.reduce((most, row, a) => Math.max(most, row[a]), 0);
  const penalties = active.map((j) => (j < first ? l2 : SINGULAR * largest));
  penalties.forEach((penalty, a) => {
    hessian[a][a] += penalty;
  });
  const factor = hessian;
  cholesky(factor, 0);
  let trace = size;
  const column = new Float64Array(size);
  for (let a = 0; a < size; a++) {
    // Column a of L⁻¹: its squared norm is element a of the diagonal of (LLᵀ)⁻¹.
    column.fill(0, 0, size);
    let norm = 0;
    for (let i = a; i < size; i++) {
      let sum = i === a ? 1 : 0;
      const row = factor[i];
      for (let j = a; j < i; j++) sum -= row[j] * column[j];
      column[i] = sum / row[i];
      norm += column[i] * column[i];
    }
    trace -= penalties[a] * norm;
  }
  return Math.max(0, trace);
}

function lowerTriangle(size: number, value: (a: number, b: number) => number): Float64Array[] {
  return Array.from({ length: size }, (_, a) => Float64Array.from({ length: a + 1 }, (_, b) => value(a, b)));
}

/** Factorises a matrix A = LLᵀ in place and returns its pivots. Pivots of at most `least` become 0, and so do their columns. */
function cholesky(matrix: Float64Array[], least: number): number[] {
  return matrix.map((row, i) => {
    for (let j = 0; j < i; j++) {
      const other = matrix[j];
      let sum = row[j];
      for (let k = 0; k < j; k++) sum -= row[k] * other[k];
      row[j] = other[j] > 0 ? sum / other[j] : 0;
    }
    let pivot = row[i];
    for (let k = 0; k < i; k++) pivot -= row[k] * row[k];
    row[i] = pivot > least ? Math.sqrt(pivot) : 0;
    return row[i];
  });
}
