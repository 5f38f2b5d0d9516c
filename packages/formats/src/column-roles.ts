import { columnHint } from "@vouch/core/internal/runtime/text/suggestions";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { CategoricalColumn, NumericColumn } from "@vouch/core/internal/table/column";
import { Table } from "@vouch/core/internal/table/table";
import { finiteNumber } from "./cell.js";
import type { ReadOptions } from "./read-options.js";

/**
 * Role of a column by the options; dates and free text are read as categories. Without a role, the cells decide the
 * kind.
 */
export type ColumnRole = "numeric" | "categorical" | "ignored";

type ColumnOptions = Pick<
  ReadOptions,
  "target" | "categorical" | "numeric" | "date" | "dateOrder" | "text" | "ignore"
>;

/** Options that declare what columns are, with the role in words and for a reader. */
const OPTIONS = [
  { option: "categorical", words: "categorical", role: "categorical" },
  { option: "numeric", words: "numeric", role: "numeric" },
  { option: "date", words: "a date", role: "categorical" },
  { option: "text", words: "text", role: "categorical" },
  { option: "ignore", words: "ignored", role: "ignored" },
] as const;

/**
 * Returns the role of each column named in the options. Throws if an option names a column that the file lacks, or if
 * two options contradict each other. The target may be absent, as in data to predict.
 */
export function columnRoles(
  file: string,
  names: readonly string[],
  options: ColumnOptions,
): Map<string, ColumnRole> {
  const target = targetName(names, options);
  const isNamed = target !== undefined || OPTIONS.some(({ option }) => (options[option] ?? []).length > 0);
  if (!isNamed) return new Map();
  const known = new Set(names);
  const wordsOf = new Map<string, string>();
  const roles = new Map<string, ColumnRole>();
  if (target !== undefined && known.has(target)) {
    wordsOf.set(target, "categorical");
    roles.set(target, "categorical");
  }
  for (const { option, words, role } of OPTIONS) {
    for (const column of options[option] ?? []) {
      if (!known.has(column)) throw unknownColumn(file, column, option, known);
      const other = wordsOf.get(column) ?? words;
      if (other !== words) throw conflictingRoles(column, other, words, column === target);
      wordsOf.set(column, words);
      roles.set(column, role);
    }
  }
  return roles;
}

/**
 * Marks the columns that the options declare as categories, dates or free text. Throws if a declared date column
 * contains no dates. In a part of a table, dates are not marked, because their form follows from all rows.
 */
export function withDeclaredKinds(
  table: Table,
  { categorical = [], date = [], dateOrder, text = [] }: ColumnOptions,
  isPart = false,
): Table {
  const declared = [
    ...categorical.map((name) => [name, "categorical"] as const),
    ...(isPart ? [] : date).map((name) => [name, "date"] as const),
    ...text.map((name) => [name, "text"] as const),
  ].filter(([name]) => table.has(name));
  return declared.length === 0 ? table : table.withKinds(Object.fromEntries(declared), dateOrder);
}

/** Returns the name of the target, even if there is no such column. */
export function targetName(names: readonly string[], { target }: ColumnOptions): string | undefined {
  return typeof target === "function" ? target(names) : target;
}

/** Converts the columns of a table to their roles in the options, for formats with fixed kinds. */
export function withColumnRoles(table: Table, options: ColumnOptions): Table {
  const names = table.columns.map(({ name }) => name);
  const roles = columnRoles(table.name, names, options);
  if (table.columns.every(({ name, kind }) => (roles.get(name) ?? kind) === kind)) return table;
  const columns = table.columns.flatMap((column) => {
    const role = roles.get(column.name) ?? column.kind;
    if (role === "ignored") return [];
    if (role === column.kind) return [column];
    return [column.kind === "numeric" ? toCategories(column) : toNumbers(table, column)];
  });
  return new Table(table.name, table.rows, columns, table.firstRow, table.notices);
}

/** Converts numbers into categories in their shortest spelling. */
export function toCategories({ name, values }: NumericColumn): CategoricalColumn {
  const codeOf = new Map<number, number>();
  const codes = Int32Array.from(values, (value) => {
    if (Number.isNaN(value)) return -1;
    const code = codeOf.get(value) ?? codeOf.size;
    codeOf.set(value, code);
    return code;
  });
  return { kind: "categorical", name, codes, levels: Array.from(codeOf.keys(), String) };
}

function toNumbers(table: Table, { name, codes, levels }: CategoricalColumn): NumericColumn {
  const position = (index: number) => ({
    file: table.name,
    row: table.firstRow + index + 1,
    column: name,
  });
  const values = Float64Array.from(codes, (code, index) =>
    code < 0 ? Number.NaN : finiteNumber(position(index), levels[code]),
  );
  return { kind: "numeric", name, values };
}

/** Checks that column names are unique, and names unnamed columns by their position: `column3`. */
export function uniqueNames(file: string, header: readonly string[], hint?: string): string[] {
  const names = header.map((name, index) => (name === "" ? `column${index + 1}` : name));
  const positions = new Map<string, number>();
  for (let index = 0; index < names.length; index++) {
    const first = positions.get(names[index]);
    if (first !== undefined) {
      throw new VouchError(
        "data/duplicate-column",
        `${file}: columns ${first + 1} and ${index + 1} are both called "${names[index]}".`,
        { hint: `Rename or remove one of them.${hint === undefined ? "" : ` ${hint}`}` },
      );
    }
    positions.set(names[index], index);
  }
  return names;
}

function conflictingRoles(column: string, first: string, second: string, isTarget: boolean): VouchError {
  if (isTarget) {
    return new VouchError("option/invalid", `Column "${column}" is the target: it cannot be ${second}.`, {
      hint: "The values of the target are classes. Choose another target, or drop the column from the other option.",
    });
  }
  return new VouchError("option/invalid", `Column "${column}" cannot be both ${first} and ${second}.`, {
    hint: "Name it in one option only.",
  });
}

function unknownColumn(file: string, column: string, option: string, known: Iterable<string>): VouchError {
  return new VouchError("data/missing-column", `${file} has no column "${column}" (option ${option}).`, {
    hint: columnHint(column, known),
  });
}
