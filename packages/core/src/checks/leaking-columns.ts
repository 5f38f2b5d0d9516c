import { commonestClass } from "../metrics/baseline.js";
import { Random } from "../runtime/maths/random.js";
import { inParallel, type Pausable, runNow } from "../runtime/parallel/pausable.js";
import { onSharedMemory } from "../runtime/parallel/shared-array.js";
import { definePureTask } from "../runtime/parallel/task.js";
import { largestProbability } from "../theory/distributions.js";
import { type ColumnRule, cutRule, type LabelledCells, valueRule } from "./column-rule.js";
import { cellNumbers, columnGroups, type RawRows, type ThinnedRows, thinnedRows } from "./thinned-rows.js";

/** A column leaks if it leaves at most this fraction of the baseline's errors… */
const LEAK = 0.05;
/** …and the data prove, with this probability of a mistake, that it leaves at most this fraction. */
const PROVEN = 0.1;
const RISK = 0.01;
/** Numeric columns with more values than this are only cut, not matched exactly. */
const FEW_VALUES = 256;
/** Segments of a numeric column: at least this many, twice the classes, and at most the number of few values. */
const MIN_SEGMENTS = 32;

/**
 * A column is examined closely if a rule fitted to a few rows makes at most half of the errors of the most common class
 * on as many other rows. There are enough rows for this many errors, and for this many rows of each class.
 */
const SCREEN = 0.5;
const SCREEN_ERRORS = 100;
const SCREEN_ROWS_PER_CLASS = 20;

/** A column that alone predicts the class almost perfectly. */
export interface LeakingColumn {
  readonly column: string;
  /** Error of the best simple rule on this column alone, on rows that it was not fitted to. */
  readonly error: number;
  /** Error of the most common class of the training rows, on the same rows. */
  readonly baseline: number;
}

/**
 * Finds columns that alone predict the class almost perfectly, for example a copy of the class under another name.
 * Usually such a column is known only after the class is, and will be missing or wrong when the model is used.
 *
 * A rule on one column predicts the most common class of each value, or of each of some segments of a numeric column;
 * see `valueRule` and `cutRule`. Each row is predicted by a rule fitted to other rows: a held-out row by the rule of
 * the training rows, a training row by the rule of the other half of them. A column leaks if its rule makes at most 5%
 * of the errors of the most common class, and an exact binomial bound on its error is below 10% of theirs at 99%
 * confidence. That takes at least 46 errors of the most common class. Uses up to 50,000 rows of each part, the same in
 * every run. The columns with the smallest error come first.
 *
 * @param classes number of classes; a held-out label of −1, an unknown class, is always an error
 */
export function leakingColumns(training: RawRows, classes: number, heldOut?: RawRows): LeakingColumn[] {
  return runNow(leakingColumnsInSteps(training, classes, heldOut));
}

/** Approximate milliseconds per cell. */
const MILLISECONDS_PER_CELL = 1e-4;

/** Finds leaking columns, on threads if there are many cells. */
export function* leakingColumnsInSteps(
  training: RawRows,
  classes: number,
  heldOut?: RawRows,
): Pausable<LeakingColumn[]> {
  const [known, tested] = thinnedRows(heldOut ? [training, heldOut] : [training]);
  const commonest = commonestClass(training.labels, classes);
  const missed = othersThan(commonest, known.labels) + (tested ? othersThan(commonest, tested.labels) : 0);
  const rows = known.labels.length + (tested?.labels.length ?? 0);
  if (!isProven(0, missed, rows)) return [];
  const halves = halvesOf(known.labels.length);
  const common = {
    labels: onSharedMemory(known.labels),
    testedLabels: tested && onSharedMemory(tested.labels),
    halves,
    screened: screenedRows(known, halves, commonest, classes),
    ...{ classes, commonest, limit: LEAK * missed },
  };
  const columns: ColumnCells[] = [];
  for (const [j, column] of known.columns.entries()) {
    const isNumeric = column.kind === "numeric";
    columns.push({
      isNumeric,
      known: cellNumbers(column),
      tested: tested && cellNumbers(tested.columns[j]),
    });
    yield;
  }
  const counts = yield* inParallel(
    leakTask,
    columnGroups(columns).map((group): LeakInput => ({ ...common, columns: group })),
    { milliseconds: columns.length * rows * MILLISECONDS_PER_CELL },
  );
  const found: LeakingColumn[] = [];
  for (const [j, errors] of counts.flat().entries()) {
    if (errors === undefined || !isProven(errors, missed, rows)) continue;
    found.push({ column: known.columns[j].name, error: errors / rows, baseline: missed / rows });
  }
  return found.sort((a, b) => a.error - b.error);
}

function othersThan(label: number, labels: Int32Array): number {
  return labels.reduce((count, own) => count + Number(own !== label), 0);
}

/** Returns whether this many errors prove that a column makes few errors compared with the baseline. */
function isProven(errors: number, missed: number, rows: number): boolean {
  return missed > 0 && largestProbability(errors, rows, RISK) <= (PROVEN * missed) / rows;
}

type Halves = readonly [Int32Array, Int32Array];

/** Divides the training rows into two halves, each in random order. */
function halvesOf(rows: number): Halves {
  const order = new Random(0).shuffle(Int32Array.from({ length: rows }, (_, i) => i));
  return [order.slice(0, rows >> 1), order.slice(rows >> 1)];
}

/** Counts the rows at the start of both halves that suffice to rule out a leak. */
function screenedRows(
  { labels }: ThinnedRows,
  [first, second]: Halves,
  commonest: number,
  classes: number,
): number {
  let missed = 0;
  let rows = 0;
  while (rows < first.length && (missed < SCREEN_ERRORS || rows < SCREEN_ROWS_PER_CLASS * classes)) {
    missed += Number(labels[second[rows++]] !== commonest);
  }
  return rows;
}

/** The cells of a column, missing ones NaN. */
interface ColumnCells {
  readonly isNumeric: boolean;
  readonly known: Float64Array;
  readonly tested: Float64Array | undefined;
}

/** Columns and their common data: structured-cloneable. */
interface LeakInput {
  readonly columns: readonly ColumnCells[];
  readonly labels: Int32Array;
  readonly testedLabels: Int32Array | undefined;
  readonly halves: Halves;
  readonly screened: number;
  readonly classes: number;
  readonly commonest: number;
  /** Maximum number of errors of interest. */
  readonly limit: number;
}

const leakTask = definePureTask("checks/leaking-columns", (input: LeakInput) =>
  input.columns.map((column) => errorsUpTo(input.limit, column, input)),
);

/** Counts the errors of the best kind of rule on a column; undefined if there are more than `limit`. */
function errorsUpTo(
  limit: number,
  { isNumeric, known, tested }: ColumnCells,
  { labels, testedLabels, halves, screened, classes, commonest }: LeakInput,
): number | undefined {
  const segments = Math.min(FEW_VALUES, Math.max(MIN_SEGMENTS, 2 * classes));
  const byCuts = (rows: LabelledCells) => cutRule(rows, classes, segments);
  const byValue = (rows: LabelledCells) => valueRule(rows, classes);
  const rules = isNumeric ? (hasFewValues(known) ? [byValue, byCuts] : [byCuts]) : [byValue];
  const all = { cells: known, labels };
  const [first, second] = halves.map((half) => selectCells(all, half.subarray(0, screened)));
  const enough = SCREEN * othersThan(commonest, second.labels);
  const screenedRules = rules.filter((fit) => errorsOf(fit(first), second) <= enough);
  const counts = screenedRules.flatMap((fit) => {
    const [left, right] = halves.map((half) => selectCells(all, half));
    let errors = errorsOf(fit(left), right);
    if (errors <= limit) errors += errorsOf(fit(right), left);
    if (errors <= limit && tested && testedLabels) {
      errors += errorsOf(fit(all), { cells: tested, labels: testedLabels });
    }
    return errors <= limit ? errors : [];
  });
  return counts.length > 0 ? Math.min(...counts) : undefined;
}

function selectCells({ cells, labels }: LabelledCells, rows: Int32Array): LabelledCells {
  const own = new Float64Array(rows.length);
  for (let i = 0; i < own.length; i++) own[i] = cells[rows[i]];
  return { cells: own, labels: rows.map((row) => labels[row]) };
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
