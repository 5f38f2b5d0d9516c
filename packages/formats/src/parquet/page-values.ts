import { reserveMemory } from "@vouch/core/internal/runtime/memory-limit";
import type { Encoding, SchemaElement } from "hyparquet";
import { deltaBinaryUnpack } from "hyparquet/src/delta.js";
import { byteStreamSplit } from "hyparquet/src/encoding.js";
import { readPlain } from "hyparquet/src/plain.js";
import type { RawValue } from "./column-type.js";
import { UnsupportedValues } from "./malformed-parquet.js";
import { decodeRuns } from "./run-lengths.js";

/** Minimum bits per value in plain encoding. */
const PLAIN_BITS = {
  BOOLEAN: 1,
  INT32: 32,
  INT64: 64,
  INT96: 96,
  FLOAT: 32,
  DOUBLE: 64,
  BYTE_ARRAY: 32,
} as const;

interface PageReader {
  readonly view: DataView;
  offset: number;
}

/** Decodes consecutive plain values. */
export function plainValues(
  bytes: Uint8Array,
  count: number,
  { type, type_length = 0 }: SchemaElement,
): ArrayLike<RawValue> {
  if (type === undefined) throw new Error("a column has no type");
  checkLength(bytes, count, type === "FIXED_LEN_BYTE_ARRAY" ? 8 * type_length : PLAIN_BITS[type]);
  const reader = readerOf(bytes);
  return complete(reader, readPlain(reader, type, count, type_length));
}

/** Decodes dictionary indices. */
export function dictionaryIndices(bytes: Uint8Array, count: number): Int32Array {
  if (count === 0) return new Int32Array(0);
  if (bytes.length === 0) throw new Error("a page ends too early");
  return decodeRuns(bytes.subarray(1), bytes[0], count);
}

/** Decodes values in other encodings than a dictionary. */
export function encodedValues(
  bytes: Uint8Array,
  count: number,
  encoding: Encoding,
  element: SchemaElement,
): ArrayLike<RawValue> {
  if (count === 0) return [];
  const { type, type_length = 0 } = element;
  if (encoding === "PLAIN") return plainValues(bytes, count, element);
  if (encoding === "RLE" && type === "BOOLEAN") return runsOfBooleans(bytes, count);
  const reader = readerOf(bytes);
  if (encoding === "BYTE_STREAM_SPLIT" && type !== undefined && type !== "BOOLEAN") {
    checkLength(bytes, count, type === "FIXED_LEN_BYTE_ARRAY" ? 8 * type_length : PLAIN_BITS[type]);
    return complete(reader, byteStreamSplit(reader, count, type, type_length));
  }
  if (encoding === "DELTA_BINARY_PACKED" && (type === "INT32" || type === "INT64")) {
    const values = type === "INT32" ? new Int32Array(count) : new BigInt64Array(count);
    deltaBinaryUnpack(reader, count, values);
    return complete(reader, values);
  }
  if (encoding === "DELTA_LENGTH_BYTE_ARRAY" && type === "BYTE_ARRAY") {
    return bytesOfLengths(reader, lengthsOf(reader, count));
  }
  const isBytes = type === "BYTE_ARRAY" || type === "FIXED_LEN_BYTE_ARRAY";
  if (encoding === "DELTA_BYTE_ARRAY" && isBytes) return bytesWithPrefixes(reader, count);
  throw new UnsupportedValues(`its values have the unsupported encoding ${encoding}`);
}

function readerOf(bytes: Uint8Array): PageReader {
  return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
}

/** Checks that decoding stayed within the page, because the decoders can see bytes beyond it. */
function complete<T>(reader: PageReader, values: T): T {
  if (reader.offset > reader.view.byteLength) throw new Error("a page ends too early");
  return values;
}

function checkLength(bytes: Uint8Array, count: number, bits: number): void {
  if (count * bits > 8 * bytes.length) throw new Error("a page ends too early");
}

/** Decodes booleans from runs that follow their length. */
function runsOfBooleans(bytes: Uint8Array, count: number): ArrayLike<RawValue> {
  return Array.from(decodeRuns(withLength(bytes).content, 1, count), Boolean);
}

/** Splits bytes into the part whose length precedes it, and the rest. */
export function withLength(bytes: Uint8Array): { content: Uint8Array; rest: Uint8Array } {
  const end = 4 + readerOf(bytes).view.getUint32(0, true);
  if (end > bytes.length) throw new Error("a page ends too early");
  return { content: bytes.subarray(4, end), rest: bytes.subarray(end) };
}

function lengthsOf(reader: PageReader, count: number): Int32Array {
  const lengths = new Int32Array(count);
  deltaBinaryUnpack(reader, count, lengths);
  if (lengths.some((length) => length < 0)) throw new Error("a text has a negative length");
  return complete(reader, lengths);
}

function bytesOfLengths({ view, offset }: PageReader, lengths: Int32Array): Uint8Array[] {
  let at = offset;
  return Array.from(lengths, (length) => {
    if (at + length > view.byteLength) throw new Error("a page ends too early");
    at += length;
    return new Uint8Array(view.buffer, view.byteOffset + at - length, length);
  });
}

/** Decodes strings that share a prefix with the previous string. */
function bytesWithPrefixes(reader: PageReader, count: number): Uint8Array[] {
  const prefixes = lengthsOf(reader, count);
  const suffixes = bytesOfLengths(reader, lengthsOf(reader, count));
  // A few bytes of the file can represent long strings.
  reserveMemory(
    "a page",
    prefixes.reduce((sum, length) => sum + length, 0),
  );
  let before = new Uint8Array(0);
  return suffixes.map((suffix, i) => {
    if (prefixes[i] > before.length) throw new Error("a text repeats more than the text before has");
    const text = new Uint8Array(prefixes[i] + suffix.length);
    text.set(before.subarray(0, prefixes[i]));
    text.set(suffix, prefixes[i]);
    before = text;
    return text;
  });
}
