import { Arena, type ArenaDescriptor } from "../../runtime/arena.js";
import type { TaskContext } from "../../runtime/executor.js";
import type { KernelMemory } from "../../runtime/memory.js";
import { KernelMatrix } from "../kernel/kernel-matrix.js";
import type { KernelRows } from "../kernel/kernel-rows.js";
import { trainPerceptron } from "../perceptron/batch-perceptron.js";
import {
  type SvmProblem,
  type SvmSolution,
  type SvmSolverOptions,
  solverBytes,
  solveSvm,
  solveSvmSync,
} from "../svm/solver.js";

/** How the classifiers of nodes are trained on a kernel; structured-cloneable. */
export type MachineSettings =
  | ({
      readonly kind: "svm";
      /** C of each choice, for a node that all training points reach. */
      readonly costs: readonly number[];
      /** m, the number of training points. */
      readonly points: number;
    } & SvmSolverOptions)
  | { readonly kind: "perceptron"; readonly passes: number };

/** A classifier of kernel space, f(x) = Σ coefficient_i · K(x_i, x) + bias, on the rows it was trained on. */
export interface CascadeMachine {
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

/** C of a node: C·√(m_k/m) (section 5 of DeSalvo, Mohri and Syed 2015). */
function nodeCost(cost: number, points: number, all: number): number {
  return cost * Math.sqrt(points / all);
}

/** Problems of at most so many rows are solved without a pause: that takes a few milliseconds. */
const SMALL = 500;

/** What a machine is trained with on a thread: scratch for small problems, and pauses in large ones. */
export class Workplace {
  readonly arena: Arena;
  readonly checkpoint: TaskContext["checkpoint"];

  constructor(arena: ArenaDescriptor, { checkpoint }: Pick<TaskContext, "checkpoint">) {
    this.arena = Arena.attach(arena);
    this.checkpoint = checkpoint;
  }

  /** Scratch for machines on the kernel matrices of a memory, of at most so many rows. Its owner releases it. */
  static arena(kind: MachineSettings["kind"], rows: number, memory: KernelMemory): Arena {
    return Arena.allocate(kind === "svm" ? solverBytes(Math.min(rows, SMALL)) : 0, memory);
  }
}

/** Trains a node's classifier on rows of a kernel; `labels` are the signs of all rows of the sample. */
export async function trainCascadeMachine(
  kernel: KernelRows,
  rows: Int32Array,
  labels: Int8Array,
  choice: number,
  settings: MachineSettings,
  workplace: Workplace,
): Promise<CascadeMachine> {
  const own = Int8Array.from(rows, (row) => labels[row]);
  if (settings.kind === "perceptron") {
    const options = { passes: settings.passes, averaged: false };
    const trained = await trainPerceptron({ kernel, rows, labels: own }, options, workplace.checkpoint);
    const { coefficients, decisionValues, squaredNorm } = trained;
    return { coefficients, bias: 0, values: decisionValues, norm: Math.sqrt(squaredNorm) };
  }
  const cost = nodeCost(settings.costs[choice], rows.length, settings.points);
  return trainSvm(kernel, rows, own, cost, settings, workplace);
}

/**
 * A support vector machine on some rows. Where they are all of one class the machine is the constant of that class: the
 * dual has only the solution α = 0 then, and any bias of at least 1 in size is optimal.
 */
async function trainSvm(
  kernel: KernelRows,
  rows: Int32Array,
  labels: Int8Array,
  cost: number,
  options: SvmSolverOptions,
  workplace: Workplace,
): Promise<CascadeMachine> {
  if (labels.every((label) => label === labels[0])) return constantMachine(labels, cost);
  const upperBounds = new Float64Array(rows.length).fill(cost);
  const solution = await solve({ kernel, rows, labels, upperBounds }, options, workplace);
  return {
    coefficients: solution.coefficients,
    bias: solution.bias,
    values: solution.decisionValues,
    norm: Math.sqrt(Math.max(0, solution.squaredNorm)),
    cost,
    ...(!solution.converged && { openGap: solution.gap }),
  };
}

/** The solver for the size of a problem. */
export async function solve(
  problem: SvmProblem,
  { tolerance, maxIterations }: SvmSolverOptions,
  { arena, checkpoint }: Workplace,
): Promise<SvmSolution> {
  const options = { tolerance, maxIterations };
  const isSmall = problem.rows.length <= SMALL && problem.kernel instanceof KernelMatrix;
  return isSmall ? solveSvmSync(problem, options, arena) : solveSvm(problem, options, checkpoint);
}

function constantMachine(labels: Int8Array, cost: number): CascadeMachine {
  const values = Float64Array.from(labels);
  return { coefficients: new Float64Array(labels.length), bias: labels[0], values, norm: 0, cost };
}
