import { type CategoricalColumn, type Column, type NumericColumn, Table } from "vouch/predict";
import { finiteNumber } from "./cell-fault.js";
import { type ColumnOptions, wishes } from "./column-plan.js";

/** A table of a format with fixed kinds, changed to the kinds that the options want. */
export function withWishes(table: Table, options: ColumnOptions): Table {
  const names = table.columns.map(({ name }) => name);
  const wished = wishes(table.name, names, options);
  const columns = table.columns.flatMap((column): Column[] => {
    const wish = wished.get(column.name);
    if (wish === "ignored") return [];
    if (wish === undefined || wish === column.kind) return [column];
    return [column.kind === "numeric" ? categories(column) : numbers(table.name, column)];
  });
  return new Table(table.name, table.rows, columns);
}

/** Numbers as categories, in the shortest spelling of each. */
export function categories({ name, values }: NumericColumn): CategoricalColumn {
  const codeOf = new Map<number, number>();
  const codes = Int32Array.from(values, (value) => {
    if (Number.isNaN(value)) return -1;
    const code = codeOf.get(value) ?? codeOf.size;
    codeOf.set(value, code);
    return code;
  });
  return { kind: "categorical", name, codes, levels: Array.from(codeOf.keys(), String) };
}

function numbers(file: string, { name, codes, levels }: CategoricalColumn): NumericColumn {
  const values = Float64Array.from(codes, (code, index) =>
    code < 0 ? Number.NaN : finiteNumber({ file, row: index + 1, column: name }, levels[code]),
  );
  return { kind: "numeric", name, values };
}
