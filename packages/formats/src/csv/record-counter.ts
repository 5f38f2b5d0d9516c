const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const QUOTE = 34;

/** States between two bytes of CSV. */
const RECORD_START = 0;
const CELL_START = 1;
const PLAIN = 2;
const QUOTED = 3;
/** After a quote in a quoted cell: it closes the cell unless the next byte is a quote, too. */
const AFTER_QUOTE = 4;
/** After a carriage return that ends a cell, and after one at the start of a record, which may be a blank line. */
const AFTER_RETURN = 5;
const BLANK_RETURN = 6;

/** Record counts of a part of a CSV file that starts after a line feed. */
export interface RecordCounts {
  /** Records that end in the part, without blank lines. */
  readonly rows: number;
  /** Line feeds in the part. */
  readonly lines: number;
  /** Bytes and line feeds before the first record that starts in the part; −1 if none does. */
  readonly firstStart: number;
  readonly firstLines: number;
  /** Whether the part ends inside a quoted cell. */
  readonly endsInQuotes: boolean;
}

/**
 * Counts the records of a part of a CSV file without parsing cells; it treats cells and quotes like `CellScanner`. The
 * caller must know or guess whether the line feed before the part ends a record or is inside a quoted cell.
 */
export class RecordCounter {
  readonly #delimiter: number;
  #state: number;
  #rows = 0;
  #lines: number;
  #bytes: number;
  #firstStart: number;
  #firstLines: number;

  /** Starts at a record or in a quoted cell, optionally after bytes without quotes that belong to the same cell. */
  constructor(delimiter: number, inQuotes: boolean, skipped: Skipped = { bytes: 0, lines: 0 }) {
    this.#delimiter = delimiter;
    this.#state = inQuotes ? QUOTED : RECORD_START;
    this.#firstStart = inQuotes ? -1 : 0;
    this.#firstLines = inQuotes ? -1 : 0;
    this.#bytes = skipped.bytes;
    this.#lines = skipped.lines;
  }

  get skipped(): Skipped {
    return { bytes: this.#bytes, lines: this.#lines };
  }

  /** Counts the next block of the part. */
  count(block: Uint8Array, hasQuotes = block.includes(QUOTE)): void {
    if (hasQuotes) this.#anyBytes(block, 0, block.length);
    else if (this.#state === QUOTED) this.#lines += lineFeeds(block);
    else this.#withoutQuotes(block);
    this.#bytes += block.length;
  }

  counts(): RecordCounts {
    return {
      rows: this.#rows,
      lines: this.#lines,
      firstStart: this.#firstStart,
      firstLines: this.#firstLines,
      endsInQuotes: this.#state === QUOTED,
    };
  }

  #withoutQuotes(block: Uint8Array): void {
    const wholeLines = block.indexOf(LINE_FEED) + 1;
    const rest = block.lastIndexOf(LINE_FEED) + 1;
    this.#anyBytes(block, 0, wholeLines);
    this.#wholeLines(block, wholeLines, rest);
    this.#anyBytes(block, rest, block.length);
  }

  /** Counts lines without quotes, the first of which starts a record. */
  #wholeLines(block: Uint8Array, from: number, to: number): void {
    let rows = 0;
    let lines = 0;
    let start = from;
    const words = wordsOf(block);
    for (let p = from; p < to; p++) {
      if ((p & 3) === 0) p = 4 * nextWord(words, p >> 2);
      if (p >= to) break;
      if (block[p] !== LINE_FEED) continue;
      const length = p - start;
      if (length > 1 || (length === 1 && block[start] !== CARRIAGE_RETURN)) rows++;
      lines++;
      start = p + 1;
    }
    this.#rows += rows;
    this.#lines += lines;
  }

  #anyBytes(block: Uint8Array, from: number, to: number): void {
    const delimiter = this.#delimiter;
    let state = this.#state;
    for (let p = from; p < to; p++) {
      const byte = block[p];
      if (state === QUOTED) {
        if (byte === QUOTE) state = AFTER_QUOTE;
        else if (byte === LINE_FEED) this.#lines++;
      } else if (byte === QUOTE) {
        if (state === AFTER_QUOTE || state === RECORD_START || state === CELL_START) state = QUOTED;
        else state = PLAIN;
      } else if (byte === LINE_FEED) {
        this.#endLine(state, p + 1);
        state = RECORD_START;
      } else if (byte === CARRIAGE_RETURN) {
        state = state === RECORD_START ? BLANK_RETURN : AFTER_RETURN;
      } else if (state === RECORD_START && (byte === 0xef || byte === 0xbb || byte === 0xbf)) {
      } else state = byte === delimiter ? CELL_START : PLAIN;
    }
    this.#state = state;
  }

  #endLine(state: number, next: number): void {
    this.#lines++;
    if (state !== RECORD_START && state !== BLANK_RETURN) this.#rows++;
    if (this.#firstStart >= 0) return;
    this.#firstStart = this.#bytes + next;
    this.#firstLines = this.#lines;
  }
}

/** Bytes that were already counted, and the line feeds in them. */
interface Skipped {
  readonly bytes: number;
  readonly lines: number;
}

function lineFeeds(block: Uint8Array): number {
  let lines = 0;
  for (let p = 0; p < block.length; p++) if (block[p] === LINE_FEED) lines++;
  return lines;
}

/** Views a block as 32-bit words; empty if the block is not aligned. */
function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): Int32Array {
  return new Int32Array(buffer, byteOffset & ~3, byteOffset % 4 === 0 ? byteLength >> 2 : 0);
}

/**
 * Finds the next word with a line feed from word `at` on. Four bytes are tested at once, because most words have none.
 */
function nextWord(words: Int32Array, at: number): number {
  let next = at;
  while (next < words.length) {
    // A byte is 0 at a line feed; the subtraction borrows from its highest bit.
    const feeds = words[next] ^ 0x0a0a0a0a;
    if (((feeds - 0x01010101) & ~feeds & 0x80808080) !== 0) break;
    next++;
  }
  return next;
}
