import { arrayOfKind, type PassedArray } from "./typed-arrays.js";
import { type BlobRef, MOST_DEPTH, MOST_MESSAGE, malformedMessage, VALUE } from "./value-format.js";
import { ValueReader } from "./value-reader.js";

/**
 * Lists the blobs that a message refers to. Throws `cluster/malformed` on anything that `encodeValue` does not write.
 */
export function blobsIn(message: Uint8Array): BlobRef[] {
  const refs = new Map<string, BlobRef>();
  read(message, (ref) => {
    refs.set(ref.hash, ref);
    return undefined;
  });
  return [...refs.values()];
}

/** Decodes a message; `blobs` contains the bytes of its blobs. Decoded arrays share memory with them. */
export function decodeValue(
  message: Uint8Array,
  blobs: ReadonlyMap<string, ArrayBufferLike> = new Map(),
): unknown {
  return read(message, ({ hash, bytes }) => {
    const blob = blobs.get(hash);
    if (blob?.byteLength !== bytes)
      throw malformedMessage(`it refers to a blob of ${bytes} bytes that is not there`);
    return blob;
  });
}

/** Returns the bytes of a blob; undefined if only the references are wanted. */
type BlobOf = (ref: BlobRef) => ArrayBufferLike | undefined;

function read(message: Uint8Array, blobOf: BlobOf): unknown {
  if (message.length > MOST_MESSAGE) throw malformedMessage(`it has ${message.length} bytes`);
  const reader = new ValueReader(message);
  const value = readValue(reader, 0, blobOf);
  if (reader.left > 0) throw malformedMessage(`${reader.left} bytes follow its end`);
  return value;
}

function readValue(from: ValueReader, depth: number, blobOf: BlobOf): unknown {
  const kind = from.byte();
  switch (kind) {
    case VALUE.null:
      return null;
    case VALUE.undefined:
      return undefined;
    case VALUE.false:
      return false;
    case VALUE.true:
      return true;
    case VALUE.integer:
      return from.length();
    case VALUE.float:
      return from.float();
    case VALUE.string:
    case VALUE.wideString:
      return from.string(kind === VALUE.wideString);
    case VALUE.list:
      return readList(from, depth, blobOf);
    case VALUE.object:
      return readObject(from, depth, blobOf);
    case VALUE.array:
    case VALUE.arrayBlob:
      return readArray(from, kind === VALUE.arrayBlob ? blobOf : undefined);
    case VALUE.sameArray:
      return sameArray(from);
    case VALUE.stringsBlob:
      return readStrings(from, blobOf);
    default:
      throw malformedMessage(`there is no kind of value ${kind}`);
  }
}

function readList(from: ValueReader, depth: number, blobOf: BlobOf): unknown[] {
  if (depth > MOST_DEPTH) throw malformedMessage("it is nested too deeply");
  const length = from.count(1);
  const list: unknown[] = [];
  for (let i = 0; i < length; i++) list.push(readValue(from, depth + 1, blobOf));
  return list;
}

function readObject(from: ValueReader, depth: number, blobOf: BlobOf): object {
  if (depth > MOST_DEPTH) throw malformedMessage("it is nested too deeply");
  const length = from.count(3);
  const entries = new Map<string, unknown>();
  for (let i = 0; i < length; i++) {
    const kind = from.byte();
    if (kind !== VALUE.string && kind !== VALUE.wideString) throw malformedMessage("a name is not a string");
    const name = from.string(kind === VALUE.wideString);
    if (name === "__proto__" || entries.has(name))
      throw malformedMessage(`an object has a forbidden or repeated name`);
    entries.set(name, readValue(from, depth + 1, blobOf));
  }
  // fromEntries defines properties, and never calls a setter.
  return Object.fromEntries(entries);
}

function readArray(from: ValueReader, blobOf: BlobOf | undefined): unknown {
  const kind = from.byte();
  if (!blobOf) {
    const array = arrayFrom(kind, from.copy(from.count(1)));
    from.arrays.push(array);
    return array;
  }
  const blob = blobOf(from.ref());
  return blob && arrayFrom(kind, blob);
}

function sameArray(from: ValueReader): PassedArray {
  const number = from.length();
  if (number >= from.arrays.length) throw malformedMessage(`there is no array ${number}`);
  return from.arrays[number];
}

function arrayFrom(kind: number, buffer: ArrayBufferLike): PassedArray {
  const array = arrayOfKind(kind, buffer);
  if (!array) throw malformedMessage(`${buffer.byteLength} bytes are not an array of kind ${kind}`);
  return array;
}

function readStrings(from: ValueReader, blobOf: BlobOf): unknown {
  const blob = blobOf(from.ref());
  if (!blob) return undefined;
  const reader = new ValueReader(new Uint8Array(blob));
  if (reader.byte() !== VALUE.list) throw malformedMessage("a blob is not a list of strings");
  const length = reader.count(2);
  const list: string[] = [];
  for (let i = 0; i < length; i++) {
    const kind = reader.byte();
    if (kind !== VALUE.string && kind !== VALUE.wideString)
      throw malformedMessage("a blob is not a list of strings");
    list.push(reader.string(kind === VALUE.wideString));
  }
  return list;
}
