import { Random } from "../runtime/random.js";
import type { Column } from "../table/column.js";
import { conform } from "../table/conform.js";
import { MISSING_LEVEL } from "../table/levels.js";
import type { Schema } from "../table/schema.js";
import { evenRows } from "../table/splits.js";
import type { LabelledRows } from "../table/target.js";
import { largestProbability } from "../theory/distributions.js";
import { type ColumnRule, commonestClass, cutRule, type LabelledCells, valueRule } from "./column-rule.js";

type Rows = Pick<LabelledRows, "features" | "labels">;

/** A column leaks if it leaves at most this fraction of the baseline's errors… */
const LEAK = 0.05;
/** …and the data prove, with this probability of a mistake, that it leaves at most this fraction. */
const PROVEN = 0.1;
const RISK = 0.01;
/** Maximum number of rows, and of cells, that are looked at. */
const MAX_ROWS = 50_000;
const MAX_CELLS = 2 ** 25;
/** Number columns with more values than this are cut only, not matched exactly. */
const FEW_VALUES = 256;
/** Segments of a number column: at least this many, twice the classes, and at most as many as few values. */
const MIN_SEGMENTS = 32;

/** A column that alone predicts the class almost perfectly. */
export interface LeakingColumn {
  readonly column: string;
  /** Error of the best simple rule on this column alone, on rows that it was not fitted to. */
  readonly error: number;
  /** Error of the commonest class of the training rows, on the same rows. */
  readonly baseline: number;
}

/**
 * Finds columns that alone predict the class almost perfectly, as a copy of the class under another name does. Usually such a
 * column is known only after the class is, and will be missing or wrong when the model is used.
 *
 * A rule on one column predicts the commonest class of each value, or of each of some segments of a number column; see
 * `valueRule` and `cutRule`. Each row is predicted by a rule that was fitted to other rows: a held-out row by that of the
 * training rows, a training row by that of the other half of them. A column leaks if its rule makes at most 5 % of the
 * errors of the commonest class, and an exact binomial bound on its error is below 10 % of theirs at 99 % confidence,
 * which takes at least 46 errors of the commonest class. Uses up to 50,000 rows of each part, the same in every
 * run. The columns with the smallest error come first.
 *
 * @param classes number of classes; a held-out label of −1, an unknown class, is always an error
 */
export function leakingColumns(training: Rows, classes: number, heldOut?: Rows): LeakingColumn[] {
  const schema = rawSchema(training.features.columns);
  const most = Math.max(1, Math.min(MAX_ROWS, Math.ceil(MAX_CELLS / schema.columns.length)));
  const known = thinned(training, schema, most);
  const tested = heldOut && thinned(heldOut, schema, most);
  const commonest = commonestClass(training.labels, classes);
  const labels = [...known.labels, ...(tested?.labels ?? [])];
  const missed = labels.filter((label) => label !== commonest).length;
  const rows = labels.length;
  if (!isProven(0, missed, rows)) return [];
  const folds = foldsOf(known.labels.length);
  const found = schema.columns.flatMap(({ name, kind }, j): LeakingColumn[] => {
    const cells = { known: cellsOf(known, j), tested: tested && cellsOf(tested, j) };
    const errors = errorsOfColumn(cells, kind, folds, classes);
    return errors <= LEAK * missed && isProven(errors, missed, rows)
      ? [{ column: name, error: errors / rows, baseline: missed / rows }]
      : [];
  });
  return found.sort((a, b) => a.error - b.error);
}

/** Tells whether this many errors prove that a column makes few errors compared with the baseline. */
function isProven(errors: number, missed: number, rows: number): boolean {
  return missed > 0 && largestProbability(errors, rows, RISK) <= (PROVEN * missed) / rows;
}

/** Makes the schema of all raw columns, so that codes mean the same in all tables. */
function rawSchema(columns: readonly Column[]): Schema {
  return {
    columns: columns.map((column) =>
      column.kind === "numeric"
        ? { kind: column.kind, name: column.name }
        : { kind: column.kind, name: column.name, levels: column.levels },
    ),
    target: "",
    classes: [],
  };
}

interface ThinnedRows {
  readonly columns: readonly Column[];
  readonly rows: Int32Array;
  readonly labels: Int32Array;
}

function thinned({ features, labels }: Rows, schema: Schema, most: number): ThinnedRows {
  const rows = evenRows(labels.length, most);
  return { columns: conform(features, schema).columns, rows, labels: rows.map((row) => labels[row]) };
}

function cellsOf({ columns, rows, labels }: ThinnedRows, j: number): LabelledCells {
  const column = columns[j];
  const cells = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    if (column.kind === "numeric") cells[i] = column.values[rows[i]];
    else cells[i] = column.codes[rows[i]] === MISSING_LEVEL ? Number.NaN : column.codes[rows[i]];
  }
  return { cells, labels };
}

/** Divides the training rows into two random halves. */
function foldsOf(rows: number): readonly [Int32Array, Int32Array] {
  const order = new Random(0).shuffle(Int32Array.from({ length: rows }, (_, i) => i));
  return [order.slice(0, rows >> 1).sort(), order.slice(rows >> 1).sort()];
}

/** Counts the errors of the best kind of rule on a column. */
function errorsOfColumn(
  { known, tested }: { readonly known: LabelledCells; readonly tested: LabelledCells | undefined },
  kind: Column["kind"],
  [first, second]: readonly [Int32Array, Int32Array],
  classes: number,
): number {
  const halves = [taken(known, first), taken(known, second)];
  const errorsWith = (fit: (rows: LabelledCells) => ColumnRule) =>
    errorsOf(fit(halves[0]), halves[1]) +
    errorsOf(fit(halves[1]), halves[0]) +
    (tested ? errorsOf(fit(known), tested) : 0);
  const segments = Math.min(FEW_VALUES, Math.max(MIN_SEGMENTS, 2 * classes));
  const byValue = kind === "categorical" || hasFewValues(known.cells);
  return Math.min(
    byValue ? errorsWith((rows) => valueRule(rows, classes)) : Number.POSITIVE_INFINITY,
    kind === "numeric" ? errorsWith((rows) => cutRule(rows, classes, segments)) : Number.POSITIVE_INFINITY,
  );
}

function taken({ cells, labels }: LabelledCells, rows: Int32Array): LabelledCells {
  return {
    cells: Float64Array.from(rows, (row) => cells[row]),
    labels: rows.map((row) => labels[row]),
  };
}

function hasFewValues(cells: Float64Array): boolean {
  const seen = new Set<number>();
  for (let i = 0; i < cells.length && seen.size <= FEW_VALUES; i++) seen.add(cells[i]);
  return seen.size <= FEW_VALUES;
}

/** Counts the rows that a rule gets wrong. */
function errorsOf(rule: ColumnRule, { cells, labels }: LabelledCells): number {
  let errors = 0;
  for (let i = 0; i < labels.length; i++) if (rule(cells[i]) !== labels[i]) errors++;
  return errors;
}
