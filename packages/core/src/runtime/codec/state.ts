import type * as z from "zod";
import { VouchError } from "../vouch-error.js";
import { checkRanges } from "./schema-numbers.js";

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
 * Parses JSON from an untrusted file. In addition to what `JSON.parse` rejects, a repeated key is an error (readers disagree on which
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

/** Checks JSON from a model file by a schema in which every number has a range; `part` names it in the error, as in "card". */
export function checkedJson<Schema extends z.ZodType>(
  part: string,
  json: Json | undefined,
  schema: Schema,
): z.output<Schema> {
  checkRanges(schema);
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw corrupt(
    `The ${part} is damaged: ${issue.path.join(".") || "its structure"} is wrong (${issue.message}).`,
  );
}
