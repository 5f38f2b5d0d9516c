import { isUtf8 } from "node:buffer";
import { VouchError } from "vouch/predict";
import type { Input } from "./input.js";

const LINE_FEED = 10;
const FIRST_BYTES = 1 << 20;
const LARGEST_BYTES = 1 << 29;

/**
 * The part of a UTF-8 text that is being parsed. A parser takes whole records from `start`, moves `start`
 * behind them, and asks for `more`; an incomplete record stays until its rest has come. The text seen through
 * the window has no byte-order mark, no NUL and no invalid UTF-8, and ends with a line feed.
 */
export class TextWindow {
  readonly #input: Input;
  readonly #blocks: AsyncGenerator<Buffer>;
  /** Bytes `start` to `end` are text; byte `end` is always a line feed, so that scans stop there. */
  bytes = Buffer.allocUnsafe(2 * FIRST_BYTES);
  start = 0;
  end = 0;
  /** All of the text has come into the window. */
  complete = false;
  #checked = 0;
  #first = true;

  private constructor(input: Input) {
    this.#input = input;
    this.#blocks = input.open();
  }

  /** A window on the start of the text; false from `more` closes it. */
  static async open(input: Input): Promise<TextWindow> {
    const window = new TextWindow(input);
    await window.more();
    return window;
  }

  /** Gives the input back before its end. */
  async close(): Promise<void> {
    await this.#blocks.return(undefined);
  }

  /**
   * Drops what has been parsed and brings at least a block more. False when the text was complete already:
   * what is left then is a record that never ends.
   */
  async more(): Promise<boolean> {
    if (this.complete) return false;
    this.#dropParsed();
    // Twice the unfinished record, so that a long one is not scanned over and over again.
    const wanted = Math.max(FIRST_BYTES, 2 * this.end);
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
    this.end -= this.start;
    this.#checked = Math.max(0, this.#checked - this.start);
    this.start = 0;
  }

  #take(block: Buffer): void {
    this.#reserve(this.end + block.length + 2);
    block.copy(this.bytes, this.end);
    this.end += block.length;
    if (this.#first && this.end >= 3) this.#dropByteOrderMark();
  }

  #dropByteOrderMark(): void {
    this.#first = false;
    if (this.bytes[0] === 0xef && this.bytes[1] === 0xbb && this.bytes[2] === 0xbf) this.start = 3;
  }

  #finish(): void {
    this.complete = true;
    if (this.end > this.start && this.bytes[this.end - 1] !== LINE_FEED) this.bytes[this.end++] = LINE_FEED;
  }

  #reserve(length: number): void {
    if (length <= this.bytes.length) return;
    if (length > LARGEST_BYTES) {
      throw new VouchError("data/too-large", `${this.#input.name}: one record is longer than 512 MB.`, {
        hint: "A quote that is not closed makes the rest of a file one record.",
      });
    }
    const grown = Buffer.allocUnsafe(2 * length);
    this.bytes.copy(grown, 0, 0, this.end);
    this.bytes = grown;
  }

  /** Checks whole lines only: a line feed is never part of a longer character. */
  async #check(): Promise<void> {
    const upTo = this.complete ? this.end : this.bytes.lastIndexOf(LINE_FEED, this.end - 1) + 1;
    const from = Math.max(this.#checked, this.start);
    if (upTo <= from) return;
    const fresh = this.bytes.subarray(from, upTo);
    if (fresh.includes(0) || !isUtf8(fresh)) throw await encodingFault(this.#input);
    this.#checked = upTo;
  }
}

/** Reads the text again, line by line, to say which line is at fault. */
async function encodingFault(input: Input): Promise<VouchError> {
  let line = 1;
  let rest = Buffer.alloc(0);
  for await (const block of input.open()) {
    const text = Buffer.concat([rest, block]);
    let from = 0;
    for (let to = text.indexOf(LINE_FEED); to >= 0; to = text.indexOf(LINE_FEED, from)) {
      if (isFaulty(text.subarray(from, to))) return lineFault(input.name, line, text.subarray(from, to));
      from = to + 1;
      line++;
    }
    rest = text.subarray(from);
  }
  return lineFault(input.name, line, rest);
}

function isFaulty(line: Buffer): boolean {
  return line.includes(0) || !isUtf8(line);
}

function lineFault(name: string, line: number, bytes: Buffer): VouchError {
  const mark = bytes.toString("latin1", 0, 2);
  const utf16 = line === 1 && (mark === "\xff\xfe" || mark === "\xfe\xff");
  if (utf16 || isUtf8(bytes)) {
    return new VouchError(
      "data/encoding",
      utf16 ? `${name} is UTF-16 text, not UTF-8.` : `${name}, line ${line}: there is a NUL byte.`,
      { hint: "Convert the file: iconv -f UTF-16 -t UTF-8. If it is not a text file, name its format." },
    );
  }
  return new VouchError("data/encoding", `${name}, line ${line}: the text is not valid UTF-8.`, {
    hint: "Convert the file to UTF-8, for example: iconv -f LATIN1 -t UTF-8 OLD > NEW.",
  });
}
