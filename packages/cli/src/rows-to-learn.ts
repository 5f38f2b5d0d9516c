import { type PreparedRows, prepareRows, targetRule } from "vouch/command";
import { type SplitColumns, type Table, VouchError } from "vouch/train";
import type { LearningFlags } from "./flags.js";
import { type Reading, readTrainingData } from "./reading.js";

/** DATA as learners see it. */
export interface RowsToLearn extends PreparedRows {
  /** The column that groups or orders the rows, if the user names one. */
  readonly splitBy: SplitColumns;
  /** The official test rows if there are any, without identifier columns. */
  readonly test?: Table;
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
  const prepared = prepareRows(data.rows, flags);
  return {
    ...prepared,
    splitBy,
    ...(data.test && { test: alsoWithout(data.test, prepared.identifiers) }),
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

/** Adds the name of the data, and advice in terms of flags, to the error of too few rows. */
export function namingData(error: unknown, name: string, hint: string): unknown {
  if (!(error instanceof VouchError) || error.code !== "data/too-few-rows") return error;
  return new VouchError(error.code, `${name}: ${error.message}`, { hint, cause: error });
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
