/*
 * Bytes as text, with what browsers and Node have in common. Cells keep their byte-order marks: only the one at
 * the start of a file is not text, and `TextWindow` drops it.
 */

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strictDecoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
/** Text of up to this many bytes is decoded here if it is ASCII: most cells are, and calling a decoder takes longer. */
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

/** Returns one character per byte, for signatures of file formats; meant for a few thousand bytes. */
export function decodeLatin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** Joins two pieces of bytes. */
export function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/** Checks that bytes are UTF-8 without NUL. Node has a faster way, which its inputs use. */
export function isUtf8Text(bytes: Uint8Array): boolean {
  let seen = 0;
  for (const byte of bytes) {
    if (byte === 0) return false;
    seen |= byte;
  }
  if (seen < 128) return true;
  try {
    strictDecoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
