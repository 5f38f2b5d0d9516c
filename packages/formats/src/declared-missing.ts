import type { Column } from "@vouch/core/internal/table/column";
import { Table } from "@vouch/core/internal/table/table";
import { parseNumber } from "./cell.js";
import type { ReadOptions } from "./read-options.js";

/** Makes declared values missing: words, and numbers such as -999 in numeric columns. */
export function withDeclaredMissing(table: Table, { missing = [] }: Pick<ReadOptions, "missing">): Table {
  if (missing.length === 0) return table;
  const words = new Set(missing);
  const numbers = new Set(missing.flatMap((word) => parseNumber(word) ?? []));
  const columns = table.columns.map((column) => withoutWords(column, words, numbers));
  return new Table(table.name, table.rows, columns, table.firstRow, table.notices);
}

function withoutWords(column: Column, words: ReadonlySet<string>, numbers: ReadonlySet<number>): Column {
  if (column.kind === "numeric") {
    const { values } = column;
    // The cells stored in sparse columns are intended numbers.
    if (numbers.size === 0 || !(values instanceof Float64Array || values instanceof Float32Array))
      return column;
    if (!values.some((value) => numbers.has(value))) return column;
    return { ...column, values: values.map((value) => (numbers.has(value) ? Number.NaN : value)) };
  }
  if (!column.levels.some((level) => words.has(level))) return column;
  const levels = column.levels.filter((level) => !words.has(level));
  let kept = 0;
  const codeOf = column.levels.map((level) => (words.has(level) ? -1 : kept++));
  return { ...column, levels, codes: column.codes.map((code) => (code < 0 ? code : codeOf[code])) };
}
