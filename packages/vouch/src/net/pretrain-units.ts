import type { FloatArray, Matrix } from "../numeric/matrix.js";
import { kernelMemory } from "../numeric/memory.js";
import { ACTIVATION_NUMBER } from "./activation.js";

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
export function biasesForMeans(unit: Unit, { rows, columns, values }: Matrix): Float32Array {
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
