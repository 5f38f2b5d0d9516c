import { gzipSync } from "node:zlib";
import { denseValues } from "@vouch/core/internal/table/column";
import { type ReadOptions, readTable } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { cellsOf } from "./cells-of.js";

async function read(text: string | Uint8Array, options: ReadOptions = {}) {
  return readTable(Buffer.from(text), { format: "csv", name: "t.csv", ...options });
}

async function cells(text: string | Uint8Array, options: ReadOptions = {}) {
  return cellsOf(await read(text, options));
}

describe("the dialect", () => {
  test.each([[","], [";"], ["\t"], ["|"]])("detects the delimiter %j", async (d) => {
    const text = ["a b", "c", '"d"'].join(d).concat("\n1", d, "x", d, '"2"', "\n");
    expect(await cells(text)).toEqual({ "a b": [1], c: ["x"], d: [2] });
  });

  test("prefers a delimiter that splits all records alike to a more frequent one", async () => {
    expect(await cells("price, EUR, net;size\n1;2\n3;4\n")).toEqual({
      "price, EUR, net": [1, 3],
      size: [2, 4],
    });
  });

  test("uses and checks the delimiter option", async () => {
    expect(await cells("a:b,c\n1:2\n", { delimiter: ":" })).toEqual({ a: [1], "b,c": [2] });
    await expect(read("a,b\n1,2\n", { delimiter: "::" })).rejects.toMatchObject({ code: "option/invalid" });
    await expect(read("a,b\n1,2\n", { delimiter: '"' })).rejects.toMatchObject({ code: "option/invalid" });
  });

  test("skips the line that tells Excel the delimiter", async () => {
    expect(await cells("sep=;\r\na,b;c\r\n1;x\r\n")).toEqual({ "a,b": [1], c: ["x"] });
    expect(await cells("\ufeffsep=|\na;b|c\n1|x\n", { header: false })).toEqual({
      column1: ["a;b", "1"],
      column2: ["c", "x"],
    });
    await expect(read("sep=,\na,b\n1\n")).rejects.toMatchObject({
      message: "t.csv, row 1 (line 3): 1 cell, but there are 2 columns.",
    });
    expect(await cells("sep=s,b\n1,x\n")).toEqual({ "sep=s": [1], b: ["x"] });
  });

  test("accepts a byte-order mark, CRLF, blank lines and a missing final line end", async () => {
    expect(await cells("\ufeff\r\na,b\r\n\r\n1,x\r\n\r\n2,y")).toEqual({ a: [1, 2], b: ["x", "y"] });
    expect(await cells("a\n1\r")).toEqual({ a: [1] });
  });

  test("accepts byte-order marks of files that were joined, before the header and before records", async () => {
    const rows = '\ufeff"x\ny",1\n\ufeffz,2\n';
    expect(await cells(`Report\n\n\ufeffa,b\n${rows}`)).toEqual({ a: ["x\ny", "z"], b: [1, 2] });
    expect(await cells(`\ufeffa,b\n${rows}`)).toEqual({ a: ["x\ny", "z"], b: [1, 2] });
    expect(await cells("a,b\n1,x\n\ufeff2,y\n")).toEqual({ a: [1, 2], b: ["x", "y"] });
  });

  test("splits numbers with a decimal comma at semicolons, even without a header", async () => {
    const records = "1,5;2,5;a\n3,25;4;b\n-5,5;6,25;a\n";
    const expected = { column1: [1.5, 3.25, -5.5], column2: [2.5, 4, 6.25], column3: ["a", "b", "a"] };
    expect(await cells(records, { header: false })).toEqual(expected);
    const lists = { header: false, delimiter: "," };
    expect(await cells("1,x;y,2\n3,z;w,4\n", { header: false })).toEqual(
      await cells("1,x;y,2\n3,z;w,4\n", lists),
    );
  });

  test("names that are numbers need an option, which the error names", async () => {
    await expect(read("\n2019,2020,7\n1,2,3\n")).rejects.toMatchObject({
      code: "data/malformed",
      hint: "If the first record is data, pass --no-header. If these are the names, pass --header-row 2.",
    });
    expect(await cells("\n2019,2020,7\n1,2,3\n", { headerRow: 2 })).toEqual({ 2019: [1], 2020: [2], 7: [3] });
  });

  test("quoted cells may contain delimiters, quotes and line ends", async () => {
    expect(await cells('"a","b ""c"""\n"1","x,\r\ny"\n2,"""z"""\n')).toEqual({
      a: [1, 2],
      'b "c"': ["x,\r\ny", '"z"'],
    });
  });

  test("a quote inside a cell that does not start with one is an ordinary character", async () => {
    expect(await cells('size,n\n5" pipe,1\n')).toEqual({ size: ['5" pipe'], n: [1] });
  });

  test("numbers the columns if there is no header or a name is missing", async () => {
    expect(await cells("1,x\n2,y\n", { header: false })).toEqual({ column1: [1, 2], column2: ["x", "y"] });
    expect(await cells(",a\n1,2\n")).toEqual({ column1: [1], a: [2] });
  });

  test("refuses a first record of numbers as header", async () => {
    await expect(read("5.1,3.5\n4.9,3.0\n")).rejects.toMatchObject({
      code: "data/malformed",
      hint: expect.stringContaining("--no-header"),
    });
    expect(await cells("5.1,3.5\n4.9,3.0\n", { header: true })).toEqual({ "5.1": [4.9], "3.5": [3] });
    expect(await cells("0,1,2\n7,8,9\n")).toEqual({ 0: [7], 1: [8], 2: [9] });
  });
});

describe("kinds of columns", () => {
  test("numbers, missing cells and text", async () => {
    const text =
      "n,missing,word,date,flag,hex\n1,,a,2020-01-01,true,0x1\n 2e3 ,NA,b,2020-01-02,false,2\n?,nan,N/A,,,3\n";
    const table = await read(text);
    expect(table.columns.map(({ kind }) => kind)).toEqual([
      "numeric",
      "numeric",
      "categorical",
      "categorical",
      "categorical",
      "categorical",
    ]);
    expect(cellsOf(table)).toEqual({
      n: [1, 2000, null],
      missing: [null, null, null],
      word: ["a", "b", null],
      date: ["2020-01-01", "2020-01-02", null],
      flag: ["true", "false", null],
      hex: ["0x1", "2", "3"],
    });
  });

  test("the target and declared categories stay verbatim; ignored columns are left out", async () => {
    const text = "zip,junk,label\n007,x,+1\n7,y,-1\n007.0,z,+1\n";
    const options = { target: "label", categorical: ["zip"], ignore: ["junk"] };
    expect(await cells(text, options)).toEqual({ zip: ["007", "7", "007.0"], label: ["+1", "-1", "+1"] });
    expect((await read(text, options)).columns[1]).toMatchObject({ levels: ["+1", "-1"] });
  });

  test("the target may be absent, as in data to predict", async () => {
    expect(await cells("a\n1\n", { target: "label" })).toEqual({ a: [1] });
  });

  test("options that name unknown columns, or one column twice, are errors", async () => {
    await expect(read("age,size\n1,2\n", { categorical: ["agge"] })).rejects.toMatchObject({
      code: "data/missing-column",
      message: expect.stringContaining('"agge"'),
      hint: 'Did you mean "age"?',
    });
    await expect(read("a,b\n1,2\n", { numeric: ["a"], ignore: ["a"] })).rejects.toMatchObject({
      code: "option/invalid",
    });
    await expect(read("a,b\n1,2\n", { numeric: ["a"], target: "a" })).rejects.toMatchObject({
      code: "option/invalid",
    });
  });

  test("integers beyond 2^53 are the nearest doubles", async () => {
    expect(await cells("a\n9007199254740993\n123456789012345678901\n")).toEqual({
      a: [9007199254740992, 123456789012345680000],
    });
  });
});

describe("large files", () => {
  const rows = 60_000;
  const lines = Array.from(
    { length: rows },
    (_, i) => `${i},${Math.sin(i)},"cell ${i % 977}\n${i % 3}",k${i % 5}\n`,
  );
  const bytes = Buffer.from(`i,sine,text,k\n${lines.join("")}`);

  test("rows keep their order and cells their values over many blocks, also with gzip", async () => {
    expect(bytes.length).toBeGreaterThan(2 << 20);
    for (const source of [bytes, gzipSync(bytes)]) {
      const table = await readTable(source, { format: "csv", target: "k" });
      const { i, sine, text, k } = cellsOf(table);
      expect(table.rows).toBe(rows);
      for (let row = 0; row < rows; row++) {
        const same =
          i[row] === row &&
          sine[row] === Math.sin(row) &&
          text[row] === `cell ${row % 977}\n${row % 3}` &&
          k[row] === `k${row % 5}`;
        if (!same) expect.fail(`row ${row} differs`);
      }
    }
  });

  test("numbers are in memory that threads can share", async () => {
    const [column] = (await readTable(bytes, { format: "csv" })).columns;
    expect(column.kind === "numeric" && denseValues(column.values).buffer instanceof SharedArrayBuffer).toBe(
      true,
    );
  });

  test("a record longer than the window", async () => {
    const long = "x".repeat(5 << 20);
    expect(await cells(`a,b\n1,"${long}"\n2,y\n`)).toEqual({ a: [1, 2], b: [long, "y"] });
  });

  test("100,000 columns", async () => {
    const names = Array.from({ length: 100_000 }, (_, j) => `x${j}`);
    const row = (r: number) => names.map((_, j) => (j + r) % 10).join(",");
    const table = await read(`${names.join(",")}\n${[0, 1, 2].map(row).join("\n")}\n`);
    expect(table.columns.length).toBe(100_000);
    const last = table.columns[99_999];
    expect(last).toMatchObject({ kind: "numeric", name: "x99999" });
    expect(cellsOf(table).x99999).toEqual([9, 0, 1]);
  });

  test("progress reaches the end", async () => {
    const seen: number[] = [];
    await readTable(bytes, {
      format: "csv",
      onProgress: ({ done, total }) => seen.push(done / (total ?? 1)),
    });
    expect(Math.max(...seen)).toBe(1);
  });
});

describe("columns that keep their spelling", () => {
  const verbatim = ["a", "b", "absent"];

  test("stay text if any cell is not spelled as a number is printed", async () => {
    const text = "a,b,c\n007,1.10,007\n7,,1.10\nNA,1.1,1\n";
    expect(await cells(text, { verbatim })).toEqual({
      a: ["007", "7", null],
      b: ["1.10", null, "1.1"],
      c: [7, 1.1, 1],
    });
    expect(await cells("a,b\n9007199254740993,-0\n", { verbatim })).toEqual({
      a: ["9007199254740993"],
      b: ["-0"],
    });
  });

  test("become numbers if nothing is lost, or if an option says so", async () => {
    expect(await cells("a,b\n7,-0.5\n1e-7,?\n", { verbatim })).toEqual({ a: [7, 1e-7], b: [-0.5, null] });
    expect(await cells("a,b\n07,x\n", { verbatim, numeric: ["a"] })).toEqual({ a: [7], b: ["x"] });
  });
});
