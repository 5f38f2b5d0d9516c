import { describe, expect, test } from "vitest";
import { decompressed } from "#formats/parquet/codecs.js";
import { encodedValues } from "#formats/parquet/page-values.js";
import { decodeRuns } from "#formats/parquet/run-lengths.js";
import { thriftExtent } from "#formats/parquet/thrift-extent.js";
import { readTable as readData } from "#formats/read-table.browser.js";

/** Packs values bit by bit, as a run of Parquet: its length in groups of eight, then the bits, lowest first. */
function packed(values: readonly number[], width: number): Uint8Array {
  const bits = values.flatMap((value) =>
    Array.from({ length: width }, (_, i) => Number((BigInt(value) >> BigInt(i)) & 1n)),
  );
  const bytes = Array.from({ length: (values.length / 8) * width }, (_, byte) =>
    bits.slice(8 * byte, 8 * byte + 8).reduce((sum, bit, i) => sum + bit * 2 ** i, 0),
  );
  return Uint8Array.from([(values.length / 8) * 2 + 1, ...bytes]);
}

describe("runs", () => {
  test("packed values of all widths", () => {
    for (let width = 1; width <= 32; width++) {
      const values = Array.from({ length: 24 }, (_, i) => (2654435761 * (i + 1)) % 2 ** width);
      const signed = values.map((value) => value | 0);
      expect([...decodeRuns(packed(values, width), width, 24)], `${width} bits`).toEqual(signed);
      // The last group of eight may be padded.
      expect([...decodeRuns(packed(values, width), width, 19)]).toEqual(signed.slice(0, 19));
    }
  });

  test("repeated values, empty runs and runs behind the last value", () => {
    expect([...decodeRuns(Uint8Array.of(0, 9, 6, 1, 4, 0), 1, 5)]).toEqual([1, 1, 1, 0, 0]);
    expect([...decodeRuns(Uint8Array.of(4, 0x34, 0x12), 13, 2)]).toEqual([0x1234, 0x1234]);
    expect([...decodeRuns(new Uint8Array(0), 0, 0)]).toEqual([]);
    // A run of 2³¹ − 1 values, of which three are wanted.
    expect([...decodeRuns(Uint8Array.of(0xfe, 0xff, 0xff, 0xff, 0x0f, 1), 1, 3)]).toEqual([1, 1, 1]);
  });

  test("runs that end too early, and widths that do not exist", () => {
    expect(() => decodeRuns(Uint8Array.of(3, 255), 2, 8)).toThrow("end too early");
    expect(() => decodeRuns(Uint8Array.of(2), 1, 1)).toThrow("end too early");
    expect(() => decodeRuns(Uint8Array.of(2, 0), 33, 1)).toThrow("33 bits");
  });
});

describe("values", () => {
  const bytesElement = { name: "t", type: "BYTE_ARRAY" } as const;
  const lengths = (first: number, residuals: readonly number[]) => [
    // 128 values per block in four parts, four values, the first one; then the least difference, −2, and three bits for each.
    ...[128, 1, 4, 4, 2 * first, 3, 3, 0, 0, 0],
    ...residuals,
    ...Array.from({ length: 10 }, () => 0),
  ];
  const texts = (bytes: Uint8Array) =>
    Array.from(encodedValues(bytes, 4, "DELTA_BYTE_ARRAY", bytesElement), (value) =>
      value instanceof Uint8Array ? new TextDecoder().decode(value) : value,
    );

  test("texts that repeat the start of the text before", () => {
    const suffixes = new TextEncoder().encode("axislebabbleyhood");
    const bytes = Uint8Array.from([...lengths(0, [0x44, 1]), ...lengths(4, [0x70, 0]), ...suffixes]);
    expect(texts(bytes)).toEqual(["axis", "axle", "babble", "babyhood"]);
    expect(() => texts(bytes.subarray(0, -1))).toThrow("ends too early");
    // The first text has none before it.
    const broken = Uint8Array.from([...lengths(1, [0x44, 1]), ...lengths(4, [0x70, 0]), ...suffixes]);
    expect(() => texts(broken)).toThrow("repeats more");
  });

  test("more values than the page has bytes", () => {
    for (const type of ["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY"] as const) {
      const read = () => encodedValues(new Uint8Array(16), 1_000_000, "PLAIN", { name: "a", type });
      expect(read, type).toThrow("ends too early");
    }
  });
});

describe("compression", () => {
  test("pages that are longer or shorter than declared", async () => {
    const stream = new Blob(["a".repeat(100_000)]).stream().pipeThrough(new CompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    expect((await decompressed(bytes, 100_000, "GZIP")).length).toBe(100_000);
    await expect(decompressed(bytes, 99_999, "GZIP")).rejects.toThrow("more than the 99999 bytes");
    await expect(decompressed(bytes, 100_001, "GZIP")).rejects.toThrow("does not contain the 100001 bytes");
  });

  test("LZ4 with literals, long lengths and matches that overlap themselves", async () => {
    const bytes = Uint8Array.of(0x1f, 97, 1, 0, 6, 0x20, 98, 99);
    const page = await decompressed(bytes, 28, "LZ4_RAW");
    expect(new TextDecoder().decode(page)).toBe(`${"a".repeat(26)}bc`);
    await expect(decompressed(bytes, 27, "LZ4_RAW")).rejects.toThrow("damaged");
    await expect(decompressed(bytes.with(2, 2), 28, "LZ4_RAW")).rejects.toThrow("damaged");
  });
});

describe("metadata", () => {
  test("the extent of a struct, if it is complete", () => {
    // Field 1: the number 5; field 2: a list of two texts; the end.
    const struct = Uint8Array.of(0x15, 10, 0x19, 0x28, 1, 97, 2, 98, 99, 0, 77);
    expect(thriftExtent(struct, 0)).toBe(10);
    for (let length = 0; length < 10; length++)
      expect(thriftExtent(struct.subarray(0, length), 0)).toBeUndefined();
  });

  test("lists that claim more than there is, deep nesting and endless numbers need no memory", async () => {
    const repeated = (bytes: readonly number[], times: number) =>
      Array.from({ length: times }, () => bytes).flat();
    const hostile: [readonly number[], string][] = [
      [[0x19, ...repeated([0xf9, 255, 255, 255, 15], 20_000), 0], "its metadata is incomplete."],
      [[0x19, ...repeated([0x19], 20_000), 0], "its metadata is nested too deeply."],
      [repeated([0x1c], 20_000), "its metadata is nested too deeply."],
      [[0x15, ...repeated([255], 20_000), 0], "its metadata has a number of more than 64 bits."],
      [[0], "its metadata is damaged."],
    ];
    for (const [footer, reason] of hostile) {
      const file = Buffer.concat([
        Buffer.from("PAR1"),
        Buffer.from(footer),
        Buffer.alloc(4),
        Buffer.from("PAR1"),
      ]);
      file.writeUInt32LE(footer.length, file.length - 8);
      await expect(readData(file, { name: "t.parquet" })).rejects.toMatchObject({
        code: "data/malformed",
        message: `t.parquet is not a valid Parquet file: ${reason}`,
      });
    }
  });
});
