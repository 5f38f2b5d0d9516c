import type { Table } from "vouch";

/** Returns the cells of a table by column; null is missing. */
export function cellsOf(table: Table): Record<string, (number | string | null)[]> {
  return Object.fromEntries(
    table.columns.map((column) => [
      column.name,
      column.kind === "numeric"
        ? Array.from(column.values, (value) => (Number.isNaN(value) ? null : value))
        : Array.from(column.codes, (code) => (code < 0 ? null : column.levels[code])),
    ]),
  );
}
