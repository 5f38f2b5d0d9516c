import { isUtf8 } from "node:buffer";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { NumericValues } from "@vouch/core/internal/table/column";

/** Flattened cells of a tensor: an array of numbers, or cells of any kind. */
export type TensorCells = NumericValues | ArrayLike<unknown>;

/** Bytes per element of each data type in the Open Inference Protocol; BYTES elements have any length. */
const ELEMENT_BYTES: Readonly<Record<string, number>> = {
  BOOL: 1,
  UINT8: 1,
  UINT16: 2,
  UINT32: 4,
  UINT64: 8,
  INT8: 1,
  INT16: 2,
  INT32: 4,
  INT64: 8,
  FP16: 2,
  FP32: 4,
  FP64: 8,
  BYTES: 0,
};

export function checkDatatype(tensor: string, datatype: string): void {
  if (Object.hasOwn(ELEMENT_BYTES, datatype)) return;
  throw new VouchError("data/wrong-kind", `Tensor "${tensor}" has the unknown data type "${datatype}".`, {
    hint: `Use one of ${Object.keys(ELEMENT_BYTES).join(", ")}.`,
  });
}

/**
 * Decodes binary contents: little-endian elements without padding. A BYTES element consists of its length in four bytes
 * and its bytes.
 */
export function decodeTensor(
  tensor: string,
  datatype: string,
  bytes: Uint8Array,
  count: number,
): TensorCells {
  if (datatype === "BYTES") return decodeTexts(tensor, bytes, count);
  const expected = ELEMENT_BYTES[datatype] * count;
  if (bytes.length !== expected) {
    throw new VouchError(
      "data/ragged",
      `Tensor "${tensor}" has ${bytes.length} bytes, but its shape and data type need ${expected}.`,
    );
  }
  // A copy is aligned for arrays of any type.
  const { buffer } = Uint8Array.from(bytes);
  switch (datatype) {
    case "BOOL":
      return Array.from(bytes, (byte) => byte !== 0);
    case "UINT8":
      return new Uint8Array(buffer);
    case "UINT16":
      return new Uint16Array(buffer);
    case "UINT32":
      return Float64Array.from(new Uint32Array(buffer));
    case "UINT64":
      return exactNumbers(new BigUint64Array(buffer));
    case "INT8":
      return new Int8Array(buffer);
    case "INT16":
      return new Int16Array(buffer);
    case "INT32":
      return new Int32Array(buffer);
    case "INT64":
      return exactNumbers(new BigInt64Array(buffer));
    case "FP16":
      return Float32Array.from(new Uint16Array(buffer), halfPrecision);
    case "FP32":
      return new Float32Array(buffer);
    default:
      return new Float64Array(buffer);
  }
}

/** Converts integers into numbers if they are safe; larger ones stay as they are, for categorical columns. */
export function exactNumbers(integers: Iterable<bigint>): TensorCells {
  const values = Array.from(integers);
  const exact = values.every((value) => BigInt.asIntN(54, value) === value);
  return exact ? Float64Array.from(values, Number) : values;
}

/** Decodes a 16-bit number: 1 sign, 5 exponent and 10 fraction bits (IEEE 754 binary16). */
function halfPrecision(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = (bits & 0x3ff) / 1024;
  if (exponent === 0) return sign * 2 ** -14 * fraction;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction);
}

function decodeTexts(tensor: string, bytes: Uint8Array, count: number): string[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts: string[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    const end = at + 4 <= buffer.length ? at + 4 + buffer.readUInt32LE(at) : Number.POSITIVE_INFINITY;
    if (end > buffer.length) {
      throw new VouchError("data/ragged", `Tensor "${tensor}" ends within element ${i + 1} of ${count}.`, {
        hint: "Each element is its length as four bytes, little-endian, and its bytes.",
      });
    }
    texts.push(decodeText(tensor, i, buffer.subarray(at + 4, end)));
    at = end;
  }
  if (at === buffer.length) return texts;
  throw new VouchError(
    "data/ragged",
    `Tensor "${tensor}" has ${buffer.length - at} bytes more than its ${count} elements.`,
  );
}

export function decodeText(tensor: string, index: number, bytes: Uint8Array): string {
  if (!isUtf8(bytes)) {
    throw new VouchError("data/encoding", `Tensor "${tensor}", element ${index + 1} is not UTF-8 text.`);
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** Encodes an output as binary contents. */
export function encodeTensor(data: readonly string[] | Float64Array | readonly boolean[]): Buffer {
  if (data instanceof Float64Array) {
    const bytes = Buffer.alloc(8 * data.length);
    for (let i = 0; i < data.length; i++) bytes.writeDoubleLE(data[i], 8 * i);
    return bytes;
  }
  return Buffer.concat(
    data.map((element) => {
      if (typeof element === "boolean") return Buffer.of(element ? 1 : 0);
      const text = Buffer.from(element, "utf8");
      const length = Buffer.alloc(4);
      length.writeUInt32LE(text.length);
      return Buffer.concat([length, text]);
    }),
  );
}
