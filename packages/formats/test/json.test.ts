import { type Format, type ReadOptions, readTable } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { cellsOf } from "./cells-of.js";

async function read(text: string, format: Format = "json", options: ReadOptions = {}) {
  return readTable(Buffer.from(text), { format, name: "t", ...options });
}

describe("JSON", () => {
  test("an array of objects, or one object per line; keys make columns in order of appearance", async () => {
    const rows = [
      { a: 1, b: "x" },
      { b: null, c: true },
      { a: null, b: "y", c: "true" },
    ];
    const expected = { a: [1, null, null], b: ["x", null, "y"], c: [null, "true", "true"] };
    expect(cellsOf(await read(JSON.stringify(rows, null, 2)))).toEqual(expected);
    expect(cellsOf(await read(`\ufeff ${JSON.stringify(rows)} \n`))).toEqual(expected);
    const lines = rows.map((row) => JSON.stringify(row)).join("\n");
    expect(cellsOf(await read(lines, "json"))).toEqual(expected);
    expect(cellsOf(await read(lines, "ndjson"))).toEqual(expected);
  });

  test("files that were joined have byte-order marks between lines", async () => {
    expect(cellsOf(await read('\ufeff{"a":1}\n\ufeff{"a":2}\n', "ndjson"))).toEqual({ a: [1, 2] });
  });

  test("text keeps quotes, brackets, escapes and digits", async () => {
    const texts = ['a "b" \\', "]},{[", "\\\\", "007", "é\n\u0001"];
    const rows = texts.map((t, i) => ({ t, i }));
    expect(cellsOf(await read(JSON.stringify(rows)))).toEqual({ t: texts, i: [0, 1, 2, 3, 4] });
  });

  test("numbers as target or category are written in their shortest form", async () => {
    const text = '[{"y": 1.0, "k": 2e0, "s": "3.50"}, {"y": -0.5, "k": 7, "s": "4"}]';
    const table = await read(text, "json", { target: "y", categorical: ["k"], numeric: ["s"] });
    expect(cellsOf(table)).toEqual({ y: ["1", "-0.5"], k: ["2", "7"], s: [3.5, 4] });
  });

  test("a key that appears after the rows from which kinds are inferred is a column too", async () => {
    const rows = Array.from({ length: 21_000 }, (_, i) => (i === 20_900 ? { a: i, late: "x" } : { a: i }));
    const table = await read(rows.map((row) => JSON.stringify(row)).join("\n"), "ndjson");
    const { a, late } = cellsOf(table);
    expect(a.every((value, i) => value === i)).toBe(true);
    expect(late.filter((cell) => cell !== null)).toEqual(["x"]);
    expect(late[20_900]).toBe("x");
  });

  test("elements longer than the window", async () => {
    const long = "[{".repeat(2 << 20);
    expect(cellsOf(await read(JSON.stringify([{ a: long }, { a: "b" }])))).toEqual({ a: [long, "b"] });
  });

  test.each<[string, Format, string, string]>([
    ['{"a": 1}\n{"a": }\n', "ndjson", "data/malformed", "t, line 2: malformed JSON"],
    ['[{"a": 1},\n{"a": 1,\n"b" 2}]', "json", "data/malformed", "t, line 3: malformed JSON"],
    ['[{"a": 1},\n{"a": 2}', "json", "data/malformed", "t: the array is not closed."],
    ['[{"a": 1}\n', "json", "data/malformed", "the array is not closed"],
    ['[{"a": 1},\n {"b": ', "json", "data/malformed", "t, line 2: the value that starts here does not end"],
    ['[{"a": 1}]\n]', "json", "data/malformed", 't, line 2: "]" after the end of the array'],
    ['[{"a": 1},]', "json", "data/malformed", "t, line 1"],
    ['[{"a": 1} {"a": 2}]', "json", "data/malformed", "t, line 1"],
    ['[{"a": 1},\n3]', "json", "data/malformed", "t, row 2 (line 2): not an object"],
    ['{"a": 1}\n[1]\n', "ndjson", "data/malformed", "t, row 2 (line 2): not an object"],
    ['{"a": [1]}', "ndjson", "data/malformed", 't, row 1 (line 1), column "a": the cell is an array'],
    [
      '[{"a": 1},\n{"a": {"b": 1}}]',
      "json",
      "data/malformed",
      't, row 2 (line 2), column "a": the cell is an object',
    ],
    ['[{"a": 1e999}]', "json", "data/not-finite", 't, row 1 (line 1), column "a"'],
    ["[]", "json", "data/no-rows", "t has no rows."],
    ["\n\n", "ndjson", "data/no-rows", "t has no rows."],
  ])("%j is an error", async (text, format, code, message) => {
    await expect(read(text, format)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test("a table of which nearly all cells would be missing is refused", async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `{"k${i}":1}`);
    await expect(read(rows.join("\n"), "ndjson")).rejects.toMatchObject({
      code: "data/too-large",
      message: expect.stringMatching(
        /^t: a table of [\d,]+ rows and [\d,]+ columns has [\d,]+ cells, but .* contains only [\d,]+\./,
      ),
    });
  });

  test("sparse rows that take little memory are read", async () => {
    const rows = Array.from({ length: 2000 }, (_, i) => `{"k${i % 1000}":${i}}`);
    const table = await read(rows.join("\n"), "ndjson");
    expect(table.columns.length).toBe(1000);
    expect(cellsOf(table).k7.flatMap((cell, row) => (cell === null ? [] : [row, cell]))).toEqual([
      7, 7, 1007, 1007,
    ]);
  });

  test("columns whose spelling matters become numbers only if nothing but JSON numbers is in them", async () => {
    const rows = [
      { code: "007", n: 5, s: "1" },
      { code: "8", n: 6.5, s: "2" },
    ];
    const options = { verbatim: ["code", "n", "s", "absent"] };
    expect(cellsOf(await read(JSON.stringify(rows), "json", options))).toEqual({
      code: ["007", "8"],
      n: [5, 6.5],
      s: ["1", "2"],
    });
  });
});
