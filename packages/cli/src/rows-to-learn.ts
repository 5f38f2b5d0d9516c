import { type Column, chooseTarget, type Progress, type Table, VouchError } from "vouch";
import { alsoWithout, withoutIdentifiers } from "./identifiers.js";
import type { LongRunFlags } from "./long-run.js";
import { oddSpellings } from "./odd-spellings.js";
import type { ReadingFlags } from "./program.js";
import { type Data, readTrainingData, targetRule } from "./reading.js";

/** Flags of commands that learn from DATA. */
export interface LearningFlags extends ReadingFlags, LongRunFlags {
  readonly target?: string;
  readonly confidence: number;
}

/** DATA as a learner is to see it. */
export interface RowsToLearn {
  /** What was read, with all columns. */
  readonly whole: Table;
  /** The rows, and the official test rows if there are any, without identifiers. */
  readonly table: Table;
  readonly test?: Table;
  /** The identifiers that were left out. */
  readonly leftOut: readonly string[];
  /** What the user should know about the columns. */
  readonly notices: readonly string[];
}

/** Reads DATA for train, compare and select: what is no feature is left out, what looks like a slip is told. */
export async function readRowsToLearn(
  argument: string,
  flags: LearningFlags,
  signal: AbortSignal,
  progress: (progress: Progress) => void,
): Promise<RowsToLearn> {
  const target = targetRule(flags.target, flags.ignore);
  const data = await readTrainingData(argument, { flags, target, signal, progress });
  checkColumns(data);
  const { table, names, notices } = withoutIdentifiers(data.rows, flags.target, flags);
  return {
    whole: data.rows,
    table,
    ...(data.test && { test: alsoWithout(data.test, names) }),
    leftOut: names,
    notices: [
      ...headerNotices(data.rows, flags),
      ...oddSpellings(data.rows, flags.target, flags),
      ...notices,
    ],
  };
}

/** A table of one column was most likely cut in the wrong places. */
function checkColumns({ rows }: Data): void {
  if (rows.columns.length !== 1) return;
  throw new VouchError(
    "data/no-features",
    `${rows.name} has no column besides the target "${rows.columns[0].name}".`,
    { hint: "If there are more, --delimiter says what separates them." },
  );
}

/** A target that is called as one of its own classes: the first line is a row, not a header. */
function headerNotices(table: Table, { header, target }: LearningFlags): string[] {
  if (!header || target !== undefined) return [];
  const name = chooseTarget(table, undefined);
  if (!hasLevel(table.column(name), name)) return [];
  return [
    `The first line is taken for the names of the columns, but "${name}" is also a class. If that line is data: --no-header.`,
  ];
}

function hasLevel(column: Column, level: string): boolean {
  return column.kind === "categorical" && column.levels.includes(level);
}
