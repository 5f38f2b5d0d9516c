import { type ReadOptions, readTable } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { cellsOf } from "./cells-of.js";

async function read(text: string, options: ReadOptions = {}) {
  return readTable(Buffer.from(text), { format: "arff", name: "t", ...options });
}

const HEADER = `% a comment
@relation 'my data'
@attribute 'first name' string
@ATTRIBUTE size NUMERIC
@attribute\tkind\t{small, 'very big', "it's"}
@attribute when date "yyyy-MM-dd"
@attribute n integer
@data
`;

describe("ARFF", () => {
  test("all kinds of attributes, quotes, comments and missing cells", async () => {
    const rows = `Anna, 1.5, small, 2020-01-01, 1\n\n% more\n'O\\'Neil, Bo',?,'very big',"2020-01-02",-2\n"?", 3e2 ,"it's",?,?\n`;
    expect(cellsOf(await read(HEADER + rows))).toEqual({
      "first name": ["Anna", "O'Neil, Bo", null],
      size: [1.5, null, 300],
      kind: ["small", "very big", "it's"],
      when: ["2020-01-01", "2020-01-02", null],
      n: [1, -2, null],
    });
  });

  test("an attribute that a sparse row does not name is 0, its first value, or missing text", async () => {
    expect(cellsOf(await read(`${HEADER}{1 2.5, 2 'very big'}\n{}\n{0 Bo,4 ?}\n`))).toEqual({
      "first name": [null, null, "Bo"],
      size: [2.5, 0, 0],
      kind: ["very big", "small", "small"],
      when: [null, null, null],
      n: [0, 0, null],
    });
  });

  test("a numeric attribute as target stays verbatim", async () => {
    const text = "@relation r\n@attribute a numeric\n@attribute y {1,2}\n@data\n01,1\n1.0,2\n";
    expect(cellsOf(await read(text, { target: "a", numeric: ["y"] }))).toEqual({
      a: ["01", "1.0"],
      y: [1, 2],
    });
  });

  test.each([
    ["A,1,small,x", "data/ragged", "t, row 1 (line 9): 4 cells, but there are 5 attributes."],
    ["A,1,small,x,1,2", "data/ragged", "t, row 1 (line 9): 6 cells"],
    ["A,x,small,x,1", "data/not-a-number", 't, row 1 (line 9), column "size": "x" is not a number.'],
    ["A,inf,small,x,1", "data/not-finite", 't, row 1 (line 9), column "size"'],
    ["A,1,huge,x,1", "data/malformed", 't, row 1 (line 9), column "kind": "huge" is not a declared value.'],
    ["'A,1,small,x,1", "data/malformed", "t, row 1 (line 9): a quote is not closed."],
    ["'A'B,1,small,x,1", "data/malformed", "t, row 1 (line 9): "],
    ["{9 1}", "data/malformed", "t, row 1 (line 9): "],
    ["{1 1, 1 2}", "data/malformed", "t, row 1 (line 9): "],
    ["{1 1", "data/malformed", "t, row 1 (line 9): the sparse row is not closed."],
    ["{1 1} x", "data/malformed", "t, row 1 (line 9): "],
    ["% nothing", "data/no-rows", "t has no rows after @data."],
  ])("row %j is an error", async (row, code, message) => {
    await expect(read(`${HEADER}${row}\n`)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ["@relation r\n@attribute a relational\n@end a\n@data\n1\n", "t, line 2"],
    ["@relation r\n@attribute a colour\n@data\n1\n", "t, line 2"],
    ["@relation r\n@attribute a {x, y\n@data\nx\n", "t, line 2"],
    ["@relation r\n@attribute\n@data\n1\n", "t, line 2"],
    ["@relation r\n@data\n1\n", "t, line 2"],
    ["@relation r\nwhat\n@data\n1\n", "t, line 2"],
    ["@relation r\n@attribute a numeric\n", "no @data"],
  ])("header %j is an error", async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({
      code: "data/malformed",
      message: expect.stringContaining(message),
    });
  });

  test("two attributes of the same name", async () => {
    const text = "@relation r\n@attribute a numeric\n@attribute a numeric\n@data\n1,2\n";
    await expect(read(text)).rejects.toMatchObject({ code: "data/duplicate-column" });
  });
});
