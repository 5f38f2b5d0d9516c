import { type ReadOptions, readTable } from "@vouch/formats";
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
