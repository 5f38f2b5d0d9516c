import { openAsBlob } from "node:fs";
import { type ReadOptions, readTable, readTableInChunks, readTableShard } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import type { Table } from "vouch";
import { memoryExchange, ShardGroup } from "vouch/extend";
import { readParquetParts } from "#formats/parquet/read-parquet.js";
import { readTable as readData } from "#formats/read-table.browser.js";
import { cellsOf } from "./cells-of.js";
import { FixtureFolder } from "./fixture-folder.js";
import { parquetBytes } from "./parquet-bytes.js";

const folder = new FixtureFolder();
const messages = ({ notices }: Pick<Table, "notices">) => notices.map(({ message }) => message);

/** Writes one column of texts in each format. */
async function files(cells: readonly string[]): Promise<Record<string, string>> {
  const literals = cells.map((cell) => `'${cell.replaceAll("'", "''")}'`).join(", ");
  const arff = cells.map((cell) => `'${cell.replaceAll("'", "\\'")}'\n`).join("");
  return {
    csv: folder.file("t.csv", `x\n${cells.map((cell) => `"${cell}"\n`).join("")}`),
    json: folder.file("t.json", JSON.stringify(cells.map((x) => ({ x })))),
    arff: folder.file("t.arff", `@relation t\n@attribute x string\n@data\n${arff}`),
    parquet: folder.file("t.parquet", await parquetBytes(`SELECT unnest([${literals}]) AS x`)),
  };
}

/** Reads the files whole, in a browser and in parts; expects the same cells and notices of each. */
async function readAll(paths: Record<string, string>, options: ReadOptions = {}) {
  const all = { name: "t", ...options };
  const expected = await readTable(paths.csv, all);
  for (const [format, path] of Object.entries(paths)) {
    const table = await readTable(path, all);
    expect(cellsOf(table), format).toEqual(cellsOf(expected));
    expect(messages(table), format).toEqual(messages(expected));
    const inBrowser = await readData(await openAsBlob(path), { ...all, format: format as "csv" });
    expect([cellsOf(inBrowser), messages(inBrowser)], format).toEqual([cellsOf(table), messages(table)]);
    const parts: Table[] = [];
    for await (const part of readTableInChunks(path, { ...all, rows: 7 })) parts.push(part);
    expect(
      parts.flatMap((part) => cellsOf(part).x),
      format,
    ).toEqual(cellsOf(expected).x);
    expect(parts.flatMap(messages), format).toEqual(messages(expected));
  }
  return expected;
}

const plain = (count: number) => Array.from({ length: count }, (_, i) => String(i + 0.5));

describe("texts among numbers and other notations are read alike in CSV, JSON, ARFF and Parquet", () => {
  test.each<[string, readonly string[]]>([
    ["numbers as text", ["1", "2.5", "-3e2"]],
    ["a decimal comma", ["0,5", "12", "-3,25", "1.234,5"]],
    ["thousands", ["1,234,567", "1,234.5", "12"]],
    ["money", ["$800.00", "-$1,234.50", "$5"]],
    ["percentages", ["34.6 %", "5%"]],
    ["words for missing values", [...plain(20), "n/a", "unknown", "-"]],
    ["few words", [...plain(20), "broken", "n/a"]],
    ["many words", [...plain(20), ...plain(15).map((x) => `${x} broken`)]],
    ["codes", ["A1", "B2", "C3"]],
    ["doubtful thousands", ["1,234", "2,345", "3,456"]],
  ])("%s", async (_, cells) => {
    await readAll(await files(cells));
  });

  test("options apply to all formats", async () => {
    const paths = await files(["1,5", "2", "lost", "-9", "3"]);
    expect(cellsOf(await readAll(paths, { missing: ["lost", "-9"] }))).toEqual({
      x: [1.5, 2, null, null, 3],
    });
    expect(cellsOf(await readAll(paths, { numeric: ["x"] }))).toEqual({ x: [1.5, 2, null, -9, 3] });
    const thousands = await files(["1,234", "2,345"]);
    expect(cellsOf(await readAll(thousands, { decimalComma: true }))).toEqual({ x: [1.234, 2.345] });
    expect(cellsOf(await readAll(thousands, { categorical: ["x"] }))).toEqual({ x: ["1,234", "2,345"] });
    expect(cellsOf(await readAll(thousands, { target: "x" }))).toEqual({ x: ["1,234", "2,345"] });
    expect(cellsOf(await readAll(thousands, { verbatim: ["x"] }))).toEqual({ x: ["1,234", "2,345"] });
  });

  test("a word is missing wherever it comes, even after the rows that decide", async () => {
    const rows = 21_000;
    for (const place of [0, 20_900]) {
      const cells = Array.from({ length: rows }, (_, i) => (i === place ? "broken" : i));
      const lines = cells.map((x) => `${JSON.stringify({ x })}\n`).join("");
      const arff = `@relation t\n@attribute x numeric\n@data\n${cells.join("\n")}\n`;
      const query = `SELECT CASE WHEN i = ${place} THEN 'broken' ELSE i::VARCHAR END AS x FROM range(${rows}) t(i)`;
      const paths = [
        folder.file("late.csv", `x\n${cells.join("\n")}\n`),
        folder.file("late.ndjson", lines),
        folder.file("late.arff", arff),
        folder.file("late.parquet", await parquetBytes(query)),
      ];
      for (const path of paths) {
        const table = await readTable(path);
        expect(cellsOf(table).x.slice(place, place + 2), path).toEqual([null, place + 1]);
        const counted = place === 0 ? '"broken"' : '"broken" in row 20,901';
        expect(messages(table), path).toEqual([`Column "x": 1 value read as missing: ${counted}.`]);
      }
    }
  });

  test("keys that objects lack, nulls and absent numbers do not count as words", async () => {
    const rows = Array.from({ length: 100 }, (_, i) =>
      i < 20 ? { i, x: i === 3 ? "lost" : String(i) } : { i, x: null },
    );
    const table = await readTable(Buffer.from(JSON.stringify(rows)), { format: "json" });
    expect(cellsOf(table).x.slice(2, 5)).toEqual([2, null, 4]);
    expect(messages(table)).toEqual(['Column "x": 1 value read as missing: "lost".']);
  });

  test("shards of a Parquet file have the notices of the whole file", async () => {
    const query =
      "SELECT i, CASE WHEN i % 50 = 7 THEN 'n/k' ELSE (i % 9) || ',5' END AS x FROM range(6000) t(i)";
    const path = folder.file("shards.parquet", await parquetBytes(query, "ROW_GROUP_SIZE 2048"));
    const whole = await readTable(path);
    expect(messages(whole)[1]).toBe('Column "x": 120 values read as missing: "n/k".');
    const exchange = memoryExchange();
    const tables = await Promise.all(
      [0, 1, 2].map((shard) => readTableShard(path, new ShardGroup(exchange, shard, 3))),
    );
    expect(tables.flatMap((table) => cellsOf(table).x)).toEqual(cellsOf(whole).x);
    for (const table of tables) expect(messages(table)).toEqual(messages(whole));
    const own: Table[] = [];
    const file = await openAsBlob(path);
    for await (const table of readParquetParts(file, path, {}, 1000)) own.push(table);
    expect(own.flatMap((table) => cellsOf(table).x)).toEqual(cellsOf(whole).x);
    expect(own.flatMap(messages)).toEqual(messages(whole));
  });
});
