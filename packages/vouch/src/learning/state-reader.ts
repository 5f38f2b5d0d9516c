import type { z } from "zod";
import { VouchError } from "../error.js";
import type { State } from "../model/state.js";

/** How far sums of shares may be from one. */
const ROUNDING = 1e-8;

/** Reads a model's state and trusts nothing in it: whatever is odd is the error `model/corrupt`. */
export class StateReader {
  readonly #learner: string;
  readonly #state: State;

  constructor(learner: string, state: State) {
    this.#learner = learner;
    this.#state = state;
  }

  /** The structured part, as the schema wants it. */
  json<Schema extends z.ZodType>(schema: Schema): z.output<Schema> {
    const result = schema.safeParse(this.#state.json);
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    throw this.corrupt(`${issue.path.join(".") || "its structure"} is wrong (${issue.message})`);
  }

  /** A tensor of finite numbers, each from `low` to `high`. */
  numbers(
    name: string,
    shape: readonly number[],
    low = -Number.MAX_VALUE,
    high = Number.MAX_VALUE,
  ): Float64Array {
    const data = this.#tensor(name, shape);
    if (!(data instanceof Float64Array)) throw this.corrupt(`${name} has the wrong type`);
    this.#checkRange(name, data, low, high);
    return data;
  }

  /** A tensor of probabilities that sum to one along the last axis, up to rounding. */
  shares(name: string, shape: readonly number[]): Float64Array {
    const shares = this.numbers(name, shape, 0, 1 + ROUNDING);
    const size = shape[shape.length - 1];
    for (let start = 0; start < shares.length; start += size) {
      let sum = 0;
      for (let k = 0; k < size; k++) sum += shares[start + k];
      if (Math.abs(sum - 1) > ROUNDING) throw this.corrupt(`${name} sums to ${sum} and not to 1`);
    }
    return shares;
  }

  /** A tensor of 32-bit integers, each from `low` to `high`. */
  integers(name: string, shape: readonly number[], low: number, high: number): Int32Array {
    const data = this.#tensor(name, shape);
    if (!(data instanceof Int32Array)) throw this.corrupt(`${name} has the wrong type`);
    this.#checkRange(name, data, low, high);
    return data;
  }

  /** Checks that there are no tensors but these. */
  only(...names: string[]): void {
    const stranger = Object.keys(this.#state.tensors).find((name) => !names.includes(name));
    if (stranger !== undefined) throw this.corrupt(`it has an unknown part ${stranger}`);
  }

  corrupt(what: string): VouchError {
    return new VouchError("model/corrupt", `The ${this.#learner} model is damaged: ${what}.`);
  }

  #tensor(name: string, shape: readonly number[]): unknown {
    if (!Object.hasOwn(this.#state.tensors, name)) throw this.corrupt(`${name} is missing`);
    const tensor = this.#state.tensors[name];
    const asExpected =
      tensor.shape.length === shape.length && shape.every((size, axis) => tensor.shape[axis] === size);
    const length = shape.reduce((product, size) => product * size, 1);
    if (!asExpected || tensor.data.length !== length) {
      throw this.corrupt(`${name} has shape [${tensor.shape}] and not [${shape}]`);
    }
    return tensor.data;
  }

  #checkRange(name: string, data: Float64Array | Int32Array, low: number, high: number): void {
    for (let k = 0; k < data.length; k++) {
      if (!(data[k] >= low && data[k] <= high)) throw this.corrupt(`${name}[${k}] is ${data[k]}`);
    }
  }
}
