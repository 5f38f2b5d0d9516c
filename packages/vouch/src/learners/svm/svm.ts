import { z } from "zod";
import type { Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/matrix.js";
import { formatCount, formatNumber } from "../../runtime/number-format.js";
import type { Run } from "../../runtime/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { kernelLearner } from "../kernel/kernel-learner.js";
import { cacheOption, kernelOptions } from "../kernel/kernel-options.js";
import type { KernelRows } from "../kernel/kernel-rows.js";
import type { Learner } from "../learner.js";
import type { LearnerDefinition } from "../legacy.js";
import { legacyKind } from "../legacy.js";
import { parseOptions } from "../options.js";
import { type CompressionFacts, compressionFacts } from "../training-facts.js";
import { coefficientColumn, OneVsOne, type OneVsOneParts } from "./pair-machines.js";
import { type Pair, pairsOf } from "./pairwise.js";
import { SvmModel } from "./svm-model.js";
import { type PairProblem, type TrainedPair, trainPairs } from "./train-pairs.js";

const { kernel, gamma, degree, scale } = kernelOptions({ kernel: "rbf", degree: 3, scale: "1/d" });

/** The options of `svm`. */
const svmOptions = z.object({
  kernel,
  C: z
    .number()
    .positive()
    .default(1)
    .describe("What a training row inside the margin costs: the larger, the closer the fit."),
  gamma,
  degree,
  scale,
  classWeights: z
    .enum(["none", "balanced"])
    .default("none")
    .describe("With balanced, C is larger for rows of rare classes, so that all classes count the same."),
  probability: z
    .boolean()
    .default(false)
    .describe("Give probabilities, calibrated on five internal folds, instead of decision values."),
  tolerance: z
    .number()
    .min(1e-12)
    .max(0.5)
    .default(0.001)
    .describe("How far the solution may be from optimal: the largest violation of the KKT conditions."),
  cacheMegabytes: cacheOption(200),
  maxIterations: z
    .int()
    .min(1)
    .default(10_000_000)
    .describe("Steps of the solver per pair of classes; when they are used up, a notice tells the gap."),
});

type SvmOptions = z.output<typeof svmOptions>;

/** Half a million pairs of classes are enough for anybody's patience. */
const MOST_CLASSES = 1000;

/** Support vector machines with kernels; one for each pair of classes. */
export function svm(options?: z.input<typeof svmOptions>): Learner<SvmModel, Matrix> {
  const parsed = parseOptions("svm", svmOptions, options);
  return kernelLearner("svm", parsed, (sample, run) => {
    const duels = duelsOf(sample, parsed);
    return (values) => trainDuels(sample, duels, values, parsed, run);
  });
}

/** What the rest of the system knows of `svm`. */
export const svmDefinition: LearnerDefinition<typeof svmOptions, SvmModel, Matrix> = {
  name: "svm",
  summary: "Support vector machines: the widest margin between classes, straight or curved by a kernel.",
  options: svmOptions,
  multiclass: true,
  create: svm,
  restore: SvmModel.restore,
};

/** The machines that a sample asks for: one for each pair of its classes. */
interface Duels {
  /** Index of each class that has rows. */
  readonly trained: readonly number[];
  /** The rows of these classes. */
  readonly rowsOf: readonly (readonly number[])[];
  readonly problems: readonly PairProblem[];
}

function duelsOf(sample: Sample, options: SvmOptions): Duels {
  const rowsOfAll = rowsOfClasses(sample);
  const trained = sample.classes.map((_, k) => k).filter((k) => rowsOfAll[k].length > 0);
  checkClasses(trained.length);
  const rowsOf = trained.map((k) => rowsOfAll[k]);
  const costs = rowCosts(sample, options, trained);
  const problems = pairsOf(trained.length).map((pair) =>
    pairProblem(sample, pair, rowsOf[pair.first], rowsOf[pair.second], costs),
  );
  return { trained, rowsOf, problems };
}

async function trainDuels(
  sample: Sample,
  duels: Duels,
  values: KernelRows,
  options: SvmOptions,
  run: Run,
): Promise<SvmModel> {
  const { features, classes, featureNames } = sample;
  const { trained, rowsOf, problems } = duels;
  const pairs = await trainPairs(features, values, problems, options, run);
  const { tolerance } = options;
  const training = trainingFacts(sample, duels, pairs, options);
  return new SvmModel({
    classes,
    featureNames,
    trained,
    machines: new OneVsOne({ kernel: values.kernel, ...sharedVectors(features, rowsOf, pairs) }),
    // Rounding may take a norm of zero below zero.
    squaredNorms: Float64Array.from(pairs, ({ solution }) => Math.max(0, solution.squaredNorm)),
    squaredRadius: values.diagonal.reduce((largest, value) => Math.max(largest, value), 0),
    convergence: {
      tolerance,
      gaps: Float64Array.from(pairs, ({ solution }) => solution.gap),
      dualityGaps: Float64Array.from(pairs, ({ solution }) => solution.dualityGap),
      iterations: Float64Array.from(pairs, ({ solution }) => solution.iterations),
    },
    ...(training && { training }),
  });
}

/**
 * What certificates need. Sigmoids take more from the rows than the support vectors tell, and so do balanced classes of
 * weighted rows; those of plain rows take the number of rows of all classes but one, 0 … m each, which with too many
 * classes are more messages than can be counted.
 */
function trainingFacts(
  { rows, weights }: Sample,
  { trained }: Duels,
  pairs: readonly TrainedPair[],
  { classWeights, probability }: SvmOptions,
): CompressionFacts | undefined {
  const balanced = classWeights === "balanced";
  const messages = balanced ? (rows + 1) ** (trained.length - 1) : 1;
  if (probability || (balanced && weights) || !Number.isSafeInteger(messages)) return undefined;
  if (pairs.length > 1) return duelFacts(rows, pairs, messages);
  const [{ problem, solution }] = pairs;
  return compressionFacts(problem.labels, solution.decisionValues, solution.coefficients, messages);
}

/**
 * The same of several machines. A class that wins all its duels wins the vote, as every other class has lost one: rows
 * whose class loses a duel are all that may be misclassified, and are counted as if they were.
 */
function duelFacts(rows: number, pairs: readonly TrainedPair[], messages: number): CompressionFacts {
  const lost = new Uint8Array(rows);
  const used = new Uint8Array(rows);
  for (const { problem, solution } of pairs) {
    const { decisionValues, coefficients } = solution;
    problem.rows.forEach((row, i) => {
      if (coefficients[i] !== 0) used[row] = 1;
      if (decisionValues[i] > 0 !== problem.labels[i] > 0) lost[row] = 1;
    });
  }
  const errors = lost.reduce((sum, each) => sum + each, 0);
  const otherErrors = lost.reduce((sum, each, row) => sum + (used[row] ? 0 : each), 0);
  return { rows, errors, otherErrors, messages };
}

/** C of each row: that of the options, times the row's weight, times that of its class. */
function rowCosts(sample: Sample, { C, classWeights }: SvmOptions, trained: readonly number[]): Float64Array {
  const { rows, labels, weights } = sample;
  const costs = weights ? weights.map((weight) => C * weight) : new Float64Array(rows).fill(C);
  if (classWeights === "none") return costs;
  const totals = new Float64Array(sample.classes.length);
  for (let i = 0; i < rows; i++) totals[labels[i]] += costs[i];
  const all = totals.reduce((sum, total) => sum + total, 0);
  return costs.map((cost, i) => (cost * all) / (trained.length * totals[labels[i]]));
}

function pairProblem(
  { weights }: Sample,
  pair: Pair,
  positive: readonly number[],
  negative: readonly number[],
  costs: Float64Array,
): PairProblem {
  const rows = new Int32Array(positive.length + negative.length);
  rows.set(positive);
  rows.set(negative, positive.length);
  const upperBounds = new Float64Array(rows.length);
  const ownWeights = new Float64Array(rows.length).fill(1);
  for (let i = 0; i < rows.length; i++) {
    upperBounds[i] = costs[rows[i]];
    if (weights) ownWeights[i] = weights[rows[i]];
  }
  const labels = new Int8Array(rows.length).fill(1, 0, positive.length).fill(-1, positive.length);
  return { ...pair, rows, labels, upperBounds, weights: ownWeights };
}

/** The rows that any machine uses, class by class, and their coefficients in all machines of their class. */
function sharedVectors(
  features: Matrix,
  rowsOf: readonly (readonly number[])[],
  pairs: readonly TrainedPair[],
): Omit<OneVsOneParts, "kernel"> {
  const used = new Uint8Array(features.rows);
  forEachCoefficient(pairs, (row) => {
    used[row] = 1;
  });
  const usedOf = rowsOf.map((rows) => rows.filter((row) => used[row] === 1));
  const rows = usedOf.flat();
  const placeOf = new Int32Array(features.rows);
  rows.forEach((row, s) => {
    placeOf[row] = s;
  });
  const columns = rowsOf.length - 1;
  const coefficients = new Matrix(rows.length, columns);
  forEachCoefficient(pairs, (row, own, opponent, value) => {
    coefficients.values[placeOf[row] * columns + coefficientColumn(own, opponent)] = value;
  });
  const sigmoids = pairs.flatMap(({ sigmoid }) => (sigmoid ? [sigmoid] : []));
  return {
    supportVectors: new Matrix(
      rows.length,
      features.columns,
      Float64Array.from(features.select(rows).values),
    ),
    counts: Int32Array.from(usedOf, (own) => own.length),
    coefficients,
    biases: Float64Array.from(pairs, ({ solution }) => solution.bias),
    ...(sigmoids.length > 0 && { sigmoids }),
  };
}

/** Visits the coefficients other than 0 of all machines, with their row, its class and the other class. */
function forEachCoefficient(
  pairs: readonly TrainedPair[],
  visit: (row: number, own: number, opponent: number, value: number) => void,
): void {
  for (const { problem, solution } of pairs) {
    const { first, second, rows, labels } = problem;
    solution.coefficients.forEach((value, i) => {
      if (value === 0) return;
      if (labels[i] > 0) visit(rows[i], first, second, value);
      else visit(rows[i], second, first, value);
    });
  }
}

function rowsOfClasses({ labels, classes }: Sample): number[][] {
  const rowsOf: number[][] = classes.map(() => []);
  labels.forEach((label, row) => {
    rowsOf[label].push(row);
  });
  return rowsOf;
}

function checkClasses(classes: number): void {
  if (classes <= MOST_CLASSES) return;
  throw new VouchError(
    "learner/unsupported",
    `svm trains a machine for each pair of classes, which for ${formatCount(classes, "class", "classes")} would be ${formatNumber((classes * (classes - 1)) / 2)}.`,
    { hint: `It takes up to ${formatNumber(MOST_CLASSES)} classes.` },
  );
}

/** TRANSITION */
export const svmKind = legacyKind(svmDefinition);
