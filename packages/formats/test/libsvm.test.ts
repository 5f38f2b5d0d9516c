import { type ReadOptions, readTable, readTableInChunks } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { cellsOf } from "./cells-of.js";

async function read(text: string, options: ReadOptions = {}) {
  return readTable(Buffer.from(text), { format: "libsvm", name: "t", ...options });
}

describe("LIBSVM", () => {
  test("labels stay verbatim, absent entries are zero, comments are skipped", async () => {
    const table = await read("# header\n+1 1:0.5 3:-2 # a remark\n-1\t2:1e2\n\n+1\n");
    expect(cellsOf(table)).toEqual({
      f1: [0.5, 0, 0],
      f2: [0, 100, 0],
      f3: [-2, 0, 0],
      label: ["+1", "-1", "+1"],
    });
  });

  test("the option `features` sets the minimum number of columns", async () => {
    expect(Object.keys(cellsOf(await read("1 1:2\n", { features: 3 })))).toEqual(["f1", "f2", "f3", "label"]);
  });

  test("a file with few entries may have as many columns as the data that it is to match", async () => {
    expect((await read("1 300000:2\n", { features: 300_000 })).columns).toHaveLength(300_001);
  });

  test("parts have the rows of the whole table, and the columns that have appeared so far", async () => {
    const lines = Array.from({ length: 100 }, (_, i) => `${i % 3} 1:${i} ${2 + Math.floor(i / 10)}:0.5`);
    const text = Buffer.from(`# comment\n\n${lines.join("\n")}`);
    const options = { format: "libsvm", name: "t" } as const;
    const whole = cellsOf(await readTable(text, options));
    for (const rows of [1, 7, 100, 1000]) {
      for (const features of [0, 12]) {
        let next = 0;
        for await (const part of readTableInChunks(text, { ...options, rows, features })) {
          expect([part.firstRow, part.rows]).toEqual([next, Math.min(rows, 100 - next)]);
          const cells = cellsOf(part);
          const last = next + part.rows;
          const width = Math.max(features, 2 + Math.floor((last - 1) / 10));
          expect(Object.keys(cells)).toEqual([
            ...Array.from({ length: width }, (_, j) => `f${j + 1}`),
            "label",
          ]);
          for (const [name, values] of Object.entries(cells)) {
            const expected = whole[name]?.slice(next, last) ?? values.map(() => 0);
            expect(values, name).toEqual(expected);
          }
          next = last;
        }
        expect(next).toBe(100);
      }
    }
  });

  test("errors in late parts name the row of the file, and columns are checked after the last", async () => {
    const read = async (text: string) => {
      let rows = 0;
      try {
        for await (const part of readTableInChunks(Buffer.from(text), {
          format: "libsvm",
          name: "t",
          rows: 2,
        }))
          rows += part.rows;
      } catch (error) {
        return [rows, error];
      }
      return [rows];
    };
    const malformed = expect.objectContaining({ message: 't, row 5 (line 5): "x:1" is not index:value.' });
    expect(await read(`${"a 1:1\n".repeat(4)}a x:1\n`)).toEqual([4, malformed]);
    const sparse = expect.objectContaining({
      message: expect.stringContaining("t names column 300000, but has only 5 entries"),
    });
    expect(await read(`a 300000:1\n${"a 1:1\n".repeat(4)}`)).toEqual([4, sparse]);
  });

  test("many rows keep their order", async () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => `${i % 3} 1:${i} ${2 + (i % 4)}:1`);
    const { f1, label } = cellsOf(await read(rows.join("\n")));
    expect(f1.every((value, i) => value === i && label[i] === String(i % 3))).toBe(true);
  });

  test.each([
    ["1 1:2\n1 0:3\n", "data/malformed", "t, row 2 (line 2): index 0 is out of range."],
    ["1 2:2 2:3\n", "data/malformed", "t, row 1 (line 1): index 2 comes after 2."],
    ["1 3:2 2:3\n", "data/malformed", "index 2 comes after 3."],
    ["1 a:2\n", "data/malformed", '"a:2" is not index:value.'],
    ["1 2\n", "data/malformed", '"2" is not index:value.'],
    ["1:2 2:3\n", "data/malformed", "there is no label"],
    ["1 qid:3 1:2\n", "data/malformed", "ranking"],
    ["1 2:x\n", "data/not-a-number", 't, row 1 (line 1), column "f2": "x" is not a number.'],
    ["1 2:inf\n", "data/not-finite", 't, row 1 (line 1), column "f2"'],
    ["1 2147483647:1\n", "data/too-large", "2147483647 columns"],
    ["1 1999999:1\n2 1:1\n", "data/too-large", "t names column 1999999, but has only 2 entries"],
    ["1 99999999999:1\n", "data/malformed", "out of range"],
    ["# nothing\n", "data/no-rows", "t has no rows."],
  ])("%j is an error", async (text, code, message) => {
    await expect(read(text)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });
});
