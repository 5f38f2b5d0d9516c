import { type Column, numberAt } from "./column.js";
import { evenRows } from "./even-rows.js";
import { numberOf } from "./number-text.js";
import type { SplitColumns } from "./split-columns.js";
import type { Table } from "./table.js";

/** Names of outcomes: churn, isFraud, has_defaulted, Attrition_Flag. */
const EVENT =
  /^(?:is_|has_|was_|will_)?(?:churn.*|(?:surviv(?:ed|al)|attrition|exited|fraud|spam|defaulted|converted|cancell?ed|approved|purchased|clicked|readmitted|dropout|diagnosis)(?:_(?:flag|label|value|status|bool|class|indicator|reported))?)$/;

/**
 * Usual names of the column with the class, strongest first, in lower case and with one underscore for spaces, points
 * and hyphens. `class` comes after events, because a table of passengers has a column of that name.
 */
const TELLING: readonly RegExp[] = [
  /^labels?$/,
  /^(?:target|y_true|ground_truth|target_class|class_label|ziel|zielvariable|cible|objetivo)$/,
  EVENT,
  /^(?:class|outcome|response|y|species|klasse|classe|clase)$/,
  /^(?:loan_)?status$/,
  /^default(?:_payment.*|_flag|_status)?$/,
];

/** Names of facts that are true or false. Such a name is telling only if it is unique, because most are features. */
const FACT = /^(?:is|has)_/;

/** A column with a telling name is not the target if it has more distinct values. */
const MOST_VALUES = 50;
/** Columns with at most this many values are candidates, whatever their names. */
const FEW_VALUES = 20;
/** With at most this many rows, every row may have its own class. */
const FEW_ROWS = 20;
/** Maximum number of candidates to name. */
const MOST_CANDIDATES = 5;
/** Number of columns and rows to search for candidates. */
const LOOKED_COLUMNS = 200;
const LOOKED_ROWS = 10_000;

/** A guessed target. */
export interface TargetGuess {
  readonly target: string;
  /** Whether it was guessed by its name, or only because it is the last column. */
  readonly by: "name" | "position";
  /** Up to five other columns that may contain the class; none if the name decides. */
  readonly candidates: readonly string[];
}

/**
 * Lists the columns with the name of a target, most likely first: `label`, `target`, outcomes (`churn`, `survived`,
 * `is_fraud`, …), `class`, `outcome` or `y`, `status`, `default`, then the only column named `is_…` or `has_…`. Case,
 * spaces, points and hyphens do not matter. Of equally telling names, the shortest comes first. Next to a column `x`,
 * `y` is a coordinate.
 */
function tellingNames(names: readonly string[]): string[] {
  const plain = names.map(plainName);
  const isCoordinate = (name: string) => name === "y" && plain.includes("x");
  const facts = plain.filter((name) => FACT.test(name) && !EVENT.test(name)).length;
  const rank = (name: string) => {
    if (isCoordinate(name)) return Number.POSITIVE_INFINITY;
    const found = TELLING.findIndex((pattern) => pattern.test(name));
    if (found >= 0) return found;
    return facts === 1 && FACT.test(name) ? TELLING.length : Number.POSITIVE_INFINITY;
  };
  return names
    .map((name, place) => ({ name, rank: rank(plain[place]), place }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || a.place - b.place)
    .map(({ name }) => name);
}

/** Normalises a name to lower case with underscores: "Is Fraud?" and "isFraud" become is_fraud. */
function plainName(name: string): string {
  return name
    .replace(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, "$1_")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_|_$/g, "");
}

/** Guesses the target by column names alone, before values are known: the most telling one, or else the last. */
export function guessByNames(names: readonly string[]): string | undefined {
  return names.includes("label") ? "label" : (tellingNames(names)[0] ?? names.at(-1));
}

/**
 * Guesses the target of a table: the most telling name whose values look like classes, or else the last column. A
 * column named `label` is always the target; group and time columns never are.
 */
export function guessTarget(table: Table, { group, time }: SplitColumns = {}): TargetGuess {
  const names = table.columns.map(({ name }) => name).filter((name) => name !== group && name !== time);
  const byName = guessByNames(names);
  if (byName === undefined) return { target: table.columns[0].name, by: "position", candidates: [] };
  if (/^labels?$/.test(plainName(byName))) return { target: byName, by: "name", candidates: [] };
  const telling = tellingNames(names).find((name) => looksLikeClasses(table.column(name)));
  if (telling !== undefined) return { target: telling, by: "name", candidates: [] };
  const last = names[names.length - 1];
  return { target: last, by: "position", candidates: targetCandidates(table, [last, group, time]) };
}

/**
 * Lists columns that may contain the class: those with telling names, or else those with the fewest values, from 2 to
 * 20.
 */
export function targetCandidates(table: Table, except: readonly (string | undefined)[]): string[] {
  const columns = table.columns.filter(({ name }) => !except.includes(name));
  const telling = tellingNames(columns.map(({ name }) => name)).filter((name) =>
    looksLikeClasses(table.column(name)),
  );
  if (telling.length > 0) return telling.slice(0, MOST_CANDIDATES);
  return columns
    .slice(-LOOKED_COLUMNS)
    .map((column) => ({ name: column.name, values: countValues(column, FEW_VALUES) }))
    .filter(({ values }) => values >= 2)
    .sort((a, b) => a.values - b.values)
    .slice(0, MOST_CANDIDATES)
    .map(({ name }) => name);
}

function looksLikeClasses(column: Column): boolean {
  const rows = column.kind === "numeric" ? column.values.length : column.codes.length;
  return rows === 0 || countValues(column, MOST_VALUES) >= 2;
}

/**
 * Counts the distinct values of a column in rows from all its parts; 0 if they are not classes, because they are too
 * many, fractions, or nearly as many as rows.
 */
function countValues(column: Column, most: number): number {
  const rows = column.kind === "numeric" ? column.values.length : column.codes.length;
  const looked = evenRows(rows, LOOKED_ROWS);
  const seen = new Set<number>();
  let present = 0;
  for (const row of looked) {
    const value = column.kind === "numeric" ? numberAt(column.values, row) : column.codes[row];
    if (column.kind === "numeric" ? Number.isNaN(value) : value < 0) continue;
    present++;
    seen.add(value);
    if (seen.size > most) return 0;
  }
  const isUnique = present > FEW_ROWS && seen.size > present / 2;
  const isFraction = (value: number) => !Number.isNaN(value) && !Number.isInteger(value);
  const hasFractions = [...seen].some((value) =>
    isFraction(column.kind === "numeric" ? value : numberOf(column.levels[value])),
  );
  return isUnique || hasFractions ? 0 : seen.size;
}
