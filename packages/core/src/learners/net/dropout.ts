import type { Activation } from "./network-weights.js";
import type { UnitRows } from "./unit-rows.js";

/** Fractions of the units that each step of training drops. */
export interface DropoutRates {
  /** Of the inputs. */
  readonly inputDropout?: number | undefined;
  /** Of the units of each hidden layer. */
  readonly dropout?: number | undefined;
}

/** Returns the fraction of the units of a layer that are dropped; layer 0 is the input. */
export function dropoutOf({ inputDropout = 0, dropout = 0 }: DropoutRates, layer: number): number {
  return layer === 0 ? inputDropout : dropout;
}

/** The units that a step drops in a layer. */
export interface DroppedUnits {
  /** Fraction of the units. */
  readonly rate: number;
  /** Seed of the step. */
  readonly seed: number;
  readonly layer: number;
}

/**
 * Sets random units of the rows from `begin` to `end` − 1 of a batch to 0 and divides the others by 1 − rate, so that the expected
 * sums stay the same and nothing has to be scaled when the network predicts (Srivastava et al. 2014). The seed of the step, the
 * layer and the row of the batch determine these units, whichever thread computes the row.
 */
export function dropUnits(
  { view, stride, units }: Pick<UnitRows, "view" | "stride" | "units">,
  begin: number,
  end: number,
  { rate, seed, layer }: DroppedUnits,
): void {
  const scale = 1 / (1 - rate);
  const limit = limitOf(rate);
  for (let r = begin; r < end; r++) {
    let state = firstState(seed, layer, r);
    const first = r * stride;
    for (let k = first; k < first + units; k++) {
      state = nextState(state);
      view[k] = state >>> 0 < limit ? 0 : scale * view[k];
    }
  }
}

/** Turns derivatives by the outputs of a layer, as `dropUnits` left them, into derivatives by its sums. */
export function deriveDropped(
  outputs: UnitRows,
  deltas: UnitRows,
  begin: number,
  end: number,
  activation: Activation,
  { rate, seed, layer }: DroppedUnits,
): void {
  const { view: values, stride, units } = outputs;
  const { view } = deltas;
  const slope = SLOPES[activation];
  const scale = 1 / (1 - rate);
  const limit = limitOf(rate);
  for (let r = begin; r < end; r++) {
    let state = firstState(seed, layer, r);
    const first = r * stride;
    for (let k = first; k < first + units; k++) {
      state = nextState(state);
      view[k] = state >>> 0 < limit ? 0 : view[k] * scale * slope(values[k] / scale);
    }
  }
}

/** Derivatives of the activation functions, given their values. */
const SLOPES: Readonly<Record<Activation, (value: number) => number>> = {
  relu: (value) => (value > 0 ? 1 : 0),
  tanh: (value) => 1 - value * value,
  sigmoid: (value) => value * (1 - value),
};

function limitOf(rate: number): number {
  return Math.round(rate * 2 ** 32);
}

/** Draws a random unsigned 32-bit number for a row of a step. */
export function randomWord(seed: number, layer: number, row: number): number {
  return firstState(seed, layer, row) >>> 0;
}

/** Starts the random numbers of a row: those of neighbouring rows and layers must not be alike (the finaliser of MurmurHash3). */
function firstState(seed: number, layer: number, row: number): number {
  let mixed = seed ^ Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(layer + 1, 0x632be5ab);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  mixed ^= mixed >>> 16;
  // The generator stays at 0.
  return mixed === 0 ? 1 : mixed;
}

/** Steps the generator xorshift32 (Marsaglia 2003). */
function nextState(state: number): number {
  let next = state;
  next ^= next << 13;
  next ^= next >>> 17;
  return next ^ (next << 5);
}
