import { isMissingMarker } from "@vouch/core/internal/table/missing-markers";
import { readWrittenNumber } from "@vouch/core/internal/table/number-notation";
import { type CellPosition, infiniteCell, parseNumber } from "./cell.js";
import { MissingWords } from "./missing-words.js";
import type { WrittenColumn } from "./number-columns.js";

/** Bytes of decimal marks. */
export const DECIMAL_POINT = 46;
const DECIMAL_COMMA = 44;

/** How the numeric columns of a file are read; plain data, which threads exchange. */
export interface NumberLayout {
  readonly names: readonly string[];
  /** Byte of the decimal mark, by column. */
  readonly marks: Uint8Array;
  /** Words in numeric columns to count individually, by column. */
  readonly words: readonly (readonly string[])[];
  /** Additional words for missing values. */
  readonly missing: readonly string[];
}

/** Lays out the columns of a file; undefined entries are not numeric. */
export function numberLayout(
  names: readonly string[],
  columns: readonly (WrittenColumn | undefined)[],
  missing: readonly string[] = [],
): NumberLayout {
  const words: (readonly string[])[] = [];
  for (const [j, column] of columns.entries()) {
    if (column && column.words.length > 0) words[j] = column.words;
  }
  const marks = Uint8Array.from(columns, (column) => (column?.mark === "," ? DECIMAL_COMMA : DECIMAL_POINT));
  return { names, marks, words, missing };
}

/** Parses numbers in any notation from strings in numeric columns, and counts missing values. */
export class WrittenNumbers {
  readonly words: MissingWords;
  readonly #marks: Uint8Array;
  readonly #missing: ReadonlySet<string>;

  constructor({ names, marks, words, missing }: NumberLayout) {
    this.words = new MissingWords(names.length, words);
    this.#marks = marks;
    this.#missing = new Set(missing);
  }

  isMissing(text: string): boolean {
    return isMissingMarker(text) || this.#missing.has(text);
  }

  /** Counts a missing value and returns NaN. */
  missing(j: number): number {
    this.words.addMarker(j);
    return Number.NaN;
  }

  /** Parses a number in any notation; other words are missing. Throws if the number is not finite. */
  number(j: number, text: string, position: CellPosition): number {
    const value = readWrittenNumber(text, this.#marks[j] === DECIMAL_COMMA ? "," : ".");
    if (!Number.isNaN(value)) return value;
    // Infinite, or too large for a double.
    if (parseNumber(text) !== undefined) throw infiniteCell(position, text);
    const { row, line } = position;
    this.words.add(j, { text, row, line });
    return Number.NaN;
  }

  /** Parses a cell as a record of its own. */
  cell(j: number, text: string, position: CellPosition): number {
    const value = this.isMissing(text) ? this.missing(j) : this.number(j, text, position);
    this.words.endRecord(true);
    return value;
  }
}
