import type { ArenaDescriptor } from "../../runtime/arena.js";
import type { TaskContext } from "../../runtime/executor.js";
import { inlineExecutor } from "../../runtime/inline.js";
import type { Run } from "../../runtime/run.js";
import { defineTask } from "../../runtime/task.js";
import { kFold } from "../../table/splits.js";
import { attachKernelRows, type KernelRows, type KernelRowsDescriptor } from "../kernel/kernel-rows.js";
import type { SvmProblem, SvmSolverOptions } from "../svm/solver.js";
import { solve, Workplace } from "./node-machine.js";
import type { OpenSolutions } from "./node-training.js";

/** The value of C that was chosen for a kernel. */
interface CostChoice {
  readonly cost: number;
  /** Share of the rows that the machines of the folds with this C got wrong. */
  readonly error: number;
}

/** What the costs are chosen from. */
export interface CostSearch {
  /** Ascending. */
  readonly grid: readonly number[];
  readonly folds: number;
  readonly solver: SvmSolverOptions;
}

/** Pairs of rows per millisecond of training, very roughly; only for estimates of time. */
const SPEED = 100_000;

/**
 * C for each kernel, once: the value of the grid with the fewest errors in a stratified cross-validation, of equal ones
 * the smallest. `labels` are the signs of all rows of the matrices, `rows` those that may be used.
 */
export async function chooseCosts(
  kernels: readonly KernelRows[],
  rows: Int32Array,
  labels: Int8Array,
  search: CostSearch,
  run: Run,
): Promise<{ choices: CostChoice[]; open: OpenSolutions }> {
  const { grid, solver } = search;
  const own = Int32Array.from(rows, (row) => labels[row]);
  const { folds } = kFold(own, Math.min(search.folds, rows.length), run.seed);
  const [{ memory }] = kernels;
  const executor = memory.shared ? run.executor : inlineExecutor();
  const arenas = Array.from({ length: executor.threads }, () => Workplace.arena("svm", rows.length, memory));
  try {
    const machines = kernels.flatMap((kernel) =>
      grid.flatMap((cost) =>
        folds.map(({ train, test }) => ({
          kernel: kernel.descriptor(),
          cost,
          train: train.map((i) => rows[i]),
          test: test.map((i) => rows[i]),
        })),
      ),
    );
    // Each thread has scratch of its own: the machines are dealt to as many tasks.
    const inputs = arenas.map((arena, t) => ({
      arena: arena.descriptor(),
      labels,
      solver,
      machines: machines.filter((_, i) => i % arenas.length === t),
    }));
    const outputs = await executor.map(foldErrorsTask, inputs, {
      ...(run.signal && { signal: run.signal }),
      milliseconds: (machines.length * rows.length ** 2) / SPEED,
      onProgress: (done, total) => run.progress({ stage: "values of C", done, total }),
    });
    const errors = machines.map((_, i) => outputs[i % arenas.length][Math.floor(i / arenas.length)]);
    return tally(errors, kernels.length, grid, folds.length, rows.length);
  } finally {
    for (const arena of arenas) arena.release();
  }
}

interface FoldOutcome {
  readonly errors: number;
  readonly openGap: number;
}

function tally(
  outcomes: readonly FoldOutcome[],
  kernels: number,
  grid: readonly number[],
  folds: number,
  rows: number,
): { choices: CostChoice[]; open: OpenSolutions } {
  const choices = Array.from({ length: kernels }, (_, k) => {
    const candidates = grid.map((cost, c) => {
      const start = (k * grid.length + c) * folds;
      const errors = outcomes.slice(start, start + folds).reduce((sum, { errors }) => sum + errors, 0);
      return { cost, error: errors / rows };
    });
    return candidates.reduce((best, candidate) => (candidate.error < best.error ? candidate : best));
  });
  const gaps = outcomes.map(({ openGap }) => openGap).filter((gap) => gap > 0);
  return { choices, open: { count: gaps.length, largestGap: Math.max(0, ...gaps) } };
}

/** The errors on the rows after the first `trained` ones; of rows of one class a machine learns that class. */
async function foldOutcome(
  problem: SvmProblem,
  trained: number,
  solver: SvmSolverOptions,
  workplace: Workplace,
): Promise<FoldOutcome> {
  const { labels } = problem;
  const tested = labels.subarray(trained);
  if (labels.subarray(0, trained).every((label) => label === labels[0])) {
    return { errors: tested.filter((label) => label !== labels[0]).length, openGap: 0 };
  }
  const { decisionValues, converged, gap } = await solve(problem, solver, workplace);
  const errors = tested.filter((label, t) => !(decisionValues[trained + t] * label > 0)).length;
  return { errors, openGap: converged ? 0 : gap };
}

interface FoldErrorsInput {
  readonly arena: ArenaDescriptor;
  readonly labels: Int8Array;
  readonly solver: SvmSolverOptions;
  readonly machines: readonly {
    readonly kernel: KernelRowsDescriptor;
    readonly cost: number;
    readonly train: Int32Array;
    readonly test: Int32Array;
  }[];
}

/** Trains machines and counts their errors on the rows that they have not seen. */
export const foldErrorsTask = defineTask(
  "cascade/fold-errors",
  async ({ labels, solver, machines, ...input }: FoldErrorsInput, context: TaskContext) => {
    const workplace = new Workplace(input.arena, context);
    const outcomes: FoldOutcome[] = [];
    for (const { kernel, cost, train, test } of machines) {
      await context.checkpoint();
      context.progress(outcomes.length / machines.length);
      // Rows whose C is 0 have no say in the solution, which tells their decision values all the same.
      const rows = new Int32Array(train.length + test.length);
      rows.set(train);
      rows.set(test, train.length);
      const own = Int8Array.from(rows, (row) => labels[row]);
      const upperBounds = new Float64Array(rows.length).fill(cost, 0, train.length);
      const problem = { kernel: attachKernelRows(kernel), rows, labels: own, upperBounds };
      outcomes.push(await foldOutcome(problem, train.length, solver, workplace));
    }
    return outcomes;
  },
);
