import { featuresFrom, type PlainFeatures, plainFeatures, sharedFeatures } from "../../encode/sample.js";
import { type FloatArray, Matrix } from "../../runtime/maths/matrix.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import type { Run } from "../../runtime/parallel/run.js";
import { sharedBuffer, sharedInts } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { ArenaPool, type ArenaPoolDescriptor } from "../../runtime/wasm/arena.js";
import { type KernelFeatures, kernelFeatures } from "../kernel/kernel-features.js";
import { type KernelSums, WasmSums, type WasmSumsDescriptor } from "../kernel/kernel-sums.js";
import { indexOfLargest, placeScores } from "../scores.js";
import {
  type Pair,
  type PairScores,
  PairwiseCoupling,
  pairsOf,
  twoClassScores,
  voteMargin,
  votes,
} from "./pairwise.js";
import { type Sigmoid, sigmoidProbability } from "./platt.js";

/** The parts of a model of all pairs of classes that its evaluation needs apart from the machines: structured-cloneable. */
interface PairVote {
  /** Index of each class that the machines know. */
  readonly trained: readonly number[];
  /** Number of all classes. */
  readonly classes: number;
  /** The largest |f(x)| of each pair, of which margins are fractions. */
  readonly limits: Float64Array;
  readonly sigmoids?: readonly Sigmoid[];
}

/** A vote, and the machines that take part. */
export interface PairEvaluator extends PairVote {
  readonly sums: KernelSums;
}

/** The result of evaluating all machines on some rows. */
export interface PairOutputs {
  /** Scores of all classes. */
  readonly scores: Matrix;
  /** The smallest margin of each trained class in its pairs, row after row; empty for models with probabilities. */
  readonly smallestMargins: Float64Array;
}

/** Evaluates all machines on this thread. */
export function evaluatePairs({ sums, ...vote }: PairEvaluator, features: KernelFeatures): PairOutputs {
  const outputs = allocateOutputs(vote, features.rows);
  sums.forEachRow(features, outputWriter(vote, outputs, 0));
  return outputs;
}

/**
 * Computes the margins of labelled rows: the smallest margin of the own class in its pairs; 0 if it wins the vote in spite of a
 * lost pair. Not for models with probabilities.
 */
export function pairMargins(
  trained: readonly number[],
  { scores, smallestMargins }: PairOutputs,
  labels: Int32Array,
): Float64Array {
  const size = trained.length;
  const margins = new Float64Array(labels.length);
  for (let i = 0; i < margins.length; i++) {
    const winner = trained.indexOf(indexOfLargest(scores.values, i * scores.columns, scores.columns));
    const known = trained.indexOf(labels[i]);
    margins[i] = voteMargin(smallestMargins[i * size + (known < 0 ? winner : known)], known, winner);
  }
  return margins;
}

/** Threads take blocks of about this many milliseconds. */
const BLOCK_MILLISECONDS = 2;

/** Evaluates all machines on the threads of the run, with the same result as `evaluatePairs`. */
export async function evaluatePairsOnThreads(
  { sums, ...vote }: PairEvaluator,
  features: KernelFeatures,
  { executor: given, signal }: Pick<Run, "executor" | "signal">,
): Promise<PairOutputs> {
  const { rows } = features;
  const outputs = allocateOutputs(vote, rows);
  const { millisecondsPerRow } = sums;
  const size = 32 * Math.max(1, Math.round(BLOCK_MILLISECONDS / millisecondsPerRow / 32));
  using resident = sums.resident();
  const executor = resident.memory.shared ? given : inlineExecutor();
  const threads = Math.min(executor.threads, Math.ceil(rows / size));
  using pool = ArenaPool.allocate(threads, resident.scratchBytes);
  const input: EvaluationInput = {
    vote,
    sums: resident.descriptor(),
    pool: pool.descriptor(),
    features: threads > 1 ? sharedFeatures(features) : plainFeatures(features),
    rows,
    size,
    taken: sharedInts(1),
    scores: outputs.scores.values,
    smallestMargins: outputs.smallestMargins,
  };
  const tasks = Array.from({ length: threads }, () => input);
  const milliseconds = rows * millisecondsPerRow;
  await executor.map(evaluatePairsTask, tasks, { ...(signal && { signal }), milliseconds });
  return outputs;
}

/** All rows and the outputs of all rows; threads take block after block. */
interface EvaluationInput {
  readonly vote: PairVote;
  readonly sums: WasmSumsDescriptor;
  readonly pool: ArenaPoolDescriptor;
  readonly features: PlainFeatures;
  readonly rows: number;
  /** Rows of a block. */
  readonly size: number;
  /** Number of blocks that threads have taken. */
  readonly taken: Int32Array;
  readonly scores: FloatArray;
  readonly smallestMargins: Float64Array;
}

/** Evaluates all machines on blocks of rows until all are taken. */
const evaluatePairsTask = defineTask(
  "svm/evaluate-pairs",
  ({ vote, rows, size, taken, ...input }: EvaluationInput, context: TaskContext): Promise<void> =>
    ArenaPool.attach(input.pool).with(async (arena) => {
      const sums = WasmSums.attach(input.sums);
      const { smallestMargins } = input;
      const features = kernelFeatures(featuresFrom(input.features));
      const outputs = { scores: new Matrix(rows, vote.classes, input.scores), smallestMargins };
      for (;;) {
        const first = size * Atomics.add(taken, 0, 1);
        if (first >= rows) return;
        const block = Int32Array.from({ length: Math.min(size, rows - first) }, (_, i) => first + i);
        sums.forEachRow(features, outputWriter(vote, outputs, first), arena, block);
        await context.checkpoint();
      }
    }),
);

function allocateOutputs({ classes, trained, sigmoids }: PairVote, rows: number): PairOutputs {
  const scores = new Float64Array(sharedBuffer(8 * rows * classes, "the scores"));
  const margins = sigmoids ? 0 : rows * trained.length;
  return {
    scores: new Matrix(rows, classes, scores),
    smallestMargins: new Float64Array(sharedBuffer(8 * margins, "the margins")),
  };
}

/**
 * Makes the function that writes the outputs of a row from the decision values of all pairs, for rows that begin at row `begin` of
 * the outputs. Decision values are not kept: there may be too many.
 */
function outputWriter(
  { trained, limits, sigmoids }: PairVote,
  { scores, smallestMargins }: PairOutputs,
  begin: number,
): (values: Float64Array, i: number) => void {
  const size = trained.length;
  const pairs = pairsOf(size);
  const own = new Float64Array(size);
  const score = pairScores(pairs, size, sigmoids);
  return (values, i) => {
    const row = begin + i;
    score(values, own);
    // The winner's score is positive.
    placeScores(own, trained, scores.row(row), () => Math.min(0, ...own));
    if (sigmoids) return;
    writeSmallestMargins(pairs, values, limits, smallestMargins.subarray(row * size, (row + 1) * size));
  };
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
