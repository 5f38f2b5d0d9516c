import { formatCount, shortList } from "../runtime/text/number-format.js";
import { listArgument } from "../runtime/text/shell.js";
import { VouchError } from "../runtime/vouch-error.js";
import { ambiguousDates } from "../table/ambiguous-dates.js";
import { type Column, type ColumnValues, denseValues, missingCells } from "../table/column.js";
import { contentOf, findPhrases, type Phrases } from "../table/column-content.js";
import type { DateOrder } from "../table/date-form.js";
import { guessByNames, guessTarget, type TargetGuess } from "../table/guess-target.js";
import { identifierColumns } from "../table/identifier-columns.js";
import { countLevels, type LevelCounts } from "../table/levels.js";
import { quantityEvidence } from "../table/quantity.js";
import {
  mergeClasses,
  mergedClassesNotice,
  type SimilarClasses,
  similarClasses,
  similarClassesNotice,
} from "../table/similar-classes.js";
import type { SplitColumns } from "../table/split-columns.js";
import { Table, type TableNotice } from "../table/table.js";
import { chooseTarget } from "../table/target.js";
import type { SelectiveOptions } from "./selective-prediction.js";
import { FEW_ROWS } from "./warnings.js";

/** The user's choices about the columns of a table that was just read. */
export interface PrepareOptions extends SplitColumns {
  /** Column with the class; by default guessed by its name or position, see `TargetGuess`. */
  readonly target?: string | undefined;
  /** Merges classes whose names differ only in spaces, case, encoding or by a typo; by default a warning lists them. */
  readonly mergeClasses?: boolean | undefined;
  /** Columns declared by the user, which are kept even if they look like identifiers. */
  readonly numeric?: readonly string[];
  readonly categorical?: readonly string[];
  readonly text?: readonly string[];
  /** Columns that are not features; `aside` contains those that exist. */
  readonly ignore?: readonly string[];
  /** The order of day and month in dates that do not show theirs; without it they are categories, and the verdict warns of them. */
  readonly dateOrder?: DateOrder | undefined;
  /** Whether the first line of the file was read as column names; true by default. */
  readonly header?: boolean;
}

/** A table as learners see it. */
export interface PreparedTable {
  /** The table as read, without ignored columns. */
  readonly whole: Table;
  /** The ignored columns, for checks of the rows. */
  readonly aside?: Table;
  readonly target: string;
  /** How the target was found; absent if the user named it. */
  readonly guess?: TargetGuess;
  /** The rows without identifier columns. */
  readonly table: Table;
  readonly identifiers: readonly string[];
  /** Classes that readers would consider the same, merged or not. */
  readonly similarClasses: readonly SimilarClasses[];
}

/** More distinct numbers are refused as classes. */
const MOST_NUMBERS = 1000;

/** How readers find the column to read verbatim: by its name, or by all column names. */
export type TargetRule = string | ((columns: readonly string[]) => string | undefined);

/**
 * Creates the rule by which readers find the column to read verbatim: the target, or else the one that the names
 * suggest, without ignored columns; see `TargetGuess`.
 */
export function targetRule(target: string | undefined, ignored: readonly string[] = []): TargetRule {
  return target ?? ((columns) => guessByNames(columns.filter((name) => !ignored.includes(name))));
}

/**
 * Reads a table and prepares it for training. The target is read verbatim, so its name is guessed before the values are
 * known. If the values show that the column does not contain classes, the table is read again with the target that they
 * suggest.
 */
export async function readPrepared(
  read: (target: TargetRule) => Promise<Table>,
  options: PrepareOptions = {},
): Promise<PreparedTable> {
  const { target, group, time, ignore = [] } = options;
  const rule = targetRule(target, [...ignore, ...[group ?? [], time ?? []].flat()]);
  const table = await read(rule);
  const names = table.columns.map(({ name }) => name);
  const prepared = prepareTable(table, options);
  if (typeof rule === "string" || prepared.target === rule(names)) return prepared;
  const again = prepareTable(await read(prepared.target), { ...options, target: prepared.target });
  return { ...again, ...(prepared.guess && { guess: prepared.guess }) };
}

/**
 * Prepares a table that was read from a file for training: chooses the target, drops identifier columns, merges classes if asked to,
 * and adds notices about likely slips to the table. `vouch train` and the studio train on the result.
 */
export function prepareTable(read: Table, options: PrepareOptions = {}): PreparedTable {
  const ignored = (options.ignore ?? []).filter((name) => read.has(name));
  const kept = ignored.length === 0 ? read : read.without(ignored);
  checkColumns(kept);
  const target = chooseTarget(kept, options.target, options);
  const classes = preparedClasses(kept.column(target), options);
  // The content of the target stays open unless it is declared: whole numbers may be a quantity.
  const marked = kept.withContents(options.dateOrder).withColumn(classes.column);
  const { identifiers, notices } = identifiersOf(marked, target, options);
  const splitBy = [options.group ?? [], options.time ?? []].flat();
  const own = [target, ...(options.categorical ?? []), ...(options.text ?? []), ...splitBy];
  const whole = marked.withNotices([
    ...classes.notices,
    ...headerNotices(marked, target, options),
    ...ambiguousDates(marked, own),
    ...phraseNotices(kept, own),
    ...notices,
  ]);
  return {
    whole,
    ...(kept !== read && {
      aside: new Table(
        read.name,
        read.rows,
        ignored.map((name) => read.column(name)),
      ),
    }),
    target,
    ...(options.target === undefined && { guess: guessTarget(kept, options) }),
    table: whole.without(identifiers),
    identifiers,
    similarClasses: classes.similar,
  };
}

/** Merges similar classes if requested, with a note, or warns about them and about quantities. */
function preparedClasses(
  column: Column,
  { mergeClasses: isMerged = false }: PrepareOptions,
): {
  readonly column: Column;
  readonly similar: readonly SimilarClasses[];
  readonly notices: readonly TableNotice[];
} {
  const similar = similarClasses(column);
  if (column.kind === "categorical" && isMerged && similar.length > 0) {
    const notices = [{ message: mergedClassesNotice(similar) }];
    return { column: mergeClasses(column, similar), similar, notices };
  }
  const messages = [
    ...(similar.length > 0 ? [similarClassesNotice(similar)] : []),
    ...quantityNotices(column),
  ];
  return { column, similar, notices: messages.map((message) => ({ message, isDoubtful: true })) };
}

/** Warns if the classes may be a quantity; clear quantities are an error of `labelled`. */
function quantityNotices(column: Column): string[] {
  const { name } = column;
  if (column.kind === "categorical" && column.holds?.kind === "categories") return [];
  const { levels, counts } =
    column.kind === "categorical" ? countLevels(column) : countNumbers(column.values);
  const found = quantityEvidence(levels, counts);
  if (!found || found.isClear) return [];
  return [
    `The target "${name}" looks like a quantity (${found.words}), but each number is a class of its own: a prediction that is nearly right counts as an error. Group its values into a few classes; if its numbers name classes, pass --categorical ${listArgument([name])}.`,
  ];
}

/** Names columns of phrases that repeat are read as text, and which are not, with the flag that overrules it. */
function phraseNotices({ columns }: Table, known: readonly string[]): TableNotice[] {
  const found = columns.flatMap((column) => {
    if (column.kind === "numeric" || column.holds || known.includes(column.name)) return [];
    return contentOf(column).kind === "dates" ? [] : { name: column.name, phrases: findPhrases(column) };
  });
  const named = (phrases: Phrases) => found.filter((one) => one.phrases === phrases).map(({ name }) => name);
  const [texts, names] = [named("combined"), named("names")];
  const count = ({ length }: readonly string[]) => formatCount(length, "column");
  const asText = `${count(texts)} of phrases that repeat read as text, because different values combine the same words: ${namesOf(texts)}. To read them as categories, pass --categorical ${listArgument(texts)}.`;
  const asNames = `${count(names)} of phrases that repeat read as categories: ${namesOf(names)}. If they are free text, pass --text ${listArgument(names)}.`;
  return [
    ...(texts.length > 0 ? [{ message: asText, columns: texts }] : []),
    ...(names.length > 0 ? [{ message: asNames, columns: names }] : []),
  ];
}

/** Counts the rows of each number; undefined if there are too many numbers for classes. */
function countNumbers(values: ColumnValues): Pick<LevelCounts, "levels" | "counts"> {
  const rows = new Map<number, number>();
  for (const value of denseValues(values)) {
    if (Number.isNaN(value)) continue;
    rows.set(value, (rows.get(value) ?? 0) + 1);
    if (rows.size > MOST_NUMBERS) return { levels: [], counts: [] };
  }
  const sorted = [...rows].sort(([a], [b]) => a - b);
  return { levels: sorted.map(([value]) => String(value)), counts: sorted.map(([, count]) => count) };
}

/** Default share of held-out rows, and their maximum number; more rows hardly improve a certificate. */
const HOLDOUT = 0.2;
const MOST_HELD_OUT = 100_000;
/** Fewer rows than `FEW_ROWS` are split into this many folds, of two rows or more. */
const FOLDS = 10;

/** Requests that only held-out rows can fulfil, or that decide which rows are tested. */
interface MeasuringNeeds extends SplitColumns, SelectiveOptions {
  readonly unlabelled?: unknown;
}

/**
 * Decides how to measure the error if the user does not: in folds with fewer than 100 labelled rows, because a hold-out of a few rows says
 * nothing, otherwise on a fifth of the rows, at most 100,000. Groups stay whole in folds, and folds are stratified. Abstention, sets and
 * pre-training need held-out rows; by time, the first folds would train on too few.
 */
export function defaultMeasuring(
  { table, target }: Pick<PreparedTable, "table" | "target">,
  needs: MeasuringNeeds = {},
): { readonly holdout: number } | { readonly folds: number } {
  const { group, time, abstain, sets, unlabelled } = needs;
  const rows = table.rows - missingCells(table.column(target));
  const groups = group === undefined || !table.has(group) ? rows : countValues(table.column(group));
  const needsHeldOut = [time, abstain, sets, unlabelled].some((need) => need !== undefined);
  if (rows < FEW_ROWS && groups > 1 && !needsHeldOut) {
    return { folds: Math.max(2, Math.min(FOLDS, Math.floor(rows / 2), groups)) };
  }
  return { holdout: Math.min(HOLDOUT, MOST_HELD_OUT / table.rows) };
}

function countValues(column: Column): number {
  return new Set(column.kind === "categorical" ? column.codes : denseValues(column.values)).size;
}

/** Refuses a table of one column, which was most likely split by the wrong delimiter. */
function checkColumns({ name, columns }: Table): void {
  if (columns.length !== 1) return;
  throw new VouchError("data/no-features", `${name} has no column except the target "${columns[0].name}".`, {
    hint: "If the file contains more columns, set their separator with --delimiter.",
  });
}

/** Finds identifier columns to drop, except those that the user declares as numbers, categories, group or time. */
function identifiersOf(
  table: Table,
  target: string,
  { numeric = [], categorical = [], group = target, time = target }: PrepareOptions,
): Pick<PreparedTable, "identifiers"> & { readonly notices: readonly TableNotice[] } {
  const wanted = new Set([target, group, time, ...numeric, ...categorical]);
  const identifiers = identifierColumns(table).filter((name) => !wanted.has(name));
  if (identifiers.length === 0) return { identifiers, notices: [] };
  const isAll = identifiers.length === table.columns.length - new Set([target, group, time]).size;
  if (!isAll) return { identifiers, notices: [identifierNotice(identifiers)] };
  const message = `There is nothing to learn from but ${countOf(identifiers)}, with a different value in every row: ${namesOf(identifiers)}. Such a model says nothing about new rows.`;
  return { identifiers: [], notices: [{ message, columns: identifiers, isDoubtful: true }] };
}

/** Names the identifier columns that were dropped. */
export function identifierNotice(identifiers: readonly string[]): TableNotice {
  const [count, named] = [countOf(identifiers), namesOf(identifiers)];
  return {
    message: `${count} dropped, with a different value in every row: ${named}. Keep a column with --numeric, --categorical or --text.`,
  };
}

function countOf(identifiers: readonly string[]): string {
  return formatCount(identifiers.length, "identifier column");
}

function namesOf(identifiers: readonly string[]): string {
  return shortList(identifiers, 5, (name) => `"${name}"`);
}

/** Warns if the target has the name of one of its classes: then the first line is a row, not a header. */
function headerNotices(table: Table, name: string, { header = true, target }: PrepareOptions): TableNotice[] {
  if (!header || target !== undefined || !hasLevel(table.column(name), name)) return [];
  const message = `The first line is read as column names, but "${name}" is also a class. If that line is data, add --no-header.`;
  return [{ message, isDoubtful: true }];
}

function hasLevel(column: Column, level: string): boolean {
  return column.kind === "categorical" && column.levels.includes(level);
}
