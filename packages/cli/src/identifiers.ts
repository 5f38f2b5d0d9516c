import { chooseTarget, formatCount, identifierColumns, type Table } from "vouch";
import type { ReadingFlags } from "./program.js";

/** A table without the columns that name its rows, and what to tell of them. */
export interface WithoutIdentifiers {
  readonly table: Table;
  readonly names: readonly string[];
  readonly notices: readonly string[];
}

/** Leaves out identifiers, but for those that the user calls numbers or categories. */
export function withoutIdentifiers(
  table: Table,
  target: string | undefined,
  { numeric = [], categorical = [] }: ReadingFlags,
): WithoutIdentifiers {
  const own = chooseTarget(table, target);
  const wanted = new Set([own, ...numeric, ...categorical]);
  const names = identifierColumns(table).filter((name) => !wanted.has(name));
  // A table of nothing else is left as it is: the training says what is wrong with it.
  if (names.length === 0 || names.length === table.columns.length - 1)
    return { table, names: [], notices: [] };
  const few = names
    .slice(0, 5)
    .map((name) => `"${name}"`)
    .join(", ");
  const notice = `${formatCount(names.length, "column")} left out that ${names.length === 1 ? "looks like an identifier" : "look like identifiers"}, with another value in every row: ${few}${names.length > 5 ? ", …" : ""}. --numeric or --categorical with the name keeps one.`;
  return { table: table.without(names), names, notices: [notice] };
}

/** Other rows without the same columns. */
export function alsoWithout(table: Table, names: readonly string[]): Table {
  return table.without(names.filter((name) => table.has(name)));
}
