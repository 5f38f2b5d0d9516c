import { isMissingMarker } from "@vouch/core/internal/table/missing-markers";
import type { Table, TableNotice } from "@vouch/core/internal/table/table";
import type { ColumnRole } from "./column-roles.js";
import type { MissingWords } from "./missing-words.js";
import { decideNumberColumns, type SurveyedColumn } from "./number-columns.js";
import { NumberEvidence } from "./number-evidence.js";
import type { ReadOptions } from "./read-options.js";
import { type NumberLayout, numberLayout, WrittenNumbers } from "./written-numbers.js";

/** Returns who declares a column numeric; undefined if its values decide. */
export function numericBy(
  roles: ReadonlyMap<string, ColumnRole>,
  { expectNumbers }: Pick<ReadOptions, "expectNumbers">,
): (name: string) => SurveyedColumn["numericBy"] {
  const expected = new Set(expectNumbers);
  return (name) =>
    roles.get(name) === "numeric" ? "user" : expected.has(name) && !roles.has(name) ? "model" : undefined;
}

/**
 * Collects the first values of columns, for formats with numeric or string values. Strings can be numbers, too; the
 * rules of CSV decide which columns are numeric, and how their numbers are written.
 */
export class FirstValues {
  readonly #evidence = new Map<string, NumberEvidence>();
  readonly #missing: ReadonlySet<string>;

  constructor({ missing }: Pick<ReadOptions, "missing">) {
    this.#missing = new Set(missing);
  }

  /** Registers a column that may have no value. */
  addColumn(name: string): NumberEvidence {
    const known = this.#evidence.get(name);
    if (known) return known;
    const evidence = new NumberEvidence();
    this.#evidence.set(name, evidence);
    return evidence;
  }

  /** Adds a value `count` times. */
  add(name: string, value: number | string, count = 1): void {
    const evidence = this.addColumn(name);
    if (typeof value === "number") evidence.addExact(value, count);
    else if (!evidence.isText && !isMissingMarker(value) && !this.#missing.has(value))
      evidence.add(value, count);
  }

  /** Adds the text columns of a table's first rows. */
  addTexts(table: Table): void {
    for (const column of table.columns) {
      if (column.kind !== "categorical") continue;
      this.addColumn(column.name);
      const counts = new Map<number, number>();
      for (const code of column.codes) counts.set(code, (counts.get(code) ?? 0) + 1);
      for (const [code, count] of counts) if (code >= 0) this.add(column.name, column.levels[code], count);
    }
  }

  /** Decides which columns are numeric. Columns with another role stay as they are. */
  decide(
    roles: ReadonlyMap<string, ColumnRole>,
    options: Pick<ReadOptions, "decimalComma" | "missing" | "expectNumbers">,
  ): NumberSurvey {
    const names = [...this.#evidence.keys()];
    const declaredBy = numericBy(roles, options);
    const surveyed = Array.from(this.#evidence)
      .filter(([name]) => !roles.has(name) || roles.get(name) === "numeric")
      .map(([name, evidence]) => ({ name, evidence, numericBy: declaredBy(name) }));
    const { columns, notices } = decideNumberColumns(surveyed, { decimalComma: options.decimalComma });
    const read = new Map(surveyed.map(({ name }, i) => [name, columns[i]]));
    return new NumberSurvey(
      numberLayout(
        names,
        names.map((name) => read.get(name)),
        options.missing,
      ),
      names.map((name) => read.get(name) !== undefined),
      names.map((name) => declaredBy(name) !== undefined),
      notices,
    );
  }
}

/** The numeric columns of a file according to its first values. */
export class NumberSurvey {
  readonly layout: NumberLayout;
  readonly #isNumeric: readonly boolean[];
  readonly #isDeclared: readonly boolean[];
  readonly #notices: readonly TableNotice[];
  readonly #places: ReadonlyMap<string, number>;

  constructor(
    layout: NumberLayout,
    isNumeric: readonly boolean[],
    isDeclared: readonly boolean[],
    notices: readonly TableNotice[],
  ) {
    this.layout = layout;
    this.#isNumeric = isNumeric;
    this.#isDeclared = isDeclared;
    this.#notices = notices;
    this.#places = new Map(layout.names.map((name, j) => [name, j]));
  }

  /** Returns the place of a column among the surveyed ones. */
  placeOf(name: string): number | undefined {
    return this.#places.get(name);
  }

  isNumeric(name: string): boolean {
    const place = this.#places.get(name);
    return place !== undefined && this.#isNumeric[place];
  }

  newCells(): WrittenNumbers {
    return new WrittenNumbers(this.layout);
  }

  /** Describes after the last row how the numbers were read. Throws if a column turns out to have hardly any. */
  notices(file: string, names: readonly string[], words: MissingWords, rows: number): TableNotice[] {
    return [...this.#notices, ...words.notices({ file, names, rows, isDeclared: this.#isDeclared })];
  }
}
