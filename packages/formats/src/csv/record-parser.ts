import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Column } from "@vouch/core/internal/table/column";
import { Table } from "@vouch/core/internal/table/table";
import { afterByteOrderMark } from "../bytes.js";
import { type CellPosition, positionText } from "../cell.js";
import { codeColumns, floatColumns } from "../column-builder.js";
import type { MissingWords } from "../missing-words.js";
import type { TextWindow } from "../text-window.js";
import { DECIMAL_POINT, type NumberLayout, WrittenNumbers } from "../written-numbers.js";
import { CellScanner, loneCarriageReturn, quoteError } from "./cell-scanner.js";
import { DecimalReader } from "./decimal.js";
import { LevelDictionary, type PackedLevels } from "./level-dictionary.js";
import type { RecordEvidence } from "./record-evidence.js";

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const INCOMPLETE = -1;
const NO_MARK = 0;
const RAGGED_HINT = "Correct the record. A cell that contains the delimiter needs quotes.";
const ONE_NAME_HINT =
  "The first line must name all columns: remove any title or comment above it, or set the delimiter with --delimiter.";

/** What the parser does with the cells of a column. */
export const NUMERIC = 0;
/** Only collects evidence whether cells are numbers; once they certainly are not, the action becomes `SKIP`. */
export const PROBE = 1;
export const TEXT = 2;
export const SKIP = 3;

/** Columns that a parser fills in part; holes for columns of another kind. */
export interface PreparedColumns {
  readonly numbers: Float64Array[];
  readonly codes: Int32Array[];
}

/** Layout of the file to parse. */
export interface CsvLayout extends NumberLayout {
  readonly file: string;
  readonly delimiter: number;
  /** NUMERIC, PROBE, TEXT or SKIP for each column. */
  readonly actions: Uint8Array;
  /** Line on which the first record starts. */
  readonly line: number;
  /** Whether unquoted cells are numbers with a decimal point in all columns. */
  readonly hasNumberCells: boolean;
}

/** Destination of the rows: new arrays with an initial capacity, or arrays with room for all rows. */
type Destination = { readonly capacity: number } | { readonly columns: PreparedColumns };

/** Parses CSV records into typed columns, from bytes and without a string per cell. */
export class RecordParser {
  readonly #file: string;
  readonly #names: readonly string[];
  readonly #delimiter: number;
  readonly #actions: Uint8Array;
  readonly #scanner: CellScanner;
  readonly #decimal = new DecimalReader();
  /** Possible decimal marks of unquoted cells, which exclude the delimiter. */
  readonly #bareMarks: Uint8Array;
  readonly #hasNumberCells: boolean;
  readonly #missing: ReadonlySet<string>;
  readonly #evidence: RecordEvidence | undefined;
  /** The evidence, if it collects plain numbers. */
  readonly #detailed: RecordEvidence | undefined;
  readonly #cells: WrittenNumbers;
  /** By column; holes for columns of another kind. */
  #numbers: Float64Array[] = [];
  #codes: Int32Array[] = [];
  #dictionaries: LevelDictionary[] = [];
  readonly #firstCapacity: number;
  #capacity = 0;
  #line: number;
  /** Number of line feeds inside the cells of the current record. */
  #linesInside = 0;
  /** Numbers of records in the current table and in earlier ones. */
  rows = 0;
  firstRow = 0;

  /** @param evidence about the columns to probe */
  constructor(layout: CsvLayout, destination: Destination, evidence?: RecordEvidence) {
    this.#file = layout.file;
    this.#names = layout.names;
    this.#delimiter = layout.delimiter;
    this.#actions = layout.actions;
    this.#line = layout.line;
    this.#hasNumberCells = layout.hasNumberCells;
    this.#bareMarks = layout.marks.map((mark) => {
      if (layout.hasNumberCells) return DECIMAL_POINT;
      return mark === layout.delimiter ? NO_MARK : mark;
    });
    this.#missing = new Set(layout.missing);
    this.#evidence = evidence;
    this.#detailed = evidence?.isDetailed ? evidence : undefined;
    this.#cells = new WrittenNumbers(layout);
    this.#scanner = new CellScanner(layout.delimiter);
    if ("columns" in destination) {
      this.#firstCapacity = 0;
      this.#numbers = destination.columns.numbers;
      this.#codes = destination.columns.codes;
      this.#addDictionaries();
      this.#capacity = Number.POSITIVE_INFINITY;
    } else this.#firstCapacity = destination.capacity;
  }

  /** Missing values in numeric columns. */
  get words(): MissingWords {
    return this.#cells.words;
  }

  /** Parses all complete records of the window, up to `limit` rows per table. */
  parse(window: TextWindow, limit = Number.POSITIVE_INFINITY): void {
    const { bytes, end } = window;
    const { words } = this;
    let at = window.start;
    while (at < end && this.rows < limit) {
      const isBlank = this.#isBlank(bytes, at);
      const next = isBlank ? this.#skipBlank(bytes, at, end) : this.#record(bytes, at, end);
      words.endRecord(next !== INCOMPLETE);
      if (next === INCOMPLETE) break;
      if (!isBlank) this.#evidence?.countRecord(bytes, this.#actions, PROBE, SKIP);
      at = next;
    }
    window.start = at;
  }

  /** Throws if the complete text ends inside a record, which means that a quote is not closed. */
  checkFinished(window: TextWindow): void {
    if (window.start < window.end) {
      throw quoteError(
        `${this.#file}, row ${this.firstRow + this.rows + 1}: a quote in the record that starts on line ${this.#line} is never closed.`,
      );
    }
  }

  /** Returns the parsed rows as a table with the columns in the order of the file, and starts the next table. */
  takeTable(): Table {
    const table = new Table(this.#file, this.rows, this.#columns(), this.firstRow);
    this.firstRow += this.rows;
    this.rows = 0;
    this.#capacity = 0;
    this.#numbers = [];
    this.#codes = [];
    this.#dictionaries = [];
    return table;
  }

  /** Returns the strings of each text column so far; holes for other columns. */
  packedLevels(): PackedLevels[] {
    return this.#dictionaries.map((dictionary) => dictionary.pack());
  }

  #columns(): Column[] {
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

  /** Parses the record at `at`; returns the start of the next one. */
  #record(bytes: Uint8Array, at: number, end: number): number {
    if (this.rows === this.#capacity) this.#reserve(Math.max(2 * this.#capacity, this.#firstCapacity));
    const actions = this.#actions;
    const delimiter = this.#delimiter;
    const decimal = this.#decimal;
    const marks = this.#bareMarks;
    const numbers = this.#numbers;
    const detailed = this.#detailed;
    const row = this.rows;
    const last = actions.length - 1;
    this.#linesInside = 0;
    let p = bytes[at] < 0x80 ? at : afterByteOrderMark(bytes, at);
    for (let j = 0; ; j++) {
      const action = actions[j];
      let stop = p;
      if (action <= PROBE) {
        const value = decimal.read(bytes, p, marks[j]);
        stop = decimal.end;
        const c = bytes[stop];
        if (c !== delimiter && c !== LINE_FEED && c !== CARRIAGE_RETURN) {
          stop = this.#unusualNumber(bytes, p, end, j);
          if (stop === INCOMPLETE) return INCOMPLETE;
        } else if (action === NUMERIC) numbers[j][row] = value;
        else detailed?.number(j, value, p, stop);
      } else {
        stop = this.#otherCell(bytes, p, end, j);
        if (stop === INCOMPLETE) return INCOMPLETE;
      }
      // Byte `end` is a sentinel: the rest of the cell may not have arrived yet.
      if (stop >= end) return INCOMPLETE;
      if (j < last && bytes[stop] === delimiter) p = stop + 1;
      else return this.#endOfRecord(bytes, stop, end, j);
    }
  }

  /**
   * Parses a cell of a numeric or probed column that is not a plain number: quoted, missing, in another notation, or a
   * word.
   */
  #unusualNumber(bytes: Uint8Array, at: number, end: number, j: number): number {
    if (!this.#scan(bytes, at, end, j)) return INCOMPLETE;
    const { from, stop } = this.#scanner;
    const text = this.#scanner.text(bytes);
    const isMissing = this.#cells.isMissing(text);
    const isExact = this.#hasNumberCells && from === at && !isMissing;
    if (this.#actions[j] === NUMERIC) {
      if (isExact) this.#numbers[j][this.rows] = Number(text);
      else if (isMissing) this.#numbers[j][this.rows] = this.#cells.missing(j);
      else this.#numbers[j][this.rows] = this.#cells.number(j, text, this.#position(j));
    } else if (isExact) this.#detailed?.number(j, Number(text), at, stop);
    else this.#evidence?.text(j, isMissing ? undefined : text);
    return stop;
  }

  /** Parses a cell of a text column, or skips one. */
  #otherCell(bytes: Uint8Array, at: number, end: number, j: number): number {
    if (!this.#scan(bytes, at, end, j)) return INCOMPLETE;
    const { from, to, stop, escaped } = this.#scanner;
    if (this.#actions[j] === TEXT) {
      const dictionary = this.#dictionaries[j];
      if (escaped) {
        const text = this.#scanner.unescaped(bytes);
        this.#codes[j][this.rows] = dictionary.code(text, 0, text.length);
      } else this.#codes[j][this.rows] = dictionary.code(bytes, from, to);
    }
    return stop;
  }

  #scan(bytes: Uint8Array, at: number, end: number, j: number): boolean {
    const scan = this.#scanner.scan(bytes, at, end);
    if (scan === "text after quote") {
      throw quoteError(`${positionText(this.#position(j))}: text after the closing quote.`);
    }
    this.#linesInside += this.#scanner.lines;
    return scan === "cell";
  }

  /**
   * Ends a record whose last cell, number j, ended at `stop`; throws if the number of cells differs from the number of
   * columns.
   */
  #endOfRecord(bytes: Uint8Array, stop: number, end: number, j: number): number {
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
        `${this.#file}, row ${this.firstRow + this.rows + 1} (line ${this.#line}): ${found}${formatCount(j + 1, "cell")}, ` +
          `but there ${width === 1 ? "is" : "are"} ${formatCount(width, "column")}.`,
        { hint: width === 1 ? ONE_NAME_HINT : RAGGED_HINT },
      );
    }
    this.#line += 1 + this.#linesInside;
    this.rows++;
    return next;
  }

  #isBlank(bytes: Uint8Array, at: number): boolean {
    return bytes[at] === LINE_FEED || (bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED);
  }

  #skipBlank(bytes: Uint8Array, at: number, end: number): number {
    const next = bytes[at] === LINE_FEED ? at + 1 : at + 2;
    if (next > end) return INCOMPLETE;
    this.#line++;
    return next;
  }

  #position(j: number): CellPosition {
    const line = this.#line + this.#linesInside;
    return { file: this.#file, row: this.firstRow + this.rows + 1, line, column: this.#names[j] };
  }

  #reserve(capacity: number): void {
    this.#numbers = reallocated(this.#actions, NUMERIC, this.#numbers, (count) =>
      floatColumns(count, capacity),
    );
    this.#addDictionaries();
    this.#codes = reallocated(this.#actions, TEXT, this.#codes, (count) => codeColumns(count, capacity));
    this.#capacity = capacity;
  }

  #addDictionaries(): void {
    this.#actions.forEach((action, j) => {
      if (action === TEXT) this.#dictionaries[j] ??= new LevelDictionary(this.#names[j], this.#missing);
    });
  }
}

/** Allocates columns for a number of rows. */
export function preparedColumns(actions: Uint8Array, rows: number): PreparedColumns {
  return {
    numbers: reallocated(actions, NUMERIC, [], (count) => floatColumns(count, rows)),
    codes: reallocated(actions, TEXT, [], (count) => codeColumns(count, rows)),
  };
}

/** Allocates longer arrays for the columns of one action and copies the old ones. */
function reallocated<A extends Float64Array | Int32Array>(
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
