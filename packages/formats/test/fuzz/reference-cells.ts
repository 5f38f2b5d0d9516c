import {
  isMissingMarker,
  isMissingNumber,
  MISSING_MARKERS,
} from "@vouch/core/internal/table/missing-markers";
import { writtenNumber } from "./written-number.js";

/*
 * A second, simple implementation of each reader by the rules of docs/files.md. Each returns the cells by column, or undefined for a
 * file that must be refused.
 */

/** A cell: null is missing. */
export type Cell = number | string | null;
export type Cells = Record<string, Cell[]>;

const NUMBER = /^[ \t]*[-+]?((\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|inf|infinity)[ \t]*$/i;

function numberOf(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  return /inf/i.test(text) ? Number.POSITIVE_INFINITY : Number(text);
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Reads the columns; undefined if a name repeats or a number is infinite. */
function checked(columns: readonly (readonly [string, Cell[]])[]): Cells | undefined {
  if (new Set(columns.map(([name]) => name)).size < columns.length) return undefined;
  const infinite = (cell: Cell) => typeof cell === "number" && !Number.isFinite(cell);
  return columns.some(([, cells]) => cells.some(infinite)) ? undefined : Object.fromEntries(columns);
}

/** Reads CSV with a header, character by character (RFC 4180). */
export function csvCells(bytes: Uint8Array, delimiter = ","): Cells | undefined {
  // Some programs write a first line `sep=;` for Excel, which is not a record.
  const text = textOf(bytes)?.replace(/^((?:\r?\n)*)sep=[,;|\t]\r?\n/i, "$1");
  const records = text === undefined ? undefined : csvRecords(text, delimiter);
  if (records === undefined || records.length < 2) return undefined;
  const [header, ...rows] = records;
  if (rows.some(({ length }) => length !== header.length)) return undefined;
  return checked(
    header.map((name, j) => [name === "" ? `column${j + 1}` : name, csvColumn(rows.map((row) => row[j]))]),
  );
}

/** Reads values, of which texts may be numbers; null is missing. */
function csvColumn(cells: readonly Cell[]): Cell[] {
  const isMissing = (cell: Cell) => cell === null || (typeof cell === "string" && isMissingMarker(cell));
  const value = (cell: Cell) =>
    typeof cell === "string" ? (numberOf(cell) ?? writtenNumber(cell)) : (cell ?? undefined);
  const present = cells.filter((cell) => !isMissing(cell));
  const numbers = present.filter((cell) => value(cell) !== undefined);
  const words = present.filter((cell) => value(cell) === undefined).map(String);
  const others = words.filter((cell) => !isMissingNumber(cell));
  const named = words.filter((cell) => isMissingNumber(cell) && /\p{L}/u.test(cell));
  const codes = others.filter((cell) => /\p{L}/u.test(cell) && /\d/.test(cell));
  const zeros = numbers.filter((cell) => typeof cell === "string" && /^\s*[+-]?0\d+\s*$/.test(cell));
  const isNumeric =
    numbers.length === 0
      ? words.length === 0
      : numbers.length >= named.length &&
        (others.length === 0 ||
          (numbers.length >= 9 * others.length &&
            codes.length <= 0.01 * (numbers.length + others.length) &&
            zeros.length <= 0.01 * numbers.length));
  return cells.map((cell) => {
    if (isMissing(cell)) return null;
    return isNumeric ? (value(cell) ?? null) : String(cell);
  });
}

function csvRecords(text: string, delimiter: string): string[][] | undefined {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  while (at < text.length || record.length > 0) {
    const start = at;
    if (record.length === 0 && text[at] === "\ufeff") at++;
    let cell = "";
    if (text[at] === '"') {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (at >= text.length) return undefined;
        cell += text[at];
        if (text[at] === '"') at++;
      }
      at++;
    } else {
      for (; at < text.length && ![delimiter, "\n", "\r"].includes(text[at]); at++) cell += text[at];
    }
    const blank = record.length === 0 && at === start;
    record.push(cell);
    if (text[at] === delimiter) {
      at++;
      continue;
    }
    if (text[at] === "\r") at++;
    // A carriage return at the end of the file counts as a line end, since one is added there.
    if (at < text.length && text[at] !== "\n") return undefined;
    at++;
    if (!blank) records.push(record);
    record = [];
  }
  return records;
}

/** Reads an array of objects, or one object per line. */
export function jsonCells(bytes: Uint8Array, perLine: boolean): Cells | undefined {
  const text = textOf(bytes);
  if (text === undefined) return undefined;
  let rows: unknown[];
  try {
    const array = !perLine && text.trimStart().startsWith("[");
    const lines = text
      .split("\n")
      .map((line) => line.replace(/^\ufeff/, ""))
      .filter((line) => line.trim() !== "");
    rows = array ? JSON.parse(text) : lines.map((line) => JSON.parse(line));
  } catch {
    return undefined;
  }
  const isObject = (row: unknown): row is Record<string, unknown> =>
    typeof row === "object" && row !== null && !Array.isArray(row);
  const objects = rows.filter(isObject);
  if (rows.length === 0 || objects.length < rows.length) return undefined;
  const names = [...new Set(objects.flatMap((row) => Object.keys(row)))];
  const columns = names.map((name) => objects.map((row) => (Object.hasOwn(row, name) ? row[name] : null)));
  if (columns.some((cells) => cells.some((cell) => typeof cell === "object" && cell !== null)))
    return undefined;
  return checked(names.map((name, j) => [name, jsonColumn(columns[j])]));
}

function jsonColumn(cells: readonly unknown[]): Cell[] {
  return csvColumn(cells.map((cell) => (cell === null || typeof cell === "number" ? cell : String(cell))));
}

/** Reads `label index:value …`. */
export function libsvmCells(bytes: Uint8Array): Cells | undefined {
  const lines = textOf(bytes)?.split("\n");
  if (lines === undefined) return undefined;
  const records = lines.map((line) => line.split("#")[0].trim()).filter((line) => line !== "");
  if (records.length === 0) return undefined;
  const labels: Cell[] = [];
  const rows: Map<number, number>[] = [];
  for (const record of records) {
    const [label, ...pairs] = record.split(/[ \t]+/);
    const row = new Map<number, number>();
    let last = 0;
    for (const pair of pairs) {
      const [, index, value] = /^(\d+):(.*)$/s.exec(pair) ?? [];
      const number = /^[-+]?nan$/i.test(value) ? Number.NaN : numberOf(value ?? "");
      if (!(Number(index) > last && Number(index) < 2 ** 31) || number === undefined) return undefined;
      if (Math.abs(number) === Number.POSITIVE_INFINITY) return undefined;
      last = Number(index);
      row.set(last, number);
    }
    if (label.includes(":")) return undefined;
    labels.push(MISSING_MARKERS.has(label) ? null : label);
    rows.push(row);
  }
  const width = Math.max(0, ...rows.flatMap((row) => [...row.keys()]));
  // Files that name many more columns than they have entries are refused.
  if (width > 100_000 + rows.reduce((sum, row) => sum + row.size, 0)) return undefined;
  const columns = Array.from({ length: width }, (_, j) =>
    rows.map((row) => row.get(j + 1) ?? 0).map((value) => (Number.isNaN(value) ? null : value)),
  );
  return { ...Object.fromEntries(columns.map((cells, j) => [`f${j + 1}`, cells])), label: labels };
}

const IDX_TYPES: Readonly<Record<number, readonly [number, (view: DataView, at: number) => number]>> = {
  8: [1, (view, at) => view.getUint8(at)],
  9: [1, (view, at) => view.getInt8(at)],
  11: [2, (view, at) => view.getInt16(at)],
  12: [4, (view, at) => view.getInt32(at)],
  13: [4, (view, at) => view.getFloat32(at)],
  14: [8, (view, at) => view.getFloat64(at)],
};

/** Reads an array of numbers with its shape. */
export function idxCells(bytes: Uint8Array): Cells | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = IDX_TYPES[bytes[2]];
  if (bytes.length < 8 || bytes[0] !== 0 || bytes[1] !== 0 || !type || bytes[3] === 0) return undefined;
  const start = 4 + 4 * bytes[3];
  if (bytes.length < start) return undefined;
  const [rows, ...sizes] = Array.from({ length: bytes[3] }, (_, d) => view.getUint32(4 + 4 * d));
  const width = sizes.reduce((product, size) => product * size, 1);
  const [size, read] = type;
  if (rows * width === 0 || start + rows * width * size !== bytes.length) return undefined;
  const cell = (i: number, j: number) => {
    const value = read(view, start + (i * width + j) * size);
    return Number.isNaN(value) ? null : value;
  };
  return checked(
    Array.from({ length: width }, (_, j) => [
      `p${j + 1}`,
      Array.from({ length: rows }, (__, i) => cell(i, j)),
    ]),
  );
}
