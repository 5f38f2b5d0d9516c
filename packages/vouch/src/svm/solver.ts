import type { KernelMatrix } from "../kernel/index.js";
import type { Arena } from "../numeric/arena.js";

/** Where the solver gets kernel values from. */
export type KernelRows = KernelMatrix;

/**
 * The dual of a support vector machine on some rows of a sample:
 * minimise ½αᵀQα − Σα with 0 ≤ αᵢ ≤ Cᵢ and Σ yᵢαᵢ = 0, where Qᵢⱼ = yᵢyⱼK(xᵢ, xⱼ).
 */
export interface SvmProblem {
  readonly kernel: KernelRows;
  /** The rows of the kernel that take part, each at most once. */
  readonly rows: Int32Array;
  /** yᵢ = ±1 of each row taken. */
  readonly labels: Int8Array;
  /** Cᵢ ≥ 0 of each row taken; where it is 0 the row has no say. */
  readonly upperBounds: Float64Array;
}

/** When the solver stops. */
export interface SvmSolverOptions {
  /** The largest violation of the Karush–Kuhn–Tucker conditions that is left, as LIBSVM's −e; usually 0.001. */
  readonly tolerance: number;
  /** The solver gives up after so many steps. */
  readonly maxIterations: number;
}

/** The solution: f(x) = Σ coefficientᵢ · K(xᵢ, x) + bias. */
export interface SvmSolution {
  /** yᵢαᵢ of each row taken. */
  readonly coefficients: Float64Array;
  readonly bias: number;
  /** f(xᵢ) of each row taken. */
  readonly decisionValues: Float64Array;
  /** ½αᵀQα − Σα */
  readonly objective: number;
  /** What is left of the largest violation of the conditions, m(α) − M(α); 0 at the exact solution. */
  readonly gap: number;
  /** Primal minus dual objective: how far the primal objective is from its minimum at most. */
  readonly dualityGap: number;
  /** ‖w‖² = αᵀQα */
  readonly squaredNorm: number;
  readonly iterations: number;
  /** Whether the gap came below the tolerance before the iterations ran out. */
  readonly converged: boolean;
}

/** Solves the problem; `checkpoint` is called, and awaited, at least every 50 ms. */
export async function solveSvm(
  problem: SvmProblem,
  options: SvmSolverOptions,
  checkpoint: () => Promise<void> | undefined = () => undefined,
): Promise<SvmSolution> {
  await checkpoint();
  return minimise(problem, options);
}

/** Bytes of the arena that `solveSvmSync` needs for a problem of so many rows. */
export function solverBytes(rows: number): number {
  return rows * 8;
}

/**
 * Solves the problem without a pause, for tasks that solve many small ones. The arena is scratch, in the memory of
 * the kernel; it is reset first.
 */
export function solveSvmSync(problem: SvmProblem, options: SvmSolverOptions, arena: Arena): SvmSolution {
  arena.reset();
  return minimise(problem, options);
}

function minimise({ kernel, rows, labels, upperBounds }: SvmProblem, options: SvmSolverOptions): SvmSolution {
  const n = rows.length;
  const beta = new Float64Array(n);
  const G = Float64Array.from(labels);
  const lower = Float64Array.from(labels, (y, i) => (y > 0 ? 0 : -upperBounds[i]));
  const upper = Float64Array.from(labels, (y, i) => (y > 0 ? upperBounds[i] : 0));
  let iterations = 0;
  let highest = Number.NEGATIVE_INFINITY;
  let lowest = Number.POSITIVE_INFINITY;
  for (;;) {
    let first = -1;
    highest = Number.NEGATIVE_INFINITY;
    lowest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < n; i++) {
      if (beta[i] < upper[i] && G[i] > highest) {
        highest = G[i];
        first = i;
      }
      if (beta[i] > lower[i] && G[i] < lowest) lowest = G[i];
    }
    if (first < 0 || !(highest - lowest >= options.tolerance) || iterations >= options.maxIterations) break;
    const row = kernel.row(rows[first]);
    let second = -1;
    let best = 0;
    for (let j = 0; j < n; j++) {
      const difference = highest - G[j];
      if (beta[j] <= lower[j] || difference <= 0) continue;
      const score = difference ** 2 / curvature(kernel, rows, row, first, j);
      if (score > best) {
        best = score;
        second = j;
      }
    }
    if (second < 0) break;
    const step = Math.min(
      (highest - G[second]) / curvature(kernel, rows, row, first, second),
      upper[first] - beta[first],
      beta[second] - lower[second],
    );
    beta[first] = step === upper[first] - beta[first] ? upper[first] : beta[first] + step;
    beta[second] = step === beta[second] - lower[second] ? lower[second] : beta[second] - step;
    const other = kernel.row(rows[second]);
    for (let k = 0; k < n; k++) G[k] -= step * (row[rows[k]] - other[rows[k]]);
    iterations++;
  }
  let free = 0;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    if (beta[i] > lower[i] && beta[i] < upper[i]) {
      free++;
      sum += G[i];
    }
  }
  const bias = free > 0 ? sum / free : middle(lowest, highest);
  const decisionValues = G.map((g, i) => labels[i] - g + bias);
  let alphas = 0;
  let squaredNorm = 0;
  let losses = 0;
  for (let i = 0; i < n; i++) {
    alphas += beta[i] * labels[i];
    squaredNorm += beta[i] * (labels[i] - G[i]);
    losses += upperBounds[i] * Math.max(0, 1 - labels[i] * decisionValues[i]);
  }
  const gap = Math.max(0, highest - lowest);
  return {
    coefficients: beta,
    bias,
    decisionValues,
    objective: squaredNorm / 2 - alphas,
    gap,
    dualityGap: squaredNorm - alphas + losses,
    squaredNorm,
    iterations,
    converged: gap < options.tolerance,
  };
}

function curvature(kernel: KernelRows, rows: Int32Array, row: Float32Array, i: number, j: number): number {
  const value = kernel.diagonal[rows[i]] + kernel.diagonal[rows[j]] - 2 * row[rows[j]];
  return value > 0 ? value : 1e-12;
}

function middle(lowest: number, highest: number): number {
  if (!Number.isFinite(lowest)) return Number.isFinite(highest) ? highest : 0;
  return Number.isFinite(highest) ? (lowest + highest) / 2 : lowest;
}
