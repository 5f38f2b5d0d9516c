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

/** Folds of the internal cross-validation for sigmoids, as in LIBSVM. */
const SIGMOID_FOLDS = 5;

/** Very rough squared rows per millisecond, to estimate time. */
const SPEED = 50_000;

/** Decision values of this many rows are computed between two checkpoints. */
const ROWS_AT_ONCE = 256;

/** The training problem of a pair of classes. */
export interface PairProblem extends Pair {
  /** Rows of the first class, then rows of the second. */
  readonly rows: Int32Array;
  /** +1 for rows of the first class, −1 for rows of the second. */
  readonly labels: Int8Array;
  /** C of each row. */
  readonly upperBounds: Float64Array;
  readonly weights: Float64Array;
}

/** The machine of a pair, and its sigmoid if the model gives probabilities. */
export interface TrainedPair {
  readonly problem: PairProblem;
  readonly solution: SvmSolution;
  readonly sigmoid?: Sigmoid;
}

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
 * Returns the folds whose training part has both classes. Only a class with a single row makes other folds; their rows keep
 * the decision value of the machine that has seen them.
 */
function testableFolds({ labels }: PairProblem, seed: number): Split[] {
  const { folds } = kFold(Int32Array.from(labels), Math.min(SIGMOID_FOLDS, labels.length), seed);
  return folds.filter(({ train }) => train.some((i) => labels[i] !== labels[train[0]]));
}

/** A machine to train: structured-cloneable. */
interface MachineInput extends Pick<PairProblem, "rows" | "labels" | "upperBounds"> {
  readonly kernel: KernelRowsDescriptor;
  readonly solver: SvmSolverOptions;
  /** Features of the training rows and of the rows whose decision values are to be computed. */
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
  // The owner of the kernel values solves in place, other threads copy them: a single problem is solved by the owner.
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

/** Divides the memory for rows on demand among threads. */
function withCacheShare(kernel: KernelRowsDescriptor, threads: number): KernelRowsDescriptor {
  return "cacheBytes" in kernel ? { ...kernel, cacheBytes: Math.floor(kernel.cacheBytes / threads) } : kernel;
}

/** Trains one machine, and applies it to held-out rows. */
const svmPairTask = defineTask(
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

/** Makes the machine of a solution; `features` are those of its training rows. */
function expansionOf(
  { coefficients, bias, squaredNorm }: SvmSolution,
  { kernel }: KernelRowsDescriptor,
  features: Matrix,
): KernelExpansion {
  const rows = Int32Array.from(coefficients, (_, row) => row);
  const norm = Math.sqrt(Math.max(0, squaredNorm));
  return KernelExpansion.trainedOn(features, rows, kernel, { coefficients, bias, norm });
}
