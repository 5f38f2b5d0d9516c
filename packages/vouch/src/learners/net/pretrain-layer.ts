import { type FloatArray, Matrix } from "../../runtime/matrix.js";
import { kernelMemory } from "../../runtime/memory.js";
import { multiply, multiplyTransposed, transposedMultiply } from "../../runtime/product.js";
import type { Random } from "../../runtime/random.js";
import { ACTIVATION_NUMBER } from "./resident-network.js";

/** What a unit makes of what it receives. */
export type Unit = "sigmoid" | "tanh" | "relu" | "linear";

/** Means closer than this to the end of a unit's range get no larger bias. */
const CLOSEST = 0.01;

/** Kernels work on so many numbers at once, and get so many at a time. */
const LANES = 4;
const WINDOW = 1 << 16;

interface UnitFunctions {
  value(input: number): number;
  /** The derivative, given the value. */
  slope(value: number): number;
  /** The input whose value is as close to a mean as a bias should begin with. */
  inverse(mean: number): number;
}

const units: Readonly<Record<Unit, UnitFunctions>> = {
  sigmoid: {
    value: (input) => 1 / (1 + Math.exp(-input)),
    slope: (value) => value * (1 - value),
    inverse: (mean) => logit(within(mean, 0, 1)),
  },
  tanh: {
    value: Math.tanh,
    slope: (value) => 1 - value * value,
    inverse: (mean) => Math.atanh(within(mean, -1, 1)),
  },
  relu: {
    value: (input) => Math.max(input, 0),
    slope: (value) => (value > 0 ? 1 : 0),
    inverse: (mean) => Math.max(0, mean),
  },
  linear: { value: (input) => input, slope: () => 1, inverse: (mean) => mean },
};

function within(mean: number, least: number, most: number): number {
  return Math.max(least + CLOSEST, Math.min(most - CLOSEST, mean));
}

function logit(share: number): number {
  return Math.log(share / (1 - share));
}

/** Replaces what units receive by what they make of it. */
export function activate(unit: Unit, matrix: Matrix): Matrix {
  if (unit === "linear") return matrix;
  const { values } = matrix;
  if (values instanceof Float32Array) {
    activateSingle(ACTIVATION_NUMBER[unit], values);
  } else {
    const { value } = units[unit];
    for (let k = 0; k < values.length; k++) values[k] = value(values[k]);
  }
  return matrix;
}

/** Numbers of single precision go through kernel memory, some at a time, as one long row of units. */
function activateSingle(kind: number, values: Float32Array): void {
  const memory = kernelMemory();
  const block = memory.allocate(4 * Math.min(WINDOW, values.length + LANES));
  try {
    for (let first = 0; first < values.length; first += WINDOW) {
      const part = values.subarray(first, first + WINDOW);
      const width = Math.ceil(part.length / LANES) * LANES;
      memory.f32(block.pointer, part.length).set(part);
      memory.kernels.netActivate(kind, block.pointer, width, part.length, width, 1);
      part.set(memory.f32(block.pointer, part.length));
    }
  } finally {
    memory.release(block);
  }
}

/** Multiplies each error by the slope of the unit whose value is given. */
export function timesSlope(unit: Unit, errors: Matrix, { values }: Matrix): Matrix {
  if (unit === "linear") return errors;
  const { slope } = units[unit];
  const { values: slopes } = errors;
  for (let k = 0; k < values.length; k++) slopes[k] *= slope(values[k]);
  return errors;
}

/** The biases with which units that receive nothing else give about the mean of each column. */
function biasesForMeans(unit: Unit, { rows, columns, values }: Matrix): Float32Array {
  const means = new Float64Array(columns);
  for (let k = 0; k < values.length; k++) means[k % columns] += values[k] / rows;
  return Float32Array.from(means, units[unit].inverse);
}

/** Replaces probabilities by draws: 1 with the given probability, else 0. */
export function drawn(probabilities: FloatArray, bits: () => number): void {
  for (let k = 0; k < probabilities.length; k++) {
    probabilities[k] = bits() < probabilities[k] * 4294967296 ? 1 : 0;
  }
}

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
interface Pairing {
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

/** Changes a layer by what a batch says of it. */
type LayerUpdate = (change: TiedLayer) => void;

/** The values of a layer, one array after the other. */
function partsOf({ weights, hiddenBiases, visibleBiases }: TiedLayer): readonly FloatArray[] {
  return [weights.values, hiddenBiases, visibleBiases];
}

/** How slowly Adam forgets gradients and their squares, and what keeps it from dividing by zero (Kingma, Ba 2015). */
const FORGET = 0.9;
const FORGET_SQUARES = 0.999;
const TINY = 1e-8;

/** Adam: steps against the gradient, each value by about `rate` however steep it is. */
export function adamUpdate(layer: TiedLayer, rate: number): LayerUpdate {
  const values = partsOf(layer);
  const means = values.map(({ length }) => new Float32Array(length));
  const squares = values.map(({ length }) => new Float32Array(length));
  let steps = 0;
  return (gradient) => {
    steps++;
    const step = (rate * Math.sqrt(1 - FORGET_SQUARES ** steps)) / (1 - FORGET ** steps);
    partsOf(gradient).forEach((slopes, p) => {
      const [value, mean, square] = [values[p], means[p], squares[p]];
      for (let k = 0; k < slopes.length; k++) {
        mean[k] += (1 - FORGET) * (slopes[k] - mean[k]);
        square[k] += (1 - FORGET_SQUARES) * (slopes[k] * slopes[k] - square[k]);
        value[k] -= (step * mean[k]) / (Math.sqrt(square[k]) + TINY);
      }
    });
  };
}

/** How far a layer moves with each batch, and what of the movement before it keeps. */
interface Momentum {
  readonly rate: number;
  readonly momentum: number;
  /** The share of a weight, times the rate, that every step takes away; biases keep theirs. */
  readonly decay: number;
}

/** Steps along the ascent, with momentum: Δ ← momentum·Δ + rate·(ascent − decay·w), w ← w + Δ. */
export function momentumUpdate(layer: TiedLayer, { rate, momentum, decay }: Momentum): LayerUpdate {
  const values = partsOf(layer);
  const moves = values.map(({ length }) => new Float32Array(length));
  return (ascent) => {
    partsOf(ascent).forEach((slopes, p) => {
      const [value, move, decaying] = [values[p], moves[p], p === 0 ? decay : 0];
      for (let k = 0; k < slopes.length; k++) {
        move[k] = momentum * move[k] + rate * (slopes[k] - decaying * value[k]);
        value[k] += move[k];
      }
    });
  };
}
