import { readTable } from "@vouch/formats";
import { expect, test } from "vitest";
import { readTable as readData } from "#formats/read-table.browser.js";
import { cellsOf } from "./cells-of.js";
import {
  CONVERTED,
  ENCODINGS,
  type HandmadeColumn,
  handmadeParquet,
  LOGICAL,
  TYPES,
} from "./handmade-parquet.js";

const bytesOf = (...texts: string[]) =>
  texts.flatMap((text) => [text.length, 0, 0, 0, ...new TextEncoder().encode(text)]);
const integers = (...values: number[]) => [...new Uint8Array(Int32Array.from(values).buffer)];
const longs = (...values: bigint[]) => [...new Uint8Array(BigInt64Array.from(values).buffer)];

const COLUMNS: Readonly<Record<string, [HandmadeColumn, unknown]>> = {
  "a page of version 2": [
    {
      type: TYPES.INT32,
      repetition: "optional",
      rows: 4,
      nulls: 1,
      levels: [3, 0b1011],
      bytes: integers(5, -6, 7),
    },
    [5, -6, null, 7],
  ],
  "a page of version 2 with a dictionary": [
    {
      ...{
        type: TYPES.BYTE_ARRAY,
        repetition: "optional",
        rows: 5,
        nulls: 2,
        encoding: ENCODINGS.RLE_DICTIONARY,
      },
      ...{
        dictionary: { entries: 2, bytes: bytesOf("x", "yy") },
        levels: [3, 0b10101],
        bytes: [1, 3, 0b101],
      },
    },
    ["yy", null, "x", null, "yy"],
  ],
  "time stamps of 96 bits": [
    {
      type: TYPES.INT96,
      rows: 2,
      bytes: [...longs(3_600_000_000_000n), ...integers(2_440_589), ...longs(1000n), ...integers(2_440_587)],
    },
    ["1970-01-02 01:00:00", "1969-12-31 00:00:00.000001"],
  ],
  "half floats": [
    { type: TYPES.FIXED, length: 2, logical: LOGICAL.float16, rows: 3, bytes: [0, 0x3c, 0, 0xc1, 0, 0x7e] },
    [1, -2.5, null],
  ],
  "milliseconds in UTC": [
    { type: TYPES.INT64, logical: LOGICAL.instant, rows: 2, bytes: longs(1_500n, -1n) },
    ["1970-01-01 00:00:01.5+00", "1969-12-31 23:59:59.999+00"],
  ],
  "times of day in milliseconds": [
    { type: TYPES.INT32, converted: CONVERTED.TIME_MILLIS, rows: 1, bytes: integers(3_661_001) },
    ["01:01:01.001"],
  ],
  "decimals as bytes": [
    {
      ...{ type: TYPES.BYTE_ARRAY, converted: CONVERTED.DECIMAL, scale: 2, precision: 9, rows: 2 },
      bytes: [2, 0, 0, 0, 0x04, 0xd2, 1, 0, 0, 0, 0xff],
    },
    [12.34, -0.01],
  ],
  "small unsigned integers": [
    { type: TYPES.INT32, converted: CONVERTED.UINT_8, rows: 2, bytes: integers(0, 255) },
    [0, 255],
  ],
  "texts of JSON": [
    { type: TYPES.BYTE_ARRAY, converted: CONVERTED.JSON, rows: 2, bytes: bytesOf('{"a":1}', "null") },
    ['{"a":1}', null],
  ],
  "a date with the newer annotation only": [
    { type: TYPES.INT32, logical: LOGICAL.date, rows: 2, bytes: integers(10, -1) },
    [10, -1],
  ],
  "bytes of fixed length": [
    { type: TYPES.FIXED, length: 2, rows: 2, bytes: [97, 98, 99, 100] },
    ["ab", "cd"],
  ],
  "booleans as runs": [
    { type: TYPES.BOOLEAN, encoding: ENCODINGS.RLE, rows: 5, bytes: [4, 0, 0, 0, 6, 1, 4, 0] },
    ["true", "true", "true", "false", "false"],
  ],
  "texts with shared starts": [
    {
      ...{ type: TYPES.BYTE_ARRAY, encoding: ENCODINGS.DELTA_BYTE_ARRAY, rows: 2 },
      // Lengths in blocks of 128 values, in four parts: two values, the first, and their one difference.
      bytes: [
        128,
        1,
        4,
        2,
        0,
        4,
        0,
        0,
        0,
        0,
        128,
        1,
        4,
        2,
        6,
        3,
        0,
        0,
        0,
        0,
        ...new TextEncoder().encode("oneg"),
      ],
    },
    ["one", "ong"],
  ],
};

test.each(Object.entries(COLUMNS))("%s is read as DuckDB reads it", async (_, [column, cells]) => {
  const bytes = handmadeParquet(column);
  expect(cellsOf(await readData(bytes))).toEqual({ a: cells });
  expect(cellsOf(await readTable(bytes))).toEqual({ a: cells });
});

test("repeated values are nested, and a column without any value is numeric", async () => {
  const repeated = handmadeParquet({ type: TYPES.INT32, repetition: "repeated", rows: 1, bytes: [] });
  await expect(readData(repeated, { name: "t" })).rejects.toMatchObject({
    message: 't, column "a": its cells are nested (LIST).',
  });
  await expect(readTable(repeated, { name: "t" })).rejects.toMatchObject({
    message: 't, column "a": its cells are nested (INTEGER[]).',
  });
  const nothing = {
    type: TYPES.INT32,
    repetition: "optional",
    logical: LOGICAL.null,
    rows: 3,
    nulls: 3,
  } as const;
  const unknown = handmadeParquet({ ...nothing, levels: [6, 0], bytes: [] });
  const table = await readData(unknown);
  expect(cellsOf(table)).toEqual({ a: [null, null, null] });
  expect(table.columns).toEqual((await readTable(unknown)).columns);
});
