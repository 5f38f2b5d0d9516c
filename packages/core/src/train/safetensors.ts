import {
  corrupt,
  isRecord,
  type Json,
  jsonText,
  parseJson,
  type Tensor,
  type TensorData,
} from "../runtime/codec/state.js";
import { formatCount } from "../runtime/text/number-format.js";
import { VouchError } from "../runtime/vouch-error.js";

/**
 * The safetensors container (github.com/huggingface/safetensors): the length of the header in 8 bytes, the header as
 * JSON padded with spaces, then the bytes of all tensors without gaps; everything is little-endian. Nothing in a file
 * is trusted: every length, offset, shape and type is checked before use.
 */

/** Maximum size of a header, as in the reference implementation. */
const MAX_HEADER_BYTES = 100_000_000;
const LENGTH_BYTES = 8;
const HEADER_ALIGNMENT = 8;
const OPENING_BRACE = 0x7b;

/** Bytes per element of all types of the format. */
const TYPE_BYTES: Readonly<Record<string, number>> = {
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

/** The checked location of one tensor in the file. */
interface Entry {
  readonly type: string;
  readonly shape: readonly number[];
  /** The bytes [start, end) of the file. */
  readonly start: number;
  readonly end: number;
}

/** The checked header of a file. */
export interface SafetensorsHeader {
  readonly metadata: ReadonlyMap<string, string>;
  /** The tensors in file order; together they cover everything after the header. */
  readonly entries: ReadonlyMap<string, Entry>;
  readonly dataStart: number;
}

/** A file in pieces, without copying them. */
export interface SafetensorsPieces {
  readonly header: Uint8Array<ArrayBuffer>;
  /** The tensors in the order of the file. */
  readonly tensors: readonly TensorData[];
  /** Length of the file in bytes. */
  readonly length: number;
}

/** Lays out a file of named tensors and metadata, without a copy of the tensors; the same input gives the same bytes. */
export function layOutSafetensors(
  metadata: Readonly<Record<string, string>>,
  tensors: Readonly<Record<string, Tensor>>,
): SafetensorsPieces {
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
  const headerLength = Math.ceil(text.length / HEADER_ALIGNMENT) * HEADER_ALIGNMENT;
  const bytes = new Uint8Array(LENGTH_BYTES + headerLength).fill(0x20, LENGTH_BYTES + text.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(headerLength), true);
  bytes.set(text, LENGTH_BYTES);
  return { header: bytes, tensors: ordered.map(([, { data }]) => data), length: bytes.length + offset };
}

/** Writes a file of named tensors and metadata as one array. */
export function writeSafetensors(
  metadata: Readonly<Record<string, string>>,
  tensors: Readonly<Record<string, Tensor>>,
): Uint8Array<ArrayBuffer> {
  const pieces = layOutSafetensors(metadata, tensors);
  const bytes = new Uint8Array(pieces.length);
  let place = 0;
  for (const piece of [pieces.header, ...pieces.tensors]) {
    bytes.set(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength), place);
    place += piece.byteLength;
  }
  return bytes;
}

/** Bytes from the start of a file that `headerEnd` needs. */
export const OPENING_BYTES = LENGTH_BYTES + 1;

/** Returns the end of the header, where the tensors begin, from the first bytes of the file. */
export function headerEnd(opening: Uint8Array, fileLength: number): number {
  if (fileLength === 0) throw corrupt("The file is empty.");
  if (fileLength <= LENGTH_BYTES) {
    throw corrupt(`The file contains only ${formatCount(fileLength, "byte")}: too few for any model.`);
  }
  if (opening[LENGTH_BYTES] !== OPENING_BRACE) {
    throw new VouchError("model/unknown", "The file is not a vouch model (not a safetensors file).", {
      hint: "Is it the data? Commands take MODEL first, then DATA.",
    });
  }
  const length = new DataView(opening.buffer, opening.byteOffset).getBigUint64(0, true);
  if (length === 0n) throw corrupt("The header is empty.");
  if (length > MAX_HEADER_BYTES) {
    throw corrupt(`The header claims ${length} bytes, but the maximum is ${MAX_HEADER_BYTES}.`);
  }
  const available = fileLength - LENGTH_BYTES;
  if (length > available) {
    throw corrupt(`The header claims ${length} bytes, but only ${available} follow its length in the file.`);
  }
  return LENGTH_BYTES + Number(length);
}

/** Reads and checks the header of a file; `start` is the file up to at least the end of its header. */
export function readHeader(start: Uint8Array, fileLength = start.length): SafetensorsHeader {
  const dataStart = headerEnd(start, fileLength);
  const json = parseJson(decodeUtf8(start.subarray(LENGTH_BYTES, dataStart)), "header");
  if (!isRecord(json)) throw corrupt("The header is not a JSON object.");
  const { __metadata__: metadata, ...tensors } = json;
  const entries: [string, Entry][] = Object.entries(tensors).map(([name, entry]) => [
    name,
    readEntry(name, entry, dataStart, fileLength),
  ]);
  entries.sort(([, a], [, b]) => a.start - b.start || a.end - b.end);
  checkNoGaps(entries, dataStart, fileLength);
  return { metadata: readMetadata(metadata), entries: new Map(entries), dataStart };
}

/** Creates the tensors of a checked header from their bytes; `buffers` is keyed by tensor name. */
export function readTensors(
  { entries }: SafetensorsHeader,
  buffers: ReadonlyMap<string, ArrayBuffer>,
): Record<string, Tensor> {
  requireLittleEndian();
  const tensors: [string, Tensor][] = [];
  for (const [name, { type, shape }] of entries) {
    const written = WRITTEN_TYPES.find((known) => known === type);
    if (!written) throw corrupt(`Tensor "${name}" has the type ${type}, which vouch does not use.`);
    const buffer = buffers.get(name);
    if (!buffer) throw new TypeError(`Tensor "${name}" has no bytes.`);
    tensors.push([name, { shape, data: FROM_BYTES[written](buffer) }]);
  }
  return Object.fromEntries(tensors);
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
  if (!isRecord(json)) throw corrupt("__metadata__ is not an object of strings.");
  for (const [key, text] of Object.entries(json)) {
    if (typeof text !== "string")
      throw corrupt(`__metadata__ has a value for "${key}" that is not a string.`);
    metadata.set(key, text);
  }
  return metadata;
}

function readEntry(name: string, json: Json, dataStart: number, fileLength: number): Entry {
  if (!isRecord(json)) throw corrupt(`The header's entry "${name}" is not an object.`);
  const { dtype: type, shape, data_offsets: offsets, ...others } = json;
  const [stranger] = Object.keys(others);
  if (stranger !== undefined) throw corrupt(`Tensor "${name}" has an unknown field "${stranger}".`);
  if (typeof type !== "string") throw corrupt(`Tensor "${name}" has no type.`);
  if (!Object.hasOwn(TYPE_BYTES, type)) throw corrupt(`Tensor "${name}" has the unknown type "${type}".`);
  if (!isCounts(shape)) throw corrupt(`The shape of tensor "${name}" is not a list of counts.`);
  if (!isCounts(offsets) || offsets.length !== 2) {
    throw corrupt(`The data_offsets of tensor "${name}" are not two counts.`);
  }
  const [start, end] = offsets.map((offset) => dataStart + offset);
  if (start > end || end > fileLength) {
    throw corrupt(`Tensor "${name}" claims bytes ${start} to ${end} of a file of ${fileLength}.`);
  }
  // The product may be rounded, but never to the small number that the length of the file allows.
  const length = shape.reduce((product, size) => product * size, TYPE_BYTES[type]);
  if (length !== end - start) {
    throw corrupt(`Tensor "${name}" of shape [${shape}] needs ${length} bytes, but has ${end - start}.`);
  }
  return { type, shape, start, end };
}

/** Checks that the tensors cover every byte after the header exactly once, so that nothing can hide in a file. */
function checkNoGaps(ordered: Iterable<[string, Entry]>, dataStart: number, fileLength: number): void {
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
    throw corrupt(`The file contains ${formatCount(fileLength - place, "byte")} outside all tensors.`);
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

/** Throws on big-endian machines, because typed arrays have the byte order of the machine and files are little-endian. */
function requireLittleEndian(): void {
  if (new Uint8Array(Uint16Array.of(1).buffer)[0] === 1) return;
  throw new VouchError("file/format", "Model files can only be read and written on little-endian machines.");
}
