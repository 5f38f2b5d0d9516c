import type { FloatArray, Matrix } from "../numeric/matrix.js";

/** Index of the largest value among `count` values from `start` on; ties go to the smaller index. */
export function indexOfLargest(values: ArrayLike<number>, start = 0, count = values.length): number {
  let best = 0;
  for (let k = 1; k < count; k++) if (values[start + k] > values[start + best]) best = k;
  return best;
}

/**
 * Each class's share of the weight, to twelve decimals: classes that weigh the same get the same share, however
 * their sums were rounded.
 */
export function sharesOf(weights: Float64Array): Float64Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => Math.round((weight / total) * 1e12) / 1e12);
}

/** The class with the largest score of each row; ties go to the smaller index. */
export function predictionsOf(scores: Matrix): Int32Array {
  const predictions = new Int32Array(scores.rows);
  for (let i = 0; i < scores.rows; i++) {
    predictions[i] = indexOfLargest(scores.values, i * scores.columns, scores.columns);
  }
  return predictions;
}

/**
 * Margins of scores that are shares (non-negative, summing to one): score of the true class minus the best
 * other score, so in [−1, 1]. Positive: right; negative: wrong; zero: a tie, which `predict` breaks by index.
 * A row whose class the model does not know (label −1) has no score of its own and is wrong.
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
 * Writes the scores of the classes that training rows had, whose indices are `trained`, to their places among all. The other
 * classes get the score that `ofOthers` finds from these: one that does not win.
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

/** A score below all of these. */
export function belowAll(scores: FloatArray): number {
  let lowest = scores[0];
  for (const score of scores) lowest = Math.min(lowest, score);
  return lowest - 1 - Math.abs(lowest);
}
