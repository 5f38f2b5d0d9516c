import { Random } from "@vouch/core/internal/runtime/maths/random";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { Table } from "@vouch/core/internal/table/table";
import { CHURN_EXAMPLE, drawCustomer, loadDataset } from "@vouch/datasets";
import type { ExperimentRun } from "../experiment.js";

/** Rows to train on, and fresh rows from the same source. */
export interface DrawnTables {
  readonly training: Table;
  readonly fresh: Table;
}

/** A source of random rows. The same seed gives the same rows. */
export interface RandomTables {
  readonly target: string;
  draw(seed: number): DrawnTables;
}

/** A data set, the numbers of rows to draw, and an optional class against the rest. */
export interface SourceOfDataset {
  readonly dataset: string;
  readonly against?: string;
  readonly training: number;
  /** By default all remaining rows. */
  readonly fresh?: number;
}

/** Draws as many customers as in the churn example, or takes those; fresh customers are new for every seed. */
export function customerSource(training: "new" | "churn.csv", fresh: number): RandomTables {
  return {
    target: "churn",
    draw(seed) {
      const random = new Random(seed);
      const first = training === "new" ? random.fork(0) : new Random(CHURN_EXAMPLE.seed);
      return { training: customers(CHURN_EXAMPLE.rows, first), fresh: customers(fresh, random.fork(1)) };
    },
  };
}

function customers(rows: number, random: Random): Table {
  return Table.fromRecords(
    "churn",
    Array.from({ length: rows }, () => ({ ...drawCustomer(random) })),
  );
}

/** Splits the rows of a data set, or of its training part, at random. */
export async function datasetSource(
  { dataset, against, training, fresh = Infinity }: SourceOfDataset,
  { signal }: Pick<ExperimentRun, "signal">,
): Promise<RandomTables> {
  const { train, entry } = await loadDataset(dataset, signal ? { signal } : {});
  const { target } = entry;
  const table = against === undefined ? train : oneAgainstOthers(train, target, against);
  return {
    target,
    draw(seed) {
      const order = new Random(seed).shuffle(Int32Array.from({ length: table.rows }, (_, row) => row));
      return {
        training: table.select(order.subarray(0, training)),
        fresh: table.select(order.subarray(training, training + fresh)),
      };
    },
  };
}

/** Joins all classes but one. */
function oneAgainstOthers(table: Table, target: string, one: string): Table {
  const column = table.column(target);
  if (column.kind === "numeric" || !column.levels.includes(one)) {
    throw new VouchError("data/malformed", `${table.name} has no class "${one}".`);
  }
  const own = column.levels.indexOf(one);
  const codes = Int32Array.from(column.codes, (code) => (code < 0 ? code : Number(code === own)));
  return table.withColumn({ ...column, codes, levels: ["other", one] });
}
