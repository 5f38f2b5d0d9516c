import { formatCount, formatNumber } from "../runtime/text/number-format.js";
import { listArgument } from "../runtime/text/shell.js";
import { columnHint, listNames } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import {
  type CategoricalColumn,
  type Column,
  denseValues,
  type MergedClasses,
  type NumericColumn,
} from "./column.js";
import { guessTarget, targetCandidates } from "./guess-target.js";
import { levelFinder } from "./levels.js";
import { inNaturalOrder, numberOf, shortestDecimal } from "./number-text.js";
import { quantityEvidence } from "./quantity.js";
import { spellingKey } from "./similar-classes.js";
import {
  checkSplitColumns,
  notFeatures,
  type SplitColumns,
  type SplitValues,
  splitNotices,
  splitValues,
} from "./split-columns.js";
import { checkTable, Table } from "./table.js";

/** Learners take time and memory in proportion to the classes. */
const MAX_CLASSES = 10_000;
/** Minimum number of distinct numbers that makes a target column a quantity. */
const QUANTITY_NUMBERS = 1000;
/** Maximum number of classes if some are fractions: ratings such as 3.5 are few. */
const MAX_FRACTIONS = 50;
/** With at most this many rows, every row may have its own class. */
const FEW_ROWS = 20;

/** Label of a class that does not occur in training. */
const UNKNOWN = -1;

/** The column to predict, and its classes in the order of class indices. */
export interface Target {
  readonly target: string;
  readonly classes: readonly string[];
  /** Other spellings of classes, if spellings were merged. */
  readonly merged?: MergedClasses | undefined;
}

/** Picks the part of a target that a schema keeps. */
export function targetOnly({ target, classes, merged }: Target): Target {
  return { target, classes, ...(merged && { merged }) };
}

/** Rows with a label, and their class indices; also their groups or times if there is a column for them. */
export interface LabelledRows extends SplitValues {
  readonly features: Table;
  readonly labels: Int32Array;
  /** Columns of the same rows that are not features, for checks of the rows. */
  readonly aside?: Table | undefined;
  /** Warnings: how the table was read, rows left out, unknown classes. */
  readonly notices: readonly string[];
}

/** A table split into features and labels. */
export interface Labelled extends Target, LabelledRows, SplitColumns {
  /** Weight of the training rows of each class; all 1 if absent. */
  readonly classWeights?: Float64Array | undefined;
}

/**
 * Returns the name of the target column: the given one, else the most telling name whose values look like classes, else
 * the last column that is neither group nor time; see `guessTarget`.
 */
export function chooseTarget(table: Table, name?: string, columns: SplitColumns = {}): string {
  checkTable(table);
  if (table.columns.length === 0) throw new VouchError("data/empty", `${table.name} has no columns.`);
  if (name !== undefined) return targetColumn(table, name).name;
  return guessTarget(table, columns).target;
}

/**
 * Splits a table into features and labels. The group or time column is not a feature: hold-outs and folds keep groups
 * together, or test on later rows than they train on. Classes are the values that occur, sorted by value if all are
 * numbers, otherwise by code point; classes of a numeric column are named by their shortest decimal form. Rows without
 * a label are left out with a note.
 *
 * @param aside columns of the same rows that are not features either
 */
export function labelled(table: Table, target: string, columns: SplitColumns = {}, aside?: Table): Labelled {
  if (table.rows === 0) throw new VouchError("data/no-rows", `${table.name} has no rows.`);
  const column = targetColumn(table, target);
  checkSplitColumns(table, target, columns);
  const { classes, labels } = column.kind === "numeric" ? numericClasses(table, column) : textClasses(column);
  const present = rowsWithLabel(table, { target, ...columns }, labels, aside);
  checkClasses(table, column, classes, present.labels.length, classCounts(present.labels, classes.length));
  if (present.features.columns.length === 0) {
    const { group = columns.time } = columns;
    const others = group === undefined ? "" : ` and "${group}"`;
    throw new VouchError(
      "data/no-features",
      `${table.name} has no column except the target "${target}"${others}.`,
    );
  }
  const ofReading = table.notices.map(({ message }) => message);
  const notices = [...ofReading, ...notFeatures(columns), ...present.notices];
  const merged = column.kind === "categorical" ? column.merged : undefined;
  const known = targetOnly({ target, classes, merged });
  return { ...known, ...columns, ...present, features: present.features.withContents(), notices };
}

/**
 * Splits a table into features and labels for a trained model, whose classes the labels index. An unknown class gets
 * −1, which always counts as an error, and a note; rows without a label are left out with a note. Classes match by text
 * or by value ("+1.0" is 1), and by another spelling if spellings were merged in training. A group or time column is
 * read if the table has it.
 */
export function labelsFor(table: Table, schema: Target & SplitColumns): LabelledRows {
  checkTable(table);
  if (table.rows === 0) throw new VouchError("data/no-rows", `${table.name} has no rows.`);
  const column = targetColumn(table, schema.target);
  const own = column.kind === "numeric" ? distinctNumbers(column) : textClasses(column);
  const find = classFinder(schema);
  const codes = own.classes.map((name) => find(name) ?? UNKNOWN);
  const unknown = own.classes.filter((_, code) => codes[code] === UNKNOWN);
  const present = rowsWithLabel(table, schema, own.labels);
  const labels = present.labels.map((code) => codes[code]);
  if (unknown.length === 0) return { ...present, labels };
  const rows = labels.reduce((count, label) => count + (label === UNKNOWN ? 1 : 0), 0);
  const notice =
    `${formatCount(rows, "row")} of ${formatCount(unknown.length, "class", "classes")} that the model ` +
    `does not know, such as "${unknown[0]}", counted as errors.`;
  return { ...present, labels, notices: [...present.notices, notice] };
}

/** Returns a function that finds the index of a class by any of its known spellings. */
function classFinder({ classes, merged }: Target): (text: string) => number | undefined {
  const find = levelFinder(classes);
  if (!merged) return find;
  const byKey = new Map(classes.map((name, index) => [spellingKey(name), index]));
  for (const { spelling, name } of merged) {
    const index = find(name);
    if (index !== undefined) byKey.set(spellingKey(spelling), index);
  }
  return (text) => find(text) ?? byKey.get(spellingKey(text));
}

/** Lists the classes that occur in a target column, in order; possibly none. */
export function classesIn(table: Table, target: string): string[] {
  const column = targetColumn(table, target);
  return (column.kind === "numeric" ? numericClasses(table, column) : textClasses(column)).classes;
}

/**
 * Separates the features and the labels of a part of a table, given the classes of the whole. The part may have no rows.
 *
 * @param labelledRows the number of rows with a label in the whole
 */
export function labelledPart(table: Table, { target, classes }: Target, labelledRows: number): Labelled {
  checkClasses(table, targetColumn(table, target), classes, labelledRows);
  const own = classesIn(table, target);
  const rows = own.length > 0 ? labelsFor(table, { target, classes }) : undefined;
  const none = table.without([target]);
  return {
    ...{ target, classes, notices: [], groups: undefined, times: undefined },
    features: rows?.features ?? none.select([]),
    labels: rows?.labels ?? new Int32Array(0),
  };
}

/** Counts the rows of each class; ignores negative labels, which are unknown classes. */
export function classCounts(labels: Int32Array, classes: number): Int32Array {
  const counts = new Int32Array(classes);
  for (let i = 0; i < labels.length; i++) if (labels[i] >= 0) counts[labels[i]]++;
  return counts;
}

/** Copies the given rows, in this order. */
export function selectRows<Rows extends Pick<LabelledRows, "features" | "labels" | "aside"> & SplitValues>(
  from: Rows,
  rows: Int32Array,
): Rows {
  const { groups, times, aside } = from;
  return {
    ...from,
    features: from.features.select(rows),
    ...(aside && { aside: aside.select(rows) }),
    labels: valuesOfRows(from.labels, rows),
    ...(groups && { groups: valuesOfRows(groups, rows) }),
    ...(times && { times: Float64Array.from(rows, (row) => times[row]) }),
  };
}

/** Gathers the values of some rows. */
function valuesOfRows(values: Int32Array, rows: Int32Array): Int32Array {
  const own = new Int32Array(rows.length);
  for (let i = 0; i < rows.length; i++) own[i] = values[rows[i]];
  return own;
}

/**
 * Throws on target columns that do not contain classes. Needs the values that occur, the number of labelled rows, and
 * the rows of each class unless only a part of them is here. A column declared categorical may contain any whole
 * numbers.
 */
function checkClasses(
  table: Table,
  column: Column,
  classes: readonly string[],
  rows: number,
  counts?: Int32Array,
): void {
  if (classes.length === 1) {
    throw new VouchError(
      "data/one-class",
      `${table.name}: all rows have the same class "${classes[0]}" in column "${column.name}".`,
      {
        hint: `A classifier needs at least two classes; choose another column with --target${suchAs(table, column)}.`,
      },
    );
  }
  const evidence = `${formatNumber(classes.length)} different values in ${formatCount(rows, "row")}`;
  const nearlyUnique = rows > FEW_ROWS && classes.length > rows / 2;
  const isDeclared = column.kind === "categorical" && column.holds?.kind === "categories";
  const allNumbers = !isDeclared && classes.every((name) => !Number.isNaN(numberOf(name)));
  const fraction = allNumbers ? classes.find((name) => !Number.isInteger(numberOf(name))) : undefined;
  if (fraction !== undefined && (nearlyUnique || classes.length > MAX_FRACTIONS)) {
    throw quantity(table, column, `${evidence}, such as ${fraction}`);
  }
  if (allNumbers && (nearlyUnique || classes.length >= QUANTITY_NUMBERS)) {
    throw quantity(table, column, evidence);
  }
  const found = counts && allNumbers ? quantityEvidence(classes, counts) : undefined;
  if (found?.isClear) throw quantity(table, column, found.words);
  if (nearlyUnique || classes.length > MAX_CLASSES) {
    throw new VouchError(
      "data/not-classes",
      `${table.name}: column "${column.name}" has ${evidence}, too many to be classes.`,
      {
        hint: `Choose another column with --target${suchAs(table, column)}, or group its values: the maximum is ${formatNumber(MAX_CLASSES)} classes.`,
      },
    );
  }
}

/** Creates the error for a target column that contains a quantity. */
function quantity(table: Table, column: Column, evidence: string): VouchError {
  const other =
    column.kind === "numeric"
      ? "make it categorical if its numbers name classes"
      : `group its values; if its numbers name classes, pass --categorical ${listArgument([column.name])}`;
  return new VouchError(
    "data/not-classes",
    `${table.name}: column "${column.name}" looks like a quantity (${evidence}), but vouch predicts classes.`,
    { hint: `Choose another column with --target${suchAs(table, column)}, or ${other}.` },
  );
}

/** Names columns that contain classes, if there are any: `, such as "Survived"`. */
function suchAs(table: Table, { name }: Column): string {
  const candidates = targetCandidates(table, [name]);
  return candidates.length === 0 ? "" : `, such as ${listNames(candidates)}`;
}

/** Classes, and one index per row; −1 if the label is missing. */
interface ClassIndices {
  readonly classes: string[];
  readonly labels: Int32Array;
}

function targetColumn(table: Table, target: string): Column {
  if (table.has(target)) return table.column(target);
  const names = table.columns.map((column) => column.name);
  throw new VouchError("data/no-target", `${table.name} has no target column "${target}".`, {
    hint: columnHint(target, names),
  });
}

function numericClasses(table: Table, column: NumericColumn): ClassIndices {
  const { name } = column;
  const found = distinctNumbers(column);
  const odd = found.numbers.find((value) => !Number.isInteger(value));
  if (odd === undefined) return found;
  const row = denseValues(column.values).indexOf(odd) + 1;
  if (Number.isFinite(odd)) throw quantity(table, column, `${odd} in row ${row}`);
  throw new VouchError(
    "data/not-finite",
    `${table.name}, row ${row}, column "${name}": the label is ${odd}, not a finite number.`,
  );
}

/** Lists the distinct values of a numeric column, as classes and as numbers. */
function distinctNumbers(column: NumericColumn): ClassIndices & { numbers: Float64Array } {
  const values = denseValues(column.values);
  const single = values instanceof Float32Array;
  const codeOf = new Map<number, number>();
  const labels = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    let code = Number.isNaN(value) ? -1 : codeOf.get(value);
    if (code === undefined) {
      code = codeOf.size;
      codeOf.set(value, code);
    }
    labels[i] = code;
  }
  const numbers = Float64Array.from(codeOf.keys()).sort();
  const indexOfCode = new Int32Array(numbers.length);
  numbers.forEach((value, index) => {
    indexOfCode[codeOf.get(value) ?? 0] = index;
  });
  for (let i = 0; i < labels.length; i++) if (labels[i] >= 0) labels[i] = indexOfCode[labels[i]];
  return { classes: Array.from(numbers, (value) => shortestDecimal(value, single)), labels, numbers };
}

function textClasses({ codes, levels }: CategoricalColumn): ClassIndices {
  const isUsed = new Uint8Array(levels.length);
  for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) isUsed[codes[i]] = 1;
  const classes = inNaturalOrder(new Set(levels.filter((_, code) => isUsed[code] === 1)));
  const indexOf = new Map(classes.map((name, index) => [name, index]));
  const indexOfCode = levels.map((level) => indexOf.get(level) ?? -1);
  const labels = new Int32Array(codes.length);
  for (let i = 0; i < codes.length; i++) labels[i] = codes[i] < 0 ? -1 : indexOfCode[codes[i]];
  return { classes, labels };
}

function rowsWithLabel(
  table: Table,
  columns: Pick<Target, "target"> & SplitColumns,
  labels: Int32Array,
  aside?: Table,
): LabelledRows {
  const { target, group, time } = columns;
  const others = [group ?? [], time ?? []].flat().filter((name) => table.has(name));
  const features = table.without([target, ...others]);
  // The table checks that its columns are of the same rows.
  const sameRows = aside && new Table(aside.name, table.rows, aside.columns).withContents();
  const all = { features, labels, ...splitValues(table, columns), ...(sameRows && { aside: sameRows }) };
  let present = 0;
  for (let i = 0; i < labels.length; i++) if (labels[i] >= 0) present++;
  if (present === labels.length) return { ...all, notices: splitNotices(table, columns, all) };
  if (present === 0) {
    throw new VouchError("data/missing-target", `${table.name}: no row has a label in column "${target}".`, {
      hint: "Choose the column that holds the class with --target.",
    });
  }
  const rows = new Int32Array(present);
  let next = 0;
  labels.forEach((label, row) => {
    if (label >= 0) rows[next++] = row;
  });
  const selected = selectRows(all, rows);
  const leftOut = `${formatCount(labels.length - present, "row")} without a label left out.`;
  return { ...selected, notices: [leftOut, ...splitNotices(table, columns, selected)] };
}
