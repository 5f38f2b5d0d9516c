import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { readTable, readTableInChunks } from "@vouch/formats";
import { afterEach, expect, test, vi } from "vitest";
import { limitCompression } from "#formats/compression-limit.js";
import { readTable as readData } from "#formats/read-table.browser.js";
import { workbook } from "./handmade-xlsx.js";
import { parquetBytes } from "./parquet-bytes.js";

const HEADER = "a,b,c\n";
const LINES = Buffer.from("1,1,1\n".repeat(3 << 20));
const refused = {
  code: "data/too-large",
  message: "t expands to more than 200 times its size.",
  hint: expect.stringContaining("decompress the file first"),
};

test("gzip data that a few bytes expand to is refused, whole, in parts, as a stream and in a browser", async () => {
  const once = gzipSync(LINES);
  const bomb = Buffer.concat([gzipSync(HEADER), ...Array.from({ length: 5 }, () => once)]);
  const options = { format: "csv", name: "t" } as const;
  await expect(readTable(bomb, options)).rejects.toMatchObject(refused);
  await expect(readTable(Readable.from([bomb]), options)).rejects.toMatchObject(refused);
  await expect(readData(bomb, options)).rejects.toMatchObject(refused);
  let rows = 0;
  const inParts = async () => {
    for await (const part of readTableInChunks(bomb, options)) rows += part.rows;
  };
  await expect(inParts()).rejects.toMatchObject(refused);
  expect(6 * rows).toBeLessThan(2 ** 26);
});

test("small data may be compressed as much as it can be", async () => {
  const packed = gzipSync(Buffer.concat([Buffer.from(HEADER), LINES.subarray(0, 6e6)]));
  expect(6e6).toBeGreaterThan(200 * packed.length);
  expect((await readTable(packed, { format: "csv" })).rows).toBe(1e6);
});

test("large data may be compressed less", async () => {
  // 300 MB of a hundred times fewer bytes: the text between the copies of the line is random.
  const random = Buffer.from(
    Array.from({ length: 9000 }, (_, i) => `${(i * 2654435761) % 4294967296},1,1\n`).join(""),
  );
  const packed = gzipSync(Buffer.concat([random, LINES.subarray(0, 9e6)]));
  const bomb = Buffer.concat([gzipSync(HEADER), ...Array.from({ length: 40 }, () => packed)]);
  expect(40 * 9e6).toBeLessThan(200 * bomb.length);
  let rows = 0;
  const inParts = async () => {
    for await (const part of readTableInChunks(bomb, { format: "csv", name: "t" })) rows += part.rows;
  };
  await expect(inParts()).rejects.toMatchObject({
    ...refused,
    message: "t expands to more than 20 times its size.",
  });
  expect(6 * rows).toBeLessThan(2 ** 28 + 20 * bomb.length);
});

afterEach(() => void vi.useRealTimers());

/** Reads blocks of one byte, each of which comes after some milliseconds, and is used for some more. */
async function read(blocks: number, milliseconds: number, used = 0): Promise<number> {
  vi.useFakeTimers();
  const after = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
  async function* slow() {
    for (let i = 0; i < blocks; i++) {
      await after(milliseconds);
      yield new Uint8Array(1);
    }
  }
  let bytes = 0;
  const reading = (async () => {
    for await (const block of limitCompression(slow(), "t", () => 1000)) {
      bytes += block.length;
      await after(used);
    }
    return bytes;
  })();
  reading.catch(() => {});
  await vi.advanceTimersByTimeAsync(blocks * (milliseconds + used) + 1000);
  return reading;
}

test("decompression that gives few bytes for a minute is refused; a reader may take its time", async () => {
  const late = (bytes: number) => ({
    code: "data/too-large",
    message: expect.stringMatching(
      new RegExp(`^t has given only ${bytes} bytes in 6[0-2] s of decompression`),
    ),
    hint: refused.hint,
  });
  await expect(read(1, 600_000)).rejects.toMatchObject(late(0));
  await expect(read(1000, 500)).rejects.toMatchObject(late(120));
  expect(await read(100, 500)).toBe(100);
  expect(await read(100, 1, 60_000)).toBe(100);
});

test("parts of workbooks and pages of Parquet files have the same limit", async () => {
  const sheet = `<row><c t="inlineStr"><is><t>${"a".repeat(70e6)}</t></is></c></row>`;
  await expect(readTable(workbook({ s: sheet }), { name: "t" })).rejects.toMatchObject({
    ...refused,
    hint: "Save the sheet as CSV.",
  });
  const page = await parquetBytes("SELECT repeat('a', 70000000) AS x", "COMPRESSION zstd");
  await expect(readData(page, { name: "t" })).rejects.toMatchObject({
    code: "data/malformed",
    message: 't is not a valid Parquet file: column "x": a page is compressed too much.',
  });
});
