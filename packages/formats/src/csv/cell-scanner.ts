import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { decodeUtf8 } from "../bytes.js";

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const QUOTE = 34;

/** How the scan of a cell ended. */
type ScanResult = "cell" | "incomplete" | "text after quote";

/**
 * Finds the end of a CSV cell (RFC 4180). A cell that starts with a quote extends to the closing quote, and a doubled
 * quote inside stands for one. Any other cell extends to the next delimiter or line end, and quotes in it are ordinary
 * characters.
 */
export class CellScanner {
  readonly #delimiter: number;
  /** Start and end of the text without the outer quotes; inner quotes are still doubled if `escaped`. */
  from = 0;
  to = 0;
  escaped = false;
  /** Number of line feeds in the text. */
  lines = 0;
  /** Position of the byte that ended the cell: a delimiter, line feed or carriage return. */
  stop = 0;

  constructor(delimiter: number) {
    this.#delimiter = delimiter;
  }

  /** Scans the cell that starts at `at`; the text so far ends with a line feed at `end`. */
  scan(bytes: Uint8Array, at: number, end: number): ScanResult {
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

  /** Decodes the scanned cell. */
  text(bytes: Uint8Array): string {
    return this.escaped ? decodeUtf8(this.unescaped(bytes)) : decodeUtf8(bytes, this.from, this.to);
  }

  /** Copies the scanned cell with doubled quotes reduced to one. */
  unescaped(bytes: Uint8Array): Uint8Array {
    const text = new Uint8Array(this.to - this.from);
    let length = 0;
    for (let p = this.from; p < this.to; p++) {
      text[length++] = bytes[p];
      if (bytes[p] === QUOTE) p++;
    }
    return text.subarray(0, length);
  }

  #quoted(bytes: Uint8Array, from: number, end: number): ScanResult {
    let close = bytes.indexOf(QUOTE, from);
    while (close >= 0 && close + 1 < end && bytes[close + 1] === QUOTE) {
      this.escaped = true;
      close = bytes.indexOf(QUOTE, close + 2);
    }
    if (close < 0 || close + 1 >= end) return "incomplete";
    // `indexOf` would scan to the end of the line for each cell.
    for (let p = from; p < close; p++) if (bytes[p] === LINE_FEED) this.lines++;
    this.from = from;
    this.to = close;
    this.stop = close + 1;
    const c = bytes[close + 1];
    const ended = c === this.#delimiter || c === LINE_FEED || c === CARRIAGE_RETURN;
    return ended ? "cell" : "text after quote";
  }
}

/** Creates the error for a quote that closes before the end of the cell, or never. */
export function quoteError(problem: string): VouchError {
  return new VouchError("data/malformed", problem, {
    hint: 'Write a quote inside a quoted cell twice: "".',
  });
}

/**
 * Creates the error for an unquoted carriage return without a line feed, which is neither a line end nor plain text.
 */
export function loneCarriageReturn(file: string, line: number): VouchError {
  return new VouchError("data/malformed", `${file}, line ${line}: a carriage return without a line feed.`, {
    hint: "Convert the line ends to LF or CRLF, or quote the cell.",
  });
}
