import { type FloatArray, Matrix } from "../runtime/maths/matrix.js";
import { shortList } from "../runtime/text/number-format.js";
import { VouchError } from "../runtime/vouch-error.js";

/** Finds the index of the largest of `count` values from `start` on; ties go to the smaller index. */
export function indexOfLargest(values: ArrayLike<number>, start = 0, count = values.length): number {
  let best = 0;
  for (let k = 1; k < count; k++) if (values[start + k] > values[start + best]) best = k;
  return best;
}

/** Computes each class's share of the weight, rounded to twelve decimals so that classes of equal weight get equal shares. */
export function sharesOf(weights: Float64Array): Float64Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => Math.round((weight / total) * 1e12) / 1e12);
}

/** Returns finite scores as they are. Throws if one is not: the largest of them would be no prediction. */
export function checkedScores(scores: Matrix): Matrix {
  const at = scores.values.findIndex((score) => !Number.isFinite(score));
  if (at < 0) return scores;
  throw new VouchError(
    "data/not-finite",
    `Row ${Math.floor(at / scores.columns) + 1} has a score of ${scores.values[at]}: numbers of the row or of the model are too large.`,
    { hint: "Check the row for a value in a different unit than in the training rows." },
  );
}

/** Finds the class with the largest score of each row; ties go to the smaller index. */
export function predictionsOf(scores: Matrix): Int32Array {
  const predictions = new Int32Array(scores.rows);
  for (let i = 0; i < scores.rows; i++) {
    predictions[i] = indexOfLargest(scores.values, i * scores.columns, scores.columns);
  }
  return predictions;
}

/**
 * Computes margins from scores that are shares (non-negative, summing to one): the score of the true class minus the best
 * other score, in [−1, 1]. A positive margin is right, a negative one wrong, and 0 a tie, which `predict` breaks by index. A
 * row of an unknown class (label −1) has no score for its class and is wrong.
 */
export function marginsOf(scores: Matrix, labels: Int32Array): Float64Array {
  const { columns, values } = scores;
  const margins = new Float64Array(scores.rows);
  for (let i = 0; i < margins.length; i++) {
    const start = i * columns;
    let other = 0;
    for (let k = 0; k < columns; k++) {
      if (k !== labels[i] && values[start + k] > other) other = values[start + k];
    }
    const own = labels[i] < 0 ? 0 : values[start + labels[i]];
    margins[i] = Math.max(-1, Math.min(1, own - other));
  }
  return margins;
}

/**
 * Writes the scores of the classes that training rows had, whose indices are `trained`, to their places among all classes. The
 * other classes get the score that `ofOthers` computes from these, which must not win.
 */
export function placeScores(
  own: FloatArray,
  trained: readonly number[],
  row: FloatArray,
  ofOthers: (own: FloatArray) => number,
): void {
  if (own.length < row.length) row.fill(ofOthers(own));
  for (let c = 0; c < own.length; c++) row[trained[c]] = own[c];
}

/** Returns a score below all of these. */
export function belowAll(scores: FloatArray): number {
  let lowest = scores[0];
  for (const score of scores) lowest = Math.min(lowest, score);
  return lowest - 1 - Math.abs(lowest);
}

/** Throws unless there are exactly two classes. */
export function checkTwoClasses(learner: string, classes: readonly string[]): void {
  if (classes.length === 2) return;
  throw new VouchError(
    "learner/unsupported",
    `${learner} takes two classes, but there are ${classes.length}: ${shortList(classes, 6)}.`,
    {
      hint: `Use one-vs-one or one-vs-rest with the base ${learner}, or a learner for several classes, such as svm.`,
    },
  );
}

/** Returns the labels of two classes as signs: +1 for the first class, −1 for the second, as in LIBSVM. */
export function signsOf(labels: Int32Array): Int8Array {
  return Int8Array.from(labels, (label) => (label === 0 ? 1 : -1));
}

/** Computes scores of two classes from signed values: f for the first class, −f for the second. */
export function signedScores(values: Float64Array): Matrix {
  const scores = new Float64Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    scores[2 * i] = values[i];
    scores[2 * i + 1] = -values[i];
  }
  return new Matrix(values.length, 2, scores);
}

/**
 * Computes the margin in [−1, 1] of a row from a signed value, whose size is at most `limit`. A row of an unknown class (label
 * −1) is wrong.
 */
export function signedMargin(value: number, limit: number, label: number): number {
  if (limit === 0) return 0;
  const share = Math.max(-1, Math.min(1, value / limit));
  if (label < 0) return -Math.abs(share);
  return label === 0 ? share : -share;
}

/** Mean cost of predicting a row with a classifier made of several machines. */
export interface Evaluations {
  /** Number of support vectors that the row is compared with, each counted once; absent if machines have none. */
  readonly kernel?: number;
  /** Number of machines that are evaluated. */
  readonly nodes: number;
}
