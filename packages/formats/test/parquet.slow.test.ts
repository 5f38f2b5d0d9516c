import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { readTable } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { limitMemory, VouchError } from "vouch";
import { readTable as readData } from "#formats/read-table.browser.js";
import { cellsOf } from "./cells-of.js";
import { FixtureFolder } from "./fixture-folder.js";
import { parquetBytes } from "./parquet-bytes.js";

const folder = new FixtureFolder();

describe("Parquet", () => {
  test("numbers of all widths are numeric, everything else is text, nulls are missing", async () => {
    const bytes = await parquetBytes(`
      SELECT 1::UTINYINT u8, -5::BIGINT i64, 0.5::FLOAT f32, 12.25::DECIMAL(9, 2) amount, NULL::DOUBLE AS nothing,
             'nan'::DOUBLE AS notnum, true AS flag, DATE '2020-02-29' AS day, 'NA' AS na, 'é' AS text
      UNION ALL SELECT 2, 7, 1.5, -1, 3, 4, NULL, NULL, 'x', 'z'`);
    const table = await readTable(bytes, { name: "t.parquet" });
    expect(cellsOf(table)).toEqual({
      u8: [1, 2],
      i64: [-5, 7],
      f32: [0.5, 1.5],
      amount: [12.25, -1],
      nothing: [null, 3],
      notnum: [null, 4],
      flag: ["true", null],
      day: ["2020-02-29", null],
      na: [null, "x"],
      text: ["é", "z"],
    });
  });

  test("decimals of all lengths become the nearest double, with DuckDB and without", async () => {
    const texts = [
      ...["0.10000000000000000001", "12345678901234567.12345678901234567891", "-0.30000000000000004441"],
      ...[
        "9007199254740993.00000000000000000001",
        "-99999999999999999.99999999999999999999",
        "0.00000000000000000007",
      ],
      ...Array.from(
        { length: 200 },
        (_, i) =>
          `${(i * 2 ** 40 * 7919) % 99991}.${String(Math.sin(i + 1))
            .replace(/\D/g, "")
            .padEnd(20, "3")
            .slice(0, 20)}`,
      ),
    ];
    const literals = texts.map((text) => `'${text}'`).join(", ");
    for (const [type, scale] of [
      ["DECIMAL(38, 20)", 20],
      ["DECIMAL(18, 1)", 1],
      ["DECIMAL(9, 3)", 3],
    ] as const) {
      const bytes = await parquetBytes(
        `SELECT t::${type} AS x, t::${type}::VARCHAR AS s FROM (SELECT unnest([${literals}]) AS t) WHERE abs(t::DOUBLE) < 1e5`,
      );
      const { x, s } = cellsOf(await readTable(bytes, { categorical: ["s"] }));
      expect(x, `scale ${scale}`).toEqual(s.map(Number));
      expect(cellsOf(await readData(bytes, { categorical: ["s"] })).x, `scale ${scale}`).toEqual(x);
    }
    const long = texts
      .slice(0, 6)
      .map((text) => `'${text}'`)
      .join(", ");
    const bytes = await parquetBytes(`SELECT unnest([${long}])::DECIMAL(38, 20) AS x`);
    for (const read of [readTable, readData])
      expect(cellsOf(await read(bytes)).x).toEqual(texts.slice(0, 6).map(Number));
  });

  test("a column of bytes that are not text is named, with DuckDB and without", async () => {
    const bytes = await parquetBytes("SELECT 'é' AS text, '\\xFF\\xFE'::BLOB AS picture, 'a'::BLOB AS ascii");
    for (const read of [readTable, readData]) {
      await expect(read(bytes, { name: "t" })).rejects.toMatchObject({
        code: "data/malformed",
        message: 't, column "picture": its values are bytes, not text in UTF-8.',
        hint: expect.stringContaining("--ignore picture"),
      });
      expect(cellsOf(await read(bytes, { ignore: ["picture"] }))).toEqual({ text: ["é"], ascii: ["a"] });
    }
  });

  test("rows keep their order over many chunks", async () => {
    const bytes = await parquetBytes(
      "SELECT i, i * 0.5 AS half, 'k' || (i % 7) AS k FROM range(200000) t(i)",
    );
    const { i, half, k } = cellsOf(await readTable(bytes, { target: "k" }));
    expect(i.length).toBe(200_000);
    expect(i.every((value, row) => value === row && half[row] === row / 2 && k[row] === `k${row % 7}`)).toBe(
      true,
    );
  });

  test("the target is text; names keep their case; a path may look like a pattern", async () => {
    const bytes = await parquetBytes('SELECT 1::BIGINT AS "label", 2 AS a');
    const path = folder.file("a[1]*?'.parquet", bytes);
    expect(cellsOf(await readTable(path, { target: "label" }))).toEqual({ label: ["1"], a: [2] });
  });

  test("folders are not columns, and a name is not a pattern", async () => {
    const bytes = await parquetBytes("SELECT 1 AS z, 'x' AS label UNION ALL SELECT 2, 'y'");
    const expected = { z: [1, 2], label: ["x", "y"] };
    const other = await parquetBytes("SELECT 9 AS z, 'w' AS label");
    for (const name of [
      "hive/a.parquet",
      "hive/z=9/a.parquet",
      "hive/year=2020/a.parquet",
      "year=2020/month=1/z=9/label=q/a.parquet",
      "a[1].parquet",
      "x*.parquet",
      "**/a.parquet",
      "a?.parquet",
      "{a,b}.parquet",
    ]) {
      mkdirSync(dirname(join(folder.path, name)), { recursive: true });
      // What the name would match as a pattern.
      folder.file("a1.parquet", other);
      folder.file("xy.parquet", other);
      expect(cellsOf(await readTable(folder.file(name, bytes))), name).toEqual(expected);
    }
  });

  test("times with a zone are written in UTC, without an extension that knows the zone of the machine", async () => {
    const bytes = await parquetBytes("SELECT TIMESTAMPTZ '2020-02-29 12:00:00+02' AS at");
    const zone = process.env.TZ;
    process.env.TZ = "Asia/Tokyo";
    try {
      expect(cellsOf(await readTable(bytes))).toEqual({ at: ["2020-02-29 10:00:00+00"] });
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  test("rows beyond the memory limit are refused before they are read", async () => {
    const bytes = await parquetBytes("SELECT 1 AS a, 2 AS b FROM range(3000000)");
    expect(bytes.length).toBeLessThan(100_000);
    limitMemory(2 ** 25);
    try {
      await expect(readTable(bytes, { name: "t.parquet" })).rejects.toMatchObject({
        code: "memory/limit",
        message: expect.stringContaining("A table of 3,000,000 rows and 2 columns needs"),
      });
    } finally {
      limitMemory(undefined);
    }
  });

  test("nested columns, infinite numbers, no rows and text in numeric columns are errors", async () => {
    const errorOf = async (query: string, options = {}) =>
      readTable(await parquetBytes(query), { name: "t", ...options }).catch((error) => error);
    expect(await errorOf("SELECT 1 AS a, {'x': 1} AS s")).toMatchObject({
      code: "data/malformed",
      message: expect.stringContaining('t, column "s"'),
    });
    expect(await errorOf("SELECT [1, 2] AS list")).toMatchObject({ code: "data/malformed" });
    expect(await errorOf("SELECT unnest([1, 'inf'::DOUBLE]) AS a")).toMatchObject({
      code: "data/not-finite",
      message: expect.stringContaining('t, row 2, column "a"'),
    });
    expect(await errorOf("SELECT 1 AS a WHERE false")).toMatchObject({ code: "data/no-rows" });
    expect(await errorOf("SELECT unnest(['y', 'NA', 'x']) AS a", { numeric: ["a"] })).toMatchObject({
      code: "data/not-a-number",
      message: 't, row 1, column "a": "y" is not a number, nor are 1 more values of this column.',
    });
    const nested = await parquetBytes("SELECT 1 AS a, {'x': 1} AS s, 2 AS b");
    expect(cellsOf(await readTable(nested, { ignore: ["s"] }))).toEqual({ a: [1], b: [2] });
  });

  test("truncated and damaged files give an error or the same shape, never a crash", async () => {
    const bytes = await parquetBytes("SELECT i, 'text ' || i AS t, sin(i) AS s FROM range(500) r(i)");
    for (let length = 4; length < bytes.length; length += 211) {
      await expect(readTable(bytes.subarray(0, length), { format: "parquet" })).rejects.toMatchObject({
        code: "data/malformed",
      });
    }
    for (let at = 0; at < bytes.length; at += 53) {
      const damaged = Buffer.from(bytes);
      damaged[at] ^= 1 << (at % 8);
      const result = await readTable(damaged, { format: "parquet" }).catch((error) => error);
      if (!(result instanceof VouchError)) expect(result.rows).toBeGreaterThan(0);
    }
  });
});
