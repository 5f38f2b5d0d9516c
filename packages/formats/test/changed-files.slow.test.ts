import { copyFileSync, renameSync, statSync, utimesSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type Format, readTable, readTableInChunks } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { FixtureFolder } from "./fixture-folder.js";
import { rowsXml, workbook } from "./handmade-xlsx.js";
import { parquetBytes } from "./parquet-bytes.js";

const folder = new FixtureFolder();
const ROWS = 40_000;
const numbers = Array.from({ length: ROWS }, (_, i) => i % 9000);

const WRITERS: Readonly<Record<Format, () => Uint8Array | string | Promise<Uint8Array>>> = {
  csv: () => `x,y\n${numbers.map((i) => `${i},a\n`).join("")}`,
  tsv: () => `x\ty\n${numbers.map((i) => `${i}\ta\n`).join("")}`,
  json: () => JSON.stringify(numbers.map((x) => ({ x, y: "a" }))),
  ndjson: () => numbers.map((x) => `${JSON.stringify({ x, y: "a" })}\n`).join(""),
  arff: () => `@relation t\n@attribute x numeric\n@data\n${numbers.join("\n")}\n`,
  libsvm: () => numbers.map((i) => `a 1:${i}\n`).join(""),
  parquet: () =>
    parquetBytes(`SELECT i % 9000 AS x, 'a' AS y FROM range(${ROWS}) t(i)`, "ROW_GROUP_SIZE 2048"),
  xlsx: () => workbook({ s: rowsXml([["x", "y"], ...numbers.slice(0, 5000).map((i) => [i, "a"])]) }),
  idx: () =>
    Buffer.concat([Buffer.from([0, 0, 8, 2, 0, 0, ROWS >> 8, ROWS & 255, 0, 0, 0, 1]), Buffer.alloc(ROWS)]),
};

/** Changes a file in one of the ways in which programs write files. */
const CHANGES: Readonly<Record<string, (path: string) => void>> = {
  "another file under its name": (path) => {
    copyFileSync(path, `${path}.new`);
    renameSync(`${path}.new`, path);
  },
  "other bytes in it": (path) => {
    const { atime, mtimeMs } = statSync(path);
    utimesSync(path, atime, new Date(mtimeMs + 5000));
  },
};

describe("a file that changes while it is read is an error", () => {
  test.each(Object.keys(WRITERS) as Format[])("%s", async (format) => {
    const content = await WRITERS[format]();
    for (const compressed of [false, true]) {
      for (const [name, change] of Object.entries(CHANGES)) {
        const path = folder.file(
          `${format}-${compressed}-${name}.data`,
          compressed ? gzipSync(content, { level: 1 }) : content,
        );
        const changedOnce = () => {
          let isChanged = false;
          return () => {
            if (!isChanged) change(path);
            isChanged = true;
          };
        };
        const expected = { message: expect.stringMatching(/has changed while it was read/) };
        await expect(readTable(path, { format, onProgress: changedOnce() }), name).rejects.toMatchObject(
          expected,
        );
        const inParts = async () => {
          for await (const _ of readTableInChunks(path, { format, rows: 1000, onProgress: changedOnce() }));
        };
        await expect(inParts(), `${name}, in parts`).rejects.toMatchObject(expected);
      }
    }
  });
});
