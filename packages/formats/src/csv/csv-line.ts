/** Cell of a CSV record; null and undefined are missing, written as an empty cell. */
export type CsvCell = string | number | boolean | null | undefined;

/** How CSV is written. */
export interface CsvStyle {
  /**
   * Writes an apostrophe before texts that a spreadsheet would run as a formula: those that start with = + - @, also in full
   * width, or with a tab or line end. Numbers stay as they are. It changes cells: not for files that programs read.
   */
  readonly safe?: boolean;
}

/**
 * Writes one CSV record with its line end. Text with a delimiter, quote, line end or byte-order mark is quoted. A record
 * of one empty cell is written `""`, because readers skip empty lines.
 */
export function csvLine(cells: readonly CsvCell[], style?: CsvStyle): string {
  return csvRecord(cells.map((cell) => csvCell(cell, style)).join(","));
}

/** Ends a record of written cells, which commas separate. */
export function csvRecord(cells: string): string {
  return `${cells === "" ? '""' : cells}\n`;
}

/** Writes one cell of a CSV record. */
export function csvCell(cell: CsvCell, style?: CsvStyle): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return String(cell);
  const text = style?.safe ? withoutFormula(String(cell)) : String(cell);
  return /[",;|\t\r\n\ufeff]/.test(text) ? quotedCell(text) : text;
}

/** Writes a cell in quotes. */
export function quotedCell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

function withoutFormula(text: string): string {
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}
