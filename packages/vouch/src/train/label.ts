import type { Table } from "../table/table.js";
import { chooseTarget, type Labelled, labelled } from "../table/target.js";

/** Separates the target column, by default `label` or the last one, from the features. */
export function label(table: Table, target?: string, notices: readonly string[] = []): Labelled {
  const data = labelled(table, chooseTarget(table, target));
  return { ...data, notices: [...notices, ...data.notices] };
}
