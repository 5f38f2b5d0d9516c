import { VouchError } from "../runtime/vouch-error.js";
import type { DateForm } from "./date-form.js";
import { readLoneNumber } from "./number-notation.js";
import { shortestDecimal } from "./number-text.js";
import { SparseValues } from "./sparse-cells.js";

/**
 * Cells of a numeric column. A missing cell is NaN, so only float arrays can hold one; integer arrays save memory for columns
 * without missing cells, such as pixels or counts.
 */
export type NumericValues =
  | Float64Array
  | Float32Array
  | Int32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array;

/** Cells of a numeric column: all of them, or only non-zero ones. Encoders and learners treat both alike. */
export type ColumnValues = NumericValues | SparseValues;

/** A column of numbers. */
export interface NumericColumn {
  readonly kind: "numeric";
  readonly name: string;
  readonly values: ColumnValues;
}

/** Meaning of strings: names of categories, dates of one form, or free text. */
export type CellContent =
  | { readonly kind: "categories" }
  | { readonly kind: "dates"; readonly form: DateForm }
  | { readonly kind: "text" };

/** Other spellings of classes, each with the class it was merged into. */
export type MergedClasses = readonly { readonly spelling: string; readonly name: string }[];

/** A column of strings: `levels[codes[i]]` is the string in row i; code −1 is a missing cell. */
export interface CategoricalColumn {
  readonly kind: "categorical";
  readonly name: string;
  readonly codes: Int32Array;
  readonly levels: readonly string[];
  /** Meaning of the strings, if it was declared or found; see `contentOf`. */
  readonly holds?: CellContent;
  /** Spellings that were replaced by levels; see `mergeClasses`. */
  readonly merged?: MergedClasses;
}

/** A named column of raw data. */
export type Column = NumericColumn | CategoricalColumn;

/** Returns the number of a row. */
export function numberAt(values: ColumnValues, row: number): number {
  return values instanceof SparseValues ? values.at(row) : values[row];
}

/** Returns all cells as an array: the column's own, or a copy of sparse ones. */
export function denseValues(values: ColumnValues): NumericValues {
  return values instanceof SparseValues ? values.toArray() : values;
}

/** Returns the stored cells of a column, which exclude zeros if it is sparse. */
export function keptCells<Cells>(values: SparseValues | Cells): NumericValues | Cells {
  return values instanceof SparseValues ? values.values.subarray(values.first, values.last) : values;
}

/** Counts the missing cells of a column. */
export function missingCells(column: Column): number {
  let missing = 0;
  if (column.kind === "categorical") {
    for (const code of column.codes) if (code < 0) missing++;
    return missing;
  }
  const values = keptCells(column.values);
  if (values instanceof Float64Array || values instanceof Float32Array) {
    for (const value of values) if (Number.isNaN(value)) missing++;
  }
  return missing;
}

/** Formats a cell as a string; a missing one is "(missing)". */
export function cellText(column: Column, row: number): string {
  if (column.kind === "categorical") return column.levels[column.codes[row]] ?? MISSING_TEXT;
  const value = numberAt(column.values, row);
  return Number.isNaN(value) ? MISSING_TEXT : shortestDecimal(value, column.values instanceof Float32Array);
}

const MISSING_TEXT = "(missing)";

/** A cell of a record; null, undefined, NaN, "" and an invalid Date are missing. */
export type Cell = string | number | boolean | Date | null | undefined;

const COLUMN_KINDS = ["numeric", "categorical", "date", "text"] as const;

/** What a caller can declare a column to be. */
export type ColumnKind = (typeof COLUMN_KINDS)[number];

/** Returns the kind of a column: strings are categories unless they were declared or found to be dates or free text. */
export function columnKind(column: Column): ColumnKind {
  if (column.kind === "numeric") return "numeric";
  const content = column.holds?.kind ?? "categories";
  return content === "dates" ? "date" : content === "text" ? "text" : "categorical";
}

/** Declared column kinds by name; other kinds are inferred from the cells. */
export type DeclaredKinds = Readonly<Record<string, ColumnKind>>;

/** Returns the declared kind of a column. Only own properties count: a column may be called "constructor". */
export function kindFor(kinds: DeclaredKinds, name: string): ColumnKind | undefined {
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (kind === undefined || COLUMN_KINDS.includes(kind)) return kind;
  throw new VouchError("option/invalid", `Column "${name}" is declared "${kind}".`, {
    hint: "Declare it numeric, categorical, date or text.",
  });
}

/** Makes a column from raw cells: numeric if all present cells are numbers, categorical if none is. */
export function columnOf(
  table: string,
  name: string,
  cells: readonly Cell[] | ColumnValues,
  declared?: Column["kind"],
): Column {
  if (cells instanceof SparseValues || ArrayBuffer.isView(cells)) {
    if (!(cells instanceof SparseValues)) checkNumbers(table, name, cells);
    const column: NumericColumn = { kind: "numeric", name, values: cells };
    return declared === "categorical" ? categoriesOf(column) : column;
  }
  checkCells(table, name, cells);
  const kind = declared ?? inferredKind(table, name, cells);
  return kind === "numeric" ? numericColumn(table, name, cells) : categoricalColumn(name, cells);
}

/** Makes a column of categories from raw cells; the levels are in order of appearance. */
function categoricalColumn(name: string, cells: readonly Cell[]): CategoricalColumn {
  const codeOf = new Map<string, number>();
  const codes = Int32Array.from(cells, (cell) => {
    if (isMissing(cell)) return -1;
    const text = textOf(cell);
    const known = codeOf.get(text);
    if (known !== undefined) return known;
    codeOf.set(text, codeOf.size);
    return codeOf.size - 1;
  });
  return { kind: "categorical", name, codes, levels: [...codeOf.keys()] };
}

/** Converts numbers into strings in their shortest spelling. */
export function categoriesOf({ name, values }: NumericColumn): CategoricalColumn {
  const single = values instanceof Float32Array;
  return categoricalColumn(
    name,
    Array.from(denseValues(values), (value) => (Number.isNaN(value) ? null : shortestDecimal(value, single))),
  );
}

/** Converts strings into numbers. Throws if one is not a number. */
export function numbersOf(table: string, { name, codes, levels }: CategoricalColumn): NumericColumn {
  return numericColumn(
    table,
    name,
    Array.from(codes, (code) => (code < 0 ? null : levels[code])),
  );
}

function numericColumn(table: string, name: string, cells: readonly Cell[]): NumericColumn {
  const values = Float64Array.from(cells, (cell, row) => {
    if (isMissing(cell)) return Number.NaN;
    const value = typeof cell === "number" ? cell : readLoneNumber(String(cell));
    if (!Number.isNaN(value)) return value;
    throw new VouchError(
      "data/not-a-number",
      `${table}, row ${row + 1}, column "${name}": "${cell}" is not a number.`,
      { hint: "Correct the cell, or declare the column categorical." },
    );
  });
  return { kind: "numeric", name, values };
}

function inferredKind(table: string, name: string, cells: readonly Cell[]): Column["kind"] {
  const number = cells.findIndex((cell) => !isMissing(cell) && typeof cell === "number");
  const other = cells.findIndex((cell) => !isMissing(cell) && typeof cell !== "number");
  if (other < 0) return "numeric";
  if (number < 0) return "categorical";
  throw new VouchError(
    "data/wrong-kind",
    `${table}, column "${name}" mixes numbers and text: ${cells[number]} in row ${number + 1}, ` +
      `"${textOf(cells[other])}" in row ${other + 1}.`,
    { hint: "Declare the column numeric or categorical." },
  );
}

/** Throws on arrays of big integers, which do not mix with numbers, and on data views, which have no elements. */
function checkNumbers(table: string, name: string, cells: ArrayBufferView): void {
  if (!(cells instanceof BigInt64Array || cells instanceof BigUint64Array || cells instanceof DataView))
    return;
  throw new VouchError(
    "data/wrong-kind",
    `${table}, column "${name}": the cells are a ${cells.constructor.name}.`,
    {
      hint: "Use a Float64Array, or another array of numbers.",
    },
  );
}

/** Throws on objects, whose string form is not meant as a category; dates are allowed. */
function checkCells(table: string, name: string, cells: readonly unknown[]): void {
  if (!Array.isArray(cells)) {
    throw new VouchError("data/malformed", `${table}, column "${name}": the cells are not a list.`);
  }
  for (let i = 0; i < cells.length; i++) {
    const cell: unknown = cells[i];
    if (cell === null || ALLOWED.has(typeof cell) || cell instanceof Date) continue;
    const given = Array.isArray(cell) ? "a list" : `of type ${typeof cell}`;
    throw new VouchError(
      "data/wrong-kind",
      `${table}, row ${i + 1}, column "${name}": the cell is ${given}, not a number, text, date, true or false.`,
      { hint: "Convert it to a number or to text." },
    );
  }
}

/** Writes a present cell as text; dates as in ISO 8601. */
function textOf(cell: Cell): string {
  if (cell instanceof Date) return cell.toISOString();
  return typeof cell === "number" ? shortestDecimal(cell) : String(cell);
}

const ALLOWED: ReadonlySet<string> = new Set(["string", "number", "boolean", "undefined"]);

function isMissing(cell: Cell): boolean {
  if (cell instanceof Date) return Number.isNaN(cell.getTime());
  return cell === null || cell === undefined || cell === "" || Number.isNaN(cell);
}
