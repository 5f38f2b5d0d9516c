import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { Table } from "@vouch/core/internal/table/table";
import { decodeUtf8 } from "./bytes.js";
import { excerpt, finiteNumber } from "./cell.js";
import { CategoricalBuilder } from "./column-builder.js";
import { ColumnMemory } from "./column-memory.js";
import { withColumnRoles } from "./column-roles.js";
import { DecimalReader } from "./csv/decimal.js";
import type { Input } from "./input.js";
import type { ReadOptions } from "./read-options.js";
import { SparseColumns } from "./sparse-columns.js";
import { TextWindow } from "./text-window.js";

/** Maximum number of columns, because a few digits in a file could name billions. */
const MAX_FEATURES = 2_000_000;
/** Number of columns allowed beyond the number of entries; training takes up to 2 kB even for an empty column. */
const FREE_FEATURES = 100_000;
const RECORD_HINT = "Write label index:value ….";

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const HASH = 35;
const ZERO = 48;
const COLON = 58;

/**
 * Reads `label index:value …` lines (LIBSVM, SVMlight) into columns f1, f2, … and a categorical column `label`. The
 * columns are sparse unless many of their cells are not 0. Indices count from 1 and ascend, and `#` starts a comment.
 * `qid:` is refused, because ranking is another task.
 */
export async function* readLibsvm(input: Input, options: ReadOptions, rows: number): AsyncGenerator<Table> {
  const reader = new RecordReader(input.name, options, rows);
  const window = await TextWindow.open(input);
  try {
    do {
      const lines = window.bytes.lastIndexOf(LINE_FEED, window.end - 1) + 1;
      while (window.start < lines) {
        window.start = reader.takeLines(window.bytes, window.start, lines);
        if (reader.rows === rows) yield withColumnRoles(await reader.takeTable(), options);
      }
    } while (await window.more());
  } finally {
    await window.close();
  }
  reader.checkColumns();
  if (reader.rows > 0) yield withColumnRoles(await reader.takeTable(), options);
}

/**
 * Reads records from bytes. Records other than plain decimal numbers, ASCII labels and single spaces take the slower
 * way through strings.
 */
class RecordReader {
  readonly #file: string;
  readonly #options: ReadOptions;
  readonly #mostRows: number;
  #cells = new SparseColumns();
  #memory: ColumnMemory;
  #labels: CategoricalBuilder;
  /** Rows and entries of earlier tables, and the columns of all tables. */
  #firstRow = 0;
  #entries = 0;
  #names: string[] = [];
  readonly #decimals = new DecimalReader();
  /** Cache of labels of at most four bytes, which avoids a string per row. */
  readonly #shortLabels = new Map<number, string>();
  #line = 0;

  /** @param mostRows of a table */
  constructor(file: string, options: ReadOptions, mostRows: number) {
    this.#file = file;
    this.#options = options;
    this.#mostRows = mostRows;
    this.#memory = new ColumnMemory(file);
    this.#labels = new CategoricalBuilder("label", this.#memory);
  }

  /** Number of rows in the current table. */
  get rows(): number {
    return this.#cells.rows;
  }

  /**
   * Reads lines from `start` to `end`, which follows a line feed, until the table is full; returns the position after
   * the last line read.
   */
  takeLines(bytes: Uint8Array, start: number, end: number): number {
    let from = start;
    while (from < end && this.rows < this.#mostRows) {
      const to = bytes.indexOf(LINE_FEED, from);
      this.#line++;
      if (!this.#takePlain(bytes, from, bytes[to - 1] === CARRIAGE_RETURN && to > from ? to - 1 : to)) {
        this.#cells.restartRow();
        this.#takeText(decodeUtf8(bytes, from, to));
      }
      from = to + 1;
    }
    return from;
  }

  /** Returns the rows as a table with all columns so far, and starts the next table. */
  async takeTable(): Promise<Table> {
    const { rows } = this;
    const width = this.#width();
    for (let j = this.#names.length; j < width; j++) this.#names.push(`f${j + 1}`);
    const columns = await this.#cells.finish(this.#names, this.#options.signal);
    const table = new Table(this.#file, rows, [...columns, this.#labels.finish(rows)], this.#firstRow);
    this.#firstRow += rows;
    this.#entries += this.#cells.entries;
    this.#cells = new SparseColumns();
    this.#memory = new ColumnMemory(this.#file);
    this.#labels = new CategoricalBuilder("label", this.#memory);
    return table;
  }

  /** Returns the number of columns so far. */
  #width(): number {
    const width = Math.max(this.#names.length, this.#cells.width, this.#options.features ?? 0);
    if (width <= MAX_FEATURES) return width;
    throw new VouchError(
      "data/too-large",
      `${this.#file} has ${width} columns, but at most ${MAX_FEATURES} can be read.`,
      { hint: "Select the features that matter, or hash them into fewer columns, before loading." },
    );
  }

  /** Throws, after the last row, if there are no columns or nearly all are empty. */
  checkColumns(): void {
    if (this.#firstRow + this.rows === 0) throw new VouchError("data/no-rows", `${this.#file} has no rows.`);
    const { features = 0 } = this.#options;
    const width = this.#width();
    const entries = this.#entries + this.#cells.entries;
    if (width <= Math.max(features, FREE_FEATURES + entries)) return;
    throw new VouchError(
      "data/too-large",
      `${this.#file} names column ${width}, but has only ${formatCount(entries, "entry", "entries")}, so nearly all columns would be empty.`,
      { hint: "Check the largest index, or number the features without gaps." },
    );
  }

  /** Reads a record of plain numbers; returns false, with the row unfinished, if the line contains anything else. */
  #takePlain(bytes: Uint8Array, from: number, to: number): boolean {
    let at = from;
    while (at < to && isLabelByte(bytes[at])) at++;
    if (at === from || (at < to && !isBlank(bytes[at]))) return false;
    const labelEnd = at;
    let last = 0;
    for (;;) {
      while (at < to && isBlank(bytes[at])) at++;
      if (at === to) break;
      const first = at;
      let index = 0;
      for (let digit = bytes[at] - ZERO; digit >= 0 && digit <= 9; digit = bytes[++at] - ZERO) {
        index = 10 * index + digit;
      }
      if (at === first || bytes[at] !== COLON || index <= last || index > 2 ** 31 - 1) return false;
      const value = this.#decimals.read(bytes, at + 1);
      at = this.#decimals.end;
      if (Number.isNaN(value) || at > to || (at < to && !isBlank(bytes[at]))) return false;
      last = index;
      this.#cells.add(index - 1, value);
    }
    this.#endRow(this.#label(bytes, from, labelEnd));
    return true;
  }

  #label(bytes: Uint8Array, from: number, to: number): string {
    if (to - from > 4) return decodeUtf8(bytes, from, to);
    let key = 0;
    for (let at = from; at < to; at++) key = (key << 8) | bytes[at];
    const known = this.#shortLabels.get(key);
    if (known !== undefined) return known;
    const label = decodeUtf8(bytes, from, to);
    this.#shortLabels.set(key, label);
    return label;
  }

  #endRow(label: string): void {
    this.#memory.addRows(1, 1);
    this.#labels.set(this.#cells.rows, label);
    this.#cells.endRow();
  }

  /** Reads a record; skips lines without one. */
  #takeText(line: string): void {
    const text = line.replace(/#.*/s, "").trim();
    if (text === "") return;
    const [label, ...pairs] = text.split(/[ \t]+/);
    if (label.includes(":")) throw this.#malformed(`there is no label before ${excerpt(label)}`, RECORD_HINT);
    let last = 0;
    for (const pair of pairs) last = this.#takePair(pair, last);
    this.#endRow(label);
  }

  /** Reads `index:value` and returns the index. */
  #takePair(pair: string, last: number): number {
    const colon = pair.indexOf(":");
    if (pair.startsWith("qid:")) {
      throw this.#malformed(`${excerpt(pair)} marks ranking data`, "Remove the qid: entries.");
    }
    const index = /^\d+$/.test(pair.slice(0, Math.max(0, colon))) ? Number(pair.slice(0, colon)) : Number.NaN;
    if (Number.isNaN(index)) throw this.#malformed(`${excerpt(pair)} is not index:value`, RECORD_HINT);
    if (index < 1 || index > 2 ** 31 - 1) {
      throw this.#malformed(`index ${index} is out of range`, "Indices start at 1.");
    }
    if (index <= last) {
      throw this.#malformed(
        `index ${index} comes after ${last}`,
        "Sort the indices of each row in ascending order.",
      );
    }
    const text = pair.slice(colon + 1);
    const position = {
      file: this.#file,
      row: this.#firstRow + this.rows + 1,
      line: this.#line,
      column: `f${index}`,
    };
    this.#cells.add(index - 1, /^[+-]?nan$/i.test(text) ? Number.NaN : finiteNumber(position, text));
    return index;
  }

  #malformed(problem: string, hint: string): VouchError {
    return new VouchError(
      "data/malformed",
      `${this.#file}, row ${this.#firstRow + this.rows + 1} (line ${this.#line}): ${problem}.`,
      { hint },
    );
  }
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

/** Returns whether a byte is printable ASCII other than a colon and the start of a comment. */
function isLabelByte(byte: number): boolean {
  return byte > SPACE && byte < 127 && byte !== COLON && byte !== HASH;
}
