import type { TaskContext } from "../../runtime/parallel/executor.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { ArenaPool, type ArenaPoolFields } from "../../runtime/wasm/arena.js";
import { kFold } from "../../table/splits.js";
import { type KernelRows, type KernelRowsFields, kernelRowsFrom } from "../kernel/kernel-rows.js";
import type { SvmSolverOptions } from "../svm/solver.js";
import { type ClassLabels, distinguishedClasses, machineMargins, signsOfMachines } from "./class-machines.js";
import {
  ALL_CONVERGED,
  correctOf,
  isOneClass,
  PAIRS_PER_MILLISECOND,
  solveMachine,
  sumUnconverged,
  TrainingContext,
  type Unconverged,
  unconvergedRun,
} from "./node-machine.js";

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
 * going to the smallest.
 */
export async function chooseCosts(
  kernels: readonly KernelRows[],
  { labels, classes }: ClassLabels,
  { grid, solver, ...search }: CostSearch,
  run: Run,
): Promise<{ costs: number[]; unconverged: Unconverged }> {
  const rows = labels.length;
  // Stratification deals the last class first, as it deals the signs −1 and +1 of two classes.
  const { folds } = kFold(
    labels.map((label) => -label),
    Math.min(search.folds, rows),
    run.seed,
  );
  const [{ memory }] = kernels;
  const executor = memory.shared ? run.executor : inlineExecutor();
  using scratch = TrainingContext.scratch("svm", rows, memory, executor.threads);
  const common = { labels: onSharedMemory(labels), classes, solver, scratch };
  const parts = folds.map(({ train, test }) => ({
    train: onSharedMemory(train),
    test: onSharedMemory(test),
  }));
  const machines = kernels.flatMap((kernel) =>
    grid.flatMap((cost) => parts.map((part) => ({ kernel, cost, ...part, ...common }))),
  );
  // Large values of C take longest: they come first, so that no thread is left with one at the end.
  const order = machines.map((_, i) => i).sort((a, b) => machines[b].cost - machines[a].cost || b - a);
  const sorted = await executor.map(
    foldErrorsTask,
    order.map((i) => machines[i]),
    {
      signal: run.signal,
      milliseconds: costSearchMilliseconds(rows, kernels.length, { grid, ...search }),
      onProgress: (done, total) => run.progress({ stage: "values of C", done, total }),
    },
  );
  const outcomes: FoldOutcome[] = [];
  for (const [k, i] of order.entries()) outcomes[i] = sorted[k];
  const unconverged = outcomes.reduce(
    (sum, { openGap }) => sumUnconverged(sum, unconvergedRun(openGap)),
    ALL_CONVERGED,
  );
  return { costs: kernels.map((_, k) => bestCost(outcomes, k, grid, folds.length)), unconverged };
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

interface FoldErrorsInput extends ClassLabels {
  readonly scratch: ArenaPoolFields;
  readonly solver: SvmSolverOptions;
  readonly kernel: KernelRowsFields;
  readonly cost: number;
  readonly train: Int32Array;
  readonly test: Int32Array;
}

/** Trains the machines of a fold and counts their errors on rows that they have not seen. */
const foldErrorsTask = defineTask("cascade/fold-errors", (input: FoldErrorsInput, context: TaskContext) =>
  new ArenaPool(input.scratch).with((arena) => foldOutcome(input, new TrainingContext(arena, context))),
);

async function foldOutcome(input: FoldErrorsInput, training: TrainingContext): Promise<FoldOutcome> {
  const { labels, train, test } = input;
  const classes = distinguishedClasses(train, input);
  const tested = Int32Array.from(test, (row) => labels[row]);
  if (classes.length === 1) return { errors: tested.filter((label) => label !== classes[0]).length };
  // Rows with C = 0 do not change the solution, but the solver computes their decision values too.
  const rows = new Int32Array(train.length + test.length);
  rows.set(train);
  rows.set(test, train.length);
  const values: Float64Array[] = [];
  let openGap: number | undefined;
  for (const signs of signsOfMachines(rows, labels, classes)) {
    const machine = await foldMachine(input, rows, signs, training);
    values.push(machine.values.subarray(train.length));
    if (machine.openGap !== undefined) openGap = Math.max(openGap ?? 0, machine.openGap);
  }
  const errors = test.length - correctOf(machineMargins(values, classes, tested));
  return { errors, ...(openGap !== undefined && { openGap }) };
}

/**
 * Computes the values of a machine on all rows, the first of which train it; rows of one class make the constant of that
 * class.
 */
async function foldMachine(
  { train, cost, kernel, solver }: FoldErrorsInput,
  rows: Int32Array,
  labels: Int8Array,
  training: TrainingContext,
): Promise<{ readonly values: Float64Array; readonly openGap?: number }> {
  if (isOneClass(labels.subarray(0, train.length))) {
    return { values: new Float64Array(rows.length).fill(labels[0]) };
  }
  const upperBounds = new Float64Array(rows.length).fill(cost, 0, train.length);
  const problem = { kernel: kernelRowsFrom(kernel), rows, labels, upperBounds };
  const { decisionValues, converged, gap } = await solveMachine(problem, solver, training);
  return { values: decisionValues, ...(!converged && { openGap: gap }) };
}
