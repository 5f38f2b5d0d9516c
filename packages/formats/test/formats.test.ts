import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { FORMATS, type Format, formatOfName, readTable } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { cellsOf } from "./cells-of.js";
import { FixtureFolder } from "./fixture-folder.js";
import { rowsXml, workbook } from "./handmade-xlsx.js";
import { parquetBytes } from "./parquet-bytes.js";

const folder = new FixtureFolder();

/** Two numbers and a class per row, the same in every format. */
const CONTENTS: Record<Format, string | Buffer> = {
  csv: "f1,f2,label\n1.5,0,a\n-2,3,b\n1e3,0.25,a\n",
  tsv: "f1\tf2\tlabel\n1.5\t0\ta\n-2\t3\tb\n1e3\t0.25\ta\n",
  xlsx: workbook({
    data: rowsXml([
      ["f1", "f2", "label"],
      [1.5, 0, "a"],
      [-2, 3, "b"],
      [1e3, 0.25, "a"],
    ]),
  }),
  json: '[{"f1": 1.5, "f2": 0, "label": "a"},\n {"f1": -2, "f2": 3, "label": "b"}, {"f1": 1e3, "f2": 0.25, "label": "a"}]',
  ndjson:
    '{"f1":1.5,"f2":0,"label":"a"}\n{"f1":-2,"f2":3,"label":"b"}\r\n\n{"f1":1000,"f2":0.25,"label":"a"}',
  parquet: await parquetBytes(
    "SELECT * FROM (VALUES (1.5::DOUBLE, 0::DOUBLE, 'a'), (-2, 3, 'b'), (1000, 0.25, 'a')) t(f1, f2, label)",
  ),
  arff: "% comment\n@RELATION r\n@attribute f1 numeric\n@attribute f2 REAL\n@attribute label {a, b}\n@data\n1.5,0,a\n-2,3,b\n{0 1e3,1 0.25}\n",
  libsvm: "a 1:1.5\nb 1:-2 2:3 # comment\na 1:1e3 2:.25\n",
  idx: Buffer.concat([
    Buffer.from([0, 0, 14, 2, 0, 0, 0, 3, 0, 0, 0, 2]),
    Buffer.concat([1.5, 0, -2, 3, 1e3, 0.25].map(doubleBytes)),
  ]),
};
const NUMBERS = { f1: [1.5, -2, 1000], f2: [0, 3, 0.25] };
const EXPECTED = { ...NUMBERS, label: ["a", "b", "a"] };

function doubleBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}

function expected(format: Format) {
  return format === "idx" ? { p1: NUMBERS.f1, p2: NUMBERS.f2 } : EXPECTED;
}

describe.each(FORMATS)("%s", (format) => {
  const contents = Buffer.from(CONTENTS[format]);

  test("is detected by extension, plain and gzip", async () => {
    expect(formatOfName(`a.b/x.${format}.GZ`)).toBe(format);
    const plain = await readTable(folder.file(`x.${format}`, contents));
    const packed = await readTable(folder.file(`x.${format}.gz`, gzipSync(contents)));
    expect(cellsOf(plain)).toEqual(expected(format));
    expect(cellsOf(packed)).toEqual(expected(format));
  });

  test("is detected by its first bytes, from memory and from a stream", async () => {
    // TSV looks like CSV with another delimiter, and is read as such.
    expect(cellsOf(await readTable(contents))).toEqual(expected(format));
    const stream = Readable.from([contents.subarray(0, 5), contents.subarray(5)]);
    expect(cellsOf(await readTable(stream, { name: "standard input" }))).toEqual(expected(format));
    expect(cellsOf(await readTable(gzipSync(contents)))).toEqual(expected(format));
  });

  test("columns can be ignored or made categorical", async () => {
    const [first, second] = Object.keys(expected(format));
    const table = await readTable(contents, { format, ignore: [first], categorical: [second] });
    const [column] = table.columns;
    expect(table.columns.length).toBe(Object.keys(expected(format)).length - 1);
    expect(column).toMatchObject({ kind: "categorical", name: second });
    expect(column.kind === "categorical" && column.levels.map(Number)).toEqual([0, 3, 0.25]);
    await expect(readTable(contents, { format, ignore: ["nope"] })).rejects.toMatchObject({
      code: "data/missing-column",
    });
  });

  test("a function can choose the target among the column names", async () => {
    const names = Object.keys(expected(format));
    const seen: (readonly string[])[] = [];
    const target = (columns: readonly string[]) => {
      seen.push(columns);
      return columns[0];
    };
    const table = await readTable(contents, { format, target });
    expect(new Set(seen.flat())).toEqual(new Set(names));
    expect(table.columns.map(({ kind }) => kind).slice(0, 2)).toEqual(["categorical", "numeric"]);
  });

  test("refuses an empty file and a broken one", async () => {
    await expect(readTable(Buffer.alloc(0), { format })).rejects.toMatchObject({ code: "data/empty" });
    if (format === "csv" || format === "tsv") return;
    await expect(readTable(Buffer.from("non sense"), { format })).rejects.toMatchObject({
      code: expect.stringMatching(/^(data\/(malformed|no-rows)|file\/format)$/),
    });
  });
});
