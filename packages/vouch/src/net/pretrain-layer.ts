import { type FloatArray, Matrix } from "../numeric/matrix.js";
import { multiply, multiplyTransposed, transposedMultiply } from "../numeric/product.js";
import type { Random } from "../numeric/random.js";
import { biasesForMeans, type Unit } from "./pretrain-units.js";

/**
 * A layer that is used in both directions with the same weights: from visible to hidden units, and back. Restricted
 * Boltzmann machines are made so; auto-encoders can be, and are here (see `autoencoder.ts`). A gradient has the
 * same shape.
 */
export interface TiedLayer {
  /** One row per hidden unit, one column per visible unit. */
  readonly weights: Matrix;
  readonly hiddenBiases: FloatArray;
  readonly visibleBiases: FloatArray;
}

/** Standard deviation of the first weights (Hinton, A practical guide to training RBMs, 2010, §8). */
const FIRST_WEIGHTS = 0.01;

/**
 * A layer to begin with, of so many hidden units on the given rows. Its weights are small, so that what it knows of an input
 * that hardly ever varies is next to nothing and not noise; its visible units begin at the mean of the rows.
 */
export function drawLayer(rows: Matrix, units: number, visible: Unit, random: Random): TiedLayer {
  const weights = Float32Array.from({ length: units * rows.columns }, () => FIRST_WEIGHTS * random.normal());
  return {
    weights: new Matrix(units, rows.columns, weights),
    hiddenBiases: new Float32Array(units),
    visibleBiases: biasesForMeans(visible, rows),
  };
}

/** What the hidden units of each row receive: V·Wᵀ + b. */
export function hiddenInput({ weights, hiddenBiases }: TiedLayer, visible: Matrix): Matrix {
  return withBiases(multiplyTransposed(visible, weights), hiddenBiases);
}

/** What the visible units of each row receive: H·W + c. */
export function visibleInput({ weights, visibleBiases }: TiedLayer, hidden: Matrix): Matrix {
  return withBiases(multiply(hidden, weights), visibleBiases);
}

/** Hidden and visible values of the same rows. */
export interface Pairing {
  readonly hidden: Matrix;
  readonly visible: Matrix;
}

/**
 * Σ h·vᵀ over the rows of two pairings, which is how the weights enter what both kinds of layers learn: once on the way to
 * the hidden units and once on the way back. One product of twice the depth is faster than two.
 */
export function pairedSums(one: Pairing, other: Pairing): Matrix {
  return transposedMultiply(stacked(one.hidden, other.hidden), stacked(one.visible, other.visible));
}

/** The sum of each column, times a factor, added to `sums`. */
export function addColumnSums({ rows, columns, values }: Matrix, factor: number, sums: FloatArray): void {
  for (let i = 0; i < rows; i++) {
    for (let j = 0, k = i * columns; j < columns; j++, k++) sums[j] += factor * values[k];
  }
}

/** Σ ‖x − y‖² over all rows. */
export function squaredDistance(x: Matrix, y: Matrix): number {
  let sum = 0;
  for (let k = 0; k < x.values.length; k++) sum += (x.values[k] - y.values[k]) ** 2;
  return sum;
}

/** Zeros in the same precision, and as many unless told otherwise. */
export function zerosLike(values: FloatArray, length = values.length): FloatArray {
  return values instanceof Float32Array ? new Float32Array(length) : new Float64Array(length);
}

function withBiases(matrix: Matrix, biases: FloatArray): Matrix {
  const { rows, columns, values } = matrix;
  for (let i = 0, k = 0; i < rows; i++) for (let j = 0; j < columns; j++, k++) values[k] += biases[j];
  return matrix;
}

function stacked(above: Matrix, below: Matrix): Matrix {
  const values = zerosLike(above.values, above.values.length + below.values.length);
  values.set(above.values);
  values.set(below.values, above.values.length);
  return new Matrix(above.rows + below.rows, above.columns, values);
}
