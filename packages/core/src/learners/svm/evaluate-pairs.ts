import { featuresFrom, type PlainFeatures, plainFeatures, type Sample } from "../../encode/sample.js";
import { type FloatArray, Matrix } from "../../runtime/maths/matrix.js";
import {
  definePausableRangeTask,
  forRanges,
  OPERATIONS_PER_MILLISECOND,
} from "../../runtime/parallel/for-ranges.js";
import { type Pausable, runOnThreads } from "../../runtime/parallel/pausable.js";
import type { Run } from "../../runtime/parallel/run.js";
import { sharedBuffer } from "../../runtime/parallel/shared-array.js";
import { marginQuantiles } from "../../theory/margins/margin-quantiles.js";
import { kernelError } from "../kernel/choose-kernel.js";
import { type KernelFeatures, kernelFeatures } from "../kernel/kernel-features.js";
import type { KernelRows } from "../kernel/kernel-rows.js";
import { type KernelSums, WasmSums, type WasmSumsFields } from "../kernel/kernel-sums.js";
import type { TrainingSummary } from "../model.js";
import { indexOfLargest, placeScores, predictionsOf } from "../scores.js";
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
import type { TrainedPair } from "./train-pairs.js";

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

/** Evaluates all machines, as pausable work on ranges of rows. */
export function* evaluatePairs(
  { sums: packed, ...vote }: PairEvaluator,
  features: KernelFeatures,
): Pausable<PairOutputs> {
  const { rows } = features;
  const outputs = allocateOutputs(vote, rows);
  using sums = packed.inWasm();
  const { workPerRow } = packed;
  const common = {
    ...{ vote, sums, workPerRow },
    features: plainFeatures(features),
    scores: outputs.scores.values,
    smallestMargins: outputs.smallestMargins,
  };
  const division = {
    ...{ count: rows, work: workPerRow, align: BLOCK_ROWS, scratch: sums.layout },
    output: outputs.scores.values,
  };
  yield* forRanges(evaluatePairsTask, division, (begin, end) => ({ ...common, begin, end }));
  return outputs;
}

/** Rows are evaluated in blocks of this many. */
const BLOCK_ROWS = 32;

/** Operations between two pauses: about two milliseconds. */
const WORK_AT_ONCE = 2 * OPERATIONS_PER_MILLISECOND;

/** Rows `begin` … `end` − 1, and the outputs of all rows. */
interface EvaluationInput {
  readonly vote: PairVote;
  readonly sums: WasmSumsFields;
  readonly workPerRow: number;
  readonly features: PlainFeatures;
  readonly scores: FloatArray;
  readonly smallestMargins: Float64Array;
  readonly begin: number;
  readonly end: number;
}

const evaluatePairsTask = definePausableRangeTask(
  "svm/evaluate-pairs",
  function* ({ vote, workPerRow, begin, end, ...input }: EvaluationInput, { scratch }): Pausable<void> {
    const sums = new WasmSums(input.sums);
    const room = scratch.take(sums.layout);
    const features = kernelFeatures(featuresFrom(input.features));
    const scores = new Matrix(features.rows, vote.classes, input.scores);
    const outputs = { scores, smallestMargins: input.smallestMargins };
    const step = BLOCK_ROWS * Math.max(1, Math.round(WORK_AT_ONCE / workPerRow / BLOCK_ROWS));
    for (let first = begin; first < end; first += step) {
      const block = Int32Array.from({ length: Math.min(step, end - first) }, (_, i) => first + i);
      sums.forEachRow(features, outputWriter(vote, outputs, first), room, block);
      yield;
    }
  },
);

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

/**
 * Counts errors and summarises margins on the training rows. The solver has computed f(x) of every row in the pairs of its class. A
 * row that wins all these pairs, by more than rounding can change, wins the vote, and its margin is the smallest of the pairs. With
 * a single pair, a row that loses by more than rounding is an error. Only the other rows are evaluated.
 */
export async function summariseSvmTraining(
  { features, labels, rows }: Sample<KernelFeatures>,
  pairs: readonly TrainedPair[],
  evaluator: PairEvaluator,
  { kernel, diagonal }: Pick<KernelRows, "kernel" | "diagonal">,
  run: Run,
): Promise<TrainingSummary> {
  const error = kernelError(kernel, features);
  const margins = new Float64Array(rows).fill(1);
  const open = new Uint8Array(rows);
  let errors = 0;
  for (const [p, { problem, solution }] of pairs.entries()) {
    const { decisionValues, coefficients } = solution;
    // |K(x, y)| ≤ √(K(x, x)K(y, y)), by Cauchy–Schwarz.
    let size = 0;
    for (let i = 0; i < coefficients.length; i++) {
      size += Math.abs(coefficients[i]) * Math.sqrt(diagonal[problem.rows[i]]);
    }
    const limit = evaluator.limits[p];
    for (let i = 0; i < decisionValues.length; i++) {
      const row = problem.rows[i];
      const value = problem.labels[i] * decisionValues[i];
      const rounding = error * size * Math.sqrt(diagonal[row]);
      if (pairs.length === 1 && value < -rounding) errors++;
      else if (!(value > rounding)) open[row] = 1;
      if (value < margins[row] * limit) margins[row] = Math.max(-1, value / limit);
    }
  }
  const left = openRows(open);
  if (left.length > 0) {
    const outputs = await runOnThreads(evaluatePairs(evaluator, features.select(left)), run);
    const own = left.map((row) => labels[row]);
    pairMargins(evaluator.trained, outputs, own).forEach((margin, i) => {
      margins[left[i]] = margin;
    });
    errors += predictionsOf(outputs.scores).filter((prediction, i) => prediction !== own[i]).length;
  }
  return { rows, errors, margins: Float64Array.from(marginQuantiles(margins)) };
}

function openRows(open: Uint8Array): Int32Array {
  const rows: number[] = [];
  for (let row = 0; row < open.length; row++) if (open[row] === 1) rows.push(row);
  return Int32Array.from(rows);
}
