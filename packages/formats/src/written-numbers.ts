import { isMissingMarker } from "@vouch/core/internal/table/missing-markers";
import { readWrittenNumber } from "@vouch/core/internal/table/number-notation";
import { type CellPosition, infiniteCell, parseNumber } from "./cell.js";
import { MissingWords } from "./missing-words.js";
import type { WrittenColumn } from "./number-columns.js";

/** The bytes of decimal marks. */
export const DECIMAL_POINT = 46;
const DECIMAL_COMMA = 44;

/** How the columns of numbers of a file are read; plain data, which threads exchange. */
export interface NumberLayout {
  readonly names: readonly string[];
  /** The byte of the decimal mark, by column. */
  readonly marks: Uint8Array;
  /** Words in columns of numbers to count one by one, by column. */
  readonly words: readonly (readonly string[])[];
  /** Further words that stand for a missing value. */
  readonly missing: readonly string[];
}

/** Lays out the columns of a file; those that are not numeric are undefined. */
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

/** Reads cells of columns of numbers that are written as text, in any notation, and counts what is missing there. */
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

  /** Reads a number in any notation; other words are missing. Throws if the number is not finite. */
  number(j: number, text: string, position: CellPosition): number {
    const value = readWrittenNumber(text, this.#marks[j] === DECIMAL_COMMA ? "," : ".");
    if (!Number.isNaN(value)) return value;
    // Infinite, or too large for a double.
    if (parseNumber(text) !== undefined) throw infiniteCell(position, text);
    const { row, line } = position;
    this.words.add(j, { text, row, line });
    return Number.NaN;
  }

  /** Reads a whole cell of a record of its own. */
  cell(j: number, text: string, position: CellPosition): number {
    const value = this.isMissing(text) ? this.missing(j) : this.number(j, text, position);
    this.words.endRecord(true);
    return value;
  }
}
