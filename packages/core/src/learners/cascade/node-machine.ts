import type { TaskContext } from "../../runtime/parallel/executor.js";
import { type Arena, ArenaPool } from "../../runtime/wasm/arena.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { KernelMatrix } from "../kernel/kernel-matrix.js";
import type { KernelRows } from "../kernel/kernel-rows.js";
import { trainPerceptron } from "../perceptron/batch-perceptron.js";
import {
  type SvmProblem,
  type SvmSolution,
  type SvmSolverOptions,
  solverBytes,
  solveSvm,
} from "../svm/solver.js";

/** Pairs of rows per millisecond of training, very roughly; only for estimates of time. */
export const PAIRS_PER_MILLISECOND = 100_000;

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
  /** The largest violation of the KKT conditions that is left, if the solver did not converge. */
  readonly openGap?: number;
}

/** Solver runs that did not converge. */
export interface Unconverged {
  readonly count: number;
  /** The largest violation of the KKT conditions that was left. */
  readonly largestGap: number;
}

export const ALL_CONVERGED: Unconverged = { count: 0, largestGap: 0 };

/** Counts a run among those that did not converge, if it has an open gap. */
export function unconvergedRun(openGap: number | undefined): Unconverged {
  return openGap === undefined ? ALL_CONVERGED : { count: 1, largestGap: openGap };
}

export function sumUnconverged(some: Unconverged, more: Unconverged): Unconverged {
  return {
    count: some.count + more.count,
    largestGap: Math.max(some.largestGap, more.largestGap),
  };
}

/** Computes C of a node: C·√(m_k/m) (section 5 of DeSalvo, Mohri and Syed 2015). */
function nodeCost(cost: number, points: number, all: number): number {
  return cost * Math.sqrt(points / all);
}

/** Problems with at most this many rows are solved without a pause: that takes a few milliseconds. */
const SMALL = 500;

/** Scratch of all threads together; larger problems are solved in the memory of each thread, on a copy of the kernel. */
const MOST_SCRATCH = 2 ** 28;

/** The means to train machines on a thread: scratch for small problems, and pauses in large ones. */
export class TrainingContext {
  readonly arena: Arena;
  readonly checkpoint: TaskContext["checkpoint"];

  constructor(arena: Arena, { checkpoint }: Pick<TaskContext, "checkpoint">) {
    this.arena = arena;
    this.checkpoint = checkpoint;
  }

  /** Allocates scratch for machines on kernel matrices of a memory, of at most this many rows. Its owner releases it. */
  static scratch(
    kind: MachineSettings["kind"] | undefined,
    rows: number,
    memory: WasmMemory,
    threads: number,
  ): ArenaPool {
    const all = kind === "svm" ? solverBytes(rows) : 0;
    const bytes = all <= MOST_SCRATCH / threads ? all : solverBytes(Math.min(rows, SMALL));
    return ArenaPool.allocate(threads, bytes, memory);
  }
}

/** Counts the rows that a classifier gets right, by their margins y·h(x) > 0: zero counts as wrong. */
export function correctOf(margins: ArrayLike<number>): number {
  let correct = 0;
  for (let i = 0; i < margins.length; i++) if (margins[i] > 0) correct++;
  return correct;
}

/** Trains a machine for two classes on rows of a kernel; `signs` are those of these rows. */
export async function trainCascadeMachine(
  kernel: KernelRows,
  rows: Int32Array,
  signs: Int8Array,
  choice: number,
  settings: MachineSettings,
  training: TrainingContext,
): Promise<CascadeMachine> {
  if (settings.kind === "perceptron") {
    const options = { passes: settings.passes, averaged: false };
    const trained = await trainPerceptron({ kernel, rows, labels: signs }, options, training.checkpoint);
    const { coefficients, decisionValues, squaredNorm } = trained;
    return { coefficients, bias: 0, values: decisionValues, norm: Math.sqrt(squaredNorm) };
  }
  const cost = nodeCost(settings.costs[choice], rows.length, settings.points);
  return trainSvm(kernel, rows, signs, cost, settings, training);
}

/**
 * Trains a support vector machine on some rows. If they are all of one class, the machine is the constant of that class: the
 * dual has only the solution α = 0 then, and any bias of at least 1 in size is optimal.
 */
async function trainSvm(
  kernel: KernelRows,
  rows: Int32Array,
  labels: Int8Array,
  cost: number,
  options: SvmSolverOptions,
  training: TrainingContext,
): Promise<CascadeMachine> {
  if (isOneClass(labels)) return constantMachine(labels, cost);
  const upperBounds = new Float64Array(rows.length).fill(cost);
  const solution = await solveMachine({ kernel, rows, labels, upperBounds }, options, training);
  return {
    coefficients: solution.coefficients,
    bias: solution.bias,
    values: solution.decisionValues,
    norm: Math.sqrt(Math.max(0, solution.squaredNorm)),
    cost,
    ...(!solution.converged && { openGap: solution.gap }),
  };
}

export function isOneClass(labels: Int8Array): boolean {
  for (let i = 1; i < labels.length; i++) if (labels[i] !== labels[0]) return false;
  return true;
}

/** Solves a problem with the solver for its size. */
export async function solveMachine(
  problem: SvmProblem,
  { tolerance, maxIterations }: SvmSolverOptions,
  { arena, checkpoint }: TrainingContext,
): Promise<SvmSolution> {
  const options = { tolerance, maxIterations };
  const { length } = problem.rows;
  const fits = problem.kernel instanceof KernelMatrix && solverBytes(length, problem.kernel) <= arena.bytes;
  if (!fits) return solveSvm(problem, options, { checkpoint });
  return solveSvm(problem, options, length <= SMALL ? { arena } : { arena, checkpoint });
}

function constantMachine(labels: Int8Array, cost: number): CascadeMachine {
  const values = Float64Array.from(labels);
  return { coefficients: new Float64Array(labels.length), bias: labels[0], values, norm: 0, cost };
}
