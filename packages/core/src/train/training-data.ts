import { VouchError } from "../runtime/vouch-error.js";
import type { SplitColumns } from "../table/split-columns.js";
import type { Table } from "../table/table.js";
import { type PreparedTable, readPrepared } from "./prepare-table.js";
import type { TrainRequest } from "./request/request.js";
import type { SourceRows, TrainSource } from "./train-source.js";

/** DATA as learners see it. */
export interface TrainingData extends PreparedTable {
  /** The column that groups or orders the rows, if the user names one. */
  readonly splitBy: SplitColumns;
  /** The official test rows if there are any, without identifier columns. */
  readonly test?: Table;
}

/** The part of a request about the columns of DATA. */
type ColumnRequest = Pick<
  TrainRequest,
  | "target"
  | "group"
  | "time"
  | "categorical"
  | "numeric"
  | "date"
  | "dateOrder"
  | "text"
  | "ignore"
  | "mergeClasses"
  | "header"
>;

/** Reads DATA for a training or a comparison: drops identifier columns, and warns about likely mistakes. */
export async function readTrainingTable(
  { read }: Pick<TrainSource, "read">,
  request: ColumnRequest,
): Promise<TrainingData> {
  const splitBy = splitColumns(request);
  checkNotDeclared(splitBy, request);
  let data: SourceRows | undefined;
  const prepared = await readPrepared(async (target) => {
    data = await read(target, Object.values(splitBy));
    return data.rows;
  }, request);
  return {
    ...prepared,
    splitBy,
    ...(data?.test && { test: alsoWithout(data.test, prepared.identifiers) }),
  };
}

/** Returns the column that groups or orders the rows, and checks that only one is named. */
function splitColumns({ group, time }: Pick<TrainRequest, "group" | "time">): SplitColumns {
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

/** Adds the name of the data, and a hint about options, to the error for too few rows. */
export function namingData(error: unknown, name: string, hint: string): unknown {
  if (!(error instanceof VouchError) || error.code !== "data/too-few-rows") return error;
  return new VouchError(error.code, `${name}: ${error.message}`, { hint, cause: error });
}

/** Refuses to declare the group or time column, which is not a feature. */
function checkNotDeclared(splitBy: SplitColumns, request: ColumnRequest): void {
  for (const [role, column] of Object.entries(splitBy)) {
    const option = (["categorical", "numeric", "date", "text", "ignore"] as const).find((name) =>
      request[name]?.includes(column),
    );
    if (option === undefined) continue;
    throw new VouchError("option/invalid", `Column "${column}" is in both --${role} and --${option}.`, {
      hint: `The column of --${role} is not a feature: remove it from --${option}.`,
    });
  }
}
