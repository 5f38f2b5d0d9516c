import { columnHint } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import {
  type Cell,
  type Column,
  type ColumnKind,
  type ColumnValues,
  categoriesOf,
  columnOf,
  type DeclaredKinds,
  kindFor,
  numbersOf,
} from "./column.js";
import { cellCount, isSelected } from "./column-cells.js";
import { asDates, contentOf } from "./column-content.js";
import type { DateOrder } from "./date-form.js";
import { selectCells } from "./select-cells.js";

/** Cached positions of columns by name, because a sparse table may have a million columns. */
const POSITIONS = new WeakMap<readonly Column[], ReadonlyMap<string, number>>();

/** A fact about how a table was read that its user should know. */
export interface TableNotice {
  /** One or two sentences. */
  readonly message: string;
  /** The columns concerned; none if it is about the whole table. */
  readonly columns?: readonly string[];
  /** Whether the reading may be wrong, so that the verdict on a model warns of it. */
  readonly isDoubtful?: boolean;
}

/** Raw data: named columns of equal length. */
export class Table {
  /** Name in messages, such as a file or data set. */
  readonly name: string;
  readonly rows: number;
  readonly columns: readonly Column[];
  /**
   * Number of the first row in the whole data: 0 unless the table is a part of a longer one. Messages count from there.
   */
  readonly firstRow: number;
  /** Decisions of the reader that the user should know; derived tables keep the notes about their columns. */
  readonly notices: readonly TableNotice[];
  readonly #positions: ReadonlyMap<string, number>;

  constructor(
    name: string,
    rows: number,
    columns: readonly Column[],
    firstRow = 0,
    notices: readonly TableNotice[] = [],
  ) {
    this.name = name;
    this.rows = rows;
    this.columns = columns;
    this.firstRow = firstRow;
    this.notices = notices;
    for (const column of columns) checkCells(name, rows, column);
    this.#positions = POSITIONS.get(columns) ?? positionsOf(name, columns);
  }

  /**
   * Makes a table from one object per row. A column of numbers is numeric, any other categorical, including dates;
   * null, undefined, NaN, "" and absent keys are missing cells. Columns are in order of appearance.
   */
  static fromRecords(
    name: string,
    records: readonly Readonly<Record<string, Cell>>[],
    kinds: DeclaredKinds = {},
  ): Table {
    const keys = new Set<string>();
    for (const [row, record] of listOf(name, records).entries()) {
      for (const key of keysOf(name, row, record)) keys.add(key);
    }
    const columns = Array.from(keys, (key) =>
      declaredColumn(
        name,
        key,
        records.map((record) => (Object.hasOwn(record, key) ? record[key] : undefined)),
        kindFor(kinds, key),
      ),
    );
    return new Table(name, records.length, columns);
  }

  /**
   * Makes a table from named columns: typed arrays and sparse values are used directly, other arrays are read as in
   * `fromRecords`.
   */
  static fromColumns(
    name: string,
    columns: Readonly<Record<string, readonly Cell[] | ColumnValues>>,
    kinds: DeclaredKinds = {},
  ): Table {
    const made = Object.entries(columns).map(([key, cells]) =>
      declaredColumn(name, key, cells, kindFor(kinds, key)),
    );
    return new Table(name, made.length === 0 ? 0 : cellCount(made[0]), made);
  }

  has(name: string): boolean {
    return this.#positions.has(name);
  }

  /** Returns the column with this name. Throws if there is none, and suggests the nearest name. */
  column(name: string): Column {
    const position = this.#positions.get(name);
    if (position !== undefined) return this.columns[position];
    throw new VouchError("data/missing-column", `${this.name} has no column "${name}".`, {
      hint: columnHint(name, this.#positions.keys()),
    });
  }

  /** Names a row of this table, counted from 0, for a message by its number in the whole data. */
  rowName(row: number): string {
    return `${this.name}, row ${this.firstRow + row + 1}`;
  }

  /** Returns rows `from` to `to` − 1, counted from 0, as a view without copying. */
  slice(from: number, to: number): Table {
    const columns = this.columns.map((column) =>
      column.kind === "numeric"
        ? { ...column, values: column.values.subarray(from, to) }
        : { ...column, codes: column.codes.subarray(from, to) },
    );
    return this.#withSameNames(columns, to - from, this.firstRow + from);
  }

  /**
   * Returns the given rows, counted from 0, in order; rows may repeat. Many rows are copied only when their cells are
   * read.
   */
  select(rows: ArrayLike<number>): Table {
    this.#checkRows(rows);
    return this.#withSameNames(selectCells(this.columns, this.rows, rows), rows.length);
  }

  #checkRows(rows: ArrayLike<number>): void {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      if (Number.isInteger(row) && row >= 0 && row < this.rows) continue;
      throw new VouchError(
        "option/invalid",
        `${this.name} has ${this.rows} rows, so row ${row} cannot be selected.`,
        { hint: "Rows are counted from 0." },
      );
    }
  }

  /** Returns the table without the named columns. Throws if one does not exist. */
  without(names: Iterable<string>): Table {
    const gone = new Set(Array.from(names, (name) => this.column(name).name));
    return new Table(
      this.name,
      this.rows,
      this.columns.filter((column) => !gone.has(column.name)),
      this.firstRow,
      this.notices.filter(({ columns }) => !columns?.every((name) => gone.has(name))),
    );
  }

  /** Returns the notes about the whole table or about one of these columns. */
  noticesAbout(columns: Iterable<string>): string[] {
    const wanted = new Set(columns);
    return this.notices.flatMap((notice) =>
      !notice.columns || notice.columns.some((name) => wanted.has(name)) ? [notice.message] : [],
    );
  }

  /** Returns the table with additional notes. */
  withNotices(notices: readonly TableNotice[]): Table {
    if (notices.length === 0) return this;
    POSITIONS.set(this.columns, this.#positions);
    return new Table(this.name, this.rows, this.columns, this.firstRow, [...this.notices, ...notices]);
  }

  /**
   * Returns the table with columns of the given kinds, by name. Throws if a column does not exist, or has cells that are not of its
   * kind: numbers, or dates of one form. Dates that do not show their order of day and month need one.
   */
  withKinds(kinds: DeclaredKinds, order?: DateOrder): Table {
    for (const name of Object.keys(kinds)) this.column(name);
    const columns = this.columns.map((column) =>
      ofKind(this.name, column, kindFor(kinds, column.name), order),
    );
    return this.#withSameNames(columns, this.rows, this.firstRow);
  }

  /**
   * Returns the table with the meaning of every column of texts marked, so that all its rows are read alike. Dates that do not show
   * their order of day and month are categories without one.
   */
  withContents(order?: DateOrder): Table {
    const columns = this.columns.map((column) =>
      column.kind === "numeric" || column.holds ? column : { ...column, holds: contentOf(column, order) },
    );
    return this.#withSameNames(columns, this.rows, this.firstRow);
  }

  /** Makes a table of columns with the same names in the same order. */
  #withSameNames(columns: readonly Column[], rows: number, firstRow = 0): Table {
    POSITIONS.set(columns, this.#positions);
    return new Table(this.name, rows, columns, firstRow, this.notices);
  }

  /** Returns the table with a column replaced by name, or added at the end. */
  withColumn(column: Column): Table {
    const columns = this.has(column.name)
      ? this.columns.map((old) => (old.name === column.name ? column : old))
      : [...this.columns, column];
    return new Table(this.name, this.rows, columns, this.firstRow, this.notices);
  }
}

/** Makes a column from raw cells, of the declared kind if there is one. */
function declaredColumn(
  table: string,
  name: string,
  cells: readonly Cell[] | ColumnValues,
  declared: ColumnKind | undefined,
): Column {
  const text = declared !== undefined && declared !== "numeric";
  return ofKind(table, columnOf(table, name, cells, text ? "categorical" : declared), declared);
}

/** Converts a column to a declared kind. */
function ofKind(table: string, column: Column, kind: ColumnKind | undefined, order?: DateOrder): Column {
  if (kind === undefined) return column;
  if (kind === "numeric") return column.kind === "numeric" ? column : numbersOf(table, column);
  const texts = column.kind === "categorical" ? column : categoriesOf(column);
  if (kind === "date") return asDates(table, texts, order);
  return { ...texts, holds: { kind: kind === "text" ? "text" : "categories" } };
}

/** Throws if a value is not a table; JavaScript programs may pass records. */
export function checkTable(table: Table): void {
  if (Array.isArray(table?.columns)) return;
  throw new VouchError("option/invalid", "Expected a Table, but something else was given.", {
    hint: 'Make one from objects with Table.fromRecords("rows", [{ … }, …]), or read one from a file. A classifier predicts objects with predictRecords([{ … }]).',
  });
}

function listOf<T>(table: string, records: readonly T[]): readonly T[] {
  if (Array.isArray(records)) return records;
  throw new VouchError("data/malformed", `${table}: the records are not a list.`, {
    hint: "Pass an array with one object per row.",
  });
}

function keysOf(table: string, row: number, record: unknown): string[] {
  if (typeof record === "object" && record !== null && !Array.isArray(record)) return Object.keys(record);
  const given = record === null ? "null" : Array.isArray(record) ? "a list" : typeof record;
  throw new VouchError("data/malformed", `${table}, row ${row + 1}: expected an object, but got ${given}.`, {
    hint: "A record is an object with one cell per column.",
  });
}

function checkCells(table: string, rows: number, column: Column): void {
  const length = cellCount(column);
  if (length !== rows) {
    throw new VouchError(
      "data/ragged",
      `${table}, column "${column.name}": ${length} cells, but the table has ${rows} rows.`,
    );
  }
  if (column.kind === "numeric" || isSelected(column)) return;
  const { codes, levels } = column;
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] < -1 || codes[i] >= levels.length) {
      throw new VouchError(
        "data/malformed",
        `${table}, row ${i + 1}, column "${column.name}": code ${codes[i]}, but there are ${levels.length} levels.`,
      );
    }
  }
}

function positionsOf(table: string, columns: readonly Column[]): Map<string, number> {
  const positions = new Map<string, number>();
  columns.forEach(({ name }, position) => {
    const first = positions.get(name);
    if (first !== undefined) {
      throw new VouchError(
        "data/duplicate-column",
        `${table}: columns ${first + 1} and ${position + 1} are both called "${name}".`,
        { hint: "Rename or remove one of them." },
      );
    }
    positions.set(name, position);
  });
  return positions;
}
