const QUOTE = 34;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** How the scan of a cell ended. */
export type Scan = "cell" | "incomplete" | "text after quote";

/**
 * Finds the end of one CSV cell (RFC 4180): a cell that starts with a quote runs to the quote that closes it,
 * a doubled quote inside stands for one; any other cell runs to the next delimiter or line end, quotes in it
 * are ordinary characters.
 */
export class CellScanner {
  readonly #delimiter: number;
  /** The text of the cell, without quotes; quotes inside are still doubled if `escaped`. */
  from = 0;
  to = 0;
  escaped = false;
  /** Line feeds in the text. */
  lines = 0;
  /** The byte that ended the cell: a delimiter, a line feed or a carriage return. */
  stop = 0;

  constructor(delimiter: number) {
    this.#delimiter = delimiter;
  }

  /** Scans the cell that starts at `at`; the text so far ends at `end`, where a line feed stands. */
  scan(bytes: Buffer, at: number, end: number): Scan {
    this.lines = 0;
    this.escaped = false;
    if (bytes[at] === QUOTE) return this.#quoted(bytes, at + 1, end);
    const delimiter = this.#delimiter;
    let p = at;
    for (let c = bytes[p]; c !== delimiter && c !== LINE_FEED && c !== CARRIAGE_RETURN; c = bytes[p]) p++;
    this.from = at;
    this.to = p;
    this.stop = p;
    return p < end ? "cell" : "incomplete";
  }

  /** The text of the scanned cell. */
  text(bytes: Buffer): string {
    const raw = bytes.toString("utf8", this.from, this.to);
    return this.escaped ? raw.replaceAll('""', '"') : raw;
  }

  #quoted(bytes: Buffer, from: number, end: number): Scan {
    let close = bytes.indexOf(QUOTE, from);
    while (close >= 0 && close + 1 < end && bytes[close + 1] === QUOTE) {
      this.escaped = true;
      close = bytes.indexOf(QUOTE, close + 2);
    }
    if (close < 0 || close + 1 >= end) return "incomplete";
    for (let p = bytes.indexOf(LINE_FEED, from); p < close; p = bytes.indexOf(LINE_FEED, p + 1)) this.lines++;
    this.from = from;
    this.to = close;
    this.stop = close + 1;
    const c = bytes[close + 1];
    const ended = c === this.#delimiter || c === LINE_FEED || c === CARRIAGE_RETURN;
    return ended ? "cell" : "text after quote";
  }
}
