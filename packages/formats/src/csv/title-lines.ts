import { readWrittenNumber } from "@vouch/core/internal/table/number-notation";
import { commonWidth, countFilled, type TextRecord } from "./text-record.js";

/** Maximum number of title lines. */
const MOST_TITLES = 20;
/** Maximum share of the columns that a title line fills. */
const TITLE_SHARE = 0.25;
/** In tables with fewer columns, a single filled cell may be a header with missing names. */
const LEAST_COLUMNS = 4;

/**
 * Counts the records above the header, such as the name and the date of a report. Records that fill at most a quarter
 * of the columns are titles if a header follows. A header names at least half of the columns, and its names are
 * different and mostly not numbers. If there are few columns, more evidence must distinguish a title from a header with
 * gaps: a blank line below it, or names above a column of numbers.
 */
export function countTitles(records: readonly TextRecord[]): number {
  const { width, count } = commonWidth(records);
  if (width < 2 || 2 * count < records.length) return 0;
  const most = Math.max(1, Math.floor(TITLE_SHARE * width));
  const titles = records.findIndex(({ cells }) => countFilled(cells) > most);
  if (titles < 1 || titles > MOST_TITLES) return 0;
  const header = records[titles];
  if (header.cells.length !== width || !looksLikeHeader(header.cells)) return 0;
  const isPlain = width >= LEAST_COLUMNS || isBlankAbove(records, titles);
  return isPlain || isAboveNumbers(header.cells, records.slice(titles + 1)) ? titles : 0;
}

function looksLikeHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  const numbers = names.filter(isNumber).length;
  return (
    names.length >= 2 &&
    2 * names.length >= cells.length &&
    2 * numbers < names.length &&
    new Set(names).size === names.length
  );
}

/** Tests whether the line or record above is blank. */
function isBlankAbove(records: readonly TextRecord[], at: number): boolean {
  const { cells, next } = records[at - 1];
  return countFilled(cells) === 0 || records[at].start.line > next.line;
}

/** Tests whether a name is above a column that contains only numbers. */
function isAboveNumbers(names: readonly string[], rows: readonly TextRecord[]): boolean {
  return names.some((name, j) => {
    const cells = rows.map((row) => row.cells[j] ?? "").filter((cell) => cell.trim() !== "");
    return name.trim() !== "" && !isNumber(name) && cells.length > 0 && cells.every(isNumber);
  });
}

function isNumber(cell: string): boolean {
  return !Number.isNaN(readWrittenNumber(cell, "."));
}
