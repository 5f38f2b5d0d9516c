import type { TaskContext } from "../../runtime/executor.js";
import { inlineExecutor } from "../../runtime/inline.js";
import { type FloatArray, Matrix } from "../../runtime/matrix.js";
import { Random } from "../../runtime/random.js";
import type { Run } from "../../runtime/run.js";
import { defineTask } from "../../runtime/task.js";
import { kFold, type Split } from "../../table/splits.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import { attachKernelRows, type KernelRows, type KernelRowsDescriptor } from "../kernel/kernel-rows.js";
import type { Pair } from "./pairwise.js";
import { fitSigmoid, type Sigmoid } from "./platt.js";
import { type SvmSolution, type SvmSolverOptions, solveSvm } from "./solver.js";

/** Folds of the internal cross-validation that sigmoids are fitted to, as in LIBSVM. */
const SIGMOID_FOLDS = 5;

/** Squared rows per millisecond, very roughly; only for estimates of time. */
const SPEED = 50_000;

/** Decision values of so many rows are computed between two checkpoints. */
const ROWS_AT_ONCE = 256;

/** The rows to tell the classes of a pair apart on. */
export interface PairProblem extends Pair {
  /** Rows of the first class, then rows of the second. */
  readonly rows: Int32Array;
  /** +1 for rows of the first class, −1 for rows of the second. */
  readonly labels: Int8Array;
  /** C of each row. */
  readonly upperBounds: Float64Array;
  /** How many rows each row counts as. */
  readonly weights: Float64Array;
}

/** The machine of a pair, and its sigmoid where probabilities were asked for. */
export interface TrainedPair {
  readonly problem: PairProblem;
  readonly solution: SvmSolution;
  readonly sigmoid?: Sigmoid;
}

/** How pairs are trained. */
interface PairTraining extends SvmSolverOptions {
  readonly probability: boolean;
}

/** Trains the machine of every pair, on all threads of the run; all of them read the same kernel values. */
export async function trainPairs(
  features: Matrix,
  kernel: KernelRows,
  problems: readonly PairProblem[],
  { probability, tolerance, maxIterations }: PairTraining,
  run: Run,
): Promise<TrainedPair[]> {
  const seeds = new Random(run.seed);
  const foldsOf = problems.map((problem, p) =>
    probability ? testableFolds(problem, seeds.fork(p).bits()) : [],
  );
  const solver = { tolerance, maxIterations };
  const inputs = problems.flatMap((problem, p): MachineInput[] => [
    { ...problem, kernel: kernel.descriptor(), solver },
    ...foldsOf[p].map((fold) => foldInput(problem, fold, features, kernel.descriptor(), solver)),
  ]);
  const outputs = await trainMachines(inputs, kernel, run);
  let next = 0;
  return problems.map((problem, p) => {
    const { solution } = outputs[next++];
    if (!probability) return { problem, solution };
    const values = solution.decisionValues.slice();
    for (const { test } of foldsOf[p]) {
      const { testedValues } = outputs[next++];
      test.forEach((row, i) => {
        values[row] = testedValues[i];
      });
    }
    return { problem, solution, sigmoid: fitSigmoid(values, problem.labels, problem.weights) };
  });
}

/**
 * The folds whose training part has both classes. The rows of another fold, which there is only where a class has a
 * single row, keep the decision value of the machine that has seen them.
 */
function testableFolds({ labels }: PairProblem, seed: number): Split[] {
  const { folds } = kFold(Int32Array.from(labels), Math.min(SIGMOID_FOLDS, labels.length), seed);
  return folds.filter(({ train }) => train.some((i) => labels[i] !== labels[train[0]]));
}

/** A machine to be trained: structured-cloneable. */
interface MachineInput extends Pick<PairProblem, "rows" | "labels" | "upperBounds"> {
  readonly kernel: KernelRowsDescriptor;
  readonly solver: SvmSolverOptions;
  /** The values of the training rows' features and of other rows', to compute decision values of the latter. */
  readonly tested?: {
    readonly count: number;
    readonly columns: number;
    readonly train: FloatArray;
    readonly test: FloatArray;
  };
}

function foldInput(
  { rows, labels, upperBounds }: PairProblem,
  { train, test }: Split,
  features: Matrix,
  kernel: KernelRowsDescriptor,
  solver: SvmSolverOptions,
): MachineInput {
  const trainRows = train.map((i) => rows[i]);
  return {
    kernel,
    solver,
    rows: trainRows,
    labels: Int8Array.from(train, (i) => labels[i]),
    upperBounds: Float64Array.from(train, (i) => upperBounds[i]),
    tested: {
      count: test.length,
      columns: features.columns,
      train: features.select(trainRows).values,
      test: features.select(test.map((i) => rows[i])).values,
    },
  };
}

async function trainMachines(inputs: readonly MachineInput[], kernel: KernelRows, run: Run) {
  // The owner of the kernel values solves on them, another thread on a copy: a single problem is left to the owner.
  const executor = kernel.memory.shared && inputs.length > 1 ? run.executor : inlineExecutor();
  const atOnce = Math.min(executor.threads, inputs.length);
  return executor.map(
    svmPairTask,
    inputs.map((input) => ({ ...input, kernel: withCacheShare(input.kernel, atOnce) })),
    {
      ...(run.signal && { signal: run.signal }),
      milliseconds: inputs.reduce((sum, { rows }) => sum + rows.length ** 2, 0) / SPEED,
      onProgress: (done, total) => run.progress({ stage: "support vector machines", done, total }),
    },
  );
}

/** Threads that compute rows on demand share the memory for them. */
function withCacheShare(kernel: KernelRowsDescriptor, threads: number): KernelRowsDescriptor {
  return "cacheBytes" in kernel ? { ...kernel, cacheBytes: kernel.cacheBytes / threads } : kernel;
}

/** Trains one machine, and applies it to rows that it has not seen. */
export const svmPairTask = defineTask(
  "svm/train-machine",
  async ({ kernel, solver, tested, ...problem }: MachineInput, context: TaskContext) => {
    const rows = attachKernelRows(kernel);
    const solution = await solveSvm({ ...problem, kernel: rows }, solver, () => context.checkpoint());
    const testedValues = new Float64Array(tested?.count ?? 0);
    if (tested) {
      const { count, columns, train, test } = tested;
      const machine = expansionOf(solution, kernel, new Matrix(problem.rows.length, columns, train));
      for (let from = 0; from < count; from += ROWS_AT_ONCE) {
        await context.checkpoint();
        const to = Math.min(count, from + ROWS_AT_ONCE);
        const cells = test.subarray(from * columns, to * columns);
        testedValues.set(machine.values(new Matrix(to - from, columns, cells)), from);
      }
    }
    return { solution, testedValues };
  },
);

/** The machine that a solution is; `features` are those of the rows it was trained on. */
function expansionOf(
  { coefficients, bias, squaredNorm }: SvmSolution,
  { kernel }: KernelRowsDescriptor,
  features: Matrix,
): KernelExpansion {
  const rows = Int32Array.from(coefficients, (_, row) => row);
  const norm = Math.sqrt(Math.max(0, squaredNorm));
  return KernelExpansion.trainedOn(features, rows, kernel, { coefficients, bias, norm });
}
