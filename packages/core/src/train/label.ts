import type { SplitColumns } from "../table/split-columns.js";
import type { Table } from "../table/table.js";
import { chooseTarget, type Labelled, labelled } from "../table/target.js";

/** The column to predict, and the one that groups or orders the rows. */
interface LabelColumns extends SplitColumns {
  /** By default the most telling name with classes, else the last column; see `chooseTarget`. */
  readonly target?: string;
  /** Columns of the same rows that are not features. */
  readonly aside?: Table;
}

/** Separates the target column, and a group or time column, from the features. */
export function label(table: Table, columns: LabelColumns): Labelled {
  const { target, group, time, aside } = columns;
  return labelled(table, chooseTarget(table, target, { group, time }), { group, time }, aside);
}
