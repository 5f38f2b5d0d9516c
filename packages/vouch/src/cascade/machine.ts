import type { KernelMatrix } from "../kernel/index.js";
import type { Arena } from "../numeric/arena.js";
import { trainPerceptronSync } from "../perceptron/index.js";
import { type SvmSolverOptions, solveSvmSync } from "../svm/index.js";

/** How the classifiers of nodes are trained on a kernel; structured-cloneable. */
export type MachineSettings =
  | ({
      readonly kind: "svm";
      /** C_δ of each choice, for a node that all training points reach. */
      readonly costs: readonly number[];
      /** m, the number of training points. */
      readonly points: number;
    } & SvmSolverOptions)
  | { readonly kind: "perceptron"; readonly passes: number };

/** A classifier of kernel space, f(x) = Σ coefficient_i · K(x_i, x) + bias, on the rows it was trained on. */
export interface Machine {
  /** One per row. */
  readonly coefficients: Float64Array;
  readonly bias: number;
  /** f(x_i) of each row. */
  readonly values: Float64Array;
  /** ‖w‖ */
  readonly norm: number;
  /** C, for support vector machines. */
  readonly cost?: number;
  /** What is left of the largest violation of the conditions where the solver gave up. */
  readonly openGap?: number;
}

/** C of a node: C_δ·√(m_k/m) (section 5 of the paper; reading note 7). */
export function nodeCost(cost: number, points: number, all: number): number {
  return cost * Math.sqrt(points / all);
}

/**
 * Trains a node's classifier on rows of a kernel matrix; `labels` are the signs of all rows of the matrix. The arena is
 * scratch for the solver, in the memory of the matrix.
 */
export function trainMachine(
  kernel: KernelMatrix,
  rows: Int32Array,
  labels: Int8Array,
  choice: number,
  settings: MachineSettings,
  arena: Arena,
): Machine {
  const own = Int8Array.from(rows, (row) => labels[row]);
  if (settings.kind === "perceptron") {
    const { passes } = settings;
    const trained = trainPerceptronSync({ kernel, rows, labels: own }, { passes, averaged: false });
    const { coefficients, decisionValues, squaredNorm } = trained;
    return { coefficients, bias: 0, values: decisionValues, norm: Math.sqrt(squaredNorm) };
  }
  const cost = nodeCost(settings.costs[choice], rows.length, settings.points);
  return trainSvm(kernel, rows, own, cost, settings, arena);
}

/**
 * A support vector machine on some rows. Where they are all of one class the machine is the constant of that class: the
 * dual has only the solution α = 0 then, and any bias of at least 1 in size is optimal.
 */
export function trainSvm(
  kernel: KernelMatrix,
  rows: Int32Array,
  labels: Int8Array,
  cost: number,
  options: SvmSolverOptions,
  arena: Arena,
): Machine {
  if (labels.every((label) => label === labels[0])) return constantMachine(labels, cost);
  const upperBounds = new Float64Array(rows.length).fill(cost);
  const solution = solveSvmSync({ kernel, rows, labels, upperBounds }, options, arena);
  return {
    coefficients: solution.coefficients,
    bias: solution.bias,
    values: solution.decisionValues,
    norm: Math.sqrt(Math.max(0, solution.squaredNorm)),
    cost,
    ...(!solution.converged && { openGap: solution.gap }),
  };
}

function constantMachine(labels: Int8Array, cost: number): Machine {
  const values = Float64Array.from(labels);
  return { coefficients: new Float64Array(labels.length), bias: labels[0], values, norm: 0, cost };
}
