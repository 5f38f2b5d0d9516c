import { VouchError } from "vouch/errors";
import { decodeLatin1 } from "../bytes.js";
import { parseNumber } from "../cell.js";
import { checkColumnCount } from "../column-memory.js";
import { uniqueNames } from "../column-roles.js";
import { emptyFile } from "../foreign-file.js";
import type { ReadOptions } from "../read-options.js";
import type { TextWindow } from "../text-window.js";
import { CellScanner, loneCarriageReturn, quoteError } from "./cell-scanner.js";

const DELIMITERS = [",", ";", "\t", "|"];
const COMPARED_RECORDS = 20;
const NO_HEADER_HINT = "If the first record is data, pass --no-header.";

/** Delimiter and column names of a file. */
export interface CsvDialect {
  /** Byte between two cells. */
  readonly delimiter: number;
  readonly names: readonly string[];
  /** Line on which the data starts. */
  readonly line: number;
  /** Byte of the file at which the data starts. */
  readonly start: number;
}

interface TextRecord {
  readonly cells: readonly string[];
  /** Position and line of the record after it. */
  readonly next: number;
  readonly line: number;
}

/** Reads the header and leaves the window at the start of the data. */
export async function readDialect(
  file: string,
  window: TextWindow,
  options: Pick<ReadOptions, "delimiter" | "header">,
): Promise<CsvDialect> {
  let line = 1;
  for (;;) {
    line += skipBlankLines(window);
    const blank = { at: window.start, line };
    const declared = delimiterLine(window, blank);
    const start = declared?.after ?? blank;
    if (start.at < window.end) {
      const delimiter =
        delimiterByte(options.delimiter) ?? declared?.delimiter ?? bestDelimiter(file, window, start);
      const first = textRecord(file, window, delimiter, start);
      if (first !== undefined) {
        const names = columnNames(file, first.cells, options.header);
        const data = options.header === false ? start : { at: first.next, line: first.line };
        window.start = data.at;
        return { delimiter, names, line: data.line, start: window.position };
      }
    }
    if (!(await window.more())) {
      if (start.at >= window.end) throw emptyFile(file);
      throw quoteError(`${file}: a quote in the record on line ${start.line} is never closed.`);
    }
  }
}

/** Reads the line `sep=;`, with which some programs set the delimiter for Excel; it is not a record. */
function delimiterLine(
  window: TextWindow,
  { at, line }: Offset,
): { delimiter: number; after: Offset } | undefined {
  const text = decodeLatin1(window.bytes.subarray(at, Math.min(at + 7, window.end)));
  const [written, character] = /^sep=([,;|\t])\r?\n/i.exec(text) ?? [];
  if (written === undefined || character === undefined) return undefined;
  return { delimiter: character.charCodeAt(0), after: { at: at + written.length, line: line + 1 } };
}

function columnNames(file: string, cells: readonly string[], header: boolean | undefined): string[] {
  if (header === false) return cells.map((_, index) => `column${index + 1}`);
  if (header === undefined && looksLikeData(cells)) {
    throw new VouchError(
      "data/malformed",
      `${file}: the first record should name the columns, but it has only numbers.`,
      { hint: `${NO_HEADER_HINT} If these are the names, pass --header.` },
    );
  }
  return uniqueNames(file, cells, NO_HEADER_HINT);
}

/** Tests whether all cells are numbers, and not simply 0, 1, 2, … or 1, 2, 3, …, which some programs write as names. */
function looksLikeData(cells: readonly string[]): boolean {
  const numbers = cells.map(parseNumber);
  if (numbers.includes(undefined)) return false;
  return !numbers.every((number, index) => number === index + (numbers[0] ?? 0)) || (numbers[0] ?? 0) > 1;
}

/** Checks the delimiter that the user named. */
function delimiterByte(delimiter: string | undefined): number | undefined {
  if (delimiter === undefined) return undefined;
  if (delimiter.length !== 1 || !/[\t -~]/.test(delimiter) || /["A-Za-z0-9.+-]/.test(delimiter)) {
    throw new VouchError(
      "option/invalid",
      `The delimiter ${JSON.stringify(delimiter)} cannot separate cells.`,
      {
        hint: 'Use one ASCII character such as "," or ";", not a letter, digit, sign, point or quote.',
      },
    );
  }
  return delimiter.charCodeAt(0);
}

/**
 * Chooses the delimiter that splits each of the first records into the same number of cells, more than one; if several
 * do, the one with most cells, and if none does, the one with most cells in the first record.
 */
function bestDelimiter(file: string, window: TextWindow, start: Offset): number {
  let best = DELIMITERS[0];
  let most = 0;
  for (const candidate of DELIMITERS) {
    const widths = firstWidths(file, window, candidate.charCodeAt(0), start);
    const width = widths[0] ?? 1;
    const even = width > 1 && widths.every((other) => other === width);
    const score = even ? 1e9 + width : width;
    if (score > most) {
      most = score;
      best = candidate;
    }
  }
  return best.charCodeAt(0);
}

function firstWidths(file: string, window: TextWindow, delimiter: number, start: Offset): number[] {
  const widths: number[] = [];
  let offset = start;
  try {
    while (widths.length < COMPARED_RECORDS) {
      const record = textRecord(file, window, delimiter, offset);
      if (record === undefined) break;
      const blank = record.cells.length === 1 && record.cells[0] === "";
      if (!blank) widths.push(record.cells.length);
      offset = { at: record.next, line: record.line };
    }
  } catch {
    // With the wrong delimiter, quotes may be out of place.
    return widths.length > 0 ? [...widths, 0] : [];
  }
  return widths;
}

interface Offset {
  readonly at: number;
  readonly line: number;
}

/** Moves the window behind blank lines; returns their number. */
function skipBlankLines(window: TextWindow): number {
  const { bytes, end } = window;
  for (let lines = 0; ; lines++) {
    const at = window.start;
    const next = bytes[at] === 13 && bytes[at + 1] === 10 ? at + 2 : bytes[at] === 10 ? at + 1 : at;
    if (next === at || next > end) return lines;
    window.start = next;
  }
}

/** Reads the record at `offset`; undefined if the window does not contain all of it. */
function textRecord(
  file: string,
  window: TextWindow,
  delimiter: number,
  offset: Offset,
): TextRecord | undefined {
  const { bytes, end } = window;
  const scanner = new CellScanner(delimiter);
  const cells: string[] = [];
  let { at, line } = offset;
  for (;;) {
    if (at >= end) return undefined;
    const scan = scanner.scan(bytes, at, end);
    if (scan === "incomplete") return undefined;
    line += scanner.lines;
    if (scan === "text after quote") {
      throw quoteError(`${file}, line ${line}, column ${cells.length + 1}: text after the closing quote.`);
    }
    cells.push(scanner.text(bytes));
    checkColumnCount(file, cells.length);
    at = scanner.stop + 1;
    if (bytes[scanner.stop] === delimiter) continue;
    if (bytes[scanner.stop] === 10) return { cells, next: at, line: line + 1 };
    if (at >= end) return undefined;
    if (bytes[at] !== 10) throw loneCarriageReturn(file, line);
    return { cells, next: at + 1, line: line + 1 };
  }
}
