import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** Maximum size of a message, because readers store lengths as signed 32-bit integers. */
const MOST_BYTES = 2 ** 31 - 1;

const VARINT = 0;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

const encoder = new TextEncoder();

/**
 * Builds a protocol buffer message. Fields are written in the order of the calls, so the same calls give the same
 * bytes. Embedded messages are not copied until `bytes`.
 */
export class ProtoMessage {
  #length = 0;
  readonly #chunks: Uint8Array[] = [];

  /** Length of the fields so far, in bytes. */
  get length(): number {
    return this.#length;
  }

  /** Writes an integer between −2⁵³ and 2⁵³. */
  integer(field: number, value: number): this {
    return this.#header(field, VARINT).#push(varint(value));
  }

  /** Writes a single-precision number. */
  float(field: number, value: number): this {
    return this.#header(field, FIXED_32).#push(new Uint8Array(littleEndian(Float32Array.of(value))));
  }

  text(field: number, value: string): this {
    return this.data(field, encoder.encode(value));
  }

  /** Writes bytes. */
  data(field: number, bytes: Uint8Array): this {
    return this.#header(field, LENGTH_DELIMITED).#push(varint(bytes.length)).#push(bytes);
  }

  /** Writes another message as a field. */
  message(field: number, message: ProtoMessage): this {
    this.#header(field, LENGTH_DELIMITED).#push(varint(message.length));
    for (const chunk of message.#chunks) this.#push(chunk);
    return this;
  }

  /** Writes integers as one packed field; nothing if there are none. */
  integers(field: number, values: ArrayLike<number>): this {
    if (values.length === 0) return this;
    let length = 0;
    for (let k = 0; k < values.length; k++) length += varintLength(values[k]);
    const bytes = new Uint8Array(length);
    let at = 0;
    for (let k = 0; k < values.length; k++) at = writeVarint(bytes, at, values[k]);
    return this.data(field, bytes);
  }

  /** Writes single-precision numbers as one packed field; nothing if there are none. */
  floats(field: number, values: Float32Array): this {
    return values.length === 0 ? this : this.data(field, new Uint8Array(littleEndian(values)));
  }

  /** Joins all fields. Throws if there are more bytes than a reader accepts. */
  bytes(): Uint8Array {
    if (this.#length > MOST_BYTES) throw tooLarge(this.#length);
    const all = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }

  #header(field: number, wire: number): this {
    return this.#push(varint(field * 8 + wire));
  }

  #push(chunk: Uint8Array): this {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    return this;
  }
}

/** Creates the error for a model that does not fit into one file. */
function tooLarge(bytes: number): VouchError {
  return new VouchError(
    "data/too-large",
    `The model takes ${Math.ceil(bytes / 1e6).toLocaleString("en")} MB as ONNX, but an ONNX file can be at most 2,147 MB.`,
    { hint: "Train a smaller model: fewer or smaller trees, or fewer support vectors." },
  );
}

/** Returns numbers as little-endian bytes on any machine. */
export function littleEndian(values: Float32Array | Float64Array | BigInt64Array): ArrayBuffer {
  const size = values.BYTES_PER_ELEMENT;
  const copy = new Uint8Array(values.byteLength);
  copy.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  if (!isLittleEndian) {
    for (let at = 0; at < copy.length; at += size) copy.subarray(at, at + size).reverse();
  }
  return copy.buffer;
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Negative integers take ten bytes, as 64-bit numbers. */
const NEGATIVE_LENGTH = 10;

function varintLength(value: number): number {
  if (value < 0) return NEGATIVE_LENGTH;
  let length = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++;
  return length;
}

function varint(value: number): Uint8Array {
  const bytes = new Uint8Array(varintLength(value));
  writeVarint(bytes, 0, value);
  return bytes;
}

/** Writes a varint; returns the position after it. */
function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  if (value < 0) {
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 128n; rest >>= 7n) bytes[at++] = Number(rest & 127n) | 128;
    bytes[at++] = Number(rest);
    return at;
  }
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 128;
  bytes[at++] = rest;
  return at;
}
