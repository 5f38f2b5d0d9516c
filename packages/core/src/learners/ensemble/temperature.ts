import type { FloatArray, Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import { evenRows } from "../../table/even-rows.js";

/** One number needs no more rows than this to be fitted. */
const MOST_ROWS = 50_000;

/** Range of β = 1/T, in units of one over the spread of the scores: beyond it rows are all but certain, or all alike. */
const SMALLEST = 1e-3;
const LARGEST = 50;

const MOST_STEPS = 60;
const TOLERANCE = 1e-10;

/**
 * Fits the temperature T of p = softmax(s / T) to labelled rows by log-loss (Guo et al. 2017). The loss is convex in β = 1/T, so
 * its derivative Σ_i w_i (E_p[s_i] − s_{i,y}) ascends, and Newton's method finds the root inside a bracket that shrinks with
 * each step. Scores have one row per label; rows of label −1 do not count.
 */
export function fitTemperature(
  scores: FloatArray,
  labels: Int32Array,
  classes: number,
  weights?: Float64Array,
): number {
  const rows = evenRows(labels.length, MOST_ROWS).filter((row) => labels[row] >= 0);
  const spread = spreadOf(scores, rows, classes);
  if (!(spread > 0)) return 1;
  const at = (beta: number) => derivatives(beta, scores, labels, classes, rows, weights);
  let [low, high] = [SMALLEST / spread, LARGEST / spread];
  if (at(low).first >= 0) return 1 / low;
  if (at(high).first <= 0) return 1 / high;
  let beta = Math.sqrt(low * high);
  for (let step = 0; step < MOST_STEPS; step++) {
    const { first, second } = at(beta);
    if (first < 0) low = beta;
    else high = beta;
    const newton = beta - first / second;
    const next = newton > low && newton < high ? newton : Math.sqrt(low * high);
    const moved = Math.abs(next - beta);
    beta = next;
    if (moved <= TOLERANCE * beta) break;
  }
  return 1 / beta;
}

/** Computes the root mean square of the scores around the mean of their row. */
function spreadOf(scores: FloatArray, rows: Int32Array, classes: number): number {
  let squares = 0;
  for (const row of rows) {
    let sum = 0;
    for (let k = 0; k < classes; k++) sum += scores[row * classes + k];
    for (let k = 0; k < classes; k++) squares += (scores[row * classes + k] - sum / classes) ** 2;
  }
  return Math.sqrt(squares / (rows.length * classes));
}

/** Computes the first and second derivative of the log-loss by β. */
function derivatives(
  beta: number,
  scores: FloatArray,
  labels: Int32Array,
  classes: number,
  rows: Int32Array,
  weights: Float64Array | undefined,
): { readonly first: number; readonly second: number } {
  let first = 0;
  let second = 0;
  for (const row of rows) {
    const start = row * classes;
    let largest = scores[start];
    for (let k = 1; k < classes; k++) largest = Math.max(largest, scores[start + k]);
    let total = 0;
    let mean = 0;
    let squares = 0;
    for (let k = 0; k < classes; k++) {
      const score = scores[start + k] - largest;
      const factor = real.exp(beta * score);
      total += factor;
      mean += factor * score;
      squares += factor * score * score;
    }
    mean /= total;
    const weight = weights?.[row] ?? 1;
    first += weight * (mean - (scores[start + labels[row]] - largest));
    second += weight * Math.max(0, squares / total - mean * mean);
  }
  return { first, second };
}

/**
 * Turns the scores of a model into probabilities: softmax(s / T) of decision values; probabilities are returned as they are,
 * without a copy if they are doubles.
 */
export function probabilitiesOf(
  scores: Matrix,
  scoring: "probability" | "decision",
  temperature: number,
): Float64Array {
  const { values } = scores;
  if (scoring === "probability" && values instanceof Float64Array) return values;
  const probabilities = Float64Array.from(values);
  if (scoring === "probability") return probabilities;
  for (let i = 0; i < probabilities.length; i++) probabilities[i] /= temperature;
  return softmaxOfRows(probabilities, scores.columns);
}

/** Turns rows of scores into e^{s_k} / Σ_j e^{s_j}, in place. */
export function softmaxOfRows(scores: Float64Array, classes: number): Float64Array {
  for (let start = 0; start < scores.length; start += classes) {
    let largest = scores[start];
    for (let k = 1; k < classes; k++) largest = Math.max(largest, scores[start + k]);
    let total = 0;
    for (let k = 0; k < classes; k++) {
      scores[start + k] = real.exp(scores[start + k] - largest);
      total += scores[start + k];
    }
    for (let k = 0; k < classes; k++) scores[start + k] /= total;
  }
  return scores;
}
