import { VouchError } from "../runtime/vouch-error.js";
import type { Column, NumericValues } from "./column.js";
import { isMissingMarker, isMissingNumber } from "./missing-markers.js";
import { readLoneNumber } from "./number-notation.js";
import type { ColumnSchema } from "./schema.js";

/** Kind of the cells of a column: numbers or strings (categories, dates and free text). */
export type CellKind = "numbers" | "texts";

/** Returns the kind of cells that a column of a model takes. */
export function cellKind({ kind }: Pick<ColumnSchema, "kind">): CellKind {
  return kind === "numeric" ? "numbers" : "texts";
}

/** Position of a cell, for messages. */
interface CellPlace {
  readonly table: string;
  readonly column: string;
  /** Counted from 0. */
  readonly row: number;
}

/** Parses a cell of a numeric column that is not a number itself; NaN if it is missing. */
export function readNumber(cell: unknown, place: CellPlace): number {
  if (cell === null || cell === undefined) return Number.NaN;
  if (typeof cell === "bigint") return Number(cell);
  if (typeof cell === "string") {
    const value = readLoneNumber(cell);
    if (!Number.isNaN(value) || isMissingNumber(cell)) return value;
  }
  if (typeof cell === "object") throw nestedCell(cell, place);
  throw new VouchError(
    "data/not-a-number",
    `${cellName(place)}: ${excerpt(cell)}, but the model expects numbers in this column.`,
    { hint: "Send a number, or null if the value is unknown." },
  );
}

/** Parses a cell of a string column; undefined if it is missing. */
export function readCellText(cell: unknown, place: CellPlace): string | undefined {
  if (typeof cell === "string") return isMissingMarker(cell) ? undefined : cell;
  if (cell === null || cell === undefined || Number.isNaN(cell)) return undefined;
  if (typeof cell === "number" || typeof cell === "boolean" || typeof cell === "bigint") return String(cell);
  throw nestedCell(cell, place);
}

/** Returns the code of a string, and adds it to the codes if it is new. */
export function codeFor(codeOf: Map<string, number>, text: string): number {
  const known = codeOf.get(text);
  if (known !== undefined) return known;
  const code = codeOf.size;
  codeOf.set(text, code);
  return code;
}

/** Makes a column of the expected kind. Arrays of numbers are unchanged; the model finds its categories among them. */
export function columnFromCells(
  table: string,
  name: string,
  kind: CellKind,
  cells: NumericValues | ArrayLike<unknown>,
): Column {
  if (isNumericArray(cells)) return { kind: "numeric", name, values: cells };
  return kind === "numbers" ? numberColumn(table, name, cells) : textColumn(table, name, cells);
}

/** Makes a column of numbers from cells of any kind. */
function numberColumn(table: string, name: string, cells: ArrayLike<unknown>): Column {
  const values = new Float64Array(cells.length);
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row];
    values[row] = typeof cell === "number" ? cell : readNumber(cell, { table, column: name, row });
  }
  return { kind: "numeric", name, values };
}

/** Makes a string column with codes from cells of any kind. */
function textColumn(table: string, name: string, cells: ArrayLike<unknown>): Column {
  const codeOf = new Map<string, number>();
  const codes = new Int32Array(cells.length);
  for (let row = 0; row < cells.length; row++) {
    const text = readCellText(cells[row], { table, column: name, row });
    codes[row] = text === undefined ? -1 : codeFor(codeOf, text);
  }
  return { kind: "categorical", name, codes, levels: [...codeOf.keys()] };
}

function isNumericArray(cells: object): cells is NumericValues {
  return (
    cells instanceof Float64Array ||
    cells instanceof Float32Array ||
    cells instanceof Int32Array ||
    cells instanceof Int16Array ||
    cells instanceof Uint16Array ||
    cells instanceof Int8Array ||
    cells instanceof Uint8Array
  );
}

function nestedCell(cell: unknown, place: CellPlace): VouchError {
  return new VouchError(
    "data/malformed",
    `${cellName(place)}: the cell is ${Array.isArray(cell) ? "an array" : "an object"}, not a single value.`,
    { hint: "Send a number, a string, true, false or null." },
  );
}

function cellName({ table, row, column }: CellPlace): string {
  return `${table}, row ${row + 1}, column "${column}"`;
}

/** Maximum length of a cell quoted in a message. */
const LONGEST_EXCERPT = 40;

function excerpt(cell: unknown): string {
  if (typeof cell !== "string") return String(cell);
  return `"${cell.length > LONGEST_EXCERPT ? `${cell.slice(0, LONGEST_EXCERPT - 1)}…` : cell}"`;
}
