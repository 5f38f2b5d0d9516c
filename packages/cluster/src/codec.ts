import { VouchError } from "vouch/machines";
import { arrayKind, arrayOfKind, bytesOf, isPassedArray, type PassedArray } from "./typed-arrays.js";

/**
 * The values that machines pass to each other, as bytes: null, undefined, booleans, numbers, strings, lists, plain objects and typed
 * arrays. Long arrays and long lists of strings are not part of the message: they are blobs, named by their content. Decoding makes
 * nothing but these values; every length is checked against the bytes that are left, and a value takes at least a byte, so a message
 * cannot ask for more memory than a small multiple of its size.
 */

/** A blob that a message refers to. */
export interface BlobRef {
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly hash: string;
  readonly bytes: number;
}

/** Bytes that are a blob rather than a part of a message. */
export interface OutOfBand {
  /** The array or list in the value, for callers that remember the hashes of those that they have seen. */
  readonly source: object;
  readonly bytes: Uint8Array;
}

/** Arrays and lists of strings of fewer bytes are a part of the message. */
export const LEAST_BLOB = 16_384;

/** Values within values, at most. */
const MOST_DEPTH = 64;

/** Bytes of a message, at most. */
export const MOST_MESSAGE = 64 * 2 ** 20;

const NULL = 0;
const UNDEFINED = 1;
const FALSE = 2;
const TRUE = 3;
const INTEGER = 4;
const FLOAT = 5;
const STRING = 6;
/** A string with lone surrogates, which UTF-8 cannot hold. */
const WIDE_STRING = 7;
const LIST = 8;
const OBJECT = 9;
const ARRAY = 10;
const ARRAY_BLOB = 11;
const STRINGS_BLOB = 12;
/** An array that is in the message already: columns of sparse rows share theirs. */
const SAME_ARRAY = 13;

const LONE_SURROGATE = /\p{Surrogate}/u;
const HASH_BYTES = 32;
const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Lists the arrays and lists in a value that its message refers to as blobs. Each object is listed once. */
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
    if (value.byteLength >= LEAST_BLOB) found(value, () => bytesOf(value));
    return;
  }
  checkDepth(depth);
  if (isLongTextList(value)) {
    found(value, () => encodeValue([...value]));
    return;
  }
  for (const each of Array.isArray(value) ? value : Object.values(value)) walk(each, depth + 1, found);
}

/** Lists of strings are compared by their first element first: most lists are of something else. */
function isLongTextList(value: object): value is readonly string[] {
  if (!Array.isArray(value) || typeof value[0] !== "string") return false;
  let length = 0;
  for (const each of value) {
    if (typeof each !== "string") return false;
    length += each.length + 2;
  }
  return length >= LEAST_BLOB;
}

/** Encodes a value; `blobOf` names the blob of each array or list of `outOfBand`. Without it, all of the value is in the message. */
export function encodeValue(value: unknown, blobOf?: (source: object) => BlobRef): Uint8Array {
  const writer = new Writer();
  write(writer, value, 0, blobOf);
  return writer.bytes();
}

function write(
  to: Writer,
  value: unknown,
  depth: number,
  blobOf: ((source: object) => BlobRef) | undefined,
): void {
  if (value === null) to.byte(NULL);
  else if (value === undefined) to.byte(UNDEFINED);
  else if (typeof value === "boolean") to.byte(value ? TRUE : FALSE);
  else if (typeof value === "number") writeNumber(to, value);
  else if (typeof value === "string") writeString(to, value);
  else if (typeof value !== "object") throw unsupported(typeof value);
  else if (isPassedArray(value)) writeArray(to, value, blobOf);
  else {
    checkDepth(depth);
    if (blobOf && isLongTextList(value)) {
      to.byte(STRINGS_BLOB);
      writeRef(to, blobOf(value));
    } else if (Array.isArray(value)) {
      to.byte(LIST);
      to.length(value.length);
      for (const each of value) write(to, each, depth + 1, blobOf);
    } else writeObject(to, value, depth, blobOf);
  }
}

function writeNumber(to: Writer, value: number): void {
  if (Number.isInteger(value) && value >= 0 && value < 2 ** 32 && !Object.is(value, -0)) {
    to.byte(INTEGER);
    to.length(value);
  } else {
    to.byte(FLOAT);
    to.float(value);
  }
}

function writeString(to: Writer, value: string): void {
  if (!LONE_SURROGATE.test(value)) {
    const bytes = textEncoder.encode(value);
    to.byte(STRING);
    to.length(bytes.length);
    to.put(bytes);
    return;
  }
  to.byte(WIDE_STRING);
  to.length(value.length);
  to.put(Buffer.from(value, "utf16le"));
}

function writeArray(to: Writer, value: PassedArray, blobOf: ((source: object) => BlobRef) | undefined): void {
  const isBlob = blobOf && value.byteLength >= LEAST_BLOB;
  const earlier = isBlob ? undefined : to.arrays.get(value);
  if (earlier !== undefined) {
    to.byte(SAME_ARRAY);
    to.length(earlier);
    return;
  }
  to.byte(isBlob ? ARRAY_BLOB : ARRAY);
  to.byte(arrayKind(value) ?? 0);
  if (isBlob) writeRef(to, blobOf(value));
  else {
    to.arrays.set(value, to.arrays.size);
    to.length(value.byteLength);
    to.put(bytesOf(value));
  }
}

function writeObject(
  to: Writer,
  value: object,
  depth: number,
  blobOf: ((source: object) => BlobRef) | undefined,
): void {
  // As threads do, it passes objects of a class as plain ones.
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value) || value instanceof Promise) {
    throw unsupported(value.constructor.name);
  }
  const entries = Object.entries(value);
  to.byte(OBJECT);
  to.length(entries.length);
  for (const [name, each] of entries) {
    writeString(to, name);
    write(to, each, depth + 1, blobOf);
  }
}

function writeRef(to: Writer, { hash, bytes }: BlobRef): void {
  to.put(Buffer.from(hash, "hex"));
  to.float(bytes);
}

/** Lists the blobs that a message refers to. Throws `cluster/malformed` on anything that `encodeValue` does not write. */
export function blobsIn(message: Uint8Array): BlobRef[] {
  const refs = new Map<string, BlobRef>();
  read(message, (ref) => {
    refs.set(ref.hash, ref);
    return undefined;
  });
  return [...refs.values()];
}

/** Decodes a message; `blobs` has the bytes of those that it refers to. Arrays of blobs share memory with these. */
export function decodeValue(
  message: Uint8Array,
  blobs: ReadonlyMap<string, ArrayBufferLike> = new Map(),
): unknown {
  return read(message, ({ hash, bytes }) => {
    const blob = blobs.get(hash);
    if (blob?.byteLength !== bytes)
      throw malformed(`it refers to a blob of ${bytes} bytes that is not there`);
    return blob;
  });
}

/** Returns the bytes of a blob; undefined if only the references are wanted. */
type BlobOf = (ref: BlobRef) => ArrayBufferLike | undefined;

function read(message: Uint8Array, blobOf: BlobOf): unknown {
  if (message.length > MOST_MESSAGE) throw malformed(`it has ${message.length} bytes`);
  const reader = new Reader(message);
  const value = readValue(reader, 0, blobOf);
  if (reader.left > 0) throw malformed(`${reader.left} bytes follow its end`);
  return value;
}

function readValue(from: Reader, depth: number, blobOf: BlobOf): unknown {
  const kind = from.byte();
  switch (kind) {
    case NULL:
      return null;
    case UNDEFINED:
      return undefined;
    case FALSE:
      return false;
    case TRUE:
      return true;
    case INTEGER:
      return from.length();
    case FLOAT:
      return from.float();
    case STRING:
    case WIDE_STRING:
      return from.string(kind === WIDE_STRING);
    case LIST:
      return readList(from, depth, blobOf);
    case OBJECT:
      return readObject(from, depth, blobOf);
    case ARRAY:
    case ARRAY_BLOB:
      return readArray(from, kind === ARRAY_BLOB ? blobOf : undefined);
    case SAME_ARRAY:
      return sameArray(from);
    case STRINGS_BLOB:
      return readStrings(from, blobOf);
    default:
      throw malformed(`there is no kind of value ${kind}`);
  }
}

function readList(from: Reader, depth: number, blobOf: BlobOf): unknown[] {
  if (depth > MOST_DEPTH) throw malformed("it is nested too deeply");
  const length = from.count(1);
  const list: unknown[] = [];
  for (let i = 0; i < length; i++) list.push(readValue(from, depth + 1, blobOf));
  return list;
}

function readObject(from: Reader, depth: number, blobOf: BlobOf): object {
  if (depth > MOST_DEPTH) throw malformed("it is nested too deeply");
  const length = from.count(3);
  const entries = new Map<string, unknown>();
  for (let i = 0; i < length; i++) {
    const kind = from.byte();
    if (kind !== STRING && kind !== WIDE_STRING) throw malformed("a name is not a string");
    const name = from.string(kind === WIDE_STRING);
    if (name === "__proto__" || entries.has(name))
      throw malformed(`an object has a forbidden or repeated name`);
    entries.set(name, readValue(from, depth + 1, blobOf));
  }
  // It defines properties, and never calls a setter.
  return Object.fromEntries(entries);
}

function readArray(from: Reader, blobOf: BlobOf | undefined): unknown {
  const kind = from.byte();
  if (!blobOf) {
    const array = arrayFrom(kind, from.copy(from.count(1)));
    from.arrays.push(array);
    return array;
  }
  const blob = blobOf(from.ref());
  return blob && arrayFrom(kind, blob);
}

function sameArray(from: Reader): PassedArray {
  const number = from.length();
  if (number >= from.arrays.length) throw malformed(`there is no array ${number}`);
  return from.arrays[number];
}

function arrayFrom(kind: number, buffer: ArrayBufferLike): PassedArray {
  const array = arrayOfKind(kind, buffer);
  if (!array) throw malformed(`${buffer.byteLength} bytes are no array of kind ${kind}`);
  return array;
}

function readStrings(from: Reader, blobOf: BlobOf): unknown {
  const blob = blobOf(from.ref());
  if (!blob) return undefined;
  const reader = new Reader(new Uint8Array(blob));
  if (reader.byte() !== LIST) throw malformed("a blob is not a list of strings");
  const length = reader.count(2);
  const list: string[] = [];
  for (let i = 0; i < length; i++) {
    const kind = reader.byte();
    if (kind !== STRING && kind !== WIDE_STRING) throw malformed("a blob is not a list of strings");
    list.push(reader.string(kind === WIDE_STRING));
  }
  return list;
}

class Writer {
  /** The number of each array in the message. */
  readonly arrays = new Map<PassedArray, number>();
  #buffer = Buffer.allocUnsafe(1024);
  #used = 0;

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#used++] = value;
  }

  /** Writes a whole number below 2³². */
  length(value: number): void {
    this.#reserve(4);
    this.#used = this.#buffer.writeUInt32LE(value, this.#used);
  }

  float(value: number): void {
    this.#reserve(8);
    this.#used = this.#buffer.writeDoubleLE(value, this.#used);
  }

  put(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.#buffer.subarray(0, this.#used));
  }

  #reserve(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length));
    larger.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = larger;
  }
}

class Reader {
  /** The arrays in the message so far. */
  readonly arrays: PassedArray[] = [];
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    return this.#bytes[this.#take(1)];
  }

  length(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  float(): number {
    return this.#bytes.readDoubleLE(this.#take(8));
  }

  /** Reads the number of things that take at least so many bytes each. */
  count(bytesEach: number): number {
    const count = this.length();
    if (count * bytesEach > this.left) throw malformed(`${count} values cannot be in ${this.left} bytes`);
    return count;
  }

  /** Reads a string after the byte of its kind. */
  string(wide: boolean): string {
    const bytes = this.count(wide ? 2 : 1) * (wide ? 2 : 1);
    const at = this.#take(bytes);
    const own = this.#bytes.subarray(at, at + bytes);
    try {
      // Decoders refuse shared memory.
      return wide
        ? own.toString("utf16le")
        : textDecoder.decode(isOnSharedMemory(own) ? Uint8Array.from(own) : own);
    } catch {
      throw malformed("a string is not UTF-8");
    }
  }

  copy(bytes: number): ArrayBuffer {
    const at = this.#take(bytes);
    const copied = new Uint8Array(bytes);
    copied.set(this.#bytes.subarray(at, at + bytes));
    return copied.buffer;
  }

  ref(): BlobRef {
    const at = this.#take(HASH_BYTES);
    const hash = this.#bytes.toString("hex", at, at + HASH_BYTES);
    const bytes = this.float();
    if (!Number.isSafeInteger(bytes) || bytes < 0) throw malformed(`a blob cannot have ${bytes} bytes`);
    return { hash, bytes };
  }

  #take(bytes: number): number {
    if (bytes > this.left) throw malformed(`it ends after ${this.#bytes.length} bytes`);
    this.#at += bytes;
    return this.#at - bytes;
  }
}

function isOnSharedMemory({ buffer }: Uint8Array): boolean {
  return typeof SharedArrayBuffer === "function" && buffer instanceof SharedArrayBuffer;
}

function checkDepth(depth: number): void {
  if (depth > MOST_DEPTH) throw unsupported(`an object nested more than ${MOST_DEPTH} deep`);
}

function unsupported(what: string): VouchError {
  return new VouchError("task/failed", `A cluster cannot pass on ${what}.`, {
    hint: "Inputs and outputs of portable tasks are plain objects, lists, strings, numbers and typed arrays.",
  });
}

function malformed(why: string): VouchError {
  return new VouchError("cluster/malformed", `A message of the cluster is malformed: ${why}.`);
}
