import type { Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import { formatCount, formatNumber } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { type CompressionFacts, compressionFacts } from "../compression-facts.js";
import type { Kernel } from "../kernel/kernel.js";
import { inDoublePrecision, type KernelFeatures } from "../kernel/kernel-features.js";
import { coefficientColumn, OneVsOne } from "./pair-machines.js";
import { type Pair, pairsOf } from "./pairwise.js";
import { classesWithRows, rowCosts } from "./row-costs.js";
import type { PairProblem, TrainedPair } from "./train-pairs.js";

/** Half a million pairs: more would take days. */
const MOST_CLASSES = 1000;

/** The training problems of a sample: one for each pair of classes that have rows. */
interface PairProblems {
  /** Index of each class that has rows. */
  readonly trained: readonly number[];
  /** The rows of these classes. */
  readonly rowsOf: readonly (readonly number[])[];
  readonly problems: readonly PairProblem[];
}

/** Poses the problem of every pair of classes. */
export function pairProblems(
  sample: Sample<KernelFeatures>,
  options: Parameters<typeof rowCosts>[1],
): PairProblems {
  const trained = classesWithRows(sample);
  checkClasses(trained.length);
  const rowsOfAll: number[][] = sample.classes.map(() => []);
  sample.labels.forEach((label, row) => {
    rowsOfAll[label].push(row);
  });
  const rowsOf = trained.map((k) => rowsOfAll[k]);
  const costs = rowCosts(sample, options, trained);
  const problems = pairsOf(trained.length).map((pair) =>
    pairProblem(sample, pair, rowsOf[pair.first], rowsOf[pair.second], costs),
  );
  return { trained, rowsOf, problems };
}

function pairProblem(
  { weights }: Sample<KernelFeatures>,
  pair: Pair,
  positive: readonly number[],
  negative: readonly number[],
  costs: Float64Array,
): PairProblem {
  const rows = new Int32Array(positive.length + negative.length);
  rows.set(positive);
  rows.set(negative, positive.length);
  const upperBounds = new Float64Array(rows.length);
  const pairWeights = new Float64Array(rows.length).fill(1);
  for (let i = 0; i < rows.length; i++) {
    upperBounds[i] = costs[rows[i]];
    if (weights) pairWeights[i] = weights[rows[i]];
  }
  const labels = new Int8Array(rows.length).fill(1, 0, positive.length).fill(-1, positive.length);
  return { ...pair, rows, labels, upperBounds, weights: pairWeights };
}

function checkClasses(classes: number): void {
  if (classes <= MOST_CLASSES) return;
  const pairs = formatNumber((classes * (classes - 1)) / 2);
  throw new VouchError(
    "learner/unsupported",
    `svm trains a machine for each pair of classes: ${pairs} for ${formatCount(classes, "class", "classes")}.`,
    { hint: `It takes up to ${formatNumber(MOST_CLASSES)} classes; linear-svm takes more.` },
  );
}

/**
 * Counts training errors for certificates, if the compression sets of the machines determine the model. Sigmoids also depend on
 * other rows, and so do balanced classes of weighted rows. Balanced classes of unweighted rows depend on the number of rows of all classes
 * but one, 0 … m each: with too many classes these messages cannot be counted.
 */
export function pairCompression(
  { rows, weights }: Sample<KernelFeatures>,
  { trained }: PairProblems,
  pairs: readonly TrainedPair[],
  { classWeights, probability }: { readonly classWeights: string; readonly probability: boolean },
): CompressionFacts | undefined {
  const balanced = classWeights === "balanced";
  const messages = balanced ? real.wholePower(rows + 1, trained.length - 1) : 1;
  if (probability || (balanced && weights) || !Number.isSafeInteger(messages)) return undefined;
  if (pairs.length > 1) return severalClasses(rows, pairs, messages);
  const [{ problem, solution }] = pairs;
  return compressionFacts(problem.labels, solution.decisionValues, solution.kept, messages);
}

/**
 * Counts as errors all rows whose class loses against another one. Other rows are right: a class that wins against all others
 * wins the vote, since every other class has lost at least once.
 */
function severalClasses(rows: number, pairs: readonly TrainedPair[], messages: number): CompressionFacts {
  const lost = new Uint8Array(rows);
  const isKept = new Uint8Array(rows);
  for (const { problem, solution } of pairs) {
    const { decisionValues } = solution;
    problem.rows.forEach((row, i) => {
      if (solution.kept[i] === 1) isKept[row] = 1;
      if (decisionValues[i] > 0 !== problem.labels[i] > 0) lost[row] = 1;
    });
  }
  const errors = lost.reduce((sum, each) => sum + each, 0);
  const kept = isKept.reduce((sum, each) => sum + each, 0);
  const otherErrors = lost.reduce((sum, each, row) => sum + (isKept[row] ? 0 : each), 0);
  return { rows, errors, kept, otherErrors, messages };
}

/** Joins the machines: rows that any of them uses, class by class, and their coefficients in all machines of their class. */
export function joinedPairs(
  kernel: Kernel,
  features: KernelFeatures,
  { rowsOf }: PairProblems,
  pairs: readonly TrainedPair[],
): OneVsOne {
  const used = new Uint8Array(features.rows);
  forEachCoefficient(pairs, (row) => {
    used[row] = 1;
  });
  const usedOf = rowsOf.map((rows) => rows.filter((row) => used[row] === 1));
  const rows = usedOf.flat();
  const indexOf = new Int32Array(features.rows);
  rows.forEach((row, s) => {
    indexOf[row] = s;
  });
  const columns = rowsOf.length - 1;
  const coefficients = new Matrix(rows.length, columns);
  forEachCoefficient(pairs, (row, own, opponent, value) => {
    coefficients.values[indexOf[row] * columns + coefficientColumn(own, opponent)] = value;
  });
  const sigmoids = pairs.flatMap(({ sigmoid }) => (sigmoid ? [sigmoid] : []));
  return new OneVsOne({
    kernel,
    supportVectors: inDoublePrecision(features.select(rows)),
    counts: Int32Array.from(usedOf, (own) => own.length),
    coefficients,
    biases: Float64Array.from(pairs, ({ solution }) => solution.bias),
    ...(sigmoids.length > 0 && { sigmoids }),
  });
}

/** Visits the non-zero coefficients of all machines, with their row, its class and the other class. */
function forEachCoefficient(
  pairs: readonly TrainedPair[],
  visit: (row: number, own: number, opponent: number, value: number) => void,
): void {
  for (const { problem, solution } of pairs) {
    const { first, second, rows, labels } = problem;
    const { coefficients } = solution;
    for (let i = 0; i < coefficients.length; i++) {
      if (coefficients[i] === 0) continue;
      if (labels[i] > 0) visit(rows[i], first, second, coefficients[i]);
      else visit(rows[i], second, first, coefficients[i]);
    }
  }
}
