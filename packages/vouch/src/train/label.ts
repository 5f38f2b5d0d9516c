import type { Table } from "../table/table.js";
import { chooseTarget, type Labelled, labelled } from "../table/target.js";

/** Finds the target column, `label` or the last one if none is named, and separates it from the features. */
export function label(table: Table, target?: string, notices: readonly string[] = []): Labelled {
  const data = labelled(table, chooseTarget(table, target));
  return { ...data, notices: [...notices, ...data.notices] };
}
