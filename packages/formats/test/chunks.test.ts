import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { type Format, type ReadOptions, readTable, readTableInChunks } from "@vouch/formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Table } from "vouch";
import { cellsOf } from "./cells-of.js";
import { FixtureFolder } from "./fixture-folder.js";
import { parquetBytes } from "./parquet-bytes.js";

const folder = new FixtureFolder();

type Cells = ReturnType<typeof cellsOf>;

/** Joins parts; a column that a part lacks is missing there. Checks that the parts number their rows one after the other. */
async function joined(parts: AsyncIterable<Table>, most: number): Promise<Cells> {
  const all = new Map<string, Cells[string]>();
  let rows = 0;
  for await (const part of parts) {
    expect(part.firstRow).toBe(rows);
    expect(part.rows).toBeLessThanOrEqual(most);
    for (const [name, cells] of Object.entries(cellsOf(part))) {
      const before = all.get(name) ?? new Array<null>(rows).fill(null);
      all.set(name, [...before, ...cells]);
    }
    rows += part.rows;
  }
  return Object.fromEntries(all);
}

async function expectSame(bytes: Uint8Array, options: ReadOptions, rows: number): Promise<void> {
  const whole = cellsOf(await readTable(bytes, options));
  expect(await joined(readTableInChunks(bytes, { ...options, rows }), rows)).toEqual(whole);
}

interface Row {
  readonly number: number | null;
  readonly text: string | null;
  readonly code: string;
  readonly label: string;
}

const row = fc.record<Row>({
  number: fc.option(fc.constantFrom(0, 1.5, -3, 1e21, 0.1)),
  text: fc.option(fc.constantFrom("red", "blue, dark", 'say "x"', "two\nlines", "é")),
  code: fc.constantFrom("7", "12", "0"),
  label: fc.constantFrom("yes", "no"),
});
/** Options may name only columns that appear in an NDJSON file. */
const FULL_ROW: Row = { number: 2, text: "red", code: "7", label: "no" };
const sizes = fc.constantFrom(1, 2, 7, 1000);

const csvCell = (cell: string | number | null) =>
  cell === null ? "" : /[",\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell);
const arffCell = (cell: string | number | null) =>
  cell === null
    ? "?"
    : typeof cell === "number"
      ? String(cell)
      : `'${cell.replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`;

/** Writes rows in each text format. */
const writers: Partial<Record<Format, (rows: readonly Row[]) => string>> = {
  csv: (rows) =>
    `number,text,code,label\n${rows.map((r) => [r.number, r.text, r.code, r.label].map(csvCell).join(",")).join("\n")}\n`,
  tsv: (rows) =>
    `number\ttext\tcode\tlabel\r\n${rows.map((r) => [r.number, csvCell(r.text), r.code, r.label].join("\t")).join("\r\n")}`,
  json: (rows) => JSON.stringify(rows),
  // Missing cells are absent keys.
  ndjson: (rows) =>
    rows
      .map((r) => JSON.stringify(Object.fromEntries(Object.entries(r).filter(([, v]) => v !== null))))
      .join("\n"),
  arff: (rows) =>
    `@relation r\n@attribute number numeric\n@attribute text string\n@attribute code string\n@attribute label {yes,no}\n@data\n${rows
      .map((r) => [r.number, r.text, r.code, r.label].map(arffCell).join(","))
      .join("\n")}`,
  libsvm: (rows) =>
    rows
      .map((r) => `${r.label}${r.number === null ? "" : ` 1:${r.number}`} ${r.code.length + 1}:1`)
      .join("\n"),
};

describe("reading in chunks", () => {
  test.each(Object.entries(writers))("%s: the chunks are the table", async (format, write) => {
    const known = format as Format;
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), sizes, async (others, size) => {
        const rows = [FULL_ROW, ...others];
        const text = Buffer.from(write(rows));
        await expectSame(text, { format: known, target: "label", features: 3 }, size);
        if (known !== "libsvm") {
          await expectSame(text, { format: known, ignore: ["text"], categorical: ["number"] }, size);
        }
      }),
      { numRuns: 25 },
    );
  });

  test("Parquet: the chunks are the table, whatever DuckDB's own", async () => {
    const bytes = await parquetBytes(
      "SELECT i AS number, CASE WHEN i % 3 = 0 THEN NULL ELSE 'v' || (i % 5) END AS text FROM range(5000) r(i)",
    );
    for (const rows of [700, 2048, 3000, 9000]) await expectSame(bytes, { format: "parquet" }, rows);
    await expectSame(gzipSync(bytes), { format: "parquet", categorical: ["number"] }, 2500);
  });

  test("IDX: the chunks are the table, with the labels beside it", async () => {
    const values = Array.from({ length: 20 * 3 }, (_, i) => (i * 37) % 256);
    const path = folder.file(
      "a-images-idx2-ubyte",
      Buffer.from([0, 0, 8, 2, 0, 0, 0, 20, 0, 0, 0, 3, ...values]),
    );
    folder.file("a-labels-idx1-ubyte", Buffer.from([0, 0, 8, 1, 0, 0, 0, 20, ...values.slice(0, 20)]));
    const whole = cellsOf(await readTable(path));
    expect(whole.label).toHaveLength(20);
    for (const rows of [1, 7, 20, 1000]) {
      expect(await joined(readTableInChunks(path, { rows }), rows)).toEqual(whole);
    }
  });

  test("streams and compressed files", async () => {
    const text = `a,b\n${Array.from({ length: 3000 }, (_, i) => `${i},x${i % 7}`).join("\n")}\n`;
    const whole = cellsOf(await readTable(Buffer.from(text), { format: "csv" }));
    for (const bytes of [Buffer.from(text), gzipSync(text)]) {
      const stream = Readable.from([bytes.subarray(0, 10), bytes.subarray(10)]);
      expect(await joined(readTableInChunks(stream, { rows: 700 }), 700)).toEqual(whole);
    }
  });

  test("errors number rows and lines from the start of the file", async () => {
    const read = async (format: Format, text: string, options: ReadOptions = {}) => {
      const parts = readTableInChunks(Buffer.from(text), { format, name: "file", rows: 2, ...options });
      await joined(parts, 2);
    };
    await expect(read("csv", "a,b\n1,2\n3,4\n5,6\n7\n")).rejects.toThrow("file, row 4 (line 5): 1 cell");
    await expect(read("csv", "a\n1\n3\n5\ninf\n", { numeric: ["a"] })).rejects.toThrow("row 4 (line 5)");
    await expect(read("csv", 'a\n1\n3\n5\n"x\n')).rejects.toThrow("row 4: a quote");
    await expect(read("ndjson", '{"a":1}\n{"a":1}\n{"a":[]}\n')).rejects.toThrow("row 3 (line 3)");
    const arff = "@relation r\n@attribute a numeric\n@data\n1\n2\n3\ninf\n";
    await expect(read("arff", arff)).rejects.toThrow("row 4 (line 7)");
    await expect(read("libsvm", "a 1:1\na 1:1\nb 2:x\n")).rejects.toThrow("row 3 (line 3)");
  });

  test("columns that keep their spelling are numbers up to their first text, however they are divided", async () => {
    const codes = [...Array.from({ length: 21_000 }, (_, i) => String(i)), "007", "8"];
    const text = Buffer.from(
      `id,zip\n${codes.map((code, i) => `${code},${i === 3 ? "007" : i}`).join("\n")}\n`,
    );
    const expected = codes.map((code, i) => (i < 21_000 ? Number(code) : code));
    for (const rows of [7000, 16_384, 30_000]) {
      const parts = readTableInChunks(text, { format: "csv", verbatim: ["id", "zip"], rows });
      const { id, zip } = await joined(parts, rows);
      expect(id).toEqual(expected);
      expect(zip[0]).toBe("0");
    }
  });

  test("stopping early releases the source", async () => {
    const text = "a\n1\n2\n3\n";
    for await (const part of readTableInChunks(Buffer.from(text), { format: "csv", rows: 1 })) {
      expect(cellsOf(part)).toEqual({ a: [1] });
      break;
    }
  });
});
