import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { arrayKind, isPassedArray, type PassedArray, viewBytes } from "./typed-arrays.js";
import { type BlobRef, LEAST_BLOB, MOST_DEPTH, VALUE } from "./value-format.js";
import { ValueWriter } from "./value-writer.js";

/** Bytes that become a blob rather than part of a message. */
export interface OutOfBand {
  /** The array or list in the value, so that callers can cache its hash. */
  readonly source: object;
  readonly bytes: Uint8Array;
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const textEncoder = new TextEncoder();

/** Lists the arrays and lists of a value that become blobs. Each object is listed once. */
export function outOfBand(value: unknown): OutOfBand[] {
  const found = new Map<object, Uint8Array>();
  walk(value, 0, (source, bytes) => {
    if (!found.has(source)) found.set(source, bytes());
  });
  return Array.from(found, ([source, bytes]) => ({ source, bytes }));
}

function walk(value: unknown, depth: number, found: (source: object, bytes: () => Uint8Array) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (isPassedArray(value)) {
    if (value.byteLength >= LEAST_BLOB) found(value, () => viewBytes(value));
    return;
  }
  checkDepth(depth);
  if (isLongTextList(value)) {
    found(value, () => encodeValue([...value]));
    return;
  }
  for (const each of Array.isArray(value) ? value : Object.values(value)) walk(each, depth + 1, found);
}

/** Checks the first element first, because most lists contain something else. */
function isLongTextList(value: object): value is readonly string[] {
  if (!Array.isArray(value) || typeof value[0] !== "string") return false;
  let length = 0;
  for (const each of value) {
    if (typeof each !== "string") return false;
    length += each.length + 2;
  }
  return length >= LEAST_BLOB;
}

/**
 * Encodes a value; `blobOf` returns the blob for each array or list of `outOfBand`. Without it, the message contains
 * everything.
 */
export function encodeValue(value: unknown, blobOf?: (source: object) => BlobRef): Uint8Array {
  const writer = new ValueWriter();
  write(writer, value, 0, blobOf);
  return writer.bytes();
}

function write(
  to: ValueWriter,
  value: unknown,
  depth: number,
  blobOf: ((source: object) => BlobRef) | undefined,
): void {
  if (value === null) to.byte(VALUE.null);
  else if (value === undefined) to.byte(VALUE.undefined);
  else if (typeof value === "boolean") to.byte(value ? VALUE.true : VALUE.false);
  else if (typeof value === "number") writeNumber(to, value);
  else if (typeof value === "string") writeString(to, value);
  else if (typeof value !== "object") throw unsupported(typeof value);
  else if (isPassedArray(value)) writeArray(to, value, blobOf);
  else {
    checkDepth(depth);
    if (blobOf && isLongTextList(value)) {
      to.byte(VALUE.stringsBlob);
      writeRef(to, blobOf(value));
    } else if (Array.isArray(value)) {
      to.byte(VALUE.list);
      to.length(value.length);
      for (const each of value) write(to, each, depth + 1, blobOf);
    } else writeObject(to, value, depth, blobOf);
  }
}

function writeNumber(to: ValueWriter, value: number): void {
  if (Number.isInteger(value) && value >= 0 && value < 2 ** 32 && !Object.is(value, -0)) {
    to.byte(VALUE.integer);
    to.length(value);
  } else {
    to.byte(VALUE.float);
    to.float(value);
  }
}

function writeString(to: ValueWriter, value: string): void {
  if (!LONE_SURROGATE.test(value)) {
    const bytes = textEncoder.encode(value);
    to.byte(VALUE.string);
    to.length(bytes.length);
    to.put(bytes);
    return;
  }
  to.byte(VALUE.wideString);
  to.length(value.length);
  to.put(Buffer.from(value, "utf16le"));
}

function writeArray(
  to: ValueWriter,
  value: PassedArray,
  blobOf: ((source: object) => BlobRef) | undefined,
): void {
  const isBlob = blobOf && value.byteLength >= LEAST_BLOB;
  const earlier = isBlob ? undefined : to.arrays.get(value);
  if (earlier !== undefined) {
    to.byte(VALUE.sameArray);
    to.length(earlier);
    return;
  }
  to.byte(isBlob ? VALUE.arrayBlob : VALUE.array);
  to.byte(arrayKind(value) ?? 0);
  if (isBlob) writeRef(to, blobOf(value));
  else {
    to.arrays.set(value, to.arrays.size);
    to.length(value.byteLength);
    to.put(viewBytes(value));
  }
}

function writeObject(
  to: ValueWriter,
  value: object,
  depth: number,
  blobOf: ((source: object) => BlobRef) | undefined,
): void {
  // Class instances become plain objects, as between threads.
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value) || value instanceof Promise) {
    throw unsupported(value.constructor.name);
  }
  const entries = Object.entries(value);
  to.byte(VALUE.object);
  to.length(entries.length);
  for (const [name, each] of entries) {
    writeString(to, name);
    write(to, each, depth + 1, blobOf);
  }
}

function writeRef(to: ValueWriter, { hash, bytes }: BlobRef): void {
  to.put(Buffer.from(hash, "hex"));
  to.float(bytes);
}

function checkDepth(depth: number): void {
  if (depth > MOST_DEPTH) throw unsupported(`an object nested more than ${MOST_DEPTH} deep`);
}

function unsupported(what: string): VouchError {
  return new VouchError("task/failed", `A cluster cannot pass on ${what}.`, {
    hint: "Inputs and outputs of portable tasks are plain objects, lists, strings, numbers and typed arrays.",
  });
}
