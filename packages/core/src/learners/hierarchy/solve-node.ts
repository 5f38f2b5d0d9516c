import { ArenaPool, type ArenaPoolFields } from "../../runtime/wasm/arena.js";
import { KernelMatrix } from "../kernel/kernel-matrix.js";
import { type KernelRows, type KernelRowsFields, kernelRowsFrom } from "../kernel/kernel-rows.js";
import { solveLinearSvm } from "../linear/dual-coordinate-descent.js";
import type { LinearRowsFields } from "../linear/linear-rows.js";
import { solveSvm } from "../svm/solver.js";

/** Factor of the tolerance for the linear kernel: LIBLINEAR's tolerance of 0.1 gives the same accuracy as LIBSVM's 0.001. */
export const LINEAR_TOLERANCE = 100;

interface SolverLimits {
  readonly tolerance: number;
  readonly maxIterations: number;
}

/** The rows of a sample as solvers read them, and when solvers stop; structured-cloneable. */
export type SolverSetup = SolverLimits &
  (
    | { readonly kind: "kernel"; readonly values: KernelRowsFields }
    | {
        readonly kind: "linear";
        readonly rows: LinearRowsFields;
        readonly scratch: ArenaPoolFields;
      }
  );

/** A machine f(x) = w·φ(x) + b. */
export interface SolvedNode {
  /** f(x) of each given row, also of those that took no part. */
  readonly values: Float64Array;
  /** yα of each given row. */
  readonly coefficients: Float64Array;
  /** Non-zero for each given row of the compression set, which alone gives the same machine. */
  readonly isKept: ArrayLike<number>;
  /** w, where φ(x) = x. */
  readonly weights?: Float64Array;
  readonly bias: number;
  /** ‖w‖² */
  readonly squaredNorm: number;
  /** Twice the solver's regulariser: ‖w‖², with linear machines ‖w‖² + b². */
  readonly regulariser: number;
  /** The largest violation of the KKT conditions that is left. */
  readonly gap: number;
}

/** Some rows of the setup; rows with label 0 take no part, but get their value. */
export interface NodeRows {
  readonly rows: Int32Array;
  readonly labels: Int8Array;
  /** C of each row. */
  readonly costs: Float64Array;
}

/** Trains a machine on the rows with a label. */
export function solveNode(
  setup: SolverSetup,
  problem: NodeRows,
  checkpoint: () => Promise<void> | undefined,
): Promise<SolvedNode> {
  return setup.kind === "kernel"
    ? kernelMachine(kernelRowsFrom(setup.values), setup, problem, checkpoint)
    : linearMachine(setup, problem, checkpoint);
}

async function kernelMachine(
  kernel: KernelRows,
  { tolerance, maxIterations }: SolverLimits,
  { rows, labels, costs }: NodeRows,
  checkpoint: () => Promise<void> | undefined,
): Promise<SolvedNode> {
  const used = rowsWithLabel(labels);
  const problem = {
    kernel,
    rows: used.map((i) => rows[i]),
    labels: Int8Array.from(used, (i) => labels[i]),
    upperBounds: Float64Array.from(used, (i) => costs[i]),
  };
  const solution = await solveSvm(problem, { tolerance, maxIterations }, { checkpoint });
  const { bias, squaredNorm, gap } = solution;
  const values = new Float64Array(rows.length).fill(bias);
  const coefficients = new Float64Array(rows.length);
  const isKept = new Uint8Array(rows.length);
  for (let t = 0; t < used.length; t++) {
    isKept[used[t]] = solution.kept[t];
    values[used[t]] = solution.decisionValues[t];
    coefficients[used[t]] = solution.coefficients[t];
  }
  if (used.length < rows.length) addKernelSums(values, kernel, { rows, labels }, coefficients);
  return { values, coefficients, isKept, bias, squaredNorm, regulariser: squaredNorm, gap };
}

/** Adds Σ yα·K(s, x) to the values of the rows that took no part. */
function addKernelSums(
  values: Float64Array,
  kernel: KernelRows,
  { rows, labels }: Pick<NodeRows, "rows" | "labels">,
  coefficients: Float64Array,
): void {
  if (!(kernel instanceof KernelMatrix)) throw new Error("Values of other rows need the kernel matrix.");
  const others = Int32Array.from(rows.keys()).filter((i) => labels[i] === 0);
  for (let s = 0; s < rows.length; s++) {
    if (coefficients[s] === 0) continue;
    const row = kernel.row(rows[s]);
    for (let o = 0; o < others.length; o++) values[others[o]] += coefficients[s] * row[rows[others[o]]];
  }
}

async function linearMachine(
  { rows: sample, scratch, tolerance, maxIterations }: Extract<SolverSetup, { kind: "linear" }>,
  { rows, labels, costs }: NodeRows,
  checkpoint: () => Promise<void> | undefined,
): Promise<SolvedNode> {
  const problem = {
    rows: sample,
    taken: rows,
    // Rows with C = 0 do not affect the machine, but get their value.
    labels: labels.map((label) => label || 1),
    upperBounds: costs.map((cost, i) => (labels[i] === 0 ? 0 : cost)),
    loss: "hinge",
    bias: 1,
  } as const;
  const limits = { tolerance: tolerance * LINEAR_TOLERANCE, maxPasses: maxIterations, seed: 0 };
  const solution = await new ArenaPool(scratch).with((arena) =>
    solveLinearSvm(problem, limits, { arena, checkpoint }),
  );
  const { weights, bias, coefficients, decisionValues, squaredNorm, violation } = solution;
  return {
    values: decisionValues,
    coefficients,
    // The bias is part of the norm, so the optimum is unique and the support vectors determine it.
    isKept: coefficients,
    weights,
    bias,
    squaredNorm: weights.reduce((sum, weight) => sum + weight * weight, 0),
    regulariser: squaredNorm,
    gap: violation / LINEAR_TOLERANCE,
  };
}

function rowsWithLabel(labels: Int8Array): Int32Array {
  return Int32Array.from(labels.keys()).filter((i) => labels[i] !== 0);
}
