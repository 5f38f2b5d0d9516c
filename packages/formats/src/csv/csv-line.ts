/** Cell of a CSV record; null and undefined are missing and become empty cells. */
export type CsvCell = string | number | boolean | null | undefined;

/** Style of CSV output. */
export interface CsvStyle {
  /**
   * Writes an apostrophe before strings that a spreadsheet would run as a formula: those that start with = + - @, also
   * in full width, or with a tab or line end. Numbers are unchanged. Not for files that programs read, because it
   * changes cells.
   */
  readonly safe?: boolean;
}

/**
 * Formats a CSV record with its line end. Quotes strings that contain a delimiter, quote, line end or byte-order mark.
 * A record of one empty cell becomes `""`, because readers skip empty lines.
 */
export function csvLine(cells: readonly CsvCell[], style?: CsvStyle): string {
  return csvRecord(cells.map((cell) => csvCell(cell, style)).join(","));
}

/** Adds the line end to formatted cells, separated by commas. */
export function csvRecord(cells: string): string {
  return `${cells === "" ? '""' : cells}\n`;
}

/** Formats one cell of a CSV record. */
export function csvCell(cell: CsvCell, style?: CsvStyle): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return String(cell);
  const text = style?.safe ? withoutFormula(String(cell)) : String(cell);
  return /[",;|\t\r\n\ufeff]/.test(text) ? quotedCell(text) : text;
}

export function quotedCell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

function withoutFormula(text: string): string {
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}
