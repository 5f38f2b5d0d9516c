import { type Arena, ScratchPool, type ScratchPoolDescriptor } from "../../runtime/arena.js";
import type { TaskContext } from "../../runtime/executor.js";
import { inlineExecutor } from "../../runtime/inline.js";
import type { KernelMemory } from "../../runtime/memory.js";
import type { Run } from "../../runtime/run.js";
import { onSharedMemory } from "../../runtime/shared-array.js";
import { defineTask } from "../../runtime/task.js";
import { kFold } from "../../table/splits.js";
import { KernelMatrix } from "../kernel/kernel-matrix.js";
import { attachKernelRows, type KernelRows, type KernelRowsDescriptor } from "../kernel/kernel-rows.js";
import { trainPerceptron } from "../perceptron/batch-perceptron.js";
import {
  type SvmProblem,
  type SvmSolution,
  type SvmSolverOptions,
  solverBytes,
  solveSvm,
  solveSvmIn,
  solveSvmSync,
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

/** Returns the part of a machine that a leaf keeps besides the expansion. */
export function solverFacts({ cost, openGap }: CascadeMachine): Pick<CascadeMachine, "cost" | "openGap"> {
  return { ...(cost !== undefined && { cost }), ...(openGap !== undefined && { openGap }) };
}

/** Solver runs that did not converge. */
export interface OpenSolutions {
  readonly count: number;
  /** The largest violation of the KKT conditions that was left. */
  readonly largestGap: number;
}

export const ALL_SOLVED: OpenSolutions = { count: 0, largestGap: 0 };

/** Counts a run among those that did not converge, if it has an open gap. */
export function openRun(openGap: number | undefined): OpenSolutions {
  return openGap === undefined ? ALL_SOLVED : { count: 1, largestGap: openGap };
}

export function sumOpen(some: OpenSolutions, more: OpenSolutions): OpenSolutions {
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
export class Workplace {
  readonly arena: Arena;
  readonly checkpoint: TaskContext["checkpoint"];

  constructor(arena: Arena, { checkpoint }: Pick<TaskContext, "checkpoint">) {
    this.arena = arena;
    this.checkpoint = checkpoint;
  }

  /** Allocates scratch for machines on kernel matrices of a memory, of at most this many rows. Its owner releases it. */
  static scratch(
    kind: MachineSettings["kind"],
    rows: number,
    memory: KernelMemory,
    threads: number,
  ): ScratchPool {
    const all = kind === "svm" ? solverBytes(rows) : 0;
    const bytes = all <= MOST_SCRATCH / threads ? all : solverBytes(Math.min(rows, SMALL));
    return ScratchPool.allocate(threads, bytes, memory);
  }
}

/** Counts the rows that a classifier gets right, y·h(x) > 0: zero counts as wrong. */
export function correctOf(values: ArrayLike<number>, rows: Int32Array, labels: Int8Array): number {
  let correct = 0;
  for (let i = 0; i < rows.length; i++) if (values[i] * labels[rows[i]] > 0) correct++;
  return correct;
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
  const own = signsOn(rows, labels);
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
 * Trains a support vector machine on some rows. If they are all of one class, the machine is the constant of that class: the
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
  if (isOneClass(labels)) return constantMachine(labels, cost);
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

/** Returns the signs of some rows. */
function signsOn(rows: Int32Array, labels: Int8Array): Int8Array {
  const own = new Int8Array(rows.length);
  for (let i = 0; i < rows.length; i++) own[i] = labels[rows[i]];
  return own;
}

function isOneClass(labels: Int8Array): boolean {
  for (let i = 1; i < labels.length; i++) if (labels[i] !== labels[0]) return false;
  return true;
}

/** Solves a problem with the solver for its size. */
async function solve(
  problem: SvmProblem,
  { tolerance, maxIterations }: SvmSolverOptions,
  { arena, checkpoint }: Workplace,
): Promise<SvmSolution> {
  const options = { tolerance, maxIterations };
  const { length } = problem.rows;
  const fits = problem.kernel instanceof KernelMatrix && solverBytes(length, problem.kernel) <= arena.bytes;
  if (!fits) return solveSvm(problem, options, checkpoint);
  return length <= SMALL
    ? solveSvmSync(problem, options, arena)
    : solveSvmIn(arena, problem, options, checkpoint);
}

function constantMachine(labels: Int8Array, cost: number): CascadeMachine {
  const values = Float64Array.from(labels);
  return { coefficients: new Float64Array(labels.length), bias: labels[0], values, norm: 0, cost };
}

/** The cross-validation that chooses C. */
export interface CostSearch {
  /** Values of C, ascending. */
  readonly grid: readonly number[];
  readonly folds: number;
  readonly solver: SvmSolverOptions;
}

/** Estimates how long the choice of C takes for this many kernels of a sample, in milliseconds. */
export function costSearchMilliseconds(
  rows: number,
  kernels: number,
  { grid, folds }: Pick<CostSearch, "grid" | "folds">,
): number {
  return (kernels * grid.length * Math.min(folds, rows) * rows ** 2) / PAIRS_PER_MILLISECOND;
}

/**
 * Chooses C for each kernel: the value of the grid with the fewest errors in a stratified cross-validation on all rows, ties
 * going to the smallest. `labels` are the signs of the rows.
 */
export async function chooseCosts(
  kernels: readonly KernelRows[],
  labels: Int8Array,
  { grid, solver, ...search }: CostSearch,
  run: Run,
): Promise<{ costs: number[]; open: OpenSolutions }> {
  const rows = labels.length;
  const { folds } = kFold(Int32Array.from(labels), Math.min(search.folds, rows), run.seed);
  const [{ memory }] = kernels;
  const executor = memory.shared ? run.executor : inlineExecutor();
  const scratch = Workplace.scratch("svm", rows, memory, executor.threads);
  try {
    const common = { labels: onSharedMemory(labels), solver, scratch: scratch.descriptor() };
    const parts = folds.map(({ train, test }) => ({
      train: onSharedMemory(train),
      test: onSharedMemory(test),
    }));
    const machines = kernels
      .map((kernel) => kernel.descriptor())
      .flatMap((kernel) =>
        grid.flatMap((cost) => parts.map((part) => ({ kernel, cost, ...part, ...common }))),
      );
    // Large values of C take longest: they come first, so that no thread is left with one at the end.
    const order = machines.map((_, i) => i).sort((a, b) => machines[b].cost - machines[a].cost || b - a);
    const sorted = await executor.map(
      foldErrorsTask,
      order.map((i) => machines[i]),
      {
        ...(run.signal && { signal: run.signal }),
        milliseconds: costSearchMilliseconds(rows, kernels.length, { grid, ...search }),
        onProgress: (done, total) => run.progress({ stage: "values of C", done, total }),
      },
    );
    const outcomes: FoldOutcome[] = [];
    for (const [k, i] of order.entries()) outcomes[i] = sorted[k];
    const open = outcomes.reduce((sum, { openGap }) => sumOpen(sum, openRun(openGap)), ALL_SOLVED);
    return { costs: kernels.map((_, k) => bestCost(outcomes, k, grid, folds.length)), open };
  } finally {
    scratch.release();
  }
}

interface FoldOutcome {
  readonly errors: number;
  readonly openGap?: number;
}

/** Finds the value of C with the fewest errors for kernel k; outcomes are ordered by kernel, C and fold. */
function bestCost(
  outcomes: readonly FoldOutcome[],
  k: number,
  grid: readonly number[],
  folds: number,
): number {
  const candidates = grid.map((cost, c) => {
    const start = (k * grid.length + c) * folds;
    return {
      cost,
      errors: outcomes.slice(start, start + folds).reduce((sum, { errors }) => sum + errors, 0),
    };
  });
  return candidates.reduce((best, candidate) => (candidate.errors < best.errors ? candidate : best)).cost;
}

/** Counts errors on the rows after the first `trained` ones; from rows of one class a machine learns that class. */
async function foldOutcome(
  problem: SvmProblem,
  trained: number,
  solver: SvmSolverOptions,
  workplace: Workplace,
): Promise<FoldOutcome> {
  const { labels } = problem;
  const tested = labels.subarray(trained);
  if (isOneClass(labels.subarray(0, trained))) {
    return { errors: tested.filter((label) => label !== labels[0]).length };
  }
  const { decisionValues, converged, gap } = await solve(problem, solver, workplace);
  const errors = tested.filter((label, t) => !(decisionValues[trained + t] * label > 0)).length;
  return { errors, ...(!converged && { openGap: gap }) };
}

interface FoldErrorsInput {
  readonly scratch: ScratchPoolDescriptor;
  readonly labels: Int8Array;
  readonly solver: SvmSolverOptions;
  readonly kernel: KernelRowsDescriptor;
  readonly cost: number;
  readonly train: Int32Array;
  readonly test: Int32Array;
}

/** Trains a machine and counts its errors on rows that it has not seen. */
const foldErrorsTask = defineTask(
  "cascade/fold-errors",
  ({ labels, solver, kernel, cost, train, test, scratch }: FoldErrorsInput, context: TaskContext) =>
    ScratchPool.attach(scratch).with(async (arena) => {
      // Rows with C = 0 do not change the solution, but the solver computes their decision values too.
      const rows = new Int32Array(train.length + test.length);
      rows.set(train);
      rows.set(test, train.length);
      const upperBounds = new Float64Array(rows.length).fill(cost, 0, train.length);
      const problem = {
        kernel: attachKernelRows(kernel),
        rows,
        labels: signsOn(rows, labels),
        upperBounds,
      };
      return foldOutcome(problem, train.length, solver, new Workplace(arena, context));
    }),
);
