import { VouchError } from "vouch/predict";
import { numberOf } from "../cell.js";
import { checkedNames } from "../column-plan.js";
import { emptyFile } from "../input/file-fault.js";
import type { TextWindow } from "../input/text-window.js";
import type { ReadOptions } from "../read-options.js";
import { CellScanner } from "./cell-scanner.js";
import { loneCarriageReturn } from "./record-parser.js";

const DELIMITERS = [",", ";", "\t", "|"];
const COMPARED_RECORDS = 20;
const NO_HEADER_HINT = "If the first record is data, say that there is no header: --no-header.";

/** How the cells of a file are separated, and what its columns are called. */
export interface Dialect {
  /** The byte between two cells. */
  readonly delimiter: number;
  readonly names: readonly string[];
  /** The line on which the data start. */
  readonly line: number;
}

interface TextRecord {
  readonly cells: readonly string[];
  /** Where the record after it starts, and on which line. */
  readonly next: number;
  readonly line: number;
}

/** Reads the header and leaves the window at the start of the data. */
export async function readDialect(
  file: string,
  window: TextWindow,
  options: Pick<ReadOptions, "delimiter" | "header">,
): Promise<Dialect> {
  for (;;) {
    const blank = skipBlankLines(window);
    const told = delimiterLine(window, blank);
    const start = told?.after ?? blank;
    if (start.at < window.end) {
      const delimiter =
        delimiterByte(options.delimiter) ?? told?.delimiter ?? bestDelimiter(file, window, start);
      const first = textRecord(file, window, delimiter, start);
      if (first !== undefined) {
        const names = columnNames(file, first.cells, options.header);
        const { at, line } = options.header === false ? start : { at: first.next, line: first.line };
        window.start = at;
        return { delimiter, names, line };
      }
    }
    if (!(await window.more())) throw start.at < window.end ? openQuote(file, start.line) : emptyFile(file);
  }
}

/** The line `sep=;` with which programs tell Excel what separates the cells; it is no record. */
function delimiterLine(
  window: TextWindow,
  { at, line }: Place,
): { delimiter: number; after: Place } | undefined {
  const text = window.bytes.toString("latin1", at, Math.min(at + 7, window.end));
  const [written, character] = /^sep=([,;|\t])\r?\n/i.exec(text) ?? [];
  if (written === undefined || character === undefined) return undefined;
  return { delimiter: character.charCodeAt(0), after: { at: at + written.length, line: line + 1 } };
}

function openQuote(file: string, line: number): VouchError {
  return new VouchError("data/malformed", `${file}: a quote in the record on line ${line} is never closed.`, {
    hint: "A quote inside a quoted cell is written twice.",
  });
}

function columnNames(file: string, cells: readonly string[], header: boolean | undefined): string[] {
  if (header === false) return cells.map((_, index) => `column${index + 1}`);
  if (header === undefined && looksLikeData(cells)) {
    throw new VouchError(
      "data/malformed",
      `${file}: the first record should name the columns, but has numbers.`,
      {
        hint: `${NO_HEADER_HINT} If these are the names: --header.`,
      },
    );
  }
  return checkedNames(file, cells, NO_HEADER_HINT);
}

/** All numbers, and not simply the columns counted from 0 or 1, as some programs write for want of names. */
function looksLikeData(cells: readonly string[]): boolean {
  const numbers = cells.map(numberOf);
  if (numbers.includes(undefined)) return false;
  return !numbers.every((number, index) => number === index + (numbers[0] ?? 0)) || (numbers[0] ?? 0) > 1;
}

/** The delimiter that the user named. */
function delimiterByte(delimiter: string | undefined): number | undefined {
  if (delimiter === undefined) return undefined;
  if (delimiter.length !== 1 || !/[\t -~]/.test(delimiter) || /["A-Za-z0-9.+-]/.test(delimiter)) {
    throw new VouchError(
      "option/invalid",
      `The delimiter ${JSON.stringify(delimiter)} cannot separate cells.`,
      {
        hint: 'It is one ASCII character that is no letter, digit, sign, point or quote, such as "," or ";".',
      },
    );
  }
  return delimiter.charCodeAt(0);
}

/**
 * The candidate that cuts the first records into the same number of cells, more than one; if several do, the
 * one with most cells, and if none does, the one with most cells in the first record.
 */
function bestDelimiter(file: string, window: TextWindow, start: Place): number {
  let best = DELIMITERS[0];
  let most = 0;
  for (const candidate of DELIMITERS) {
    const widths = firstWidths(file, window, candidate.charCodeAt(0), start);
    const width = widths[0] ?? 1;
    const even = width > 1 && widths.every((other) => other === width);
    const merit = even ? 1e9 + width : width;
    if (merit > most) {
      most = merit;
      best = candidate;
    }
  }
  return best.charCodeAt(0);
}

function firstWidths(file: string, window: TextWindow, delimiter: number, start: Place): number[] {
  const widths: number[] = [];
  let place = start;
  try {
    while (widths.length < COMPARED_RECORDS) {
      const record = textRecord(file, window, delimiter, place);
      if (record === undefined) break;
      const blank = record.cells.length === 1 && record.cells[0] === "";
      if (!blank) widths.push(record.cells.length);
      place = { at: record.next, line: record.line };
    }
  } catch {
    // With the wrong delimiter quotes may seem out of place: no record of this kind.
    return widths.length > 0 ? [...widths, 0] : [];
  }
  return widths;
}

interface Place {
  readonly at: number;
  readonly line: number;
}

function skipBlankLines(window: TextWindow): Place {
  const { bytes, end } = window;
  let at = window.start;
  let line = 1;
  for (;;) {
    const next = bytes[at] === 13 && bytes[at + 1] === 10 ? at + 2 : bytes[at] === 10 ? at + 1 : at;
    if (next === at || next > end) return { at, line };
    at = next;
    line++;
  }
}

/** The cells of the record at `place`, or undefined if the window does not hold all of it. */
function textRecord(
  file: string,
  window: TextWindow,
  delimiter: number,
  place: Place,
): TextRecord | undefined {
  const { bytes, end } = window;
  const scanner = new CellScanner(delimiter);
  const cells: string[] = [];
  let { at, line } = place;
  for (;;) {
    if (at >= end) return undefined;
    const scan = scanner.scan(bytes, at, end);
    if (scan === "incomplete") return undefined;
    line += scanner.lines;
    if (scan === "text after quote") {
      throw new VouchError(
        "data/malformed",
        `${file}, line ${line}, column ${cells.length + 1}: text after the closing quote.`,
        { hint: "A quote inside a quoted cell is written twice." },
      );
    }
    cells.push(scanner.text(bytes));
    at = scanner.stop + 1;
    if (bytes[scanner.stop] === delimiter) continue;
    if (bytes[scanner.stop] === 10) return { cells, next: at, line: line + 1 };
    if (at >= end) return undefined;
    if (bytes[at] !== 10) throw loneCarriageReturn(file, line);
    return { cells, next: at + 1, line: line + 1 };
  }
}
