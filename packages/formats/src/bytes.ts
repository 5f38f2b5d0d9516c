/*
 * Decoding that works in browsers and Node. Cells keep their byte-order marks; only the mark at the start of a file is
 * dropped, by `TextWindow`.
 */

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strictDecoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
/** ASCII text up to this length is decoded here. Most cells are that short, and calling a decoder takes longer. */
const SHORT_BYTES = 8;

/** Decodes bytes `from` to `to` as UTF-8. */
export function decodeUtf8(bytes: Uint8Array, from = 0, to = bytes.length): string {
  if (to - from > SHORT_BYTES) return decoder.decode(bytes.subarray(from, to));
  let text = "";
  for (let p = from; p < to; p++) {
    if (bytes[p] > 127) return decoder.decode(bytes.subarray(from, to));
    text += String.fromCharCode(bytes[p]);
  }
  return text;
}

/** Decodes bytes as UTF-8; throws if they are invalid. */
export function strictUtf8(bytes: Uint8Array): string {
  try {
    return strictDecoder.decode(bytes);
  } catch (cause) {
    throw new Error("a text is not valid UTF-8", { cause });
  }
}

/** Returns the position after a UTF-8 byte-order mark at `at`, if there is one. */
export function afterByteOrderMark(bytes: Uint8Array, at: number): number {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf ? at + 3 : at;
}

/** Decodes one character per byte, for file signatures; meant for a few thousand bytes. */
export function decodeLatin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/**
 * Joins pieces of bytes. Collect many pieces first, because joining them one by one copies the first piece each time.
 */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0];
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

/** Checks that bytes are valid UTF-8 without NUL. Inputs of Node use a faster way. */
export function isUtf8Text(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  if (isAscii(bytes)) return true;
  try {
    strictDecoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Checks four bytes at a time, which is faster than a decoder or a loop over bytes. */
function isAscii(bytes: Uint8Array): boolean {
  const { buffer, byteOffset, length } = bytes;
  if (length < 8) return bytes.every((byte) => byte < 128);
  // Words start at multiples of four.
  const first = (4 - (byteOffset % 4)) % 4;
  const words = new Uint32Array(buffer, byteOffset + first, (length - first) >> 2);
  let seen = 0;
  for (let i = 0; i < words.length; i++) seen |= words[i];
  for (let i = 0; i < first; i++) seen |= bytes[i];
  for (let i = first + 4 * words.length; i < length; i++) seen |= bytes[i];
  return (seen & 0x80808080) === 0;
}
