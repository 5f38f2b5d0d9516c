import { copyFileSync, renameSync, statSync, utimesSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type Format, type ReadOptions, readTable, readTableInChunks, readTableShard } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { type Executor, inlineExecutor, type Table } from "vouch";
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

/** Runs the tasks of two threads on this one. */
const executor: Executor = { ...inlineExecutor(), threads: 2 };

/** Writes a file whose rows all have one letter, and another one with its own letter that takes its name from time to time. */
async function twoFiles(
  name: string,
  content: (letter: string) => Uint8Array | string | Promise<Uint8Array>,
) {
  const path = folder.file(name, await content("a"));
  const other = folder.file(`${name}.other`, await content("b"));
  const swap = () => {
    renameSync(path, `${path}.away`);
    renameSync(other, path);
  };
  const swapBack = () => {
    renameSync(path, other);
    renameSync(`${path}.away`, path);
  };
  return { path, swap, swapBack };
}

/** Lists the letters in a table. */
function lettersIn({ columns }: Table): string[] {
  const letters = columns.flatMap((column) =>
    column.kind === "categorical" ? Array.from(column.codes, (code) => column.levels[code]) : [],
  );
  return [...new Set(letters)];
}

describe("a file whose name another one has for a while gives its own rows, or an error", () => {
  const csv = (rows: number) => (letter: string) => `x,y\n${`1,${letter}\n`.repeat(rows)}`;
  const parquet = (letter: string) =>
    parquetBytes(`SELECT i % 9 AS x, '${letter}' AS y FROM range(${ROWS}) t(i)`, "ROW_GROUP_SIZE 2048");
  const cases: readonly [string, (letter: string) => string | Promise<Uint8Array>, ReadOptions][] = [
    ["CSV", csv(600_000), {}],
    ["CSV on threads", csv(1_200_000), { executor }],
    ["Parquet", parquet, {}],
  ];
  test.each(cases)("%s", async (name, content, options) => {
    const { path, swap, swapBack } = await twoFiles(name, content);
    let calls = 0;
    await readTable(path, { ...options, onProgress: () => calls++ });
    const all = calls;
    const pairs = Array.from({ length: 6 }, (_, i) => Math.floor((i * all) / 6)).map((k) => [k, k + 1]);
    pairs.push([0, all - 1]);
    for (const [from, to] of pairs) {
      calls = 0;
      let isSwapped = false;
      const onProgress = () => {
        if (calls === from) swap();
        else if (calls === to) swapBack();
        if (calls === from || calls === to) isSwapped = !isSwapped;
        calls++;
      };
      const letters = await readTable(path, { ...options, onProgress }).then(
        lettersIn,
        (error) => error.message,
      );
      if (isSwapped) swapBack();
      if (typeof letters === "string") expect(letters).toMatch(/has changed while it was read/);
      else expect(letters, `${from} to ${to}`).toEqual(["a"]);
    }
  });

  test("a shard of a CSV file", async () => {
    const { path, swap, swapBack } = await twoFiles("shard", csv(10_000));
    let calls = 0;
    // Shards exchange the counts of their records before they parse them, and words afterwards.
    const gather = async (bytes: Uint8Array) => {
      if (calls === 0) swap();
      else if (calls === 1) swapBack();
      calls++;
      return [bytes];
    };
    const reading = readTableShard(path, { shard: 0, shards: 1, gather });
    await expect(reading).rejects.toThrow(/has changed while it was read/);
    expect(calls).toBe(1);
  });
});
