import { listArgument } from "@vouch/core/internal/runtime/text/shell";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** Number of first rows that decide whether a column is numeric. */
export const INFERENCE_ROWS = 20_480;

/** Each digit matches one place in the pattern; `\d+\.?\d*` would try all ways to divide a long run of digits. */
const NUMBER = /^[ \t]*[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)[ \t]*$/i;

/**
 * Parses decimal digits with an optional sign, point and exponent, or ±inf and ±infinity (which the caller rejects).
 * Ignores spaces and tabs around them. Returns undefined for everything else, including "0x1F", "1_000", "1,5" and
 * "true".
 */
export function parseNumber(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const value = Number(text);
  if (!Number.isNaN(value)) return value;
  return text.includes("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** Position of a cell: `row` counts data rows from 1, `line` is the line number in formats with lines. */
export interface CellPosition {
  readonly file: string;
  readonly row: number;
  readonly line?: number;
  readonly column: string;
}

/** Formats a position such as `data.csv, row 3 (line 4), column "age"`. */
export function positionText({ file, row, line, column }: CellPosition): string {
  return `${file}, row ${row}${line === undefined ? "" : ` (line ${line})`}, column "${column}"`;
}

/** Quotes text for a message, truncated if it is long. */
export function excerpt(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);
}

/** Parses a finite number; otherwise throws an error that names the cell. */
export function finiteNumber(position: CellPosition, text: string, parse = parseNumber): number {
  const value = parse(text);
  if (value === undefined) {
    throw new VouchError(
      "data/not-a-number",
      `${positionText(position)}: ${excerpt(text)} is not a number.`,
      {
        hint: `If the column is categorical, pass --categorical ${listArgument([position.column])}; otherwise correct the cell.`,
      },
    );
  }
  if (!Number.isFinite(value)) throw infiniteCell(position, text);
  return value;
}

/** Creates the error for a number that is infinite or too large for a double. */
export function infiniteCell(position: CellPosition, text: string): VouchError {
  return new VouchError(
    "data/not-finite",
    `${positionText(position)}: ${excerpt(text)} is not a finite number.`,
    {
      hint: "Leave the cell empty if the value is unknown.",
    },
  );
}
