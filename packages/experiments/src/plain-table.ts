import type { Column } from "@vouch/core/internal/table/column";
import { SparseValues } from "@vouch/core/internal/table/sparse-cells";
import { Table } from "@vouch/core/internal/table/table";

/** A table as plain objects, which can be sent to a thread or another machine. */
export type PlainTable = Pick<Table, "name" | "rows" | "columns">;

/** Makes plain objects of a table; the cells are not copied. */
export function plainTable({ name, rows, columns }: Table): PlainTable {
  return { name, rows, columns };
}

/** Makes a table of plain objects. */
export function restoredTable({ name, rows, columns }: PlainTable): Table {
  return new Table(name, rows, columns.map(columnFrom));
}

/** Restores a column that was sent; the values of a sparse one have become a plain object. */
function columnFrom(column: Column): Column {
  if (column.kind !== "numeric" || ArrayBuffer.isView(column.values)) return column;
  const { length, ...cells } = column.values;
  return { ...column, values: new SparseValues(length, cells) };
}
