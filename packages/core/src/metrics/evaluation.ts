import type { Matrix } from "../runtime/maths/matrix.js";
import * as real from "../runtime/maths/portable-math.js";
import { sortInSteps } from "../runtime/maths/sort.js";
import { mean } from "../runtime/maths/statistics.js";
import { type Pausable, runNow } from "../runtime/parallel/pausable.js";
import { VouchError } from "../runtime/vouch-error.js";

/** Lower limit of probabilities in the log loss, so that one confident mistake costs 34.5 and not Infinity. */
const MIN_PROBABILITY = 1e-15;
/** Row and column of the confusion matrix for classes that the model lacks. */
const UNKNOWN_CLASS = "(unknown)";

/** Predictions and true classes of the same rows. */
export interface Predictions {
  readonly classes: readonly string[];
  /** True class index of each row; −1 for a class that the model lacks. */
  readonly labels: Int32Array;
  /** Predicted class index of each row. */
  readonly predictions: Int32Array;
  /** One row per row, one column per class. */
  readonly scores?: Matrix;
  /** Whether scores are probabilities, which the log loss needs, or decision values. */
  readonly scoring?: "probability" | "decision";
  /** Index of the positive class of two; the second by default. */
  readonly positive?: number | undefined;
}

/** How often each true class was predicted as each class. */
export interface Confusion {
  /** The classes, and "(unknown)" at the end if there are rows of classes that the model lacks. */
  readonly classes: readonly string[];
  /** Rows are true classes, columns predicted ones. */
  readonly matrix: readonly (readonly number[])[];
}

/** Metrics of predictions. Metrics that are undefined on the rows are absent, never NaN. */
export interface Evaluation {
  readonly rows: number;
  /** Fraction of misclassified rows. */
  readonly error: number;
  readonly accuracy: number;
  /** Mean recall of the classes that occur; unknown classes count as one. */
  readonly balancedAccuracy: number;
  /** Mean F1 of the classes that occur or are predicted. */
  readonly macroF1: number;
  /** F1 of the positive class of two; absent with more classes, or if it neither occurs nor is predicted. */
  readonly f1?: number;
  /** The positive class; absent with more than two classes. */
  readonly positive?: string;
  /** Mean of −ln p(true class); absent without probabilities. */
  readonly logLoss?: number;
  /** Mean squared error of the probabilities, see `brierLosses`; absent without probabilities. */
  readonly brier?: number;
  /** See `auc`; absent without scores, or if all rows are of one class. */
  readonly auc?: number;
  readonly confusion: Confusion;
}

/** Computes all metrics of predictions: error, F1, log loss, AUC, confusion. Throws if there are no rows. */
export function evaluate(predicted: Predictions): Evaluation {
  return runNow(evaluateInSteps(predicted));
}

/** Computes all metrics of predictions like `evaluate`, with pauses. */
export function* evaluateInSteps(predicted: Predictions): Pausable<Evaluation> {
  const { classes, labels, scores, scoring, positive = 1 } = predicted;
  check(predicted);
  yield;
  const confusion = confusionMatrix(predicted);
  yield;
  const f1 = classes.length === 2 ? f1Of(confusion, positive) : undefined;
  const right = confusion.matrix.reduce((sum, row, c) => sum + row[c], 0);
  const area = scores && (yield* aucInSteps(labels, scores));
  const probabilities = scoring === "probability" ? scores : undefined;
  const logarithmic = probabilities && logLoss(labels, probabilities);
  yield;
  const brier = probabilities && mean(brierLosses(labels, probabilities));
  return {
    rows: labels.length,
    error: (labels.length - right) / labels.length,
    accuracy: right / labels.length,
    balancedAccuracy: balancedAccuracy(confusion),
    macroF1: macroF1(confusion),
    ...(f1 !== undefined && { f1 }),
    ...(classes.length === 2 && { positive: classes[positive] }),
    ...(logarithmic !== undefined && { logLoss: logarithmic }),
    ...(brier !== undefined && { brier }),
    ...(area !== undefined && { auc: area }),
    confusion,
  };
}

/** Counts the pairs of true and predicted class. */
export function confusionMatrix({ classes, labels, predictions }: Predictions): Confusion {
  const size = classes.length;
  const names = labels.includes(-1) ? [...classes, UNKNOWN_CLASS] : classes;
  const matrix = Array.from(names, () => new Array<number>(names.length).fill(0));
  for (let row = 0; row < labels.length; row++) {
    matrix[labels[row] < 0 ? size : labels[row]][predictions[row]]++;
  }
  return { classes: names, matrix };
}

/** Averages the recall of the classes that occur. */
export function balancedAccuracy({ matrix }: Confusion): number {
  const recalls: number[] = [];
  matrix.forEach((row, c) => {
    const rows = sum(row);
    if (rows > 0) recalls.push(row[c] / rows);
  });
  return sum(recalls) / recalls.length;
}

/** Averages the F1 of the classes that occur or are predicted. */
export function macroF1(confusion: Confusion): number {
  const scores = confusion.matrix.flatMap((_, c) => f1Of(confusion, c) ?? []);
  return sum(scores) / scores.length;
}

/** Computes F1 = 2·TP / (2·TP + FP + FN) of a class; undefined if it neither occurs nor is predicted. */
function f1Of({ matrix }: Confusion, c: number): number | undefined {
  const actualAndPredicted = sum(matrix[c]) + matrix.reduce((total, row) => total + row[c], 0);
  return actualAndPredicted > 0 ? (2 * matrix[c][c]) / actualAndPredicted : undefined;
}

/** Averages −ln p(true class), with p clipped to [10⁻¹⁵, 1]. */
export function logLoss(labels: Int32Array, probabilities: Matrix): number {
  return mean(logLosses(labels, probabilities, MIN_PROBABILITY));
}

/** Computes −ln p(true class) of every row, with p clipped to [least, 1]; p is 0 for a class that the model lacks. */
export function logLosses(labels: Int32Array, probabilities: Matrix, least: number): Float64Array {
  const { values, columns } = probabilities;
  const losses = new Float64Array(labels.length);
  for (let i = 0; i < labels.length; i++) {
    const p = labels[i] < 0 ? 0 : values[i * columns + labels[i]];
    losses[i] = -real.log(Math.min(1, Math.max(least, p)));
  }
  return losses;
}

/**
 * Computes the squared error of the probabilities of every row, Σ_k (p_k − y_k)² (Brier 1950), which is between 0 and 2. With two
 * classes it is halved, as usual: (1 − p(true class))², between 0 and 1.
 */
export function brierLosses(labels: Int32Array, probabilities: Matrix): Float64Array {
  const { values, columns } = probabilities;
  const scale = brierRange(columns) / 2;
  const losses = new Float64Array(labels.length);
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i];
    let squares = 0;
    for (let k = 0; k < columns; k++) {
      const p = Math.min(1, Math.max(0, values[i * columns + k]));
      squares += (p - (k === label ? 1 : 0)) ** 2;
    }
    losses[i] = scale * Math.min(2, label < 0 ? squares + 1 : squares);
  }
  return losses;
}

/** Returns the largest Brier loss of a row. */
export function brierRange(classes: number): number {
  return classes === 2 ? 1 : 2;
}

/**
 * Computes the area under the ROC curve: the probability that a random row of a class scores higher than a random other
 * row, where ties count one half. With two classes, it is the area for the second one; with more, the mean over the
 * classes that occur, each against the rest. Ignores rows of unknown classes; undefined if fewer than two classes
 * occur.
 */
export function auc(labels: Int32Array, scores: Matrix): number | undefined {
  return runNow(aucInSteps(labels, scores));
}

function* aucInSteps(labels: Int32Array, scores: Matrix): Pausable<number | undefined> {
  const classes = scores.columns === 2 ? [1] : Array.from({ length: scores.columns }, (_, c) => c);
  const areas: number[] = [];
  for (const c of classes) {
    const area = yield* oneAgainstRest(labels, scores, c);
    if (area !== undefined) areas.push(area);
  }
  return areas.length === 0 ? undefined : sum(areas) / areas.length;
}

function* oneAgainstRest(labels: Int32Array, scores: Matrix, c: number): Pausable<number | undefined> {
  const { own, rest } = yield* scoresForClassInSteps(labels, scores, c);
  if (own.length === 0 || rest.length === 0) return undefined;
  yield;
  return pairsInOrder(own, rest) / (own.length * rest.length);
}

/** Sorts the scores for a class, separately for its own rows and for other rows; ignores rows of unknown classes. */
export function scoresForClass(labels: Int32Array, scores: Matrix, c: number): ScoresForClass {
  return runNow(scoresForClassInSteps(labels, scores, c));
}

/** Ascending scores for a class. */
interface ScoresForClass {
  readonly own: Float64Array;
  readonly rest: Float64Array;
}

function* scoresForClassInSteps(
  labels: Int32Array,
  { values, columns }: Matrix,
  c: number,
): Pausable<ScoresForClass> {
  let known = 0;
  let count = 0;
  for (let i = 0; i < labels.length; i++) {
    if (labels[i] >= 0) known++;
    if (labels[i] === c) count++;
  }
  const own = new Float64Array(count);
  const rest = new Float64Array(known - count);
  for (let i = 0, o = 0, r = 0; i < labels.length; i++) {
    const score = values[i * columns + c];
    if (labels[i] === c) own[o++] = score;
    else if (labels[i] >= 0) rest[r++] = score;
  }
  yield;
  return { own: yield* sortInSteps(own), rest: yield* sortInSteps(rest) };
}

/** Computes the Mann–Whitney statistic of two ascending lists: pairs with own > rest, plus half of the ties. */
function pairsInOrder(own: Float64Array, rest: Float64Array): number {
  let pairs = 0;
  let below = 0;
  let upTo = 0;
  for (const score of own) {
    while (below < rest.length && rest[below] < score) below++;
    while (upTo < rest.length && rest[upTo] <= score) upTo++;
    pairs += (below + upTo) / 2;
  }
  return pairs;
}

function check({ classes, labels, predictions, scores }: Predictions): void {
  const rows = labels.length;
  if (rows === 0) throw new VouchError("data/no-rows", "There are no rows to evaluate.");
  if (predictions.length !== rows) {
    throw new VouchError("data/malformed", `There are ${rows} labels but ${predictions.length} predictions.`);
  }
  for (let i = 0; i < rows; i++) {
    const label = labels[i];
    if (label < -1 || label >= classes.length || !(predictions[i] >= 0 && predictions[i] < classes.length)) {
      throw new VouchError(
        "data/malformed",
        `Row ${i + 1} has class ${label} and prediction ${predictions[i]}, but there are ${classes.length} classes.`,
      );
    }
  }
  if (!scores) return;
  if (scores.rows !== rows || scores.columns !== classes.length) {
    throw new VouchError(
      "data/malformed",
      `${rows} rows and ${classes.length} classes cannot have ${scores.rows} × ${scores.columns} scores.`,
    );
  }
  const at = scores.values.findIndex((score) => Number.isNaN(score));
  if (at >= 0) {
    throw new VouchError("data/malformed", `A score of row ${Math.floor(at / classes.length) + 1} is NaN.`);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
