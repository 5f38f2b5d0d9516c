import * as z from "zod";
import { PartReader, PartWriter } from "./part-io.js";
import { checkRanges, MOST_COUNTED, nonNegativeInteger } from "./schema-numbers.js";
import { corrupt, isRecord, type Json, type State } from "./state.js";

/**
 * A codec for one part of a model or an encoder: writes a value as JSON and tensors, and reads it from an untrusted file. A value
 * that JSON can hold is described by a zod schema instead; `object` takes both.
 */
export interface Part<Value> {
  /** Returns the JSON of the value, or undefined if tensors hold all of it. */
  write(value: Value, to: PartWriter): Json | undefined;
  read(json: Json | undefined, from: PartReader): Value;
}

/** A part of unknown type. */
export interface UnknownPart {
  write(value: unknown, to: PartWriter): Json | undefined;
  read(json: Json | undefined, from: PartReader): unknown;
}

/** A part, or the zod schema of one that JSON holds. */
type AnyPart = UnknownPart | z.ZodType;

/** The fields of an object, each with its codec. */
export type Fields = Readonly<Record<string, AnyPart>>;

type ValueOf<P> = P extends { read(json: Json | undefined, from: PartReader): infer Value }
  ? Value
  : P extends z.ZodType
    ? z.output<P>
    : never;

type OptionalKeys<F extends Fields> = {
  [K in keyof F]: undefined extends ValueOf<F[K]> ? K : never;
}[keyof F];

/** The values behind fields; those that may be undefined are optional. */
export type PartsOf<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalKeys<F>>]: ValueOf<F[K]>;
} & {
  readonly [K in OptionalKeys<F>]?: ValueOf<F[K]>;
};

/** Writes an object; `sizes` are those that its parts may name, such as `classes`. */
export function writeParts<F extends Fields>(
  fields: F,
  values: PartsOf<F>,
  sizes: Readonly<Record<string, number>>,
): State {
  const writer = new PartWriter({}, sizes);
  return { json: object(fields).write(values, writer) ?? {}, tensors: writer.tensors };
}

/** Reads an object that `writeParts` wrote; `name` names it in errors. Further tensors are an error. */
export function readParts<F extends Fields>(
  name: string,
  fields: F,
  { json, tensors }: State,
  sizes: Readonly<Record<string, number>>,
): PartsOf<F> {
  const used = new Set<string>();
  const values = object(fields).read(json, new PartReader({ name, tensors, used }, sizes));
  const stranger = Object.keys(tensors).find((tensor) => !used.has(tensor));
  if (stranger !== undefined) throw corrupt(`The ${name} is damaged: it has an unknown tensor ${stranger}.`);
  return values;
}

/** Makes the codec of an object. */
export function object<F extends Fields>(fields: F): Part<PartsOf<F>> {
  const codecs = Object.entries(fields).map(([name, part]) => [name, codecOf(part)] as const);
  return {
    write(values, to) {
      const entries = codecs.map(
        ([name, part]) => [name, part.write(Reflect.get(values, name), to.inside(name))] as const,
      );
      return Object.fromEntries(
        entries.flatMap(([name, json]) => (json === undefined ? [] : [[name, json]])),
      );
    },
    read(json, from) {
      if (!isRecord(json)) throw from.corrupt("it is not an object");
      const stranger = Object.keys(json).find((name) => !Object.hasOwn(fields, name));
      if (stranger !== undefined) throw from.corrupt(`it has an unknown field ${stranger}`);
      const values: Record<string, unknown> = {};
      for (const [name, part] of codecs) {
        const value = part.read(Object.hasOwn(json, name) ? json[name] : undefined, from.inside(name));
        if (value !== undefined) values[name] = value;
      }
      assertParts<F>(values);
      return values;
    },
  };
}

/** Asserts that the codecs have made every field. */
function assertParts<F extends Fields>(values: object): asserts values is PartsOf<F> {
  if (typeof values !== "object") throw new TypeError("Parts are an object.");
}

function codecOf(part: AnyPart): UnknownPart {
  return "write" in part ? part : json(part);
}

/** Makes the codec of a value that JSON can hold, described by a zod schema in which every number has a range. */
export function json<Schema extends z.ZodType>(schema: Schema): Part<z.output<Schema>> {
  checkRanges(schema);
  return {
    write(value, to) {
      if (value === undefined) return undefined;
      const text = JSON.stringify(value, (_, part: unknown) => {
        if (typeof part !== "number" || Number.isFinite(part)) return part;
        throw new TypeError(`${to.path} holds ${part}, which JSON cannot.`);
      });
      const plain: Json = JSON.parse(text);
      return plain;
    },
    read(value, from) {
      const result = schema.safeParse(value);
      if (result.success) return result.data;
      const [issue] = result.error.issues;
      throw from.corrupt(`${issue.path.join(".") || "its value"} is wrong (${issue.message})`);
    },
  };
}

/** Makes the codec of a part that may be absent. */
export function optional<Value>(part: Part<Value>): Part<Value | undefined> {
  return {
    write: (value, to) => (value === undefined ? undefined : (part.write(value, to) ?? true)),
    read: (json, from) =>
      json === undefined ? undefined : part.read(json === true ? undefined : json, from),
  };
}

/** Makes the codec of a part that files do not keep: only a model that has just been trained has it. */
export function transient<Value>(): Part<Value | undefined> {
  return {
    write: () => undefined,
    read(json, from) {
      if (json !== undefined) throw from.corrupt("files do not keep it");
      return undefined;
    },
  };
}

/** Makes the codec of a list; sizes that an item introduces are its own. `as` names the length of the list. */
export function list<Value>(
  part: Part<Value>,
  { as, min = 0, max = 100_000 }: ListOptions = {},
): Part<readonly Value[]> {
  return {
    write(values, to) {
      if (as !== undefined) to.sizes.learn(as, values.length);
      return values.map((value, i) => part.write(value, to.inside(String(i + 1), true)) ?? null);
    },
    read(json, from) {
      if (!Array.isArray(json) || json.length < min || json.length > max)
        throw from.corrupt("it is not a list of parts");
      if (as !== undefined) from.sizes.learn(as, json.length);
      return json.map((item: Json, i) => part.read(item ?? undefined, from.inside(String(i + 1), true)));
    },
  };
}

interface ListOptions {
  readonly as?: string;
  readonly min?: number;
  readonly max?: number;
}

/** Makes the codec of one of several kinds of objects, distinguished by the field `kind`. */
export function variant<V extends Readonly<Record<string, Fields>>>(
  kinds: V,
): Part<{ [K in keyof V & string]: { readonly kind: K } & PartsOf<V[K]> }[keyof V & string]> {
  type Value = { [K in keyof V & string]: { readonly kind: K } & PartsOf<V[K]> }[keyof V & string];
  const parts = new Map(Object.entries(kinds).map(([kind, fields]) => [kind, object(fields)]));
  const isValue = (value: object): value is Value => "kind" in value;
  return {
    write(value, to) {
      const { kind } = value;
      const json = parts.get(kind)?.write(value, to);
      return { kind, ...(isRecord(json) && json) };
    },
    read(json, from) {
      const { kind, ...fields } = isRecord(json) ? json : { kind: undefined };
      const part = typeof kind === "string" ? parts.get(kind) : undefined;
      if (!part) throw from.corrupt(`it is of the unknown kind ${kind}`);
      const value = { kind, ...part.read(fields, from) };
      if (!isValue(value)) throw from.corrupt("it has no kind");
      return value;
    },
  };
}

/** Makes the codec of a value that is stored as a simpler one: `save` returns that, `load` the value or the fault. */
export function converted<Stored, Value extends object>(
  part: Part<Stored>,
  save: (value: Value) => Stored,
  load: (stored: Stored, sizes: Readonly<Record<string, number>>) => Value | string,
): Part<Value> {
  return {
    write: (value, to) => part.write(save(value), to),
    read(json, from) {
      const value = load(part.read(json, from), from.sizes.known);
      if (typeof value === "string") throw from.corrupt(value);
      return value;
    },
  };
}

/** Adds a condition to a codec: `fault` says what is wrong, undefined if nothing is. */
export function checked<Value>(
  part: Part<Value>,
  fault: (value: Value, sizes: Readonly<Record<string, number>>) => string | undefined,
): Part<Value> {
  return {
    write: (value, to) => part.write(value, to),
    read(json, from) {
      const value = part.read(json, from);
      const wrong = fault(value, from.sizes.known);
      if (wrong !== undefined) throw from.corrupt(wrong);
      return value;
    },
  };
}

/** Makes the codec of a named size, for the shapes of tensors. */
export function size(
  name: string,
  { min = 0, max = MOST_COUNTED }: { readonly min?: number; readonly max?: number } = {},
): Part<number> {
  const part = json(z.int().min(min).max(max));
  return {
    write(value, to) {
      to.sizes.learn(name, value);
      return part.write(value, to);
    },
    read(stored, from) {
      const value = part.read(stored, from);
      from.sizes.learn(name, value);
      return value;
    },
  };
}

/** Makes the codec of a list in JSON whose length is a named size, for the shapes of tensors. */
export function sized<Schema extends z.ZodType<readonly unknown[]>>(
  name: string,
  schema: Schema,
): Part<z.output<Schema>> {
  const part = json(schema);
  return {
    write(value, to) {
      to.sizes.learn(name, value.length);
      return part.write(value, to);
    },
    read(stored, from) {
      const value = part.read(stored, from);
      from.sizes.learn(name, value.length);
      return value;
    },
  };
}

/** The indices of the classes of the training rows, ascending; their number is the size `trained`. */
export const trainedClasses: Part<readonly number[]> = checked(
  sized("trained", z.array(nonNegativeInteger).min(2)),
  (trained, { classes }) =>
    trained.every((k, place) => k < classes && (place === 0 || k > trained[place - 1]))
      ? undefined
      : `it was trained on the classes [${trained}]`,
);
