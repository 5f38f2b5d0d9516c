import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { TableNotice } from "@vouch/core/internal/table/table";
import { firstBytes, type Input } from "./input.js";
import type { ReadOptions } from "./read-options.js";

const LINE_FEED = 10;
/** Non-ASCII characters after which the guess is certain. */
const ENOUGH_CHARACTERS = 10_000;
/** Number of bytes that show whether a text without a byte-order mark is UTF-16. */
const UTF16_BYTES = 1 << 16;

/** An input in UTF-8, and notes about its encoding. */
export interface DecodedInput<I extends Input> {
  readonly input: I;
  readonly notices: readonly TableNotice[];
}

/**
 * Converts a text to UTF-8. The encoding comes from the options or a UTF-16 byte-order mark. Otherwise the text stays
 * as it is if its first bytes are UTF-8; if not, the encoding is guessed. If the guess fails, the text is unchanged,
 * and its reader names the line.
 *
 * @param sniffed number of first bytes to check
 */
export async function decodeInput<I extends Input>(
  input: I,
  { encoding }: Pick<ReadOptions, "encoding">,
  sniffed: number,
): Promise<DecodedInput<I>> {
  if (encoding !== undefined) return { input: transcode(input, checkEncoding(encoding)), notices: [] };
  const start = await firstBytes(input, sniffed);
  const marked = markedEncoding(start);
  if (marked !== undefined) return { input: transcode(input, marked), notices: [] };
  if (input.isText(wholeCharacters(start))) return { input, notices: [] };
  return (await guessDecoded(input)) ?? { input, notices: [] };
}

/** Decodes a text that is not UTF-8 by a guessed encoding; undefined if the guess fails. */
export async function guessDecoded<I extends Input>(input: I): Promise<DecodedInput<I> | undefined> {
  const encoding = await guessEncoding(input);
  if (encoding === undefined) return undefined;
  const message = `${input.name} is not UTF-8; read as ${encodingName(encoding)}. Choose another encoding with --encoding.`;
  return { input: transcode(input, encoding), notices: [{ message }] };
}

/** Drops the last line if it may be cut, or the last character of a single line. */
export function wholeCharacters(bytes: Uint8Array): Uint8Array {
  const lines = bytes.lastIndexOf(LINE_FEED);
  if (lines >= 0) return bytes.subarray(0, lines);
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] >> 6 === 2) length--;
  return bytes.subarray(0, length > 0 && bytes[length - 1] > 127 ? length - 1 : length);
}

/** Returns the canonical name of an encoding. */
function checkEncoding(label: string): string {
  try {
    return new TextDecoder(label.trim()).encoding;
  } catch (cause) {
    throw new VouchError("option/invalid", `The encoding "${label}" is unknown.`, {
      hint: "Use a name such as utf-8, windows-1252, iso-8859-15, utf-16le, shift_jis or gb18030.",
      cause,
    });
  }
}

/** Returns the usual name of an encoding. */
function encodingName(encoding: string): string {
  return encoding.startsWith("windows") ? encoding.replace("w", "W") : encoding.toUpperCase();
}

function markedEncoding([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return undefined;
}

/** Guesses the encoding of a text that is not UTF-8; undefined if it looks like damaged UTF-8 or not like text. */
async function guessEncoding(input: Input): Promise<string | undefined> {
  const start = await firstBytes(input, UTF16_BYTES);
  if (start.includes(0)) return unmarkedUtf16(start);
  let characters = 0;
  let sequences = 0;
  let strangers = 0;
  // A UTF-8 sequence cut between blocks counts as two characters, which does not matter.
  for await (const block of input.open()) {
    for (let p = 0; p < block.length; p++) {
      const byte = block[p];
      if (byte >= 0xc2 && byte < 0xf5 && block[p + 1] >> 6 === 2) sequences++;
      if (byte > 127 && byte >> 6 !== 2) characters++;
      else if (byte > 127 && (p === 0 || block[p - 1] < 128)) characters++;
      if (IS_UNUSED[byte] === 1) strangers++;
    }
    if (characters > ENOUGH_CHARACTERS) break;
  }
  // In Windows-1252 text, few letters are followed by a character that would continue a UTF-8 sequence.
  const isDamagedUtf8 = sequences > characters / 2;
  return isDamagedUtf8 || strangers > 0 ? undefined : "windows-1252";
}

/** Recognises UTF-16 by the zeros in every other byte of Latin text. */
function unmarkedUtf16(bytes: Uint8Array): string | undefined {
  const zeros = [0, 0];
  for (let p = 0; p < bytes.length; p++) if (bytes[p] === 0) zeros[p & 1]++;
  const most = Math.max(...zeros);
  if (most < bytes.length / 4 || Math.min(...zeros) > most / 20) return undefined;
  const low = zeros[0] < zeros[1] ? 0 : 1;
  for (let p = low; p < bytes.length; p += 2)
    if (bytes[p ^ 1] === 0 && IS_UNUSED[bytes[p]] === 1) return undefined;
  return low === 0 ? "utf-16le" : "utf-16be";
}

/** Returns the input transcoded to UTF-8, which threads cannot read. */
function transcode<I extends Input>(input: I, encoding: string): I {
  if (encoding === "utf-8") return input;
  const open = () => transcodedBlocks(input, encoding);
  return { ...input, size: undefined, plainFile: undefined, open };
}

async function* transcodedBlocks(input: Input, encoding: string): AsyncGenerator<Uint8Array> {
  if (encoding === "windows-1252") {
    for await (const block of input.open()) yield windows1252ToUtf8(block);
    return;
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  const encoder = new TextEncoder();
  let lines = 0;
  const decode = (block?: Uint8Array) => {
    try {
      const bytes = encoder.encode(block ? decoder.decode(block, { stream: true }) : decoder.decode());
      for (const byte of bytes) if (byte === LINE_FEED) lines++;
      return bytes;
    } catch (cause) {
      throw new VouchError(
        "data/encoding",
        `${input.name} is not ${encodingName(encoding)} after line ${lines}.`,
        {
          hint: "The file may be incomplete, or have another encoding: pass --encoding, such as windows-1252.",
          cause,
        },
      );
    }
  };
  for await (const block of input.open()) yield decode(block);
  yield decode();
}

/** Bytes 0x80 to 0x9f of Windows-1252. `TextDecoder` of some Node versions treats them as control characters. */
const WINDOWS_1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/**
 * Marks bytes that do not occur in Windows-1252 text: unassigned ones, and control characters except tab and line ends.
 */
const IS_UNUSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  const isControl = byte < 32 && ![9, 10, 12, 13, 26].includes(byte);
  return isControl || [0x7f, 0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte) ? 1 : 0;
});

function windows1252ToUtf8(block: Uint8Array): Uint8Array {
  const utf8 = new Uint8Array(3 * block.length);
  let length = 0;
  for (let p = 0; p < block.length; p++) {
    const byte = block[p];
    if (byte < 128) {
      utf8[length++] = byte;
      continue;
    }
    const code = byte < 0xa0 ? WINDOWS_1252.charCodeAt(byte - 0x80) : byte;
    if (code < 0x800) utf8[length++] = 0xc0 | (code >> 6);
    else {
      utf8[length++] = 0xe0 | (code >> 12);
      utf8[length++] = 0x80 | ((code >> 6) & 63);
    }
    utf8[length++] = 0x80 | (code & 63);
  }
  return utf8.subarray(0, length);
}
