import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { readTable, readTableInChunks } from "@vouch/formats";
import { expect, test } from "vitest";
import { readTable as readData } from "#formats/read-table.browser.js";
import { workbook } from "./handmade-xlsx.js";
import { parquetBytes } from "./parquet-bytes.js";

const HEADER = "a,b,c\n";
const LINES = Buffer.from("1,1,1\n".repeat(3 << 20));
const refused = {
  code: "data/too-large",
  message: "t becomes more than 200 times as long when it is decompressed.",
  hint: expect.stringContaining("decompress the file first"),
};

test("gzip data that a few bytes expand to is refused, whole, in parts, as a stream and in a browser", async () => {
  const once = gzipSync(LINES);
  const bomb = Buffer.concat([gzipSync(HEADER), ...Array.from({ length: 5 }, () => once)]);
  const options = { format: "csv", name: "t" } as const;
  await expect(readTable(bomb, options)).rejects.toMatchObject(refused);
  await expect(readTable(Readable.from([bomb]), options)).rejects.toMatchObject(refused);
  await expect(readData(bomb, options)).rejects.toMatchObject(refused);
  let rows = 0;
  const inParts = async () => {
    for await (const part of readTableInChunks(bomb, options)) rows += part.rows;
  };
  await expect(inParts()).rejects.toMatchObject(refused);
  expect(6 * rows).toBeLessThan(2 ** 26);
});

test("small data may be compressed as much as it can be", async () => {
  const packed = gzipSync(Buffer.concat([Buffer.from(HEADER), LINES.subarray(0, 6e6)]));
  expect(6e6).toBeGreaterThan(200 * packed.length);
  expect((await readTable(packed, { format: "csv" })).rows).toBe(1e6);
});

test("parts of workbooks and pages of Parquet files have the same limit", async () => {
  const sheet = `<row><c t="inlineStr"><is><t>${"a".repeat(70e6)}</t></is></c></row>`;
  await expect(readTable(workbook({ s: sheet }), { name: "t" })).rejects.toMatchObject({
    ...refused,
    hint: "Save the sheet as CSV.",
  });
  const page = await parquetBytes("SELECT repeat('a', 70000000) AS x", "COMPRESSION zstd");
  await expect(readData(page, { name: "t" })).rejects.toMatchObject({
    code: "data/malformed",
    message: 't is not a valid Parquet file: column "x": a page is compressed too much.',
  });
});
