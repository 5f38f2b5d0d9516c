import { Matrix } from "../maths/matrix.js";
import { type Size, Sizes } from "./part-io.js";
import { checked, type Part, type UnknownPart } from "./parts.js";
import type { TensorData } from "./state.js";

/** The range of the elements of a tensor; `below` excludes the size itself, as for indices. */
interface ElementRange {
  readonly min?: number;
  readonly max?: number;
  readonly below?: Size;
}

type Numbers = Float64Array | Float32Array | Int32Array | Int8Array | Uint8Array;

function numbers<A extends Numbers>(
  is: (data: TensorData) => data is A,
  type: string,
  shape: readonly Size[],
  { min = -Number.MAX_VALUE, max = Number.MAX_VALUE, below }: ElementRange,
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

/** Makes the codec of a tensor of finite doubles. */
export const float64 = (shape: readonly Size[], range: ElementRange = {}): Part<Float64Array> =>
  numbers((data) => data instanceof Float64Array, "doubles", shape, range);

/** Makes the codec of a tensor of finite single-precision numbers. */
export const float32 = (shape: readonly Size[], range: ElementRange = {}): Part<Float32Array> =>
  numbers((data) => data instanceof Float32Array, "single-precision numbers", shape, range);

/** Makes the codec of a tensor of 32-bit integers. */
export const int32 = (shape: readonly Size[], range: ElementRange = {}): Part<Int32Array> =>
  numbers((data) => data instanceof Int32Array, "32-bit integers", shape, range);

/** Makes the codec of a tensor of 8-bit integers. */
export const int8 = (shape: readonly Size[], range: ElementRange = {}): Part<Int8Array> =>
  numbers((data) => data instanceof Int8Array, "8-bit integers", shape, range);

/** Makes the codec of a tensor of bytes. */
export const uint8 = (shape: readonly Size[], range: ElementRange = {}): Part<Uint8Array> =>
  numbers((data) => data instanceof Uint8Array, "bytes", shape, range);

/** Maximum distance of sums of shares from one. */
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
export function matrix(rows: Size, columns: Size, range: ElementRange = {}): Part<Matrix> {
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

/** Makes the codec of a list of records whose fields are numbers, with one tensor per field; `length` is their number. */
export function records<const Names extends Readonly<Record<string, NumberField>>>(
  length: Size,
  fields: Names,
): Part<readonly { readonly [K in keyof Names]: number }[]> {
  type Item = { readonly [K in keyof Names]: number };
  const codecs = Object.entries(fields).map(([name, { type, ...range }]) => {
    const part: UnknownPart = (type === "int32" ? int32 : float64)([length], range);
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
interface NumberField extends ElementRange {
  readonly type: "float64" | "int32";
}

const int32From = (values: readonly number[]) => Int32Array.from(values);
const float64From = (values: readonly number[]) => Float64Array.from(values);

function numberAt(values: unknown, i: number): number {
  return values instanceof Float64Array || values instanceof Int32Array ? values[i] : Number.NaN;
}
