import { gzipSync } from "node:zlib";
import { MISSING_MARKERS } from "@vouch/core/internal/table/missing-markers";
import { type Format, type ReadOptions, readTable } from "@vouch/formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cellsOf } from "../cells-of.js";
import { parquetBytes } from "../parquet-bytes.js";
import type { Cell, Cells } from "./reference-cells.js";
import { TRIES } from "./tries.js";

/** Texts that readers might take for something else. */
const TEXTS = [
  "a",
  "b c",
  " x ",
  "é",
  "日本",
  'say "hi"',
  "it's",
  "a,b",
  "c;d",
  "e|f",
  "tab\tbed",
  "1_0",
  "0x1F",
  "{}",
  "%",
  "\\",
  "true",
  "-",
  "#",
  "\ufeff",
  "1,5",
  "12 %",
];
/** Texts that are numbers, or stand for missing ones, where nothing but the cells tells what a column is. */
const NUMBERS_IN_TEXT: readonly string[] = ["-", "#", "1,5", "12 %"];
const NAMES = [
  "id",
  "colour",
  "size x",
  "é",
  "a,b",
  "q'd",
  'say "x"',
  "sep=;",
  "1st",
  "label",
  "{z}",
  "%p",
  "\ufeffb",
];

/** Without −0, which is written as 0. */
const number = fc
  .oneof(fc.integer({ min: -1000, max: 1000 }), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((value) => value + 0);
const lineText = fc.constantFrom(...TEXTS);
const anyText = fc
  .oneof(lineText, fc.constantFrom("two\nlines", "cr\r\nlf", "\n"))
  .filter((text) => !NUMBERS_IN_TEXT.includes(text));

interface Column {
  readonly name: string;
  readonly cells: readonly Cell[];
}

/** Draws tables of one to four columns; a text column has at least one text. */
function tables(text: fc.Arbitrary<string>): fc.Arbitrary<Column[]> {
  return fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 8 }),
    )
    .chain(([names, rows]) =>
      fc.tuple(
        ...names.map((name) => {
          const missing = fc.constant<Cell>(null);
          const numbers = fc.array(fc.oneof({ weight: 4, arbitrary: number }, missing), {
            minLength: rows,
            maxLength: rows,
          });
          const texts = fc
            .tuple(
              text,
              fc.array(fc.oneof({ weight: 4, arbitrary: text }, missing), {
                minLength: rows - 1,
                maxLength: rows - 1,
              }),
            )
            .map(([first, others]): Cell[] => [first, ...others]);
          return fc.oneof(numbers, texts).map((cells) => ({ name, cells }));
        }),
      ),
    );
}

/** How a text file is written: the line end, the delimiter, a byte-order mark, blank lines, compression, and quotes where none are needed. */
const dialects = fc.record({
  lineEnd: fc.constantFrom("\n", "\r\n"),
  delimiter: fc.constantFrom(",", ";", "\t", "|"),
  mark: fc.boolean(),
  blankLines: fc.boolean(),
  lastLineEnd: fc.boolean(),
  gzip: fc.boolean(),
  quotes: fc.boolean(),
  marker: fc.constantFrom(...MISSING_MARKERS),
});
type Dialect = typeof dialects extends fc.Arbitrary<infer D> ? D : never;

function rowsOf(columns: readonly Column[]): Cell[][] {
  return columns[0].cells.map((_, row) => columns.map(({ cells }) => cells[row]));
}

function withLines(lines: readonly string[], { lineEnd, mark, blankLines, lastLineEnd }: Dialect): string {
  const text = lines.join(blankLines ? lineEnd + lineEnd : lineEnd);
  return `${mark ? "\ufeff" : ""}${text}${lastLineEnd ? lineEnd : ""}`;
}

function csvText(columns: readonly Column[], dialect: Dialect): string {
  const cell = (value: Cell) => {
    const text = value === null ? dialect.marker : String(value);
    const needed = /[",;|\t\r\n\ufeff]/.test(text) || (text === "" && columns.length === 1);
    return needed || dialect.quotes ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const header = columns.map(({ name }) => name);
  return withLines(
    [header, ...rowsOf(columns)].map((row) => row.map(cell).join(dialect.delimiter)),
    dialect,
  );
}

function objectsOf(columns: readonly Column[]): Record<string, Cell>[] {
  return rowsOf(columns).map((row) => Object.fromEntries(row.map((cell, j) => [columns[j].name, cell])));
}

function arffText(columns: readonly Column[], dialect: Dialect): string {
  const quoted = (text: string) =>
    `'${text.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}'`;
  const texts = (cells: readonly Cell[]) => cells.filter((cell) => typeof cell === "string");
  const type = (cells: readonly Cell[]) => {
    if (texts(cells).length === 0) return "NUMERIC";
    return dialect.quotes ? "string" : `{${[...new Set(texts(cells))].map(quoted).join(",")}}`;
  };
  const cell = (value: Cell) =>
    value === null ? "?" : typeof value === "string" ? quoted(value) : String(value);
  const header = columns.map(({ name, cells }) => `@attribute ${quoted(name)} ${type(cells)}`);
  const rows = rowsOf(columns).map((row) => row.map(cell).join(dialect.delimiter === "|" ? " , " : ","));
  return withLines(["% comment", "@relation r", ...header, "@DATA", ...rows], dialect);
}

async function expectCells(
  text: string,
  format: Format,
  columns: readonly Column[],
  { gzip }: Dialect,
  options: ReadOptions = {},
) {
  const bytes = Buffer.from(text);
  const table = await readTable(gzip ? gzipSync(bytes) : bytes, { format, ...options });
  expect(cellsOf(table)).toEqual(Object.fromEntries(columns.map(({ name, cells }) => [name, cells])));
}

describe("a random table is read as it was written:", () => {
  const check = (
    title: string,
    text: fc.Arbitrary<string>,
    read: (columns: Column[], dialect: Dialect) => Promise<void>,
  ) => test(title, () => fc.assert(fc.asyncProperty(tables(text), dialects, read), { numRuns: TRIES }));

  check("CSV", anyText, async (columns, dialect) => {
    const { delimiter } = dialect;
    await expectCells(csvText(columns, dialect), "csv", columns, dialect, { delimiter, header: true });
  });
  check("TSV", anyText, async (columns, dialect) => {
    const text = csvText(columns, { ...dialect, delimiter: "\t" });
    await expectCells(text, "tsv", columns, dialect, { header: true });
  });
  check("JSON", anyText, async (columns, dialect) => {
    const text = `${dialect.mark ? "\ufeff" : ""}${JSON.stringify(objectsOf(columns), undefined, dialect.blankLines ? 1 : undefined)}`;
    await expectCells(text, "json", columns, dialect);
  });
  check("NDJSON", anyText, async (columns, dialect) => {
    const lines = objectsOf(columns).map((row) => JSON.stringify(row));
    await expectCells(withLines(lines, dialect), "ndjson", columns, dialect);
  });
  check("ARFF", anyText, async (columns, dialect) => {
    await expectCells(arffText(columns, dialect), "arff", columns, dialect);
  });
});

test("random sparse rows are read from LIBSVM as they were written", () => {
  const rows = fc.array(
    fc.tuple(fc.constantFrom("+1", "-1", "a"), fc.array(fc.option(number, { freq: 2 }), { maxLength: 6 })),
    { minLength: 1, maxLength: 8 },
  );
  return fc.assert(
    fc.asyncProperty(rows, dialects, async (drawn, dialect) => {
      const width = Math.max(...drawn.map(([, cells]) => cells.findLastIndex((cell) => cell !== null) + 1));
      const lines = drawn.map(([label, cells]) => {
        const pairs = cells.flatMap((cell, j) => (cell === null ? [] : [`${j + 1}:${cell}`]));
        return [label, ...pairs].join(dialect.quotes ? "\t " : " ") + (dialect.mark ? " # comment" : "");
      });
      const columns = Array.from({ length: width }, (_, j) => ({
        name: `f${j + 1}`,
        cells: drawn.map(([, cells]) => cells[j] ?? 0),
      }));
      const label = { name: "label", cells: drawn.map(([name]) => name) };
      await expectCells(withLines(lines, dialect), "libsvm", [...columns, label], dialect);
    }),
    { numRuns: TRIES },
  );
});

test("random numbers are read from IDX as they were written", () => {
  const shapes = fc.tuple(
    fc.integer({ min: 1, max: 5 }),
    fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  );
  return fc.assert(
    fc.asyncProperty(
      shapes,
      fc.boolean(),
      fc.infiniteStream(number),
      async ([rows, sizes], gzip, numbers) => {
        const width = sizes.reduce((product, size) => product * size, 1);
        const values = Array.from({ length: rows * width }, () => numbers.next().value ?? 0);
        const bytes = Buffer.alloc(8 + 4 * sizes.length + 8 * values.length);
        bytes.set([0, 0, 14, 1 + sizes.length]);
        for (const [d, size] of [rows, ...sizes].entries()) bytes.writeUInt32BE(size, 4 + 4 * d);
        for (const [i, value] of values.entries()) bytes.writeDoubleBE(value, 8 + 4 * sizes.length + 8 * i);
        const expected: Cells = {};
        for (let j = 0; j < width; j++) expected[`p${j + 1}`] = values.filter((_, i) => i % width === j);
        const table = await readTable(gzip ? gzipSync(bytes) : bytes, { format: "idx" });
        expect(cellsOf(table)).toEqual(expected);
      },
    ),
    { numRuns: TRIES },
  );
});

test("a random table is read from Parquet as DuckDB wrote it", () => {
  // DuckDB reads a plain literal as a decimal, which may be rounded twice; it reads a text as the nearest number.
  const literal = (cell: Cell) =>
    cell === null
      ? "NULL"
      : typeof cell === "number"
        ? `'${cell}'::DOUBLE`
        : `'${cell.replaceAll("'", "''")}'`;
  return fc.assert(
    fc.asyncProperty(tables(anyText), dialects, async (columns, dialect) => {
      const names = columns.map(({ name }) => `"${name.replaceAll('"', '""')}"`).join(", ");
      const rows = rowsOf(columns).map((row) => `(${row.map(literal).join(", ")})`);
      const types = columns.map(({ cells }) =>
        cells.some((cell) => typeof cell === "string") ? "VARCHAR" : "DOUBLE",
      );
      const cast = columns.map(
        ({ name }, j) => `"${name.replaceAll('"', '""')}"::${types[j]} AS "${name.replaceAll('"', '""')}"`,
      );
      const bytes = await parquetBytes(
        `SELECT ${cast.join(", ")} FROM (VALUES ${rows.join(", ")}) t(${names})`,
      );
      const table = await readTable(dialect.gzip ? gzipSync(bytes) : bytes, { format: "parquet" });
      expect(cellsOf(table)).toEqual(Object.fromEntries(columns.map(({ name, cells }) => [name, cells])));
    }),
    { numRuns: Math.ceil(TRIES / 10) },
  );
});
