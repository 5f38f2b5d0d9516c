import { formatCount } from "../runtime/number-format.js";
import { corrupt, type Json, type Tensor, type TensorData } from "../runtime/state.js";
import { VouchError } from "../runtime/vouch-error.js";

/**
 * Parses JSON from a file that nobody vouches for. Besides what `JSON.parse` refuses, a repeated key is an
 * error (readers disagree on which one counts), and so is `__proto__`, which no model needs.
 * `part` names the text in messages.
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

/** JSON text of plain data. A number that JSON cannot hold is a mistake of the caller, never silently null. */
export function jsonText(json: Json): string {
  return JSON.stringify(json, (key, value) => {
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new TypeError(`"${key}" is ${value}, which JSON cannot hold.`);
    }
    return value;
  });
}

/** Whether a value is a JSON object, not an array and not null. */
export function isObject(json: Json | undefined): json is { readonly [key: string]: Json } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** Walks over valid JSON text and looks at the keys of every object. */
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

/** The place after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}

/** Whether the string that ended before `place` is a key: a colon follows. */
function isKey(text: string, place: number): boolean {
  while (text[place] === " " || text[place] === "\n" || text[place] === "\r" || text[place] === "\t") place++;
  return text[place] === ":";
}

/**
 * The safetensors container (github.com/huggingface/safetensors): 8 bytes little-endian length of the
 * header, the header as JSON padded with spaces, then the raw little-endian bytes of all tensors without gaps.
 * Nothing in a file is trusted: every length, offset, shape and type is checked before it is used.
 */

/** The largest header that any reader accepts, as in the reference implementation. */
const LARGEST_HEADER = 100_000_000;
const LENGTH_BYTES = 8;
const ALIGNMENT = 8;
const OPENING_BRACE = 0x7b;

/** Bytes per element of every type that a safetensors file may hold. */
const ELEMENT_BYTES: Readonly<Record<string, number>> = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E5M2: 1,
  F8_E4M3: 1,
  F8_E8M0: 1,
  I16: 2,
  U16: 2,
  F16: 2,
  BF16: 2,
  I32: 4,
  U32: 4,
  F32: 4,
  C64: 8,
  F64: 8,
  I64: 8,
  U64: 8,
};

/** The types that vouch writes, in the order of the reference implementation: by alignment, then by kind. */
const WRITTEN_TYPES = ["U8", "I8", "I32", "U32", "F32", "F64", "U64"] as const;
type WrittenType = (typeof WRITTEN_TYPES)[number];

const FROM_BYTES: Readonly<Record<WrittenType, (buffer: ArrayBuffer) => TensorData>> = {
  U8: (buffer) => new Uint8Array(buffer),
  I8: (buffer) => new Int8Array(buffer),
  I32: (buffer) => new Int32Array(buffer),
  U32: (buffer) => new Uint32Array(buffer),
  F32: (buffer) => new Float32Array(buffer),
  F64: (buffer) => new Float64Array(buffer),
  U64: (buffer) => new BigUint64Array(buffer),
};

/** Where one tensor lies in the file, all checked. */
interface Entry {
  readonly type: string;
  readonly shape: readonly number[];
  /** First byte and the byte after the last, counted from the beginning of the file. */
  readonly start: number;
  readonly end: number;
}

/** The checked header of a file. */
export interface SafetensorsHeader {
  readonly metadata: ReadonlyMap<string, string>;
  readonly entries: ReadonlyMap<string, Entry>;
  /** Where the tensors begin. */
  readonly dataStart: number;
}

/** A file of named tensors and texts; the same input gives the same bytes. */
export function writeSafetensors(
  metadata: Readonly<Record<string, string>>,
  tensors: Readonly<Record<string, Tensor>>,
): Uint8Array<ArrayBuffer> {
  requireLittleEndian();
  const ordered = Object.entries(tensors).sort(byAlignmentThenName);
  const header: Record<string, Json> = { __metadata__: metadata };
  let offset = 0;
  for (const [name, { shape, data }] of ordered) {
    checkWritable(name, shape, data);
    header[name] = { dtype: typeOf(data), shape, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  const text = new TextEncoder().encode(jsonText(header));
  const headerLength = Math.ceil(text.length / ALIGNMENT) * ALIGNMENT;
  const bytes = new Uint8Array(LENGTH_BYTES + headerLength + offset).fill(0x20, LENGTH_BYTES + text.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(headerLength), true);
  bytes.set(text, LENGTH_BYTES);
  let place = LENGTH_BYTES + headerLength;
  for (const [, { data }] of ordered) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), place);
    place += data.byteLength;
  }
  return bytes;
}

/** Reads and checks the header of a file. */
export function readHeader(bytes: Uint8Array): SafetensorsHeader {
  const dataStart = LENGTH_BYTES + headerLength(bytes);
  const json = parseJson(decodeUtf8(bytes.subarray(LENGTH_BYTES, dataStart)), "header");
  if (!isObject(json)) throw corrupt("The header is not a JSON object.");
  const { __metadata__: metadata, ...tensors } = json;
  const entries = new Map<string, Entry>();
  for (const [name, entry] of Object.entries(tensors)) {
    entries.set(name, readEntry(name, entry, dataStart, bytes.length));
  }
  checkNoGaps(entries, dataStart, bytes.length);
  return { metadata: readMetadata(metadata), entries, dataStart };
}

/** The tensors that a checked header describes, copied out of the file. */
export function readTensors(bytes: Uint8Array, header: SafetensorsHeader): Record<string, Tensor> {
  requireLittleEndian();
  const tensors: [string, Tensor][] = [];
  for (const [name, { type, shape, start, end }] of header.entries) {
    const written = WRITTEN_TYPES.find((known) => known === type);
    if (!written) throw corrupt(`Tensor "${name}" has the type ${type}, which no vouch model has.`);
    tensors.push([
      name,
      { shape, data: FROM_BYTES[written](new Uint8Array(bytes.subarray(start, end)).buffer) },
    ]);
  }
  return Object.fromEntries(tensors);
}

function headerLength(bytes: Uint8Array): number {
  if (bytes.length === 0) throw corrupt("The file is empty.");
  if (bytes.length <= LENGTH_BYTES) {
    throw corrupt(`The file has only ${formatCount(bytes.length, "byte")}: too few for any model.`);
  }
  if (bytes[LENGTH_BYTES] !== OPENING_BRACE) {
    throw new VouchError(
      "model/unknown",
      "The file is not a model: it does not begin like a safetensors file.",
      {
        hint: "Give a file that `vouch train` wrote.",
      },
    );
  }
  const length = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
  if (length > LARGEST_HEADER) {
    throw corrupt(`The header claims ${length} bytes; more than ${LARGEST_HEADER} are not allowed.`);
  }
  const available = bytes.length - LENGTH_BYTES;
  if (length > available) {
    throw corrupt(`The header claims ${length} bytes, but the file has only ${available} after its length.`);
  }
  return Number(length);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw corrupt("The header is not UTF-8 text.", cause);
  }
}

function readMetadata(json: Json | undefined): Map<string, string> {
  const metadata = new Map<string, string>();
  if (json === undefined) return metadata;
  if (!isObject(json)) throw corrupt("__metadata__ is not an object of texts.");
  for (const [key, text] of Object.entries(json)) {
    if (typeof text !== "string") throw corrupt(`__metadata__ has a value for "${key}" that is not a text.`);
    metadata.set(key, text);
  }
  return metadata;
}

function readEntry(name: string, json: Json, dataStart: number, fileLength: number): Entry {
  if (!isObject(json)) throw corrupt(`The header's entry "${name}" is not an object.`);
  const { dtype: type, shape, data_offsets: offsets, ...others } = json;
  const [stranger] = Object.keys(others);
  if (stranger !== undefined) throw corrupt(`Tensor "${name}" has an unknown field "${stranger}".`);
  if (typeof type !== "string") throw corrupt(`Tensor "${name}" has no type.`);
  if (!Object.hasOwn(ELEMENT_BYTES, type)) throw corrupt(`Tensor "${name}" has the unknown type "${type}".`);
  if (!isCounts(shape)) throw corrupt(`The shape of tensor "${name}" is not a list of counts.`);
  if (!isCounts(offsets) || offsets.length !== 2) {
    throw corrupt(`The data_offsets of tensor "${name}" are not two counts.`);
  }
  const [start, end] = offsets.map((offset) => dataStart + offset);
  if (start > end || end > fileLength) {
    throw corrupt(`Tensor "${name}" claims bytes ${start} to ${end} of a file of ${fileLength}.`);
  }
  // A product of safe integers may be rounded, but not to the small number that the file's length allows.
  const length = shape.reduce((product, size) => product * size, ELEMENT_BYTES[type]);
  if (length !== end - start) {
    throw corrupt(`Tensor "${name}" of shape [${shape}] needs ${length} bytes, but has ${end - start}.`);
  }
  return { type, shape, start, end };
}

/** The tensors must cover everything after the header, each byte once: nothing can hide in a file. */
function checkNoGaps(entries: ReadonlyMap<string, Entry>, dataStart: number, fileLength: number): void {
  const ordered = [...entries].sort(([, a], [, b]) => a.start - b.start || a.end - b.end);
  let place = dataStart;
  for (const [name, { start, end }] of ordered) {
    if (start !== place) {
      const fault =
        start < place
          ? "overlaps the tensor before it"
          : `leaves a gap of ${formatCount(start - place, "byte")}`;
      throw corrupt(`Tensor "${name}" ${fault}.`);
    }
    place = end;
  }
  if (place !== fileLength) {
    throw corrupt(`The file has ${formatCount(fileLength - place, "byte")} outside all tensors.`);
  }
}

function isCounts(json: Json | undefined): json is readonly number[] {
  return Array.isArray(json) && json.every((value) => Number.isSafeInteger(value) && value >= 0);
}

function byAlignmentThenName([nameA, a]: [string, Tensor], [nameB, b]: [string, Tensor]): number {
  const byType = WRITTEN_TYPES.indexOf(typeOf(b.data)) - WRITTEN_TYPES.indexOf(typeOf(a.data));
  return byType || (nameA < nameB ? -1 : 1);
}

function typeOf(data: TensorData): WrittenType {
  if (data instanceof Float64Array) return "F64";
  if (data instanceof Float32Array) return "F32";
  if (data instanceof Int32Array) return "I32";
  if (data instanceof Uint32Array) return "U32";
  if (data instanceof Int8Array) return "I8";
  if (data instanceof Uint8Array) return "U8";
  return "U64";
}

function checkWritable(name: string, shape: readonly number[], data: TensorData): void {
  const elements = shape.reduce((product, size) => product * size, 1);
  if (elements === data.length && name !== "__metadata__" && name !== "__proto__") return;
  throw new TypeError(`Tensor "${name}" of shape [${shape}] with ${data.length} elements cannot be written.`);
}

/** Typed arrays have the byte order of the machine, files are little-endian. */
function requireLittleEndian(): void {
  if (new Uint8Array(Uint16Array.of(1).buffer)[0] === 1) return;
  throw new VouchError("file/format", "Model files can be read and written on little-endian machines only.");
}
