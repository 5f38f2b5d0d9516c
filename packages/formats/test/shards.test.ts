import { openAsBlob } from "node:fs";
import { type ReadOptions, readTable, readTableShard } from "@vouch/formats";
import { describe, expect, it } from "vitest";
import type { Table } from "vouch";
import { memoryExchange, ShardGroup } from "vouch/extend";
import { readParquetParts } from "#formats/parquet/read-parquet.js";
import { FixtureFolder } from "./fixture-folder.js";

const folder = new FixtureFolder();

/** Lists the cells of a table as text, row by row. */
function cellsOf({ columns, rows }: Table): string[] {
  return Array.from({ length: rows }, (_, row) =>
    JSON.stringify(
      columns.map((column) =>
        column.kind === "numeric"
          ? Array.from(column.values.subarray(row, row + 1))[0]
          : (column.levels[column.codes[row]] ?? null),
      ),
    ),
  );
}

/** Reads all shards at once. */
function readShards(
  source: string | readonly string[],
  shards: number,
  options: ReadOptions = {},
): Promise<Table[]> {
  const exchange = memoryExchange();
  return Promise.all(
    Array.from({ length: shards }, (_, s) =>
      readTableShard(source, new ShardGroup(exchange, s, shards), options),
    ),
  );
}

async function expectSameRows(
  source: string,
  shards: number,
  expected: Table,
  options: ReadOptions = {},
): Promise<void> {
  const tables = await readShards(source, shards, options);
  expect(tables.flatMap(cellsOf)).toEqual(cellsOf(expected));
  let rows = 0;
  for (const table of tables) {
    expect(table.columns.map(({ name, kind }) => [name, kind])).toEqual(
      expected.columns.map(({ name, kind }) => [name, kind]),
    );
    if (table.rows > 0) expect(table.firstRow).toBe(rows);
    rows += table.rows;
  }
}

/** Quotes, line feeds and delimiters in quotes, both kinds of ends of lines, blank lines, missing cells. */
const RECORDS = [
  '1,"plain",a',
  '2,"two\nlines",b',
  '3,"""quoted"", and,\r\ncomma",a',
  "",
  ',"",b',
  '5,"\n\n\n",c',
  "6,last of all,a",
  '7,"a\nb""\n""c",""',
  '8,"1,2,3\n4,5,6",d',
];

describe("a CSV file that is read in shards has the rows of the whole file", () => {
  it.each([
    ["with line feeds", "\n", "", "\n"],
    ["with carriage returns and a byte-order mark", "\r\n", "\ufeff", "\r\n"],
    ["without an end of the last line", "\n", "", ""],
  ])("%s", async (name, newline, mark, end) => {
    // Longer headers move the places at which the file is cut; 16 shards cut it behind every line feed.
    for (let shift = 0; shift < 3; shift++) {
      const header = `number,text${"_".repeat(shift)},label`;
      const path = folder.file(
        `${name}-${shift}.csv`,
        `${mark}${[header, ...RECORDS, ...RECORDS].join(newline)}${end}`,
      );
      const expected = await readTable(path);
      expect(expected.rows).toBe(16);
      for (const shards of [1, 2, 3, 5, 16]) await expectSameRows(path, shards, expected);
    }
  });

  it("with declared kinds and a target", async () => {
    const path = folder.file(
      "kinds.csv",
      `x,label\n${Array.from({ length: 50 }, (_, i) => `${i % 7},${i % 2}`).join("\n")}\n`,
    );
    const options = { categorical: ["x"], target: "label" };
    await expectSameRows(path, 4, await readTable(path, options), options);
  });
});

describe("Parquet files and several files", () => {
  it("refuses what cannot be read in place", async () => {
    const json = folder.file("rows.json", '[{"a":1,"b":"x"}]');
    await expect(readShards(json, 2)).rejects.toMatchObject({ code: "file/format" });
    const latin = folder.file("latin.csv", Buffer.from("a,b\n1,caf\xe9\n2,x\n", "latin1"));
    await expect(readShards(latin, 2)).rejects.toThrow();
  });

  it("reads one file for each shard", async () => {
    const files = ["a,b\n1,x\n2,y\n", "a,b\n3,z\n"].map((text, i) => folder.file(`part-${i}.csv`, text));
    const tables = await readShards(files, 2);
    expect(tables.flatMap(cellsOf)).toEqual(['[1,"x"]', '[2,"y"]', '[3,"z"]']);
    await expect(readShards(files, 3)).rejects.toThrow("2 files for 3 shards");
  });

  it("reads whole row groups of a Parquet file", async () => {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const path = `${folder.path}/rows.parquet`;
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    await connection.run(
      `COPY (SELECT i AS number, 'level ' || (i % 5) AS text FROM range(20000) t(i)) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
    );
    connection.disconnectSync();
    const expected = await readTable(path);
    for (const shards of [1, 3, 20]) {
      await expectSameRows(path, shards, expected);
      // The reader that takes the place of DuckDB where that is not installed gives the same shards.
      const withDuckDb = await readShards(path, shards);
      for (const [shard, theirs] of withDuckDb.entries()) {
        const parts = readParquetParts(await openAsBlob(path), path, {}, Number.POSITIVE_INFINITY, {
          shard,
          shards,
          gather: async (own) => [own],
        });
        for await (const own of parts) {
          expect([own.firstRow, own.rows, cellsOf(own)]).toEqual([
            theirs.firstRow,
            theirs.rows,
            cellsOf(theirs),
          ]);
        }
      }
    }
  });
});
