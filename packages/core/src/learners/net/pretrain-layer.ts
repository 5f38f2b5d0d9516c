import { type FloatArray, Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import { multiply, multiplyTransposed, transposedMultiply } from "../../runtime/maths/product.js";
import type { Random } from "../../runtime/maths/random.js";
import { wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { ACTIVATION_NUMBER, type Activation } from "./network-weights.js";

/** The activation function of a layer's units; decoders may be linear. */
export type Unit = Activation | "linear";

/** Means closer than this to the end of a unit's range get no larger bias. */
const CLOSEST = 0.01;

/** Kernels process this many numbers per instruction, and get this many at a time. */
const LANES = 4;
const WINDOW = 1 << 16;

interface UnitFunctions {
  value(input: number): number;
  /** Returns the input with this mean as its value; for means near the end of the range, one further inside. */
  inverse(mean: number): number;
}

const units: Readonly<Record<Unit, UnitFunctions>> = {
  sigmoid: {
    value: (input) => 1 / (1 + real.exp(-input)),
    inverse: (mean) => logit(within(mean, 0, 1)),
  },
  tanh: {
    value: real.tanh,
    inverse: (mean) => atanh(within(mean, -1, 1)),
  },
  relu: {
    value: (input) => Math.max(input, 0),
    inverse: (mean) => Math.max(0, mean),
  },
  linear: { value: (input) => input, inverse: (mean) => mean },
};

function within(mean: number, least: number, most: number): number {
  return Math.max(least + CLOSEST, Math.min(most - CLOSEST, mean));
}

function logit(share: number): number {
  return real.log(share / (1 - share));
}

/** Applies an activation function in place. */
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

/** Applies it in WebAssembly memory, to one window at a time, as one long row of units. */
function activateSingle(kind: number, values: Float32Array): void {
  const memory = wasmMemory();
  const block = memory.allocate(4 * Math.min(WINDOW, values.length + LANES));
  try {
    for (let first = 0; first < values.length; first += WINDOW) {
      const part = values.subarray(first, first + WINDOW);
      const width = Math.ceil(part.length / LANES) * LANES;
      memory.f32(block.pointer, part.length).set(part);
      memory.exports.netActivate(kind, block.pointer, width, part.length, width, 1);
      part.set(memory.f32(block.pointer, part.length));
    }
  } finally {
    memory.release(block);
  }
}

/** Computes biases with which units without other input give about the mean of each column. */
function biasesForMeans(unit: Unit, { rows, columns, values }: Matrix): Float32Array {
  const means = new Float64Array(columns);
  for (let k = 0; k < values.length; k++) means[k % columns] += values[k] / rows;
  return Float32Array.from(means, units[unit].inverse);
}

/** Replaces probabilities by samples: 1 with the given probability, otherwise 0. */
export function drawn(probabilities: FloatArray, bits: () => number): void {
  for (let k = 0; k < probabilities.length; k++) {
    probabilities[k] = bits() < probabilities[k] * 4294967296 ? 1 : 0;
  }
}

/**
 * A layer with the same weights in both directions, from visible to hidden units and back: a restricted Boltzmann machine,
 * or an autoencoder with tied weights (see `autoencoders.ts`). A gradient has the same shape.
 */
export interface TiedLayer {
  /** One row per hidden unit, one column per visible unit. */
  readonly weights: Matrix;
  readonly hiddenBiases: FloatArray;
  readonly visibleBiases: FloatArray;
}

/** Standard deviation of the initial weights (Hinton, A practical guide to training RBMs, 2010, §8). */
const FIRST_WEIGHTS = 0.01;

/**
 * Draws the initial layer for the given rows. Its weights are small, so that inputs that hardly vary contribute next to
 * nothing instead of noise; its visible units start at the mean of the rows.
 */
export function drawLayer(rows: Matrix, units: number, visible: Unit, random: Random): TiedLayer {
  const weights = Float32Array.from({ length: units * rows.columns }, () => FIRST_WEIGHTS * random.normal());
  return {
    weights: new Matrix(units, rows.columns, weights),
    hiddenBiases: new Float32Array(units),
    visibleBiases: biasesForMeans(visible, rows),
  };
}

/** Computes the inputs of the hidden units: V·Wᵀ + b. */
export function hiddenInput({ weights, hiddenBiases }: TiedLayer, visible: Matrix): Matrix {
  return withBiases(multiplyTransposed(visible, weights), hiddenBiases);
}

/** Computes the inputs of the visible units: H·W + c. */
export function visibleInput({ weights, visibleBiases }: TiedLayer, hidden: Matrix): Matrix {
  return withBiases(multiply(hidden, weights), visibleBiases);
}

/** Hidden and visible values of the same rows. */
interface Pairing {
  readonly hidden: Matrix;
  readonly visible: Matrix;
}

/**
 * Sums h·vᵀ over the rows of two pairings: in the gradients of both kinds of layers, weights count once on the way to the
 * hidden units and once on the way back. One product of twice the depth is faster than two.
 */
export function pairedSums(one: Pairing, other: Pairing): Matrix {
  return transposedMultiply(stacked(one.hidden, other.hidden), stacked(one.visible, other.visible));
}

/** Adds the sum of each column, times a factor, to `sums`. */
export function addColumnSums({ rows, columns, values }: Matrix, factor: number, sums: FloatArray): void {
  for (let i = 0; i < rows; i++) {
    for (let j = 0, k = i * columns; j < columns; j++, k++) sums[j] += factor * values[k];
  }
}

/** Computes Σ ‖x − y‖² over all rows. */
export function squaredDistance(x: Matrix, y: Matrix): number {
  let sum = 0;
  for (let k = 0; k < x.values.length; k++) sum += (x.values[k] - y.values[k]) ** 2;
  return sum;
}

/** Selects rows in single precision. */
export function singleRows({ columns, values }: Matrix, rows: Int32Array): Matrix {
  const selected = new Float32Array(rows.length * columns);
  for (let i = 0; i < rows.length; i++) {
    selected.set(values.subarray(rows[i] * columns, (rows[i] + 1) * columns), i * columns);
  }
  return new Matrix(rows.length, columns, selected);
}

/** Makes zeros in the same precision, by default as many. */
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

/** Copies a layer. */
export function copyLayer({ weights, hiddenBiases, visibleBiases }: TiedLayer): TiedLayer {
  return {
    weights: new Matrix(weights.rows, weights.columns, weights.values.slice()),
    hiddenBiases: hiddenBiases.slice(),
    visibleBiases: visibleBiases.slice(),
  };
}

/** Replaces the weights and biases of a layer. */
export function loadLayer(layer: TiedLayer, from: TiedLayer): void {
  layer.weights.values.set(from.weights.values);
  layer.hiddenBiases.set(from.hiddenBiases);
  layer.visibleBiases.set(from.visibleBiases);
}

/** Changes a layer by the ascent of a batch. */
type LayerUpdate = (change: TiedLayer) => void;

/** Lists the arrays of a layer. */
function partsOf({ weights, hiddenBiases, visibleBiases }: TiedLayer): readonly FloatArray[] {
  return [weights.values, hiddenBiases, visibleBiases];
}

interface Momentum {
  readonly rate: number;
  readonly momentum: number;
  /** Weight decay, times the rate at each step; biases are not decayed. */
  readonly decay: number;
}

/** Makes steps along the ascent, with momentum: Δ ← momentum·Δ + rate·(ascent − decay·w), w ← w + Δ. */
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

function atanh(x: number): number {
  return real.log1p((2 * x) / (1 - x)) / 2;
}
