import { gzipSync } from "node:zlib";
import {
  type ReadOptions,
  readTable,
  readTableInChunks,
  readTableShard,
  type TableSource,
} from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { type Table, threadExecutor } from "vouch";
import { memoryExchange, ShardGroup } from "vouch/extend";
import { readTable as readData } from "#formats/read-table.browser.js";
import { cellsOf } from "./cells-of.js";
import { FixtureFolder } from "./fixture-folder.js";

const folder = new FixtureFolder();

const messages = ({ notices }: Table) => notices.map(({ message }) => message);

async function read(source: TableSource, options: ReadOptions = {}) {
  const table = await readTable(source, { name: "FILE", format: "csv", ...options });
  return { cells: cellsOf(table), notices: messages(table) };
}

const bytes = (text: string) => Buffer.from(text);
const ROWS = "age,city,sold,label\n31,Bonn,5,yes\n28,Köln,7,no\n44,Ulm,2,yes\n";
const CELLS = {
  age: [31, 28, 44],
  city: ["Bonn", "Köln", "Ulm"],
  sold: [5, 7, 2],
  label: ["yes", "no", "yes"],
};
const TITLE = '1 title line above the header skipped ("Report"); --skip 0 reads it.';
const TOTAL = '1 total line below the rows skipped ("Total"); --keep-totals reads it.';

test.each(["\n", "\n\n", "\r\n", "\nTotal,\n", "Total,\n"])("a header and %j have no rows", async (text) => {
  await expect(read(bytes(`x,label\n${text}`))).rejects.toMatchObject({ code: "data/no-rows" });
});

describe("title lines above the header", () => {
  test.each([
    ["as Excel writes them", `Vehicle report 2024,,,\nAll depots,,,\n,,,\n${ROWS}`, 2],
    ["as other programs write them", `Vehicle report 2024\nAll depots\n\n${ROWS}`, 2],
    ["with other delimiters in them", `Sales; by; region; and; month | all\n${ROWS}`, 1],
    ["with the delimiter in quotes", `"Sales, by region",,,\n${ROWS}`, 1],
    ["before semicolons", `Sales, by region\n${ROWS.replaceAll(",", ";")}`, 1],
    ["after a byte-order mark", `\ufeffReport\r\n\r\n${ROWS.replaceAll("\n", "\r\n")}`, 1],
  ])("%s", async (_, text, count) => {
    const { cells, notices } = await read(bytes(text));
    expect(cells).toEqual(CELLS);
    expect(notices).toEqual([
      expect.stringContaining(`${count} title line${count > 1 ? "s" : ""} above the header skipped`),
    ]);
  });

  test("are lines of the file in errors, and the first part names them", async () => {
    const text = `Report\n\n${ROWS}55,Ulm\n`;
    await expect(read(bytes(text))).rejects.toMatchObject({
      message: "FILE, row 4 (line 7): 2 cells, but there are 4 columns.",
    });
    const notices: string[][] = [];
    for await (const part of readTableInChunks(bytes(`Report\n${ROWS}`), { format: "csv", rows: 2 })) {
      notices.push(messages(part));
    }
    expect(notices).toEqual([[TITLE], []]);
  });

  test("can be read, skipped and counted by the user", async () => {
    const text = `Report,,,\n,,,\n${ROWS}`;
    expect(Object.keys((await read(bytes(text), { skip: 0 })).cells)[0]).toBe("Report");
    expect(await read(bytes(text), { skip: 2 })).toEqual({ cells: CELLS, notices: [] });
    expect(await read(bytes(text), { headerRow: 3 })).toEqual({ cells: CELLS, notices: [] });
    const late = await read(bytes(text), { headerRow: 4 });
    expect(late.cells).toEqual({ 31: [28, 44], Bonn: ["Köln", "Ulm"], 5: [7, 2], yes: ["no", "yes"] });
    const unnamed = await read(bytes(text), { skip: 3, header: false });
    expect(unnamed.cells.column1).toEqual([31, 28, 44]);
  });

  test.each([
    [{ skip: 1, headerRow: 2 }, "--skip cannot be combined with --header-row."],
    [{ skip: -1 }, "--skip must be a whole number ≥ 0, not -1."],
    [{ headerRow: 0 }, "--header-row must be a whole number ≥ 1, not 0."],
    [{ skip: 99 }, "FILE has no column names on line 100."],
    [{ headerRow: 2 }, "FILE has no column names on line 2."],
  ])("%j is an error", async (options, message) => {
    await expect(read(bytes(`Report\n\n${ROWS}`), options)).rejects.toMatchObject({
      code: "option/invalid",
      message,
    });
  });

  test.each([
    ["an unnamed index column", ",value\na,5\nb,7\n", ["column1", "value"]],
    [
      "a header with gaps above numbers",
      "a,,,,\n1,2,3,4,5\n2,3,4,5,6\n",
      ["a", "column2", "column3", "column4", "column5"],
    ],
    [
      "a header with gaps above letters",
      "class,,,,\np,x,x,n,t\ne,x,s,y,t\n",
      ["class", "column2", "column3", "column4", "column5"],
    ],
    ["a header with one gap", "a,b,\nx,y,z\nu,v,w\n", ["a", "b", "column3"]],
  ])("%s is not a title", async (_, text, names) => {
    const { cells, notices } = await read(bytes(text));
    expect(Object.keys(cells)).toEqual(names);
    expect(notices).toEqual([]);
  });

  test("prose with commas is not a table with a title", async () => {
    const text = "review\ngood, nice\nbad, ugly\nfine, quick\n";
    await expect(read(bytes(text))).rejects.toMatchObject({ code: "data/ragged" });
  });
});

describe("total lines below the rows", () => {
  test.each([
    "Total,,14,\n",
    "Total,,14,",
    ",,,\r\nTotal:,,14,\r\n\r\n",
    "Grand total,,14,\n",
    'Summe,,"14,00 €",\n',
    "Average,,4.67,\nTotal,,14,\n",
    "Total\n",
  ])("%j", async (end) => {
    const text = `${ROWS}${end}`;
    const { cells, notices } = await read(bytes(text));
    expect(cells).toEqual(CELLS);
    expect(notices).toEqual([expect.stringContaining("below the rows skipped")]);
    expect(await read(gzipSync(text))).toEqual({ cells, notices });
    const web = await readData(new Blob([text]), { format: "csv" });
    expect({ cells: cellsOf(web), notices: messages(web) }).toEqual({ cells, notices });
    const last = await readTable(bytes(`Report\n${text}`), { format: "csv" });
    expect({ cells: cellsOf(last), notices: messages(last) }).toEqual({
      cells,
      notices: [TITLE, ...notices],
    });
  });

  test("can be kept", async () => {
    const { cells, notices } = await read(bytes(`${ROWS}Total,,14,\n`), { keepTotals: true });
    expect(cells.city.length).toBe(4);
    expect(notices).toEqual([]);
  });

  test.each([
    ["every cell has a value", "kind,n,m\nitem,1,2\ntotal,1,2\n"],
    ["other rows have the word", "kind,n,m\ntotal,1,\nitem,1,2\ntotal,1,\n"],
    ["another cell is a word", "kind,n,m\nitem,1,2\ntotal,,x\n"],
    ["it is part of a longer name", "kind,n,m\nitem,1,2\nTotal Wine,1,\n"],
    ["it is not the last line", "kind,n,m\nTotal,,2\nitem,1,2\n"],
    ["it is a quoted cell with two lines", 'kind,n,m\nitem,1,2\nx,1,"a\nTotal,5,"\n'],
  ])("is a row if %s", async (_, text) => {
    const kept = await read(bytes(text), { keepTotals: true });
    expect(await read(bytes(text))).toEqual({ ...kept, notices: [] });
  });

  test("is left out by threads, parts and shards alike, with the title lines", async () => {
    const lines = Array.from(
      { length: 300_000 },
      (_, i) => `${i},name ${i % 11},${i / 8},${i % 3 ? "a" : "b"}`,
    );
    const text = `Report,,,\n,,,\nid,name,x,label\n${lines.join("\n")}\n,,,\nTotal,,${(299_999 * 300_000) / 16},\n`;
    const path = folder.file("large.csv", text);
    const executor = threadExecutor({ threads: 2 });
    try {
      const one = await readTable(path);
      expect(one.rows).toBe(lines.length);
      expect(messages(one)).toEqual([TITLE, TOTAL]);
      const expected = cellsOf(one);
      const threads = await readTable(path, { executor });
      expect(messages(threads)).toEqual([TITLE, TOTAL]);
      expect(cellsOf(threads)).toEqual(expected);
      const parts: string[][] = [];
      let rows = 0;
      for await (const part of readTableInChunks(path, { rows: 100_000, executor })) {
        parts.push(messages(part));
        rows += part.rows;
      }
      expect([parts, rows]).toEqual([[[TITLE], [], [TOTAL]], lines.length]);
      const exchange = memoryExchange();
      const shards = await Promise.all(
        [0, 1].map((shard) => readTableShard(path, new ShardGroup(exchange, shard, 2))),
      );
      expect(shards.map(({ rows }) => rows).reduce((a, b) => a + b)).toBe(lines.length);
      expect(shards.map(messages)).toEqual([
        [TITLE, TOTAL],
        [TITLE, TOTAL],
      ]);
    } finally {
      await executor.close();
    }
  });
});
