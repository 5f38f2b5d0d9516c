import { reserveMemory } from "@vouch/core/internal/runtime/memory-limit";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { afterByteOrderMark, decodeUtf8, joinBytes } from "./bytes.js";
import type { Input } from "./input.js";

const LINE_FEED = 10;
const FIRST_BYTES = 1 << 20;
/** Maximum length of a record. JavaScript's longest string has 24 characters less than 2²⁹. */
const LARGEST_BYTES = 2 ** 29 - 2 ** 20;

/**
 * The part of a UTF-8 text being parsed. A parser consumes whole records from `start`, moves `start` past them, and
 * calls `more`; an incomplete record stays until the rest of it has arrived. The text in the window has no byte-order
 * mark, no NUL and no invalid UTF-8, and ends with a line feed.
 */
export class TextWindow {
  readonly #input: Input;
  readonly #blocks: AsyncGenerator<Uint8Array>;
  /** Bytes `start` to `end` are text; byte `end` is always a line feed, so that scans stop there. */
  bytes: Uint8Array;
  start = 0;
  end = 0;
  /** Whether the whole text has passed through the window. */
  complete = false;
  #checked = 0;
  /** File position of byte 0 of the window. */
  #position: number;
  #first: boolean;

  private constructor(input: Input, position: number) {
    this.#input = input;
    this.#position = position;
    this.#first = position === 0;
    this.#blocks = input.open();
    // Room for a final line feed and the sentinel at `end`.
    this.bytes = new Uint8Array(Math.min(2 * FIRST_BYTES, (input.size ?? Number.POSITIVE_INFINITY) + 2));
  }

  /** Opens a window at the start of a text, which may be a part of a file from byte `position`. */
  static async open(input: Input, position = 0): Promise<TextWindow> {
    const window = new TextWindow(input, position);
    await window.more();
    return window;
  }

  /** File position of `start`. */
  get position(): number {
    return this.#position + this.start;
  }

  /** Releases the input before its end. */
  async close(): Promise<void> {
    await this.#blocks.return(undefined);
  }

  /**
   * Drops the parsed part and adds at least one block. Returns false if the text was already complete; the rest is then
   * an unterminated record.
   */
  async more(): Promise<boolean> {
    if (this.complete) return false;
    this.#dropParsed();
    if (this.end >= LARGEST_BYTES) throw longRecord(this.#input.name);
    // Twice the unfinished record, so that a long record is not scanned repeatedly.
    const wanted = Math.min(LARGEST_BYTES, Math.max(FIRST_BYTES, 2 * this.end));
    while (this.end < wanted && !this.complete) {
      const next = await this.#blocks.next();
      if (next.done) this.#finish();
      else this.#take(next.value);
    }
    this.bytes[this.end] = LINE_FEED;
    await this.#check();
    return true;
  }

  #dropParsed(): void {
    this.bytes.copyWithin(0, this.start, this.end);
    this.#position += this.start;
    this.end -= this.start;
    this.#checked = Math.max(0, this.#checked - this.start);
    this.start = 0;
  }

  #take(block: Uint8Array): void {
    this.#reserve(this.end + block.length + 2);
    this.bytes.set(block, this.end);
    this.end += block.length;
    if (this.#first && this.end >= 3) this.#dropByteOrderMark();
  }

  #dropByteOrderMark(): void {
    this.#first = false;
    this.start = afterByteOrderMark(this.bytes, 0);
  }

  #finish(): void {
    this.complete = true;
    if (this.end > this.start && this.bytes[this.end - 1] !== LINE_FEED) this.bytes[this.end++] = LINE_FEED;
  }

  #reserve(length: number): void {
    if (length <= this.bytes.length) return;
    reserveMemory(`a record of ${this.#input.name}`, 2 * length);
    const longer = new Uint8Array(2 * length);
    longer.set(this.bytes.subarray(0, this.end));
    this.bytes = longer;
  }

  /** Checks whole lines only; a line feed is never part of a longer character. */
  async #check(): Promise<void> {
    const upTo = this.complete ? this.end : this.bytes.lastIndexOf(LINE_FEED, this.end - 1) + 1;
    const from = Math.max(this.#checked, this.start);
    if (upTo <= from) return;
    if (!this.#input.isText(this.bytes.subarray(from, upTo))) throw await encodingError(this.#input);
    this.#checked = upTo;
  }
}

function longRecord(name: string): VouchError {
  return new VouchError("data/too-large", `${name}: one record is longer than 511 MB.`, {
    hint: "A missing closing quote makes the rest of the file one record.",
  });
}

/** Consecutive lines of a text; the first one is line `first` of the file. */
export interface LineBatch {
  readonly first: number;
  readonly lines: readonly string[];
}

/** Reads the lines of a text without their line ends (LF or CRLF), in batches of about a megabyte. */
export async function* readLines(input: Input): AsyncGenerator<LineBatch> {
  const window = await TextWindow.open(input);
  let first = 1;
  try {
    do {
      for (let upTo = batchEnd(window); upTo >= 0; upTo = batchEnd(window)) {
        const lines = decodeUtf8(window.bytes, window.start, upTo).split("\n");
        window.start = upTo + 1;
        yield { first, lines: lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)) };
        first += lines.length;
      }
    } while (await window.more());
  } finally {
    await window.close();
  }
}

/** Returns the position of the line feed that ends the next batch; −1 if no line is complete. */
function batchEnd({ bytes, start, end }: TextWindow): number {
  if (end === start) return -1;
  const last = bytes.lastIndexOf(LINE_FEED, Math.min(end, start + FIRST_BYTES) - 1);
  if (last >= start) return last;
  const next = bytes.indexOf(LINE_FEED, start);
  return next < end ? next : -1;
}

/** Rereads the text line by line to find the line that is not UTF-8. */
async function encodingError(input: Input): Promise<VouchError> {
  let line = 1;
  // Pieces of a line that continues in the next block.
  let pieces: Uint8Array[] = [];
  for await (const block of input.open()) {
    const last = block.lastIndexOf(LINE_FEED);
    pieces.push(block.subarray(0, last + 1));
    if (last >= 0) {
      const lines = joinBytes(pieces);
      if (!input.isText(lines)) return firstEncodingError(input, lines, line);
      for (const byte of lines) if (byte === LINE_FEED) line++;
      pieces = [];
    }
    pieces.push(block.subarray(last + 1));
  }
  return lineEncodingError(input.name, line, joinBytes(pieces));
}

/** Finds the line that is not UTF-8 among whole lines, the first of which has number `line`. */
function firstEncodingError(input: Input, lines: Uint8Array, line: number): VouchError {
  let number = line;
  let from = 0;
  let to = lines.indexOf(LINE_FEED);
  while (to >= 0 && input.isText(lines.subarray(from, to))) {
    number++;
    from = to + 1;
    to = lines.indexOf(LINE_FEED, from);
  }
  return lineEncodingError(input.name, number, lines.subarray(from, to));
}

function lineEncodingError(name: string, line: number, bytes: Uint8Array): VouchError {
  const hint = "Pass --encoding with the encoding of the file, such as --encoding";
  if (bytes.includes(0)) {
    return new VouchError("data/encoding", `${name}, line ${line}: there is a NUL byte.`, {
      hint: `${hint} utf-16le. If it is not text, pass --format.`,
    });
  }
  return new VouchError("data/encoding", `${name}, line ${line}: the text is not valid UTF-8.`, {
    hint: `${hint} windows-1252.`,
  });
}
