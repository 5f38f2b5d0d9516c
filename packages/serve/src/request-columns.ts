import { MISSING_MARKERS } from "vouch/data";
import { type Column, type NumericValues, VouchError } from "vouch/predict";

/** The name of the rows of a request in messages. */
export const REQUEST = "request";

/** Kind of the cells of a column: numbers, or texts (categories, dates and free text). */
export type CellKind = "numbers" | "texts";

/** A decimal number, as in data files; "0x10", "Infinity" and "" are none. */
const NUMBER = /^[ \t]*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?[ \t]*$/i;

/** Reads a cell of a column of numbers that is not a number itself; NaN if it is missing. */
export function numberFrom(cell: unknown, name: string, row: number): number {
  if (cell === null || cell === undefined) return Number.NaN;
  if (typeof cell === "bigint") return Number(cell);
  if (typeof cell === "string") {
    if (MISSING_MARKERS.has(cell)) return Number.NaN;
    if (NUMBER.test(cell)) return Number(cell);
  }
  if (typeof cell === "object") throw nestedCell(cell, name, row);
  throw new VouchError(
    "data/not-a-number",
    `${cellName(name, row)}: ${shown(cell)}, but the model expects numbers in this column.`,
    { hint: "Send a number, or null if the value is unknown." },
  );
}

/** Reads a cell of a column of texts; undefined if it is missing. */
export function textFrom(cell: unknown, name: string, row: number): string | undefined {
  if (typeof cell === "string") return MISSING_MARKERS.has(cell) ? undefined : cell;
  if (cell === null || cell === undefined || Number.isNaN(cell)) return undefined;
  if (typeof cell === "number" || typeof cell === "boolean" || typeof cell === "bigint") return String(cell);
  throw nestedCell(cell, name, row);
}

/** Makes a column of texts by code from cells of any kind. */
export function textColumn(name: string, cells: ArrayLike<unknown>): Column {
  const codeOf = new Map<string, number>();
  const codes = new Int32Array(cells.length);
  for (let row = 0; row < cells.length; row++) {
    const text = textFrom(cells[row], name, row);
    codes[row] = text === undefined ? -1 : codeFor(codeOf, text);
  }
  return { kind: "categorical", name, codes, levels: [...codeOf.keys()] };
}

/** Returns the code of a text, and adds it to the codes if it is new. */
export function codeFor(codeOf: Map<string, number>, text: string): number {
  const known = codeOf.get(text);
  if (known !== undefined) return known;
  const code = codeOf.size;
  codeOf.set(text, code);
  return code;
}

/** Makes a column of numbers from cells of any kind. */
export function numberColumn(name: string, cells: ArrayLike<unknown>): Column {
  const values = new Float64Array(cells.length);
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row];
    values[row] = typeof cell === "number" ? cell : numberFrom(cell, name, row);
  }
  return { kind: "numeric", name, values };
}

/** Makes a column of the expected kind. Arrays of numbers stay as they are: the model finds its categories among them. */
export function columnFrom(kind: CellKind, name: string, cells: NumericValues | ArrayLike<unknown>): Column {
  if (isNumericArray(cells)) return { kind: "numeric", name, values: cells };
  return kind === "numbers" ? numberColumn(name, cells) : textColumn(name, cells);
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

function nestedCell(cell: unknown, name: string, row: number): VouchError {
  return new VouchError(
    "data/malformed",
    `${cellName(name, row)}: the cell is ${Array.isArray(cell) ? "an array" : "an object"}, not a single value.`,
    { hint: "Send a number, a text, true, false or null." },
  );
}

function cellName(name: string, row: number): string {
  return `${REQUEST}, row ${row + 1}, column "${name}"`;
}

/** Characters of a cell that a message quotes. */
const LONGEST_EXCERPT = 40;

function shown(cell: unknown): string {
  if (typeof cell !== "string") return String(cell);
  return `"${cell.length > LONGEST_EXCERPT ? `${cell.slice(0, LONGEST_EXCERPT - 1)}…` : cell}"`;
}
