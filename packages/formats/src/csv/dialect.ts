import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { parseWritten } from "@vouch/core/internal/table/number-notation";
import { decodeLatin1 } from "../bytes.js";
import { parseNumber } from "../cell.js";
import { uniqueNames } from "../column-roles.js";
import type { ReadOptions } from "../read-options.js";
import type { TextWindow } from "../text-window.js";
import { emptyFile } from "../unsupported-file.js";
import { quoteError } from "./cell-scanner.js";
import {
  commonWidth,
  countFilled,
  type FirstRecords,
  type Offset,
  readFirstRecords,
  readTextRecord,
  type TextRecord,
} from "./text-record.js";
import { countTitles } from "./title-lines.js";

const DELIMITERS = [",", ";", "\t", "|"];
const COMPARED_RECORDS = 40;
const COMPARED_BYTES = 1 << 19;
const NO_HEADER_HINT = "If the first record is data, pass --no-header.";

/** Delimiter and column names of a file. */
export interface CsvDialect {
  readonly delimiter: number;
  readonly names: readonly string[];
  /** Line on which the data starts. */
  readonly line: number;
  /** Byte of the file at which the data starts. */
  readonly start: number;
  /** Lines above the header, and the first non-empty cell of recognised titles. */
  readonly skipped: number;
  readonly titles: readonly string[];
}

/** Reads the header and moves the window to the start of the data. */
export async function readDialect(
  file: string,
  window: TextWindow,
  options: Pick<ReadOptions, "delimiter" | "header" | "skip" | "headerRow">,
): Promise<CsvDialect> {
  const skipped = linesToSkip(options);
  await skipLines(file, window, skipped ?? 0);
  let line = 1 + (skipped ?? 0);
  for (;;) {
    line += skipBlankLines(window);
    if (options.headerRow !== undefined && line > options.headerRow) throw noLine(file, options.headerRow);
    const blank = { at: window.start, line };
    const declared = delimiterLine(window, blank);
    const start = declared?.after ?? blank;
    if (start.at < window.end) {
      const delimiter =
        delimiterByte(options.delimiter) ?? declared?.delimiter ?? bestDelimiter(file, window, start);
      const titles =
        skipped === undefined && options.header === undefined ? titlesAt(file, window, delimiter, start) : [];
      const top = titles.at(-1)?.next ?? start;
      const first = readTextRecord(file, window, delimiter, top);
      if (first !== undefined) {
        const isNamed = options.header ?? (options.headerRow === undefined ? undefined : true);
        const names = columnNames(file, first.cells, isNamed, top.line);
        const data = options.header === false ? top : first.next;
        window.start = data.at;
        const filled = titles.flatMap(({ cells }) => cells.find((cell) => cell.trim() !== "") ?? []);
        return {
          delimiter,
          names,
          line: data.line,
          start: window.position,
          skipped: top.line - 1,
          titles: filled,
        };
      }
    }
    if (!(await window.more())) {
      if (start.at >= window.end) throw emptyFile(file);
      throw quoteError(`${file}: a quote in the record on line ${start.line} is never closed.`);
    }
  }
}

/** Returns the number of lines to skip above the header, as set by the user. */
export function linesToSkip({
  skip,
  headerRow,
}: Pick<ReadOptions, "skip" | "headerRow">): number | undefined {
  if (skip !== undefined && headerRow !== undefined) {
    throw new VouchError("option/invalid", "--skip cannot be combined with --header-row.", {
      hint: "--header-row 4 reads the names from line 4, as --skip 3 does.",
    });
  }
  checkLine("skip", skip, 0);
  checkLine("header-row", headerRow, 1);
  return headerRow === undefined ? skip : headerRow - 1;
}

function checkLine(option: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
  throw new VouchError("option/invalid", `--${option} must be a whole number ≥ ${least}, not ${value}.`);
}

/** Moves the window past a number of lines. */
async function skipLines(file: string, window: TextWindow, count: number): Promise<void> {
  for (let lines = 0; lines < count; ) {
    const next = window.bytes.indexOf(10, window.start);
    if (next >= 0 && next < window.end) {
      window.start = next + 1;
      lines++;
    } else if (!(await window.more())) throw noLine(file, count + 1);
  }
}

function noLine(file: string, line: number): VouchError {
  return new VouchError("option/invalid", `${file} has no column names on line ${line}.`, {
    hint: "Check --skip or --header-row: lines are counted from 1, blank ones included.",
  });
}

/** Returns the title records above the header. */
function titlesAt(file: string, window: TextWindow, delimiter: number, start: Offset): readonly TextRecord[] {
  const { records } = firstRecords(file, window, delimiter, start);
  const titles = records.slice(0, countTitles(records));
  const header = records[titles.length];
  return titles.map((title, i) => (i + 1 < titles.length ? title : { ...title, next: header.start }));
}

/** Reads the line `sep=;`, with which some programs set the delimiter for Excel. It is not a record. */
function delimiterLine(
  window: TextWindow,
  { at, line }: Offset,
): { delimiter: number; after: Offset } | undefined {
  const text = decodeLatin1(window.bytes.subarray(at, Math.min(at + 7, window.end)));
  const [written, character] = /^sep=([,;|\t])\r?\n/i.exec(text) ?? [];
  if (written === undefined || character === undefined) return undefined;
  return { delimiter: character.charCodeAt(0), after: { at: at + written.length, line: line + 1 } };
}

function columnNames(
  file: string,
  cells: readonly string[],
  header: boolean | undefined,
  line: number,
): string[] {
  if (header === false) return cells.map((_, index) => `column${index + 1}`);
  if (header === undefined && looksLikeData(cells)) {
    throw new VouchError(
      "data/malformed",
      `${file}: the first record should name the columns, but it has only numbers.`,
      { hint: `${NO_HEADER_HINT} If these are the names, pass --header-row ${line}.` },
    );
  }
  return uniqueNames(file, cells, NO_HEADER_HINT);
}

/** Tests whether all cells are numbers. Excludes 0, 1, 2, … and 1, 2, 3, …, which some programs write as names. */
function looksLikeData(cells: readonly string[]): boolean {
  const numbers = cells.map(parseNumber);
  if (numbers.includes(undefined)) return false;
  return !numbers.every((number, index) => number === index + (numbers[0] ?? 0)) || (numbers[0] ?? 0) > 1;
}

/** Checks the delimiter set by the user. */
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
 * Chooses the delimiter. It prefers one that splits each of the first records into the same number of cells, more than
 * one; among several, the one with the most cells. Titles above or totals below the rows may rule this out. Then it
 * takes one that splits at least half of the records into the same number of cells, at least one of them into two
 * non-empty ones, because trailing tabs separate nothing. Otherwise it takes the one with the most cells in the first
 * record. Semicolons go before commas if all commas are decimal commas.
 */
function bestDelimiter(file: string, window: TextWindow, start: Offset): number {
  let best = DELIMITERS[0];
  let most = 0;
  for (const candidate of DELIMITERS) {
    const { records, isBroken } = firstRecords(file, window, candidate.charCodeAt(0), start);
    const first = records[0]?.cells.length ?? 1;
    const { width, count } = commonWidth(records);
    const isEven = !isBroken && first > 1 && records.every(({ cells }) => cells.length === first);
    if (candidate === ";" && isEven && commasAreDecimal(records)) return candidate.charCodeAt(0);
    const isUsual =
      !isBroken &&
      width > 1 &&
      2 * count >= records.length &&
      records.some(({ cells }) => countFilled(cells) > 1);
    const score = isEven ? 2e9 + first : isUsual ? 1e9 * (count / records.length) + width : first;
    if (score > most) {
      most = score;
      best = candidate;
    }
  }
  return best.charCodeAt(0);
}

/** Tests whether all commas are decimal commas, so that they do not separate cells. */
function commasAreDecimal(records: readonly TextRecord[]): boolean {
  const withComma = records.flatMap(({ cells }) => cells.filter((cell) => cell.includes(",")));
  return withComma.length > 0 && withComma.every((cell) => parseWritten(cell, ",") !== undefined);
}

/** Reads the first records that every pass over the file finds in its first window. */
function firstRecords(file: string, window: TextWindow, delimiter: number, start: Offset): FirstRecords {
  return readFirstRecords(file, window, delimiter, start, COMPARED_RECORDS, window.start + COMPARED_BYTES);
}

/** Moves the window past blank lines; returns their number. */
function skipBlankLines(window: TextWindow): number {
  const { bytes, end } = window;
  for (let lines = 0; ; lines++) {
    const at = window.start;
    const next = bytes[at] === 13 && bytes[at + 1] === 10 ? at + 2 : bytes[at] === 10 ? at + 1 : at;
    if (next === at || next > end) return lines;
    window.start = next;
  }
}
