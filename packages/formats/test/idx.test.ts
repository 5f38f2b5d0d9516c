import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { readTable } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { cellsOf } from "./cells-of.js";
import { FixtureFolder } from "./fixture-folder.js";

const folder = new FixtureFolder();
const images = Buffer.from([
  0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255,
]);
const labels = Buffer.from([0, 0, 8, 1, 0, 0, 0, 3, 7, 0, 7]);
const pixels = { p1: [1, 5, 9], p2: [2, 6, 10], p3: [3, 7, 11], p4: [4, 8, 255] };

describe("IDX", () => {
  test("images take their labels from the file beside them, with or without gzip", async () => {
    folder.file("train-labels-idx1-ubyte", labels);
    const path = folder.file("train-images-idx3-ubyte.gz", gzipSync(images));
    const table = await readTable(path);
    expect(cellsOf(table)).toEqual({ ...pixels, label: ["7", "0", "7"] });
    expect(table.columns[0].kind === "numeric" && table.columns[0].values).toBeInstanceOf(Uint8Array);
  });

  test("images without labels, and labels alone", async () => {
    expect(cellsOf(await readTable(folder.file("other-images-idx3-ubyte", images)))).toEqual(pixels);
    expect(cellsOf(await readTable(join(folder.path, "train-labels-idx1-ubyte")))).toEqual({ p1: [7, 0, 7] });
  });

  test("signed and wide numbers", async () => {
    const header = (type: number) => [0, 0, type, 1, 0, 0, 0, 2];
    const cells = async (bytes: number[]) =>
      cellsOf(await readTable(Buffer.from(bytes), { format: "idx" })).p1;
    expect(await cells([...header(9), 255, 1])).toEqual([-1, 1]);
    expect(await cells([...header(11), 255, 254, 1, 0])).toEqual([-2, 256]);
    expect(await cells([...header(12), 255, 255, 255, 253, 0, 1, 0, 0])).toEqual([-3, 65536]);
    expect(await cells([...header(13), 0x3f, 0x80, 0, 0, 0x7f, 0xc0, 0, 0])).toEqual([1, null]);
  });

  test.each<[string, Buffer, string]>([
    ["too short", images.subarray(0, images.length - 1), "data/malformed"],
    ["too long", Buffer.concat([images, Buffer.from([1])]), "data/malformed"],
    ["cut in its header", images.subarray(0, 9), "data/malformed"],
    ["of an unknown type", Buffer.from([0, 0, 7, 1, 0, 0, 0, 1, 5]), "data/malformed"],
    ["without rows", Buffer.from([0, 0, 8, 1, 0, 0, 0, 0]), "data/no-rows"],
    [
      "that declares more than fits",
      Buffer.from([0, 0, 14, 2, 255, 255, 255, 255, 0, 1, 255, 255]),
      "data/malformed",
    ],
    ["with an infinite number", Buffer.from([0, 0, 13, 1, 0, 0, 0, 1, 0x7f, 0x80, 0, 0]), "data/not-finite"],
  ])("a file %s is an error", async (_, bytes, code) => {
    await expect(readTable(bytes, { format: "idx" })).rejects.toMatchObject({ code });
  });

  test("the numbers of labels and images must match", async () => {
    folder.file("odd-labels-idx1-ubyte", Buffer.from([0, 0, 8, 1, 0, 0, 0, 2, 7, 0]));
    await expect(readTable(folder.file("odd-images-idx3-ubyte", images))).rejects.toMatchObject({
      code: "data/ragged",
    });
  });
});
