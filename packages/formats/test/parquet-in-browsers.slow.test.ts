import { gzipSync } from "node:zlib";
import { type ReadOptions, readTable } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { limitMemory, type Table, VouchError } from "vouch";
import { readParquetParts } from "#formats/parquet/read-parquet.js";
import { readTable as readData } from "#formats/read-table.browser.js";
import { cellsOf } from "./cells-of.js";
import { parquetBytes } from "./parquet-bytes.js";

/** Reads a file without DuckDB, and expects the table that DuckDB gives. */
async function expectSame(bytes: Buffer, options: ReadOptions = {}): Promise<Table> {
  const named = { format: "parquet", name: "t.parquet", ...options } as const;
  const table = await readData(bytes, named);
  const expected = await readTable(bytes, named);
  expect(bitsOf(table)).toEqual(bitsOf(expected));
  return table;
}

/** Returns the columns of a table with their cells as text, in which 0 and −0 differ and which is compared quickly. */
function bitsOf({ columns }: Table): unknown[] {
  return columns.map((column) => {
    const { buffer, byteOffset, byteLength } =
      column.kind === "numeric" ? Float64Array.from(column.values) : column.codes;
    const cells = Buffer.from(buffer, byteOffset, byteLength).toString("hex");
    return { ...column, values: undefined, codes: undefined, cells };
  });
}

const TYPES = `
  SELECT 200::UTINYINT u8, -5::TINYINT i8, 60000::USMALLINT u16, 4294967295::UINTEGER u32, -7 i32,
         18446744073709551615::UBIGINT u64, -9007199254740993::BIGINT i64, 0.1::FLOAT f32, 0.1 + 0.2::DOUBLE f64,
         0.3::DECIMAL(4, 1) d16, 1234567.89::DECIMAL(9, 2) d32, 0.07::DECIMAL(18, 2) d64,
         -12345678901234567890.123456789::DECIMAL(38, 9) d128, 0.5::DECIMAL(3, 3) below, NULL::DOUBLE AS nothing,
         'nan'::DOUBLE notnum, true flag, DATE '2020-02-29' AS day, TIME '12:34:56.5' AS t,
         TIMETZ '12:34:56+00' AS tz, TIMESTAMP '1969-12-31 23:59:59.25' AS at, TIMESTAMP_MS '2020-01-01 01:02:03.4' AS ms,
         TIMESTAMP_NS '2020-01-01 00:00:00.123456789' AS ns, TIMESTAMPTZ '2020-02-29 12:00:00+02' AS zoned,
         INTERVAL '14 months 3 days 04:05:06.5' AS gap, uuid '123e4567-e89b-12d3-a456-426614174000' AS id,
         'NA' na, 'é😀' AS text, ''::VARCHAR AS blank, 'abc'::BLOB AS bytes, 'b'::ENUM('a', 'b') AS e,
         '{"a": 1}' AS json, chr(65279) || 'x' AS marked, 1e20::DOUBLE AS large, -0.0::DOUBLE AS zero
  UNION ALL SELECT 1, 2, 3, 4, 5, 6, 7, 1e10, 1e-7, -9.5, -0.01, -0.5, 0.000000001, -0.25, 3, 4, NULL,
         DATE '0044-03-15 (BC)', TIME '00:00:00', TIMETZ '00:00:00.25+00', TIMESTAMP '0044-03-15 (BC) 01:00:00',
         TIMESTAMP_MS '12345-01-01 00:00:00', TIMESTAMP_NS '1969-07-20 20:17:40.1', TIMESTAMPTZ '1969-07-20 20:17:40.5+00',
         INTERVAL '1 day', uuid '00000000-0000-0000-0000-00000000000a', 'x', 'z', 'y', ''::BLOB, 'a', 'null', 'w',
         16777216, 1e15
  UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
         NULL, DATE 'infinity', NULL, NULL, TIMESTAMP '-infinity', NULL, NULL, TIMESTAMPTZ 'infinity', INTERVAL '0 days',
         NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL`;

describe("Parquet without DuckDB", () => {
  test("cells of all types are those of DuckDB, as numbers and as categories", async () => {
    const bytes = await parquetBytes(TYPES);
    const table = await expectSame(bytes);
    const names = table.columns.map(({ name }) => name);
    expect(names).toHaveLength(35);
    await expectSame(bytes, { categorical: names });
    for (const target of ["u64", "f32", "f64", "d128", "below", "zero", "large"]) {
      await expectSame(bytes, { target });
    }
  });

  test("dates are declared as in Node", async () => {
    const bytes = await parquetBytes("SELECT DATE '2020-01-01' + i::INTEGER AS day, i FROM range(9) t(i)");
    await expectSame(bytes, { date: ["day"] });
  });

  test.each([
    [["COMPRESSION uncompressed"]],
    [["COMPRESSION snappy"]],
    [["COMPRESSION gzip"]],
    [["COMPRESSION zstd"]],
    [["COMPRESSION lz4_raw"]],
    [["COMPRESSION zstd", "PARQUET_VERSION v2"]],
    [["PARQUET_VERSION v2"]],
    [["PARQUET_VERSION v2", "DICTIONARY_SIZE_LIMIT 1"]],
    [["DICTIONARY_SIZE_LIMIT 1", "COMPRESSION uncompressed"]],
    [["ROW_GROUP_SIZE 2048"]],
  ])("compression, encodings and row groups: %s", async (options) => {
    const query = `
      SELECT i AS "order", i::INTEGER AS small, (hash(i) >> 1)::BIGINT AS wide, sin(i) AS wave, sin(i)::FLOAT AS narrow,
             'word ' || (i % 300) AS word, 'text ' || hash(i) AS unique_text, i % 3 = 0 AS flag,
             CASE WHEN i % 7 > 2 THEN i % 100 END AS some, CASE WHEN i > 2100 THEN 'late' END AS late,
             DATE '2000-01-01' + (i % 1000)::INTEGER AS day, 5 AS constant, NULL::VARCHAR AS empty,
             (i % 977)::DECIMAL(8, 3) AS amount
      FROM range(2500) t(i)`;
    const bytes = await parquetBytes(query, ...options);
    const table = await expectSame(bytes);
    expect(table.rows).toBe(2500);
  });

  test("a file may be compressed with gzip as a whole", async () => {
    const bytes = await parquetBytes("SELECT i, 'k' || i AS k FROM range(100) t(i)");
    const table = await readData(gzipSync(bytes), { name: "t.parquet.gz" });
    expect(table.columns).toEqual((await readData(bytes)).columns);
  });

  test("parts have the rows of the whole table", async () => {
    const query =
      "SELECT i, 'k' || (i % 7) AS k, CASE WHEN i >= 4500 THEN 'x' ELSE '1' END AS n FROM range(5000) t(i)";
    const bytes = await parquetBytes(query, "ROW_GROUP_SIZE 2048");
    const parts = async (most: number, options: ReadOptions = {}) => {
      const tables: Table[] = [];
      const file = new Blob([Uint8Array.from(bytes)]);
      for await (const table of readParquetParts(file, "t.parquet", options, most)) tables.push(table);
      return tables;
    };
    for (const rows of [1000, 2048, 3000, 5000, 9999]) {
      const tables = await parts(rows);
      const whole = await readTable(bytes);
      let next = 0;
      for (const table of tables) {
        expect([table.firstRow, table.rows <= rows]).toEqual([next, true]);
        expect(cellsOf(table)).toEqual(cellsOf(whole.slice(next, next + table.rows)));
        next += table.rows;
      }
      expect(next).toBe(5000);
    }
    // Rows are numbered from the start of the file.
    const tables = await parts(1000, { numeric: ["n"], missing: ["1"] }).catch((error) => error);
    expect(tables).toMatchObject({
      message:
        't.parquet, row 4501, column "n": "x" is not a number, nor are 499 more values of this column.',
    });
  });

  test("roles of columns are those of the options", async () => {
    const bytes = await parquetBytes(
      "SELECT unnest(['1', 'NA', '2.5']) AS a, 1 AS b, {'x': 1} AS s, 3.0 AS label",
    );
    await expectSame(bytes, { numeric: ["a"], ignore: ["s"], target: "label" });
    await expectSame(bytes, { numeric: ["a"], ignore: ["s"], categorical: ["b"] });
  });

  test("errors are those of DuckDB's reader", async () => {
    const cases: [string, ReadOptions][] = [
      ["SELECT 1 AS a WHERE false", {}],
      ["SELECT unnest([1, 'inf'::DOUBLE]) AS a", {}],
      ["SELECT unnest([1, '-inf'::FLOAT]) AS a", {}],
      ["SELECT unnest(['y', 'NA', 'x']) AS a", { numeric: ["a"] }],
      ["SELECT DATE '2020-01-01' AS a", { numeric: ["a"] }],
      ["SELECT 1 AS a", { target: "a", ignore: ["a"] }],
      ["SELECT 1 AS a", { ignore: ["b"] }],
    ];
    for (const [query, options] of cases) {
      const bytes = await parquetBytes(query);
      const all = { format: "parquet", name: "t.parquet", ...options } as const;
      const expected = await readTable(bytes, all).catch((error) => error);
      expect(expected, query).toBeInstanceOf(VouchError);
      const { code, message, hint } = expected;
      await expect(readData(bytes, all), query).rejects.toMatchObject({ code, message, hint });
    }
  });

  test("nested columns are refused in words", async () => {
    const bytes = await parquetBytes("SELECT [1] AS list, {'x': 1} AS struct, map {'k': 1} AS map, 2 AS a");
    const columns = ["list", "struct", "map"];
    for (const column of columns) {
      const ignore = columns.filter((name) => name !== column);
      await expect(readData(bytes, { name: "t.parquet", ignore })).rejects.toMatchObject({
        code: "data/malformed",
        message: `t.parquet, column "${column}": its cells are nested (${column.toUpperCase()}).`,
        hint: `Flatten the column, or leave it out with --ignore ${column}.`,
      });
    }
    await expectSame(bytes, { ignore: columns });
  });

  test("progress is reported, and reading stops when it is aborted", async () => {
    const bytes = await parquetBytes("SELECT i, i AS j FROM range(5000) t(i)", "ROW_GROUP_SIZE 2048");
    const shares: number[] = [];
    await readData(bytes, { onProgress: ({ done, total = 0 }) => shares.push(done / total) });
    expect(shares.length).toBeGreaterThan(4);
    expect(shares.at(-1)).toBeLessThanOrEqual(1);
    const during = new AbortController();
    const reading = readData(bytes, { signal: during.signal, onProgress: () => during.abort() });
    await expect(reading).rejects.toMatchObject({ code: "run/interrupted" });
  });
});

describe("damaged and hostile Parquet files", () => {
  const QUERY =
    "SELECT i, 'text ' || i AS t, sin(i) AS s, i % 2 AS b, NULL::INTEGER AS n FROM range(200) r(i)";

  test("a file that ends early is not valid", async () => {
    const bytes = await parquetBytes(QUERY);
    for (let length = 4; length < bytes.length; length += 97) {
      await expect(readData(bytes.subarray(0, length), { format: "parquet" })).rejects.toMatchObject({
        code: "data/malformed",
        message: expect.stringMatching(/^the input is not a valid Parquet file: .+\.$/),
      });
    }
  });

  test.each([
    [["COMPRESSION uncompressed"]],
    [["COMPRESSION zstd"]],
    [["COMPRESSION lz4_raw", "PARQUET_VERSION v2"]],
    [["COMPRESSION gzip", "PARQUET_VERSION v2"]],
  ])("a changed byte gives an error or a table (%s)", async (options) => {
    const bytes = await parquetBytes(QUERY, ...options);
    let refused = 0;
    for (let at = 0; at < bytes.length; at += 41) {
      const damaged = Buffer.from(bytes);
      damaged[at] = at % 3 === 0 ? 255 : damaged[at] ^ (1 << (at % 8));
      const result = await readData(damaged, { format: "parquet" }).catch((error) => error);
      if (result instanceof Error) {
        expect(result, `byte ${at}: ${result.stack}`).toBeInstanceOf(VouchError);
        refused++;
      } else expect(Object.values(cellsOf(result)).every((cells) => cells.length === result.rows)).toBe(true);
    }
    expect(refused).toBeGreaterThan(10);
  });

  test("a codec that cannot be read is named", async () => {
    const bytes = await parquetBytes("SELECT 1 AS a", "COMPRESSION brotli");
    await expect(readData(bytes, { name: "t.parquet" })).rejects.toMatchObject({
      code: "data/malformed",
      message:
        't.parquet, column "a": its pages are compressed with BROTLI; without DuckDB, Snappy, Zstandard, gzip and raw LZ4 can be read.',
    });
  });

  test("rows beyond the memory limit are refused before they are read", async () => {
    const bytes = await parquetBytes("SELECT 1 AS a, 2 AS b FROM range(3000000)");
    expect(bytes.length).toBeLessThan(100_000);
    limitMemory(2 ** 25);
    try {
      await expect(readData(bytes, { name: "t.parquet" })).rejects.toMatchObject({
        code: "memory/limit",
        message: expect.stringContaining("A table of 3,000,000 rows and 2 columns needs"),
      });
    } finally {
      limitMemory(undefined);
    }
  });
});
