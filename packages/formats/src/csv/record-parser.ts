import { type Column, formatCount, VouchError } from "vouch/predict";
import { MISSING_MARKERS, numberOf, numberWithComma } from "../cell.js";
import { type CellPlace, finiteNumber, placeText } from "../cell-fault.js";
import type { TextWindow } from "../input/text-window.js";
import { sharedCodes, sharedFloats } from "../shared-array.js";
import { CellScanner } from "./cell-scanner.js";
import { DecimalReader } from "./decimal.js";
import { LevelDictionary } from "./level-dictionary.js";

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const INCOMPLETE = -1;
const RAGGED_HINT = "Correct the record; a cell that contains the delimiter is put in quotes.";
const ONE_NAME_HINT =
  "The first line is to name all columns: remove a title or comment before it; --delimiter says what separates cells.";

/** What is done with the cells of a column. */
export const NUMERIC = 0;
/** Only look whether there is anything but numbers and missing cells. */
export const PROBE = 1;
export const TEXT = 2;
export const SKIP = 3;

/** What a parser has to know of the file. */
export interface CsvLayout {
  readonly file: string;
  readonly delimiter: number;
  readonly names: readonly string[];
  /** NUMERIC, PROBE, TEXT or SKIP for each column. */
  readonly actions: Uint8Array;
  /** The line on which the first record starts. */
  readonly line: number;
  /** The comma parts whole and fraction of a number. */
  readonly decimalComma: boolean;
  /** How many rows to make room for at first. */
  readonly capacity: number;
}

/** Parses CSV records into typed columns, from bytes and without a string per cell. */
export class RecordParser {
  readonly #file: string;
  readonly #names: readonly string[];
  readonly #delimiter: number;
  readonly #actions: Uint8Array;
  readonly #scanner: CellScanner;
  readonly #decimal = new DecimalReader();
  readonly #numberOf: (text: string) => number | undefined;
  /** By column; columns that are not of that kind have an empty place. */
  #numbers: Float64Array[] = [];
  #codes: Int32Array[] = [];
  readonly #dictionaries: LevelDictionary[] = [];
  #capacity = 0;
  #line: number;
  /** Line feeds inside the cells of the record at hand. */
  #linesInside = 0;
  /** Records parsed. */
  rows = 0;

  constructor(layout: CsvLayout) {
    this.#file = layout.file;
    this.#names = layout.names;
    this.#delimiter = layout.delimiter;
    this.#actions = layout.actions;
    this.#line = layout.line;
    this.#numberOf = layout.decimalComma ? numberWithComma : numberOf;
    this.#scanner = new CellScanner(layout.delimiter);
    layout.actions.forEach((action, j) => {
      if (action === TEXT) this.#dictionaries[j] = new LevelDictionary();
    });
    this.#reserve(layout.capacity);
  }

  /** Takes all complete records out of the window, or as many as make `limit` rows. */
  parse(window: TextWindow, limit = Number.POSITIVE_INFINITY): void {
    const { bytes, end } = window;
    let at = window.start;
    while (at < end && this.rows < limit) {
      const next = this.#isBlank(bytes, at) ? this.#skipBlank(bytes, at, end) : this.#record(bytes, at, end);
      if (next === INCOMPLETE) break;
      at = next;
    }
    window.start = at;
  }

  /** To be called when the window brings no more: what is left is a quote that nothing closes. */
  checkFinished(window: TextWindow): void {
    if (window.start < window.end) {
      throw new VouchError(
        "data/malformed",
        `${this.#file}, row ${this.rows + 1}: a quote in the record that starts on line ${this.#line} is never closed.`,
        { hint: "A quote inside a quoted cell is written twice." },
      );
    }
  }

  /** The columns parsed, in the order of the file. */
  columns(): Column[] {
    const rows = this.rows;
    const columns: Column[] = [];
    this.#actions.forEach((action, j) => {
      const name = this.#names[j];
      if (action === NUMERIC) {
        columns.push({ kind: "numeric", name, values: this.#numbers[j].subarray(0, rows) });
      } else if (action === TEXT) {
        const { levels } = this.#dictionaries[j];
        columns.push({ kind: "categorical", name, codes: this.#codes[j].subarray(0, rows), levels });
      }
    });
    return columns;
  }

  /** Parses the record at `at`; returns where the next one starts. */
  #record(bytes: Buffer, at: number, end: number): number {
    if (this.rows === this.#capacity) this.#reserve(2 * this.#capacity);
    const actions = this.#actions;
    const delimiter = this.#delimiter;
    const decimal = this.#decimal;
    const commas = this.#numberOf !== numberOf;
    const numbers = this.#numbers;
    const row = this.rows;
    const last = actions.length - 1;
    this.#linesInside = 0;
    let p = at;
    for (let j = 0; ; j++) {
      const action = actions[j];
      let stop = p;
      if (action <= PROBE && !commas) {
        const value = decimal.read(bytes, p);
        stop = decimal.end;
        const c = bytes[stop];
        if (c !== delimiter && c !== LINE_FEED && c !== CARRIAGE_RETURN) {
          stop = this.#unusualNumber(bytes, p, end, j);
          if (stop === INCOMPLETE) return INCOMPLETE;
        } else if (action === NUMERIC) numbers[j][row] = value;
      } else {
        stop = action <= PROBE ? this.#unusualNumber(bytes, p, end, j) : this.#otherCell(bytes, p, end, j);
        if (stop === INCOMPLETE) return INCOMPLETE;
      }
      // Byte `end` looks like a line feed, but there may be more of the cell to come.
      if (stop >= end) return INCOMPLETE;
      if (j < last && bytes[stop] === delimiter) p = stop + 1;
      else return this.#endOfRecord(bytes, stop, end, j);
    }
  }

  /** Any cell that is not a plain number in a numeric or probed column: in quotes, missing, with a comma, odd or wrong. */
  #unusualNumber(bytes: Buffer, at: number, end: number, j: number): number {
    if (!this.#scan(bytes, at, end, j)) return INCOMPLETE;
    const { stop } = this.#scanner;
    const text = this.#scanner.text(bytes);
    const missing = MISSING_MARKERS.has(text);
    if (this.#actions[j] === NUMERIC) {
      this.#numbers[j][this.rows] = missing ? Number.NaN : finiteNumber(this.#place(j), text, this.#numberOf);
    } else if (!missing && this.#numberOf(text) === undefined) this.#actions[j] = SKIP;
    return stop;
  }

  /** A cell of a text column, or of one that is skipped. */
  #otherCell(bytes: Buffer, at: number, end: number, j: number): number {
    if (!this.#scan(bytes, at, end, j)) return INCOMPLETE;
    const { from, to, stop, escaped } = this.#scanner;
    if (this.#actions[j] === TEXT) {
      const dictionary = this.#dictionaries[j];
      if (escaped) {
        const text = Buffer.from(this.#scanner.text(bytes));
        this.#codes[j][this.rows] = dictionary.code(text, 0, text.length);
      } else this.#codes[j][this.rows] = dictionary.code(bytes, from, to);
    }
    return stop;
  }

  #scan(bytes: Buffer, at: number, end: number, j: number): boolean {
    const scan = this.#scanner.scan(bytes, at, end);
    if (scan === "text after quote") {
      throw new VouchError("data/malformed", `${placeText(this.#place(j))}: text after the closing quote.`, {
        hint: "A quote inside a quoted cell is written twice.",
      });
    }
    this.#linesInside += this.#scanner.lines;
    return scan === "cell";
  }

  /** The record's last cell, number j, ended at `stop`: checks that it is indeed the last. */
  #endOfRecord(bytes: Buffer, stop: number, end: number, j: number): number {
    let next = stop + 1;
    if (bytes[stop] === CARRIAGE_RETURN) {
      if (next >= end) return INCOMPLETE;
      if (bytes[next] !== LINE_FEED) throw loneCarriageReturn(this.#file, this.#line + this.#linesInside);
      next++;
    }
    const width = this.#actions.length;
    if (bytes[stop] === this.#delimiter || j < width - 1) {
      const found = bytes[stop] === this.#delimiter ? "more than " : "";
      throw new VouchError(
        "data/ragged",
        `${this.#file}, row ${this.rows + 1} (line ${this.#line}): ${found}${formatCount(j + 1, "cell")}, ` +
          `but there ${width === 1 ? "is" : "are"} ${formatCount(width, "column")}.`,
        { hint: width === 1 ? ONE_NAME_HINT : RAGGED_HINT },
      );
    }
    this.#line += 1 + this.#linesInside;
    this.rows++;
    return next;
  }

  #isBlank(bytes: Buffer, at: number): boolean {
    return bytes[at] === LINE_FEED || (bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED);
  }

  #skipBlank(bytes: Buffer, at: number, end: number): number {
    const next = bytes[at] === LINE_FEED ? at + 1 : at + 2;
    if (next > end) return INCOMPLETE;
    this.#line++;
    return next;
  }

  #place(j: number): CellPlace {
    const line = this.#line + this.#linesInside;
    return { file: this.#file, row: this.rows + 1, line, column: this.#names[j] };
  }

  #reserve(capacity: number): void {
    this.#numbers = grown(this.#actions, NUMERIC, this.#numbers, (count) => sharedFloats(count, capacity));
    this.#codes = grown(this.#actions, TEXT, this.#codes, (count) => sharedCodes(count, capacity));
    this.#capacity = capacity;
  }
}

/** The error of a carriage return without line feed outside quotes: neither a line end nor plain text. */
export function loneCarriageReturn(file: string, line: number): VouchError {
  return new VouchError("data/malformed", `${file}, line ${line}: a carriage return without a line feed.`, {
    hint: "Convert the line ends to LF or CRLF, or put the cell in quotes.",
  });
}

/** Longer arrays for the columns of one action, with what the old ones held. */
function grown<A extends Float64Array | Int32Array>(
  actions: Uint8Array,
  action: number,
  old: readonly A[],
  allocate: (count: number) => A[],
): A[] {
  const places = Array.from(actions.keys()).filter((j) => actions[j] === action);
  const arrays = allocate(places.length);
  const byColumn: A[] = [];
  places.forEach((j, index) => {
    if (old[j] !== undefined) arrays[index].set(old[j]);
    byColumn[j] = arrays[index];
  });
  return byColumn;
}
