import { type PreparedRows, readPrepared } from "vouch/command";
import { type SplitColumns, type Table, VouchError } from "vouch/train";
import type { LearningFlags } from "./flags.js";
import { type Data, type Reading, readTrainingData } from "./reading.js";

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
  let data: Data | undefined;
  const prepared = await readPrepared(async (target) => {
    if (data && argument === "-") throw notRead(data.rows.name);
    data = await readTrainingData(argument, { ...services, flags, target, kept: others });
    return data.rows;
  }, flags);
  return {
    ...prepared,
    splitBy,
    ...(data?.test && { test: alsoWithout(data.test, prepared.identifiers) }),
  };
}

/** Makes the error of a target guessed by its name that has no classes, if the data cannot be read again for another one. */
function notRead(name: string): VouchError {
  return new VouchError(
    "data/not-classes",
    `${name}: the column with the name of a target does not hold classes.`,
    {
      hint: "Standard input can be read only once: name the column with the class with --target.",
    },
  );
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
