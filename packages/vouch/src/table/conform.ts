import { didYouMean, listNames } from "../runtime/names.js";
import { formatCount } from "../runtime/number-format.js";
import { VouchError } from "../runtime/vouch-error.js";
import {
  type CategoricalColumn,
  type Column,
  categoriesOf,
  denseValues,
  type NumericColumn,
  numberAt,
} from "./column.js";
import { shortText } from "./column-content.js";
import { type DateForm, timeIn } from "./date-form.js";
import { levelFinder, MISSING_LEVEL, UNKNOWN_LEVEL } from "./levels.js";
import { numberOf, shortestDecimal } from "./number-text.js";
import type { ColumnSchema, Schema } from "./schema.js";
import { checkTable, type Table } from "./table.js";

/** Cells of one column whose category was not seen in training. */
interface UnknownLevels {
  readonly column: string;
  readonly rows: number;
  /** One of these categories. */
  readonly example: string;
}

/** Cells of a column of dates that are not dates. */
type UnreadDates = UnknownLevels;

/** The columns of a table in the order, kinds and codes of a schema. */
export interface Conformed {
  /**
   * One per column of the schema; `UNKNOWN_LEVEL` codes a category that the schema lacks. Dates are numbers: milliseconds since
   * 1970. Text keeps the codes of its table.
   */
  readonly columns: readonly Column[];
  /** Names of columns that the schema does not have; they are ignored. */
  readonly extra: readonly string[];
  readonly unknown: readonly UnknownLevels[];
  /** Cells that are not dates, which are missing in `columns`. */
  readonly unread: readonly UnreadDates[];
}

/**
 * Matches a table to a schema by column name, in any order. Numbers as text are accepted in place of numbers, and numbers in
 * place of categories if any category is a number. A category is found by its text, or else by its value ("1.0" is 1, if no
 * other category is). Texts that are not dates are missing in a column of dates, unless all of them are. Columns that match
 * already are not copied.
 */
export function conform(table: Table, schema: Schema): Conformed {
  checkTable(table);
  const extra = unusedColumns(table, schema);
  const columns = schema.columns.map((column) => conformColumn(table, table.column(column.name), column));
  return {
    columns,
    extra,
    unknown: schema.columns.flatMap((column, j) =>
      column.kind === "categorical" ? unknownLevels(table.column(column.name), columns[j]) : [],
    ),
    unread: schema.columns.flatMap((column, j) =>
      column.kind === "date" ? unreadDates(table.column(column.name), columns[j]) : [],
    ),
  };
}

/** Lists the columns of a table that a schema does not have, without its target. Throws if the table lacks one that it has. */
export function unusedColumns(table: Table, schema: Schema): string[] {
  const expected = new Set(schema.columns.map((column) => column.name));
  const extra = table.columns.map((column) => column.name).filter((name) => !expected.has(name));
  checkPresence(table, schema, extra);
  return extra.filter((name) => name !== schema.target);
}

/** Lists warnings about how a table matches a schema. */
export function conformNotices({ extra, unknown, unread }: Omit<Conformed, "columns">): string[] {
  const notices = [
    ...unread.map(
      ({ column, rows, example }) =>
        `Column "${column}": ${formatCount(rows, "cell is", "cells are")} not a date and counted as missing, such as "${shortText(example)}".`,
    ),
    ...unknown.map(
      ({ column, rows, example }) =>
        `Column "${column}": ${formatCount(rows, "cell")} with a category not seen in training, such as "${shortText(example)}".`,
    ),
  ];
  if (extra.length > 0) {
    notices.push(`${formatCount(extra.length, "column")} not used by the model: ${listNames(extra)}.`);
  }
  return notices;
}

function checkPresence(table: Table, schema: Schema, extra: readonly string[]): void {
  const missing = schema.columns.map((column) => column.name).filter((name) => !table.has(name));
  if (missing.length === 0) return;
  const hint = didYouMean(missing[0], extra);
  throw new VouchError(
    "data/missing-column",
    `${table.name} lacks ${formatCount(missing.length, "column")} that the model needs: ${listNames(missing)}.`,
    {
      hint: hint
        ? `${hint} The table has that column.`
        : `It has ${table.columns.length === 0 ? "no columns" : listNames(table.columns.map(({ name }) => name))}.`,
    },
  );
}

function conformColumn(table: Table, column: Column, expected: ColumnSchema): Column {
  if (expected.kind === "numeric") return column.kind === "numeric" ? column : asNumbers(table, column);
  if (expected.kind === "date") return asTimes(table, textsOf(column), expected.form);
  if (expected.kind === "text") return textsOf(column);
  return column.kind === "numeric"
    ? asCategories(table, column, expected.levels)
    : recoded(table, column, expected.levels);
}

function asNumbers(table: Table, { name, codes, levels }: CategoricalColumn): NumericColumn {
  const numbers = levels.map(numberOf);
  const values = new Float64Array(codes.length);
  for (let i = 0; i < codes.length; i++) {
    values[i] = codes[i] < 0 ? Number.NaN : numbers[codes[i]];
    if (codes[i] >= 0 && Number.isNaN(values[i])) throw notANumber(table, name, i, levels[codes[i]]);
  }
  return { kind: "numeric", name, values };
}

/** Returns a column as texts. Numbers are spelled as short as possible. */
function textsOf(column: Column): CategoricalColumn {
  return column.kind === "categorical" ? column : categoriesOf(column);
}

/** Reads dates as milliseconds since 1970. Throws if no present cell is a date of the form. */
function asTimes(table: Table, { name, codes, levels }: CategoricalColumn, form: DateForm): NumericColumn {
  const times = Float64Array.from(levels, (level) => timeIn(form, level));
  const values = Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : times[code]));
  const first = codes.findIndex((code) => code >= 0);
  if (first < 0 || values.some((value) => !Number.isNaN(value))) return { kind: "numeric", name, values };
  throw new VouchError(
    "data/wrong-kind",
    `${table.name}, row ${first + 1}, column "${name}": "${shortText(levels[codes[first]])}", but the model expects dates ` +
      `such as ${DATE_EXAMPLES[form]} in this column.`,
    { hint: "Write the column as in the training data." },
  );
}

/** The last day of 2024 in each form. */
const DATE_EXAMPLES: Readonly<Record<DateForm, string>> = {
  iso: "2024-12-31",
  "day-first": "31.12.2024",
  "month-first": "12/31/2024",
  compact: "20241231",
};

function unreadDates(raw: Column, read: Column): UnreadDates[] {
  if (read.kind !== "numeric") return [];
  const values = denseValues(read.values);
  const { codes, levels } = textsOf(raw);
  const rows = Array.from(codes.keys()).filter((row) => codes[row] >= 0 && Number.isNaN(values[row]));
  return rows.length === 0 ? [] : [{ column: raw.name, rows: rows.length, example: levels[codes[rows[0]]] }];
}

const WITH_COMMA = /^[+-]?\d*,\d+$/;

function notANumber(table: Table, column: string, row: number, cell: string): VouchError {
  const hint = WITH_COMMA.test(cell)
    ? "If commas are decimal points, read the file with --decimal-comma, which every file needs."
    : "Correct the cell, or leave it empty if the value is unknown.";
  return new VouchError(
    "data/wrong-kind",
    `${table.name}, row ${row + 1}, column "${column}": "${cell}", but the model expects numbers in this column.`,
    { hint },
  );
}

function asCategories(table: Table, column: NumericColumn, levels: readonly string[]): CategoricalColumn {
  const { name } = column;
  const values = denseValues(column.values);
  const find = levelFinder(levels);
  const someNumbers = levels.some(spellsNumber);
  const single = values instanceof Float32Array;
  const codeOf = new Map<number, number>();
  const codes = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    let code = Number.isNaN(value) ? MISSING_LEVEL : codeOf.get(value);
    if (code === undefined) {
      if (!someNumbers) throw notACategory(table, name, i, value, levels);
      code = find(shortestDecimal(value, single)) ?? UNKNOWN_LEVEL;
      codeOf.set(value, code);
    }
    codes[i] = code;
  }
  return { kind: "categorical", name, codes, levels };
}

function notACategory(
  table: Table,
  column: string,
  row: number,
  cell: number,
  levels: readonly string[],
): VouchError {
  return new VouchError(
    "data/wrong-kind",
    `${table.name}, row ${row + 1}, column "${column}": ${cell}, but the model expects categories in this column` +
      `${levels.length > 0 ? `, such as "${levels[0]}"` : ""}.`,
    { hint: "Write the column as in the training data." },
  );
}

function recoded(table: Table, column: CategoricalColumn, levels: readonly string[]): CategoricalColumn {
  const find = levelFinder(levels);
  const codeOf = Int32Array.from(column.levels, (level) => find(level) ?? UNKNOWN_LEVEL);
  checkNotAllNumbers(table, column, levels);
  if (codeOf.every((code, own) => code === own)) return { ...column, levels };
  const codes = new Int32Array(column.codes.length);
  for (let i = 0; i < codes.length; i++) {
    codes[i] = column.codes[i] < 0 ? MISSING_LEVEL : codeOf[column.codes[i]];
  }
  return { kind: "categorical", name: column.name, codes, levels };
}

/** Throws on numbers as text if no category is a number, as on numbers. */
function checkNotAllNumbers(
  table: Table,
  { name, codes, levels: own }: CategoricalColumn,
  levels: readonly string[],
): void {
  if (own.length === 0 || !own.every(spellsNumber) || levels.some(spellsNumber)) return;
  const row = codes.findIndex((code) => code >= 0);
  if (row >= 0) throw notACategory(table, name, row, numberOf(own[codes[row]]), levels);
}

function spellsNumber(text: string): boolean {
  return !Number.isNaN(numberOf(text));
}

function unknownLevels(raw: Column, conformed: Column): UnknownLevels[] {
  if (conformed.kind === "numeric") return [];
  const { codes } = conformed;
  let rows = 0;
  for (let i = 0; i < codes.length; i++) if (codes[i] === UNKNOWN_LEVEL) rows++;
  if (rows === 0) return [];
  const first = codes.indexOf(UNKNOWN_LEVEL);
  const example = raw.kind === "numeric" ? String(numberAt(raw.values, first)) : raw.levels[raw.codes[first]];
  return [{ column: raw.name, rows, example }];
}
