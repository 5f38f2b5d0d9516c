import { readTable } from "@vouch/formats";
import { expect, test } from "vitest";
import { type Table, VouchError } from "vouch";
import { cellsOf } from "./cells-of.js";

const FILES = 10_000;
const MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"];
const SEEDS = [
  'id,colour,size,"a ""name"""\n1,red,2.5,x\n2,"dark, blue",-3e2,"line\nbreak"\n3,NA,,"say ""hi"""\n4,grün,1e-7,z\n',
  "a,b\r\n1,2\r\n3.25,?\r\n-0,7\r\n",
  'word\none\n"two"\n\nthree\n',
];
const INSERTS = [
  '"',
  '""',
  ",",
  "\n",
  "\r\n",
  "\r",
  "\0",
  "\ufeff",
  "NA",
  "inf",
  "1e400",
  "é",
  " ",
  '",',
  '\n"',
  "0x1",
];

/** Seeded random numbers (mulberry32), so that a failure can be reproduced. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

function mutated(seed: number): Buffer {
  const random = generator(seed);
  let bytes = Buffer.from(SEEDS[random(SEEDS.length)]);
  for (let change = 1 + random(4); change > 0; change--) {
    const at = random(bytes.length + 1);
    const to = Math.min(bytes.length, at + 1 + random(6));
    const [before, middle, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
    const kind = random(5);
    if (kind === 0) bytes = Buffer.concat([before, after]);
    else if (kind === 1) bytes = Buffer.concat([before, middle, middle, after]);
    else if (kind === 2)
      bytes = Buffer.concat([before, Buffer.from(INSERTS[random(INSERTS.length)]), middle, after]);
    else if (kind === 3) bytes = Buffer.concat([before, Buffer.from([random(256)]), middle, after]);
    else if (at < bytes.length) bytes[at] = random(4) === 0 ? random(256) : bytes[at] ^ (1 << random(8));
  }
  return bytes;
}

/** Parses a well-formed file by the rules of docs/files.md; undefined if it is malformed. */
function referenceRecords(bytes: Buffer): string[][] | undefined {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
  if (text.includes("\0")) return undefined;
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n][^,\r\n]*|))(,|\r?\n|\r?$)/y;
  const records: string[][] = [];
  let record: string[] = [];
  while (cell.lastIndex < text.length) {
    const from = cell.lastIndex;
    const match = cell.exec(text);
    if (match === null) return undefined;
    record.push(match[1] === undefined ? match[2] : match[1].replaceAll('""', '"'));
    const lastCellIsEmpty = match[3] === "," && cell.lastIndex === text.length;
    if (lastCellIsEmpty) record.push("");
    if (match[3] !== "," || lastCellIsEmpty) {
      const blank =
        record.length === 1 && /^\r?\n?$/.test(match[0]) && from + match[0].length === cell.lastIndex;
      if (!blank) records.push(record);
      record = [];
    }
  }
  return records;
}

/** Returns the expected cells by column; undefined if the file should be refused. */
function referenceCells(bytes: Buffer): Record<string, (string | number | null)[]> | undefined {
  const records = referenceRecords(bytes);
  if (records === undefined || records.length < 2) return undefined;
  const [header, ...rows] = records;
  const names = header.map((name, j) => (name === "" ? `column${j + 1}` : name));
  if (new Set(names).size < names.length || rows.some((row) => row.length !== names.length)) return undefined;
  const columns = names.map((_, j) => referenceColumn(rows.map((row) => row[j])));
  if (columns.some((column) => column.some((cell) => typeof cell === "number" && !Number.isFinite(cell)))) {
    return undefined;
  }
  return Object.fromEntries(names.map((name, j) => [name, columns[j]]));
}

function referenceColumn(cells: readonly string[]): (string | number | null)[] {
  const present = cells.filter((cell) => !MISSING.includes(cell));
  const numeric = present.every((cell) =>
    /^[ \t]*[-+]?((\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|inf|infinity)[ \t]*$/i.test(cell),
  );
  const value = (cell: string) => (/inf/i.test(cell) ? Number.POSITIVE_INFINITY : Number(cell));
  return cells.map((cell) => (MISSING.includes(cell) ? null : numeric ? value(cell) : cell));
}

function expectSound(table: Table): void {
  expect(table.rows).toBeGreaterThan(0);
  expect(new Set(table.columns.map(({ name }) => name)).size).toBe(table.columns.length);
  for (const column of table.columns) {
    if (column.kind === "numeric") {
      expect(column.values.length).toBe(table.rows);
      expect([...column.values].some((value) => Math.abs(value) === Number.POSITIVE_INFINITY)).toBe(false);
    } else {
      expect(new Set(column.levels).size).toBe(column.levels.length);
      expect(column.codes.every((code) => code >= -1 && code < column.levels.length)).toBe(true);
    }
  }
}

async function outcome(bytes: Buffer, delimiter: string | undefined): Promise<Table | undefined> {
  try {
    return await readTable(bytes, { format: "csv", header: true, ...(delimiter && { delimiter }) });
  } catch (error) {
    if (error instanceof VouchError) return undefined;
    throw error;
  }
}

test(`${FILES} mutated CSV files give their cells or a clear error`, async () => {
  let read = 0;
  for (let seed = 0; seed < FILES; seed++) {
    const bytes = mutated(seed);
    const shown = () => `seed ${seed}: ${JSON.stringify(bytes.toString("latin1"))}`;
    const guessed = await outcome(bytes, undefined);
    if (guessed !== undefined) expectSound(guessed);
    const table = await outcome(bytes, ",");
    const expected = referenceCells(bytes);
    expect(table === undefined ? undefined : cellsOf(table), shown()).toEqual(expected);
    if (table !== undefined) read++;
  }
  // Both outcomes must be common, or the test shows nothing.
  expect(read).toBeGreaterThan(FILES / 10);
  expect(read).toBeLessThan((FILES * 9) / 10);
});
