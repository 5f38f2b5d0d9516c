import type { CategoricalColumn, Column } from "@vouch/core/internal/table/column";
import { Table } from "@vouch/core/internal/table/table";
import { parseNumber } from "../cell.js";
import { floatColumns } from "../column-builder.js";

/**
 * Columns whose spelling matters. They are parsed as strings and become numbers if all strings are spelled as
 * JavaScript prints numbers, so that the text can be restored. When a table is read in parts, a column that starts with
 * numbers holds numbers up to its first other string, and strings from there on, regardless of the division into parts.
 */
export class VerbatimColumns {
  readonly #names: ReadonlySet<string>;
  /** Columns with only numbers so far. */
  readonly #numbers: Set<string>;

  /**
   * @param names the columns whose spelling matters
   * @param numbers the columns among them with only numbers in the first rows
   */
  constructor(names: Iterable<string>, numbers: Iterable<string>) {
    this.#names = new Set(names);
    this.#numbers = new Set(numbers);
  }

  /** Starts with the first rows of the file, all of whose text columns are treated verbatim. */
  static startingWith(firstRows: Table): VerbatimColumns {
    const texts = firstRows.columns.filter((column) => column.kind === "categorical");
    const numbers = texts.filter((column) => firstText(column) === undefined);
    return new VerbatimColumns(
      texts.map(({ name }) => name),
      numbers.map(({ name }) => name),
    );
  }

  /** Restores a table with all rows of the file. */
  restoredWhole(table: Table): Table {
    return withNumbers(
      table,
      table.columns.flatMap((column) =>
        column.kind === "categorical" && this.#names.has(column.name) && firstText(column) === undefined
          ? [column.name]
          : [],
      ),
    );
  }

  /** Yields the next part of a table, divided where a column changes from numbers to strings. */
  *restored(table: Table): Generator<Table> {
    let rest = table;
    for (;;) {
      const turns = rest.columns.flatMap((column) => {
        if (column.kind !== "categorical" || !this.#numbers.has(column.name)) return [];
        const row = firstText(column);
        return row === undefined ? [] : [{ name: column.name, row }];
      });
      const first = Math.min(...turns.map(({ row }) => row));
      if (first > 0) {
        // The notes belong to the last rows.
        const numbers = first < rest.rows ? withoutNotices(rest.slice(0, first)) : rest;
        yield withNumbers(numbers, this.#numbers);
      }
      if (turns.length === 0) return;
      for (const { name, row } of turns) if (row === first) this.#numbers.delete(name);
      rest = rest.slice(first, rest.rows);
    }
  }
}

/** Returns the first row whose string is not spelled like a printed number; undefined if there is none. */
function firstText({ codes, levels }: CategoricalColumn): number | undefined {
  const isText = Uint8Array.from(levels, (level) => (isPrintedNumber(level) ? 0 : 1));
  if (!isText.includes(1)) return undefined;
  const row = codes.findIndex((code) => code >= 0 && isText[code] === 1);
  return row < 0 ? undefined : row;
}

function isPrintedNumber(text: string): boolean {
  const value = parseNumber(text);
  return value !== undefined && Number.isFinite(value) && String(value) === text;
}

function withoutNotices({ name, rows, columns, firstRow }: Table): Table {
  return new Table(name, rows, columns, firstRow);
}

function withNumbers(table: Table, names: Iterable<string>): Table {
  const converted = new Set(names);
  const columns = table.columns.map((column) =>
    column.kind === "categorical" && converted.has(column.name) ? asNumbers(column) : column,
  );
  return new Table(table.name, table.rows, columns, table.firstRow, table.notices);
}

function asNumbers({ name, codes, levels }: CategoricalColumn): Column {
  const numbers = Float64Array.from(levels, Number);
  const [values] = floatColumns(1, codes.length);
  for (let i = 0; i < codes.length; i++) values[i] = codes[i] < 0 ? Number.NaN : numbers[codes[i]];
  return { kind: "numeric", name, values };
}
