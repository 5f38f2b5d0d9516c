import { formatCount, shortList } from "../runtime/number-format.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Column } from "../table/column.js";
import { identifierColumns } from "../table/identifier-columns.js";
import { oddSpellings } from "../table/odd-spellings.js";
import { similarClasses } from "../table/similar-classes.js";
import type { SplitColumns } from "../table/split-columns.js";
import { Table } from "../table/table.js";
import { chooseTarget } from "../table/target.js";

/** What the user says about the columns of a table that was just read. */
export interface PrepareOptions extends SplitColumns {
  /** Column with the class; the default is `label` if it exists, else the last column. */
  readonly target?: string | undefined;
  /** Columns that the user declares: they are kept even if they look like identifiers. */
  readonly numeric?: readonly string[];
  readonly categorical?: readonly string[];
  readonly text?: readonly string[];
  /** Columns that are not features; `aside` has those that the table has. */
  readonly ignore?: readonly string[];
  /** Whether the first line of the file was read as column names; true by default. */
  readonly header?: boolean;
}

/** A table as learners see it. */
export interface PreparedRows {
  /** The table as it was read, without ignored columns. */
  readonly whole: Table;
  /** The ignored columns, for checks of the rows. */
  readonly aside?: Table;
  readonly target: string;
  /** The rows without identifier columns. */
  readonly table: Table;
  readonly identifiers: readonly string[];
  /** Warnings about columns. */
  readonly notices: readonly string[];
}

/**
 * Prepares a table that was read from a file for training: chooses the target, drops identifier columns, and warns about likely
 * slips. `vouch train` and the studio train on the result, with its notices on the model card.
 */
export function prepareRows(read: Table, options: PrepareOptions = {}): PreparedRows {
  const ignored = (options.ignore ?? []).filter((name) => read.has(name));
  const kept = ignored.length === 0 ? read : read.without(ignored);
  checkColumns(kept);
  const whole = kept.withContents();
  const splitBy = [options.group ?? [], options.time ?? []].flat();
  const target = chooseTarget(whole, options.target, options);
  const { identifiers, notices } = identifiersOf(whole, target, options);
  const own = [...(options.categorical ?? []), ...(options.text ?? []), ...splitBy];
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
    table: whole.without(identifiers),
    identifiers,
    notices: [
      ...headerNotices(whole, target, options),
      ...similarClasses(whole.column(target)),
      ...oddSpellings(whole, target, own),
      ...notices,
    ],
  };
}

/**
 * Makes the rule by which readers find the column to read verbatim: the target, or else `label`, or else the last column that is
 * not ignored.
 */
export function targetRule(
  target: string | undefined,
  ignored: readonly string[] = [],
): string | ((columns: readonly string[]) => string | undefined) {
  if (target !== undefined) return target;
  return (columns) => {
    const left = columns.filter((name) => !ignored.includes(name));
    return left.includes("label") ? "label" : left.at(-1);
  };
}

/** The default share of the rows to hold out, and the largest number: more rows hardly make a certificate sharper. */
const HOLDOUT = 0.2;
const MOST_HELD_OUT = 100_000;

/** Returns the share of this many rows that is held out by default. */
export function defaultHoldout(rows: number): number {
  return Math.min(HOLDOUT, MOST_HELD_OUT / rows);
}

/** Refuses a table of one column, which was most likely split by the wrong delimiter. */
function checkColumns({ name, columns }: Table): void {
  if (columns.length !== 1) return;
  throw new VouchError("data/no-features", `${name} has no column besides the target "${columns[0].name}".`, {
    hint: "If the file has more columns, set their separator with --delimiter.",
  });
}

/** Finds identifier columns to drop, except those that the user declares as numbers, categories, group or time. */
function identifiersOf(
  table: Table,
  target: string,
  { numeric = [], categorical = [], group = target, time = target }: PrepareOptions,
): Pick<PreparedRows, "identifiers" | "notices"> {
  const wanted = new Set([target, group, time, ...numeric, ...categorical]);
  const identifiers = identifierColumns(table).filter((name) => !wanted.has(name));
  if (identifiers.length === 0) return { identifiers, notices: [] };
  const isAll = identifiers.length === table.columns.length - new Set([target, group, time]).size;
  return isAll
    ? {
        identifiers: [],
        notices: [
          `There is nothing to learn from but ${countOf(identifiers)}, with a different value in every row: ${namesOf(identifiers)}. Such a model says nothing about new rows.`,
        ],
      }
    : { identifiers, notices: [identifierNotice(identifiers)] };
}

/** Says which identifier columns were dropped. */
export function identifierNotice(identifiers: readonly string[]): string {
  const [count, named] = [countOf(identifiers), namesOf(identifiers)];
  return `${count} dropped, with a different value in every row: ${named}. Keep a column with --numeric, --categorical or --text.`;
}

function countOf(identifiers: readonly string[]): string {
  return formatCount(identifiers.length, "identifier column");
}

function namesOf(identifiers: readonly string[]): string {
  return shortList(identifiers, 5, (name) => `"${name}"`);
}

/** Warns if the target has the name of one of its classes: then the first line is a row, not a header. */
function headerNotices(table: Table, name: string, { header = true, target }: PrepareOptions): string[] {
  if (!header || target !== undefined || !hasLevel(table.column(name), name)) return [];
  return [
    `The first line is read as column names, but "${name}" is also a class. If that line is data, add --no-header.`,
  ];
}

function hasLevel(column: Column, level: string): boolean {
  return column.kind === "categorical" && column.levels.includes(level);
}
