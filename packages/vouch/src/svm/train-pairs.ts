import { kFold } from "../data/splits.js";
import { KernelMatrix, type KernelMatrixDescriptor } from "../kernel/index.js";
import type { Run } from "../learning/run.js";
import { Random } from "../numeric/random.js";
import type { TaskContext } from "../parallel/executor.js";
import { inlineExecutor } from "../parallel/inline.js";
import { defineTask } from "../parallel/task.js";
import type { Pair } from "./one-vs-one.js";
import { fitSigmoid, type Sigmoid } from "./platt.js";
import { type SvmSolution, type SvmSolverOptions, solveSvm } from "./solver.js";

/** Folds of the internal cross-validation that sigmoids are fitted to, as in LIBSVM. */
const SIGMOID_FOLDS = 5;

/** Steps times rows per millisecond, very roughly; only for estimates of time. */
const SPEED = 50_000;

/** The rows to tell the classes of a pair apart on. */
export interface PairProblem extends Pair {
  /** Rows of both classes, ascending. */
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
export interface PairTraining extends SvmSolverOptions {
  readonly probability: boolean;
}

/** Trains the machine of every pair, on all threads of the run; all of them read the same kernel matrix. */
export async function trainPairs(
  kernel: KernelMatrix,
  problems: readonly PairProblem[],
  { probability, tolerance, maxIterations }: PairTraining,
  run: Run,
): Promise<TrainedPair[]> {
  const seeds = new Random(run.seed);
  const pieces = problems.map((problem, p) => {
    const folds = probability ? testableFolds(problem, seeds.fork(p).bits()) : [];
    return { problem, folds, parts: [{ train: allOf(problem), test: new Int32Array(0) }, ...folds] };
  });
  const inputs = pieces.flatMap(({ problem, parts }) =>
    parts.map(({ train, test }): MachineInput => {
      const { rows, labels, upperBounds } = taken(problem, train);
      const tested = test.map((i) => problem.rows[i]);
      return { kernel: kernel.descriptor(), rows, labels, upperBounds, tested, tolerance, maxIterations };
    }),
  );
  const outputs = await (kernel.memory.shared ? run.executor : inlineExecutor()).map(machineTask, inputs, {
    ...(run.signal && { signal: run.signal }),
    milliseconds: inputs.reduce((sum, { rows }) => sum + rows.length ** 2, 0) / SPEED,
    onProgress: (done, total) => run.progress({ stage: "support vector machines", done, total }),
  });
  let next = 0;
  return pieces.map(({ problem, folds }) => {
    const { solution } = outputs[next++];
    if (!probability) return { problem, solution };
    const values = solution.decisionValues.slice();
    for (const { test } of folds) {
      const { testedValues } = outputs[next++];
      test.forEach((row, i) => {
        values[row] = testedValues[i];
      });
    }
    return { problem, solution, sigmoid: fitSigmoid(values, problem.labels, problem.weights) };
  });
}

/**
 * The folds whose training part has both classes. The rows of another fold, which there is only where a class has a single
 * row, keep the decision value of the machine that has seen them.
 */
function testableFolds({ labels }: PairProblem, seed: number) {
  const { folds } = kFold(Int32Array.from(labels), Math.min(SIGMOID_FOLDS, labels.length), seed);
  return folds.filter(({ train }) => train.some((i) => labels[i] !== labels[train[0]]));
}

function allOf({ rows }: PairProblem): Int32Array {
  return rows.map((_, i) => i);
}

function taken(problem: PairProblem, part: Int32Array): Omit<PairProblem, keyof Pair | "weights"> {
  return {
    rows: part.map((i) => problem.rows[i]),
    labels: Int8Array.from(part, (i) => problem.labels[i]),
    upperBounds: Float64Array.from(part, (i) => problem.upperBounds[i]),
  };
}

interface MachineInput extends Omit<PairProblem, keyof Pair | "weights">, SvmSolverOptions {
  readonly kernel: KernelMatrixDescriptor;
  /** Other rows to compute decision values of. */
  readonly tested: Int32Array;
}

/** Trains one machine, and applies it to rows that it has not seen. */
export const machineTask = defineTask(
  "svm/train-machine",
  async ({ tested, ...input }: MachineInput, context: TaskContext) => {
    const kernel = KernelMatrix.attach(input.kernel);
    const solution = await solveSvm({ ...input, kernel }, input, () => context.checkpoint());
    return { solution, testedValues: decisionValues(kernel, input.rows, solution, tested) };
  },
);

function decisionValues(
  kernel: KernelMatrix,
  rows: Int32Array,
  { coefficients, bias }: SvmSolution,
  tested: Int32Array,
): Float64Array {
  const values = new Float64Array(tested.length).fill(bias);
  if (tested.length === 0) return values;
  for (let i = 0; i < rows.length; i++) {
    if (coefficients[i] === 0) continue;
    const row = kernel.row(rows[i]);
    for (let t = 0; t < tested.length; t++) values[t] += coefficients[i] * row[tested[t]];
  }
  return values;
}
