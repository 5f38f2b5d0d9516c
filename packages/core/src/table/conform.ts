import { formatCount } from "../runtime/text/number-format.js";
import { didYouMean, listNames } from "../runtime/text/suggestions.js";
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
import { type DateForm, timeInAny } from "./date-form.js";
import { levelFinder, MISSING_LEVEL, UNKNOWN_LEVEL } from "./levels.js";
import { isMissingNumber } from "./missing-markers.js";
import { readLoneNumber, readWrittenNumber } from "./number-notation.js";
import { numberOf, shortestDecimal } from "./number-text.js";
import type { ColumnSchema, Schema } from "./schema.js";
import type { KindCheck, LostCells, MatchFacts } from "./schema-match.js";
import { checkTable, type Table } from "./table.js";

/** The columns of a table in the order, kinds and codes of a schema. */
export interface Conformed extends MatchFacts {
  /**
   * One per column of the schema; `UNKNOWN_LEVEL` codes a category that the schema lacks. Dates are numbers:
   * milliseconds since 1970. Text keeps the codes of its table. Cells that are not dates are missing.
   */
  readonly columns: readonly Column[];
}

/**
 * Matches a table to a schema by column name, in any order. Numbers as strings are accepted in place of numbers, and
 * numbers in place of categories if any category is a number. A category is found by its text, or else by its value
 * ("1.0" is 1, if no other category is). In a date column, strings that are not dates are missing, unless all of them
 * are. Matching columns are not copied.
 */
export function conform(table: Table, schema: Schema): Conformed {
  const conformed = conformPart(table, schema);
  for (const { fault } of conformed.checks) if (fault) throw fault;
  return conformed;
}

/** Matches a part of a table to a schema. A column of the wrong kind is left to the `SchemaMatch` of all parts. */
export function conformPart(table: Table, schema: Schema): Conformed {
  checkTable(table);
  const extra = unusedColumns(table, schema);
  const checks: KindCheck[] = [];
  const columns = schema.columns.map((column) =>
    conformColumn(table, table.column(column.name), column, checks),
  );
  return {
    columns,
    extra,
    unknown: schema.columns.flatMap((column, j) =>
      column.kind === "categorical" ? unknownLevels(table.column(column.name), columns[j]) : [],
    ),
    unread: schema.columns.flatMap((column, j) =>
      column.kind === "date" ? unreadDates(table.column(column.name), columns[j]) : [],
    ),
    checks,
  };
}

/**
 * Lists the columns of a table that a schema lacks, except its target. Throws if the table lacks a column of the
 * schema.
 */
export function unusedColumns(table: Table, schema: Schema): string[] {
  const expected = new Set(schema.columns.map((column) => column.name));
  const extra = table.columns.map((column) => column.name).filter((name) => !expected.has(name));
  checkPresence(table, schema, extra);
  return extra.filter((name) => name !== schema.target);
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

function conformColumn(table: Table, column: Column, expected: ColumnSchema, checks: KindCheck[]): Column {
  if (expected.kind === "numeric") return column.kind === "numeric" ? column : asNumbers(table, column);
  if (expected.kind === "date") return asTimes(table, textsOf(column), expected.form, checks);
  if (expected.kind === "text") return textsOf(column);
  return column.kind === "numeric"
    ? asCategories(table, column, expected.levels, checks)
    : recoded(table, column, expected.levels, checks);
}

function asNumbers(table: Table, { name, codes, levels }: CategoricalColumn): NumericColumn {
  const numbers = levels.map(readLoneNumber);
  const isWord = levels.map((level, code) => Number.isNaN(numbers[code]) && !isMissingNumber(level));
  const values = new Float64Array(codes.length);
  for (let i = 0; i < codes.length; i++) {
    values[i] = codes[i] < 0 ? Number.NaN : numbers[codes[i]];
    if (isWord[codes[i]]) throw notANumber(table, name, i, levels[codes[i]]);
  }
  return { kind: "numeric", name, values };
}

/** Returns a column as strings, with numbers in their shortest spelling. */
function textsOf(column: Column): CategoricalColumn {
  return column.kind === "categorical" ? column : categoriesOf(column);
}

/** Reads dates as milliseconds since 1970. If no value is a date, the error follows later, with the other checks. */
function asTimes(
  table: Table,
  { name, codes, levels }: CategoricalColumn,
  form: DateForm,
  checks: KindCheck[],
): NumericColumn {
  const times = Float64Array.from(levels, (level) => timeInAny(form, level));
  const values = Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : times[code]));
  const first = codes.findIndex((code) => code >= 0);
  if (first >= 0) {
    const fits = values.some((value) => !Number.isNaN(value));
    checks.push({
      column: name,
      fault: fits ? undefined : notADate(table, name, first, levels[codes[first]], form),
    });
  }
  return { kind: "numeric", name, values };
}

function notADate(table: Table, column: string, row: number, cell: string, form: DateForm): VouchError {
  return new VouchError(
    "data/wrong-kind",
    `${table.rowName(row)}, column "${column}": "${shortText(cell)}", but the model expects dates ` +
      `such as ${DATE_EXAMPLES[form]} in this column.`,
    { hint: "Write the column as in the training data." },
  );
}

/** The last day of 2024 in each form. */
const DATE_EXAMPLES: Readonly<Record<DateForm, string>> = {
  iso: "2024-12-31",
  "day-first": "31.12.2024",
  "month-first": "12/31/2024",
  "named-month": "31-Dec-2024",
  compact: "20241231",
};

function unreadDates(raw: Column, read: Column): LostCells[] {
  if (read.kind !== "numeric") return [];
  const values = denseValues(read.values);
  const { codes, levels } = textsOf(raw);
  const rows = Array.from(codes.keys()).filter((row) => codes[row] >= 0 && Number.isNaN(values[row]));
  return rows.length === 0 ? [] : [{ column: raw.name, rows: rows.length, example: levels[codes[rows[0]]] }];
}

function notANumber(table: Table, column: string, row: number, cell: string): VouchError {
  const isAmbiguous = !Number.isNaN(readWrittenNumber(cell, "."));
  const hint = isAmbiguous
    ? "The comma may be a decimal comma or separate thousands: write it with a decimal point."
    : "Correct the cell, or leave it empty if the value is unknown.";
  return new VouchError(
    "data/wrong-kind",
    `${table.rowName(row)}, column "${column}": "${cell}", but the model expects numbers in this column.`,
    { hint },
  );
}

/** Categories of a schema, found by text or value. */
interface KnownLevels {
  readonly find: (text: string) => number | undefined;
  /** Whether a category is a number. */
  readonly someNumbers: boolean;
}

/** Cached by the list of the schema, because it may have thousands of categories and a table many parts. */
const knownLevels = new WeakMap<readonly string[], KnownLevels>();

function known(levels: readonly string[]): KnownLevels {
  let found = knownLevels.get(levels);
  if (!found) {
    found = { find: levelFinder(levels), someNumbers: levels.some(spellsNumber) };
    knownLevels.set(levels, found);
  }
  return found;
}

/** Finds numbers among categories. It is an error if no category is a number. */
function asCategories(
  table: Table,
  column: NumericColumn,
  levels: readonly string[],
  checks: KindCheck[],
): CategoricalColumn {
  const { name } = column;
  const values = denseValues(column.values);
  const { find, someNumbers } = known(levels);
  const single = values instanceof Float32Array;
  const codeOf = new Map<number, number>();
  const codes = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    let code = Number.isNaN(value) ? MISSING_LEVEL : codeOf.get(value);
    if (code === undefined) {
      if (!someNumbers && codeOf.size === 0) {
        checks.push({ column: name, fault: notACategory(table, name, i, value, levels) });
      }
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
    `${table.rowName(row)}, column "${column}": ${cell}, but the model expects categories in this column` +
      `${levels.length > 0 ? `, such as "${levels[0]}"` : ""}.`,
    { hint: "Write the column as in the training data." },
  );
}

function recoded(
  table: Table,
  column: CategoricalColumn,
  levels: readonly string[],
  checks: KindCheck[],
): CategoricalColumn {
  const { find } = known(levels);
  const codeOf = Int32Array.from(column.levels, (level) => find(level) ?? UNKNOWN_LEVEL);
  checks.push(...numbersCheck(table, column, levels));
  if (codeOf.every((code, own) => code === own)) return { ...column, levels };
  const codes = new Int32Array(column.codes.length);
  for (let i = 0; i < codes.length; i++) {
    codes[i] = column.codes[i] < 0 ? MISSING_LEVEL : codeOf[column.codes[i]];
  }
  return { kind: "categorical", name: column.name, codes, levels };
}

/** Checks that not all strings are numbers if no category is a number. */
function numbersCheck(
  table: Table,
  { name, codes, levels: own }: CategoricalColumn,
  levels: readonly string[],
): KindCheck[] {
  if (own.length === 0 || known(levels).someNumbers) return [];
  if (!own.every(spellsNumber)) return [{ column: name, fault: undefined }];
  const row = codes.findIndex((code) => code >= 0);
  if (row < 0) return [];
  return [{ column: name, fault: notACategory(table, name, row, numberOf(own[codes[row]]), levels) }];
}

function spellsNumber(text: string): boolean {
  return !Number.isNaN(numberOf(text));
}

function unknownLevels(raw: Column, conformed: Column): LostCells[] {
  if (conformed.kind === "numeric") return [];
  const { codes } = conformed;
  let rows = 0;
  for (let i = 0; i < codes.length; i++) if (codes[i] === UNKNOWN_LEVEL) rows++;
  if (rows === 0) return [];
  const first = codes.indexOf(UNKNOWN_LEVEL);
  const example = raw.kind === "numeric" ? String(numberAt(raw.values, first)) : raw.levels[raw.codes[first]];
  return [{ column: raw.name, rows, example }];
}
