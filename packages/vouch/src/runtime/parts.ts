import * as z from "zod";
import { Matrix } from "./matrix.js";
import { corrupt, isRecord, type Json, type State, type Tensor, type TensorData } from "./state.js";
import type { VouchError } from "./vouch-error.js";

/**
 * A codec for one part of a model or an encoder: writes a value as JSON and tensors, and reads it back from a file that is
 * not trusted. Anything JSON can hold is described by a zod schema instead; `object` takes both.
 */
export interface Part<Value> {
  /** Returns the JSON of the value, or undefined if tensors hold all of it. */
  write(value: Value, to: PartWriter): Json | undefined;
  read(json: Json | undefined, from: PartReader): Value;
}

/** A part of any value. */
interface SomePart {
  write(value: unknown, to: PartWriter): Json | undefined;
  read(json: Json | undefined, from: PartReader): unknown;
}

/** A part, or the zod schema of one that JSON holds. */
type AnyPart = SomePart | z.ZodType;

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

/** The values of fields; those that may be undefined are optional. */
export type PartsOf<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalKeys<F>>]: ValueOf<F[K]>;
} & {
  readonly [K in OptionalKeys<F>]?: ValueOf<F[K]>;
};

/**
 * A size of an axis: a number, the name of a size, or a function of the sizes known so far. A name that is not known yet
 * takes the size of the first tensor that has it; all later ones must agree.
 */
export type Size = number | string | ((sizes: Readonly<Record<string, number>>) => number);

/** The range of the elements of a tensor; `below` excludes the size itself, as for indices. */
export interface Range {
  readonly min?: number;
  readonly max?: number;
  readonly below?: Size;
}

/** Sizes by name. Sizes that a nested part introduces are its own. */
class Sizes {
  readonly known: Record<string, number>;

  constructor(known: Readonly<Record<string, number>>) {
    this.known = { ...known };
  }

  get(size: Size): number | undefined {
    if (typeof size === "number") return size;
    return typeof size === "function" ? size(this.known) : this.known[size];
  }

  /** Records a size if it has a name without a value. */
  learn(size: Size, value: number): void {
    if (typeof size === "string") this.known[size] ??= value;
  }
}

/** Collects the tensors of a value that is written. */
export class PartWriter {
  readonly tensors: Record<string, Tensor>;
  readonly sizes: Sizes;
  readonly path: string;

  constructor(tensors: Record<string, Tensor>, sizes: Readonly<Record<string, number>>, path = "") {
    this.tensors = tensors;
    this.sizes = new Sizes(sizes);
    this.path = path;
  }

  /** Writes to the same tensors under a longer name; sizes are inherited, or shared with `this`. */
  inside(name: string, own = false): PartWriter {
    const inner = new PartWriter(
      this.tensors,
      this.sizes.known,
      this.path === "" ? name : `${this.path}.${name}`,
    );
    return own ? inner : Object.assign(inner, { sizes: this.sizes });
  }

  tensor(shape: readonly Size[], data: TensorData): void {
    this.tensors[this.path] = { shape: this.#shapeOf(shape, data.length), data };
  }

  /** Writes the tensors of a nested part that has its own state; returns its JSON. */
  state({ json, tensors }: State): Json {
    for (const [name, tensor] of Object.entries(tensors)) this.tensors[`${this.path}.${name}`] = tensor;
    return json;
  }

  /** Returns the sizes of all axes; at most one is not known and follows from the length. */
  #shapeOf(shape: readonly Size[], length: number): number[] {
    const known = shape.map((size) => this.sizes.get(size));
    const product = known.reduce<number>((total, size) => total * (size ?? 1), 1);
    const missing = known.indexOf(undefined);
    const sizes = known.map((size) => size ?? (product === 0 ? 0 : length / product));
    if (
      sizes.reduce((total, size) => total * size, 1) !== length ||
      known.indexOf(undefined, missing + 1) > missing
    ) {
      throw new TypeError(
        `${this.path} has ${length} elements, which do not make the shape [${shape.join(", ")}].`,
      );
    }
    if (missing >= 0) this.sizes.learn(shape[missing], sizes[missing]);
    return sizes;
  }
}

/** Reads the tensors of a file that is not trusted; throws `model/corrupt` for anything unexpected. */
export class PartReader {
  readonly sizes: Sizes;
  readonly path: string;
  readonly #source: Source;

  constructor(source: Source, sizes: Readonly<Record<string, number>>, path = "") {
    this.#source = source;
    this.sizes = new Sizes(sizes);
    this.path = path;
  }

  inside(name: string, own = false): PartReader {
    const inner = new PartReader(
      this.#source,
      this.sizes.known,
      this.path === "" ? name : `${this.path}.${name}`,
    );
    return own ? inner : Object.assign(inner, { sizes: this.sizes });
  }

  /** Returns the tensor at this path, whose shape must agree with the sizes known so far. */
  tensor(shape: readonly Size[]): TensorData {
    const { tensors, used } = this.#source;
    if (!Object.hasOwn(tensors, this.path)) throw this.corrupt("it is missing");
    used.add(this.path);
    const found = tensors[this.path];
    if (found.shape.length !== shape.length) throw this.#wrongShape(found);
    shape.forEach((size, axis) => {
      this.sizes.learn(size, found.shape[axis]);
      if (this.sizes.get(size) !== found.shape[axis]) throw this.#wrongShape(found, shape);
    });
    if (found.data.length !== found.shape.reduce((total, size) => total * size, 1))
      throw this.#wrongShape(found);
    return found.data;
  }

  /** Returns the state of the nested part at this path, for its own codec. */
  state(json: Json | undefined): State {
    const { tensors, used } = this.#source;
    const prefix = `${this.path}.`;
    const own: Record<string, Tensor> = {};
    for (const name of this.#namesFrom(prefix)) {
      if (!name.startsWith(prefix)) break;
      used.add(name);
      own[name.slice(prefix.length)] = tensors[name];
    }
    return { json: json ?? null, tensors: own };
  }

  /**
   * Yields the names of tensors from this one on, in order. There may be thousands of nested parts, so each finds its own by
   * bisection.
   */
  *#namesFrom(first: string): Generator<string> {
    this.#source.sorted ??= Object.keys(this.#source.tensors).sort();
    const { sorted } = this.#source;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sorted[middle] < first) low = middle + 1;
      else high = middle;
    }
    for (; low < sorted.length; low++) yield sorted[low];
  }

  /** Makes the error of a part that `write` cannot have written; `what` completes "The … is damaged: …". */
  corrupt(what: string): VouchError {
    const where = this.path === "" ? "" : `${this.path}: `;
    return corrupt(`The ${this.#source.name} is damaged: ${where}${what}.`);
  }

  #wrongShape({ shape }: Tensor, expected: readonly Size[] = []): VouchError {
    const wanted = expected.map((size) => this.sizes.get(size) ?? "?");
    return this.corrupt(`it has shape [${shape}]${expected.length > 0 ? ` and not [${wanted}]` : ""}`);
  }
}

interface Source {
  readonly name: string;
  readonly tensors: State["tensors"];
  readonly used: Set<string>;
  /** The names of all tensors in order, once a nested part needs them. */
  sorted?: readonly string[];
}

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

/** Makes the codec of an object of parts. */
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

/** Asserts the type `PartsOf`: the codecs have made every field. */
function assertParts<F extends Fields>(values: object): asserts values is PartsOf<F> {
  if (typeof values !== "object") throw new TypeError("Parts are an object.");
}

function codecOf(part: AnyPart): SomePart {
  return "write" in part ? part : json(part);
}

/** Makes the codec of a part that JSON holds, described by a zod schema. */
export function json<Schema extends z.ZodType>(schema: Schema): Part<z.output<Schema>> {
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

/** Makes the codec of a list of parts; sizes that an item introduces are its own. `as` names the length of the list. */
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

/**
 * Makes the codec of a value that is stored in a simpler form: `save` returns that form, `load` the value, or a text that says
 * what is wrong.
 */
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

/** Adds a check to a codec: `fault` says what is wrong, undefined if nothing is. */
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

/** Makes the codec of a whole number in JSON that is a named size, for the shapes of tensors. */
export function size(name: string, { min = 0, max = Number.MAX_SAFE_INTEGER }: Range = {}): Part<number> {
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

/** Indices of the classes that training rows had, ascending; their number is the size `trained`. */
export const trainedClasses: Part<readonly number[]> = checked(
  sized("trained", z.array(z.int().min(0)).min(2)),
  (trained, { classes }) =>
    trained.every((k, place) => k < classes && (place === 0 || k > trained[place - 1]))
      ? undefined
      : `it was trained on the classes [${trained}]`,
);

type Numbers = Float64Array | Float32Array | Int32Array | Int8Array | Uint8Array;

function numbers<A extends Numbers>(
  is: (data: TensorData) => data is A,
  type: string,
  shape: readonly Size[],
  { min = -Number.MAX_VALUE, max = Number.MAX_VALUE, below }: Range,
): Part<A> {
  return {
    write(data, to) {
      to.tensor(shape, data);
      return undefined;
    },
    read(json, from) {
      if (json !== undefined) throw from.corrupt("it is not a tensor");
      const data = from.tensor(shape);
      if (!is(data)) throw from.corrupt(`it does not hold ${type}`);
      const end = below === undefined ? Number.POSITIVE_INFINITY : (from.sizes.get(below) ?? 0);
      for (let k = 0; k < data.length; k++) {
        if (!(data[k] >= min && data[k] <= max && data[k] < end))
          throw from.corrupt(`element ${k} is ${data[k]}`);
      }
      return data;
    },
  };
}

/** A tensor of finite doubles. */
export const float64 = (shape: readonly Size[], range: Range = {}): Part<Float64Array> =>
  numbers((data) => data instanceof Float64Array, "doubles", shape, range);

/** A tensor of finite single-precision numbers. */
export const float32 = (shape: readonly Size[], range: Range = {}): Part<Float32Array> =>
  numbers((data) => data instanceof Float32Array, "single-precision numbers", shape, range);

/** A tensor of 32-bit integers. */
export const int32 = (shape: readonly Size[], range: Range = {}): Part<Int32Array> =>
  numbers((data) => data instanceof Int32Array, "32-bit integers", shape, range);

/** A tensor of small signed integers. */
export const int8 = (shape: readonly Size[], range: Range = {}): Part<Int8Array> =>
  numbers((data) => data instanceof Int8Array, "8-bit integers", shape, range);

/** A tensor of bytes. */
export const uint8 = (shape: readonly Size[], range: Range = {}): Part<Uint8Array> =>
  numbers((data) => data instanceof Uint8Array, "bytes", shape, range);

/** Tolerance of sums of shares, which should be one. */
const ROUNDING = 1e-8;

/** Makes the codec of a tensor of probabilities that sum to one along the last axis, up to rounding. */
export function shares(shape: readonly Size[]): Part<Float64Array> {
  return checked(float64(shape, { min: 0, max: 1 + ROUNDING }), (values, sizes) => {
    const last = new Sizes(sizes).get(shape[shape.length - 1]) ?? 0;
    for (let start = 0; start < values.length; start += last) {
      let sum = 0;
      for (let k = 0; k < last; k++) sum += values[start + k];
      if (Math.abs(sum - 1) > ROUNDING) return `it sums to ${sum} and not to 1`;
    }
    return undefined;
  });
}

/** Makes the codec of a matrix of finite doubles. */
export function matrix(rows: Size, columns: Size, range: Range = {}): Part<Matrix> {
  const values = float64([rows, columns], range);
  return {
    write(value, to) {
      to.sizes.learn(rows, value.rows);
      to.sizes.learn(columns, value.columns);
      return values.write(
        value.values instanceof Float64Array ? value.values : Float64Array.from(value.values),
        to,
      );
    },
    read(json, from) {
      const data = values.read(json, from);
      return new Matrix(from.sizes.get(rows) ?? 0, from.sizes.get(columns) ?? 0, data);
    },
  };
}

/**
 * Makes the codec of a list of records whose fields are numbers, stored as one tensor per field; `length` names its length.
 */
export function records<const Names extends Readonly<Record<string, NumberField>>>(
  length: Size,
  fields: Names,
): Part<readonly { readonly [K in keyof Names]: number }[]> {
  type Item = { readonly [K in keyof Names]: number };
  const codecs = Object.entries(fields).map(([name, { type, ...range }]) => {
    const part: SomePart = (type === "int32" ? int32 : float64)([length], range);
    return { name, part, arrayOf: type === "int32" ? int32From : float64From };
  });
  const isItem = (item: object): item is Item => codecs.every(({ name }) => name in item);
  return {
    write(items, to) {
      to.sizes.learn(length, items.length);
      for (const { name, part, arrayOf } of codecs) {
        const column = arrayOf(items.map((item) => Number(item[name])));
        part.write(column, to.inside(name));
      }
      return undefined;
    },
    read(json, from) {
      if (json !== undefined) throw from.corrupt("its fields are tensors");
      const columns = codecs.map(({ name, part }) => ({
        name,
        values: part.read(undefined, from.inside(name)),
      }));
      const count = from.sizes.get(length) ?? 0;
      return Array.from({ length: count }, (_, i) => {
        const item = Object.fromEntries(columns.map(({ name, values }) => [name, numberAt(values, i)]));
        if (!isItem(item)) throw from.corrupt("a record lacks a field");
        return item;
      });
    },
  };
}

/** One number of every record. */
export interface NumberField extends Range {
  readonly type: "float64" | "int32";
}

const int32From = (values: readonly number[]) => Int32Array.from(values);
const float64From = (values: readonly number[]) => Float64Array.from(values);

function numberAt(values: unknown, i: number): number {
  return values instanceof Float64Array || values instanceof Int32Array ? values[i] : Number.NaN;
}
