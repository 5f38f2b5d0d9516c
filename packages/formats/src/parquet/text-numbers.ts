import type { Table, TableNotice } from "@vouch/core/internal/table/table";
import type { ColumnRole } from "../column-roles.js";
import type { PartsOfData } from "../data-part.js";
import { wordsOfShards } from "../missing-words.js";
import { FirstValues, type NumberSurvey } from "../number-survey.js";
import type { ReadOptions } from "../read-options.js";
import type { WrittenNumbers } from "../written-numbers.js";

/**
 * A column that is not stored as numbers: strings, which may be written numbers, or other values, which only the user
 * can declare numeric.
 */
export interface TextColumn {
  readonly name: string;
  readonly isString: boolean;
}

/** Text columns that are read as numbers, and their missing values. */
export class TextNumbers {
  readonly #file: string;
  readonly #survey: NumberSurvey;
  readonly #cells: WrittenNumbers;

  /** @param firstRows the first rows, with at least the columns that `needsRows` names */
  constructor(
    file: string,
    columns: readonly TextColumn[],
    roles: ReadonlyMap<string, ColumnRole>,
    options: ReadOptions,
    firstRows: Table | undefined,
  ) {
    const kept = new Set(options.verbatim);
    const fixed = new Map(roles);
    for (const { name, isString } of columns) {
      if (!fixed.has(name) && (!isString || kept.has(name))) fixed.set(name, "categorical");
    }
    const values = new FirstValues(options);
    for (const { name } of columns) values.addColumn(name);
    if (firstRows) values.addTexts(firstRows);
    this.#file = file;
    this.#survey = values.decide(fixed, options);
    this.#cells = this.#survey.newCells();
  }

  isNumeric(name: string): boolean {
    return this.#survey.isNumeric(name);
  }

  /** Parses a string in a numeric column. */
  number(column: string, text: string, row: number): number {
    return this.#cells.cell(this.#survey.placeOf(column) ?? 0, text, { file: this.#file, row, column });
  }

  /** Counts nulls. */
  addNulls(column: string, count: number): void {
    const place = this.#survey.placeOf(column);
    if (place !== undefined) this.#cells.words.addAbsent(place, count);
  }

  /**
   * Describes after the last row how the strings were read. Throws if a column turns out to have hardly any numbers.
   */
  async notices(rows: number, part: PartsOfData | undefined): Promise<TableNotice[]> {
    const words = part
      ? await wordsOfShards(this.#cells.words, part, this.#survey.newCells().words)
      : this.#cells.words;
    return this.#survey.notices(this.#file, this.#survey.layout.names, words, rows);
  }
}
