import { predictionsOf } from "../learning/scores.js";
import type { Matrix } from "../numeric/matrix.js";

/** The weight of the rows that scores get right, as a share of the weight of all of them. */
export function accuracyOf(scores: Matrix, labels: Int32Array, distribution: Float64Array): number {
  const predictions = predictionsOf(scores);
  let right = 0;
  let all = 0;
  for (let i = 0; i < labels.length; i++) {
    all += distribution[i];
    if (predictions[i] === labels[i]) right += distribution[i];
  }
  return right / all;
}
