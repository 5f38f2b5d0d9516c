import { readFileSync } from "node:fs";
import { join } from "node:path";
import { shipped } from "../vouch.js";

/** A table as text: names of the columns, and the values of each row. */
export interface TextTable {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Rows to train on, and rows to measure the error on, which stay clean. */
export interface SplitTable {
  readonly train: TextTable;
  readonly test: TextTable;
}

/** Reads a shipped data set in a fixed random order; every third row is a test row. */
export function readShipped(name: string): SplitTable {
  const [names, ...rows] = readFileSync(join(shipped, `${name}.csv`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split(","));
  const random = randomNumbers(7);
  const shuffled = rows
    .map((row) => ({ row, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ row }) => row);
  return {
    train: { names, rows: shuffled.filter((_, i) => i % 3 !== 0) },
    test: { names, rows: shuffled.filter((_, i) => i % 3 === 0) },
  };
}

/** Changes train and test rows alike. */
export function mapBoth({ train, test }: SplitTable, change: (table: TextTable) => TextTable): SplitTable {
  return { train: change(train), test: change(test) };
}

/** Replaces the values of some columns. */
export function mapValues(
  { names, rows }: TextTable,
  columns: readonly string[],
  change: (value: string, row: number) => string,
): TextTable {
  const places = new Set(columns.map((name) => names.indexOf(name)));
  return {
    names,
    rows: rows.map((row, i) => row.map((value, j) => (places.has(j) ? change(value, i) : value))),
  };
}

/** Adds a column at a place, computed from each row. */
export function addColumn(
  { names, rows }: TextTable,
  name: string,
  value: (row: Readonly<Record<string, string>>, index: number) => string,
  place = 0,
): TextTable {
  const record = (row: readonly string[]) => Object.fromEntries(names.map((key, j) => [key, row[j]]));
  return {
    names: names.toSpliced(place, 0, name),
    rows: rows.map((row, i) => row.toSpliced(place, 0, value(record(row), i))),
  };
}

export function removeColumn({ names, rows }: TextTable, name: string): TextTable {
  const place = names.indexOf(name);
  return { names: names.toSpliced(place, 1), rows: rows.map((row) => row.toSpliced(place, 1)) };
}

/** Writes CSV; a value that needs quotes gets them. */
export function toCsv({ names, rows }: TextTable, delimiter = ",", newline = "\n"): string {
  const quoted = (value: string) =>
    value.includes(delimiter) || /["\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  return [names, ...rows].map((row) => row.map(quoted).join(delimiter) + newline).join("");
}

/** Makes a generator of numbers in [0, 1) that repeats for each seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}
