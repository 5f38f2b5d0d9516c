import type * as z from "zod";
import { VouchError } from "./vouch-error.js";

/** Plain data that survives a round trip through JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Arrays that a model file stores as tensors. */
export type TensorData =
  | Float64Array
  | Float32Array
  | Int32Array
  | Uint32Array
  | Int8Array
  | Uint8Array
  | BigUint64Array;

/** Numbers with a shape, whose product is the length of the data. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/** A model or an encoder as it is written to a file: structure and numbers. */
export interface State {
  readonly json: Json;
  readonly tensors: Readonly<Record<string, Tensor>>;
}

/** Makes the error of a damaged model file; the message says what is wrong. */
export function corrupt(message: string, cause?: unknown): VouchError {
  return new VouchError("model/corrupt", message, {
    hint: "The file is damaged: copy it again, or train the model again.",
    cause,
  });
}

/**
 * Parses JSON from an untrusted file. Besides what `JSON.parse` rejects, a repeated key is an error (readers disagree on which
 * one counts), and so is `__proto__`, which no model needs. `part` names the text in messages.
 */
export function parseJson(text: string, part: string): Json {
  let json: Json;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw corrupt(`The ${part} is not valid JSON.`, cause);
  }
  checkKeys(text, part);
  return json;
}

/** Writes plain data as JSON. Throws on a number that JSON cannot hold instead of writing null. */
export function jsonText(json: Json): string {
  return JSON.stringify(json, (key, value) => {
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new TypeError(`"${key}" is ${value}, which JSON cannot hold.`);
    }
    return value;
  });
}

/** Tells whether a value is a JSON object, not an array and not null. */
export function isRecord(json: Json | undefined): json is { readonly [key: string]: Json } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** Scans valid JSON text and checks the keys of every object. */
function checkKeys(text: string, part: string): void {
  const open: Set<string>[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === "{") open.push(new Set());
    else if (character === "}") open.pop();
    else if (character === '"') {
      const end = endOfString(text, i);
      if (isKey(text, end)) {
        const key: unknown = JSON.parse(text.slice(i, end));
        addKey(open[open.length - 1], String(key), part);
      }
      i = end - 1;
    }
  }
}

function addKey(keys: Set<string>, key: string, part: string): void {
  if (key === "__proto__") throw corrupt(`The ${part} has a key "__proto__", which is not allowed.`);
  if (keys.has(key)) throw corrupt(`The ${part} has the key "${key}" twice.`);
  keys.add(key);
}

/** Returns the index after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}

/** Tells whether the string that ended before `place` is a key: a colon follows. */
function isKey(text: string, place: number): boolean {
  while (text[place] === " " || text[place] === "\n" || text[place] === "\r" || text[place] === "\t") place++;
  return text[place] === ":";
}

// TRANSITION: everything below goes when all learners are on the frame.

/** The tensors of a part under the names that they have in the whole. */
export function withPrefix(tensors: State["tensors"], prefix: string): Record<string, Tensor> {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [prefix + name, tensor]));
}

/** The state of the part whose tensors have the prefix. */
export function nestedState(tensors: State["tensors"], prefix: string, json: Json): State {
  const own = Object.entries(tensors).filter(([name]) => name.startsWith(prefix));
  return {
    json,
    tensors: Object.fromEntries(own.map(([name, tensor]) => [name.slice(prefix.length), tensor])),
  };
}

/** The tensors of each part of a whole, by the part's name, which ends at the first dot. */
export function tensorsByPart(tensors: State["tensors"]): Map<string, Record<string, Tensor>> {
  const parts = new Map<string, Record<string, Tensor>>();
  for (const [name, tensor] of Object.entries(tensors)) {
    const dot = name.indexOf(".");
    const part = parts.get(name.slice(0, dot)) ?? {};
    part[name.slice(dot + 1)] = tensor;
    parts.set(name.slice(0, dot), part);
  }
  return parts;
}

/** How far sums of shares may be from one. */
const ROUNDING = 1e-8;

/** JSON from a model file, if it is what the schema wants. `part` names it in the error, as in "encoder". */
export function checkedJson<Schema extends z.ZodType>(
  part: string,
  json: Json | undefined,
  schema: Schema,
): z.output<Schema> {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw damaged(part, `${issue.path.join(".") || "its structure"} is wrong (${issue.message})`);
}

/** Reads the state of one part of a classifier and trusts nothing in it: whatever is odd is `model/corrupt`. */
export class StateReader {
  readonly #part: string;
  readonly #state: State;

  /** `part` names what is read in errors, as in "encoder" or "stump model". */
  constructor(part: string, state: State) {
    this.#part = part;
    this.#state = state;
  }

  /** The structured part, as the schema wants it. */
  json<Schema extends z.ZodType>(schema: Schema): z.output<Schema> {
    return checkedJson(this.#part, this.#state.json, schema);
  }

  /** The length of a tensor with one axis, for where nothing else in the state says it. */
  length(name: string): number {
    const { shape } = this.#tensor(name);
    if (shape.length !== 1) throw this.corrupt(`${name} has shape [${shape}] and not one axis`);
    return shape[0];
  }

  /** A tensor of finite numbers, each from `low` to `high`. */
  numbers(
    name: string,
    shape: readonly number[],
    low = -Number.MAX_VALUE,
    high = Number.MAX_VALUE,
  ): Float64Array {
    const data = this.#data(name, shape);
    if (!(data instanceof Float64Array)) throw this.corrupt(`${name} does not hold doubles`);
    this.#checkRange(name, data, low, high);
    return data;
  }

  /** A tensor of finite numbers in single precision, each from `low` to `high`. */
  singles(name: string, shape: readonly number[], low: number, high: number): Float32Array {
    const data = this.#data(name, shape);
    if (!(data instanceof Float32Array)) throw this.corrupt(`${name} does not hold singles`);
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
  integers(name: string, shape: readonly number[], low = -(2 ** 31), high = 2 ** 31 - 1): Int32Array {
    const data = this.#data(name, shape);
    if (!(data instanceof Int32Array)) throw this.corrupt(`${name} does not hold integers`);
    this.#checkRange(name, data, low, high);
    return data;
  }

  /** Checks that there are no tensors but these. */
  only(...names: string[]): void {
    const stranger = Object.keys(this.#state.tensors).find((name) => !names.includes(name));
    if (stranger !== undefined) throw this.corrupt(`it has an unknown tensor ${stranger}`);
  }

  /** The error of a state that `toState` cannot have given; `what` completes "The … is damaged: …". */
  corrupt(what: string): VouchError {
    return damaged(this.#part, what);
  }

  #tensor(name: string): Tensor {
    const { tensors } = this.#state;
    if (!Object.hasOwn(tensors, name)) throw this.corrupt(`${name} is missing`);
    return tensors[name];
  }

  #data(name: string, expected: readonly number[]): TensorData {
    const { shape, data } = this.#tensor(name);
    const asExpected =
      shape.length === expected.length && expected.every((size, axis) => shape[axis] === size);
    const length = expected.reduce((product, size) => product * size, 1);
    if (!asExpected || data.length !== length) {
      throw this.corrupt(`${name} has shape [${shape}] and not [${expected}]`);
    }
    return data;
  }

  #checkRange(name: string, data: Float64Array | Float32Array | Int32Array, low: number, high: number): void {
    for (let k = 0; k < data.length; k++) {
      if (!(data[k] >= low && data[k] <= high)) throw this.corrupt(`${name}[${k}] is ${data[k]}`);
    }
  }
}

function damaged(part: string, what: string): VouchError {
  return corrupt(`The ${part} is damaged: ${what}.`);
}
