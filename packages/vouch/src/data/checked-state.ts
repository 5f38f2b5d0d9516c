import { z } from "zod";
import { VouchError } from "../error.js";
import type { State, TensorData } from "../model/state.js";

/** The structure of a state, if it has the given shape. */
export function structure<T>(state: State, shape: z.ZodType<T>): T {
  const parsed = shape.safeParse(state.json);
  if (parsed.success) return parsed.data;
  throw corrupt(z.prettifyError(parsed.error).replaceAll(/\s+/g, " ").slice(0, 200));
}

/** The named vector of integers, of that length if one is given. */
export function integers(state: State, name: string, length?: number): Int32Array {
  const data = vector(state, name, length);
  if (!(data instanceof Int32Array)) throw corrupt(`${name} does not hold integers`);
  return data;
}

/** The named vector of doubles, of that length if one is given. */
export function floats(state: State, name: string, length?: number): Float64Array {
  const data = vector(state, name, length);
  if (!(data instanceof Float64Array)) throw corrupt(`${name} does not hold doubles`);
  return data;
}

function vector({ tensors }: State, name: string, length?: number): TensorData {
  const tensor = Object.hasOwn(tensors, name) ? tensors[name] : undefined;
  if (!tensor) throw corrupt(`${name} is missing`);
  const { data, shape } = tensor;
  if (shape.length !== 1 || shape[0] !== data.length || data.length !== (length ?? data.length)) {
    throw corrupt(`${name} has the wrong length`);
  }
  return data;
}

/** The error of a state that `toState` cannot have given. */
export function corrupt(fault: string): VouchError {
  return new VouchError("model/corrupt", `The model is damaged: ${fault}.`, {
    hint: "Train the model again, or fetch the file again.",
  });
}
