import { shortList } from "vouch/errors";
import {
  type Column,
  chooseTarget,
  formatCount,
  identifierColumns,
  type SplitColumns,
  type Table,
  VouchError,
} from "vouch/train";
import type { LearningFlags } from "./flags.js";
import { oddSpellings } from "./odd-spellings.js";
import { type Data, type Reading, readTrainingData, targetRule } from "./reading.js";

/** DATA as learners see it. */
export interface RowsToLearn {
  /** The table as it was read. */
  readonly whole: Table;
  /** The name of the target column. */
  readonly target: string;
  /** The column that groups or orders the rows, if the user names one. */
  readonly splitBy: SplitColumns;
  /** The rows, and the official test rows if there are any, without identifier columns. */
  readonly table: Table;
  readonly test?: Table;
  readonly identifiers: readonly string[];
  /** Warnings about columns. */
  readonly notices: readonly string[];
}

/** Reads DATA for train, compare and select: drops identifier columns, and warns about likely slips. */
export async function readRowsToLearn(
  argument: string,
  flags: LearningFlags,
  services: Pick<Reading, "signal" | "progress" | "executor" | "tasks">,
): Promise<RowsToLearn> {
  const splitBy = splitColumns(flags);
  const others = Object.values(splitBy);
  checkOtherColumns(splitBy, flags);
  const rule = targetRule(flags.target, [...(flags.ignore ?? []), ...others]);
  const data = await readTrainingData(argument, { ...services, flags, target: rule, kept: others });
  checkColumns(data);
  const rows = data.rows.withContents();
  const target = chooseTarget(rows, flags.target, splitBy);
  const identifiers = identifiersOf(rows, target, flags);
  return {
    whole: rows,
    target,
    splitBy,
    table: rows.without(identifiers),
    ...(data.test && { test: alsoWithout(data.test, identifiers) }),
    identifiers,
    notices: [
      ...headerNotices(rows, target, flags),
      ...oddSpellings(rows, target, [...(flags.categorical ?? []), ...(flags.text ?? []), ...others]),
      ...(identifiers.length > 0 ? [identifierNotice(identifiers)] : []),
    ],
  };
}

/** Checks that at most one of --group and --time is given. */
function splitColumns({ group, time }: LearningFlags): SplitColumns {
  if (group !== undefined && time !== undefined) {
    throw new VouchError("option/invalid", "Use only one of --group and --time.", {
      hint: "Rows are kept together by group, or split by time.",
    });
  }
  return { ...(group !== undefined && { group }), ...(time !== undefined && { time }) };
}

/** Drops the same columns from other rows. */
export function alsoWithout(table: Table, names: readonly string[]): Table {
  return table.without(names.filter((name) => table.has(name)));
}

/** The default share of the rows to hold out, and the largest number: more rows hardly make a certificate sharper. */
const HOLDOUT = 0.2;
const MOST_HELD_OUT = 100_000;

/** Returns the share of this many rows that is held out by default. */
export function defaultHoldout(rows: number): number {
  return Math.min(HOLDOUT, MOST_HELD_OUT / rows);
}

/** Adds the name of the data, and advice in terms of flags, to the error of too few rows. */
export function namingData(error: unknown, name: string, hint: string): unknown {
  if (!(error instanceof VouchError) || error.code !== "data/too-few-rows") return error;
  return new VouchError(error.code, `${name}: ${error.message}`, { hint, cause: error });
}

/** Refuses a table of one column, which was most likely split by the wrong delimiter. */
function checkColumns({ rows }: Data): void {
  if (rows.columns.length !== 1) return;
  throw new VouchError(
    "data/no-features",
    `${rows.name} has no column besides the target "${rows.columns[0].name}".`,
    { hint: "If the file has more columns, set their separator with --delimiter." },
  );
}

/** Refuses to declare the group or time column, which is not a feature. */
function checkOtherColumns(splitBy: SplitColumns, flags: LearningFlags): void {
  for (const [role, column] of Object.entries(splitBy)) {
    const flag = (["categorical", "numeric", "date", "text", "ignore"] as const).find((name) =>
      flags[name]?.includes(column),
    );
    if (flag === undefined) continue;
    throw new VouchError("option/invalid", `Column "${column}" is in both --${role} and --${flag}.`, {
      hint: `The column of --${role} is not a feature: remove it from --${flag}.`,
    });
  }
}

/** Finds identifier columns, except those that the user declares as numbers, categories, group or time. */
function identifiersOf(
  table: Table,
  target: string,
  { numeric = [], categorical = [], group = target, time = target }: LearningFlags,
): readonly string[] {
  const wanted = new Set([target, group, time, ...numeric, ...categorical]);
  const names = identifierColumns(table).filter((name) => !wanted.has(name));
  // If there is no other column, training says so.
  return names.length === table.columns.length - new Set([target, group, time]).size ? [] : names;
}

function identifierNotice(names: readonly string[]): string {
  const few = shortList(names, 5, (name) => `"${name}"`);
  const dropped = `${formatCount(names.length, "identifier column")} dropped, with a different value in every row`;
  return `${dropped}: ${few}. Keep a column with --numeric, --categorical or --text.`;
}

/** Warns if the target has the name of one of its classes: then the first line is a row, not a header. */
function headerNotices(table: Table, name: string, { header, target }: LearningFlags): string[] {
  if (!header || target !== undefined || !hasLevel(table.column(name), name)) return [];
  return [
    `The first line is read as column names, but "${name}" is also a class. If that line is data, add --no-header.`,
  ];
}

function hasLevel(column: Column, level: string): boolean {
  return column.kind === "categorical" && column.levels.includes(level);
}
