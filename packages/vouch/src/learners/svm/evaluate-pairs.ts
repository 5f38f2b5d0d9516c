import type { TaskContext } from "../../runtime/executor.js";
import { inlineExecutor } from "../../runtime/inline.js";
import { type FloatArray, Matrix } from "../../runtime/matrix.js";
import type { Run } from "../../runtime/run.js";
import { isShared, onSharedMemory, sharedBuffer } from "../../runtime/shared-array.js";
import { defineTask } from "../../runtime/task.js";
import { KernelSums, type PackedMachines } from "../kernel/kernel-sums.js";
import { placeScores } from "../scores.js";
import { type Pair, type PairScores, PairwiseCoupling, pairsOf, twoClassScores, votes } from "./pairwise.js";
import { type Sigmoid, sigmoidProbability } from "./platt.js";

/** The parts of a model of all pairs of classes that its evaluation needs: structured-cloneable. */
export interface PairEvaluator {
  readonly packed: PackedMachines;
  /** Index of each class that the machines know. */
  readonly trained: readonly number[];
  /** Number of all classes. */
  readonly classes: number;
  /** The largest |f(x)| of each pair, of which margins are fractions. */
  readonly limits: Float64Array;
  readonly sigmoids?: readonly Sigmoid[];
}

/** The result of evaluating all machines on some rows. */
export interface PairOutputs {
  /** Scores of all classes. */
  readonly scores: Matrix;
  /** The smallest margin of each trained class in its pairs, row after row; empty for models with probabilities. */
  readonly smallestMargins: Float64Array;
}

/** Evaluates all machines on this thread. */
export function evaluatePairs(evaluator: PairEvaluator, features: Matrix): PairOutputs {
  const outputs = allocateOutputs(evaluator, features.rows);
  evaluateRows(evaluator, features, outputs, 0);
  return outputs;
}

/** Rows are divided into tasks of about this many milliseconds, but no more than a few per thread. */
const TASK_MILLISECONDS = 4;
const TASKS_PER_THREAD = 4;

/** Milliseconds between two checkpoints, about. */
const STEP_MILLISECONDS = 10;

/** Evaluates all machines on the threads of the run, with the same result as `evaluatePairs`. */
export async function evaluatePairsOnThreads(
  evaluator: PairEvaluator,
  features: Matrix,
  { executor: given, signal }: Pick<Run, "executor" | "signal">,
): Promise<PairOutputs> {
  const { rows, columns } = features;
  const outputs = allocateOutputs(evaluator, rows);
  const executor = isShared(outputs.smallestMargins) ? given : inlineExecutor();
  const milliseconds = rows * new KernelSums(evaluator.packed).millisecondsPerRow;
  const tasks = Math.ceil(Math.min(executor.threads * TASKS_PER_THREAD, milliseconds / TASK_MILLISECONDS));
  const size = Math.ceil(rows / Math.max(1, tasks));
  const cells = executor.threads > 1 ? onSharedMemory(features.values) : features.values;
  const common = { evaluator, columns, cells, ...outputs, scores: outputs.scores.values };
  const inputs = Array.from(
    { length: Math.ceil(rows / Math.max(1, size)) },
    (_, k): EvaluationInput => ({ ...common, begin: k * size, end: Math.min(rows, (k + 1) * size) }),
  );
  await executor.map(evaluatePairsTask, inputs, { ...(signal && { signal }), milliseconds });
  return outputs;
}

/** Rows `begin` … `end` − 1 of all rows, and outputs of all rows. */
interface EvaluationInput {
  readonly evaluator: PairEvaluator;
  readonly cells: FloatArray;
  readonly columns: number;
  readonly scores: FloatArray;
  readonly smallestMargins: Float64Array;
  readonly begin: number;
  readonly end: number;
}

/** Evaluates all machines on some of the rows. */
const evaluatePairsTask = defineTask(
  "svm/evaluate-pairs",
  async (input: EvaluationInput, context: TaskContext): Promise<void> => {
    const { evaluator, cells, columns, begin, end, smallestMargins } = input;
    const { classes } = evaluator;
    const outputs = {
      scores: new Matrix(input.scores.length / classes, classes, input.scores),
      smallestMargins,
    };
    const { millisecondsPerRow } = new KernelSums(evaluator.packed);
    const step = 32 * Math.max(1, Math.round(STEP_MILLISECONDS / millisecondsPerRow / 32));
    for (let first = begin; first < end; first += step) {
      const last = Math.min(first + step, end);
      const own = new Matrix(last - first, columns, cells.subarray(first * columns, last * columns));
      evaluateRows(evaluator, own, outputs, first);
      await context.checkpoint();
    }
  },
);

function allocateOutputs({ classes, trained, sigmoids }: PairEvaluator, rows: number): PairOutputs {
  const scores = new Float64Array(sharedBuffer(8 * rows * classes, "the scores"));
  const margins = sigmoids ? 0 : rows * trained.length;
  return {
    scores: new Matrix(rows, classes, scores),
    smallestMargins: new Float64Array(sharedBuffer(8 * margins, "the margins")),
  };
}

/**
 * Writes the outputs of rows that begin at row `begin` of the outputs. Keeps the scores and margins of classes instead of the
 * decision values of their pairs, of which there may be too many.
 */
function evaluateRows(
  { packed, trained, limits, sigmoids }: PairEvaluator,
  features: Matrix,
  { scores, smallestMargins }: PairOutputs,
  begin: number,
): void {
  const size = trained.length;
  const pairs = pairsOf(size);
  const own = new Float64Array(size);
  const score = pairScores(pairs, size, sigmoids);
  new KernelSums(packed).forEachRow(features, (values, i) => {
    const row = begin + i;
    score(values, own);
    // The winner's score is positive.
    placeScores(own, trained, scores.row(row), () => Math.min(0, ...own));
    if (sigmoids) return;
    writeSmallestMargins(pairs, values, limits, smallestMargins.subarray(row * size, (row + 1) * size));
  });
}

function writeSmallestMargins(
  pairs: readonly Pair[],
  values: Float64Array,
  limits: Float64Array,
  smallest: Float64Array,
): void {
  smallest.fill(1);
  for (let p = 0; p < pairs.length; p++) {
    const { first, second } = pairs[p];
    const ofFirst = limits[p] > 0 ? values[p] / limits[p] : 0;
    const ofSecond = limits[p] > 0 ? -values[p] / limits[p] : 0;
    if (ofFirst < smallest[first]) smallest[first] = ofFirst;
    if (ofSecond < smallest[second]) smallest[second] = ofSecond;
  }
  for (let k = 0; k < smallest.length; k++) smallest[k] = Math.max(-1, smallest[k]);
}

/**
 * Chooses probabilities if the machines have sigmoids, otherwise decision values for two classes and votes for more. Ties go
 * to the class that comes first, and f(x) = 0 to the second class of the pair, as in LIBSVM.
 */
function pairScores(
  pairs: readonly Pair[],
  classes: number,
  sigmoids: readonly Sigmoid[] | undefined,
): PairScores {
  if (sigmoids) return coupledProbabilities(sigmoids, classes);
  return classes === 2 ? twoClassScores : votes(pairs, classes, "first");
}

function coupledProbabilities(sigmoids: readonly Sigmoid[], classes: number): PairScores {
  const coupling = new PairwiseCoupling(classes);
  const probabilities = new Float64Array(sigmoids.length);
  return (values, scores) => {
    for (let p = 0; p < probabilities.length; p++) {
      probabilities[p] = sigmoidProbability(sigmoids[p], values[p]);
    }
    coupling.couple(probabilities, scores);
  };
}
