import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { listDatasets, locateDataset } from "@vouch/datasets";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

let folder: string;
let own: string;
let cache: string;

function put(parent: string, ...names: string[]): string[] {
  return names.map((name) => {
    const path = join(parent, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
    return path;
  });
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vouch-locate-"));
  own = join(folder, "own");
  cache = join(folder, "cache");
  mkdirSync(own);
  vi.stubEnv("VOUCH_DATA", own);
  vi.stubEnv("VOUCH_CACHE", cache);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe("locateDataset", () => {
  test("finds a shipped set with neither VOUCH_DATA nor a cache", async () => {
    vi.stubEnv("VOUCH_DATA", "");
    const { place, files, entry } = await locateDataset("iris");
    expect([place, entry.name]).toEqual(["shipped", "iris"]);
    expect(files).toEqual({ all: expect.stringMatching(/iris\.csv$/) });
  });

  test("looks in VOUCH_DATA first and in the cache last", async () => {
    const [cached] = put(cache, "iris.csv.gz", "yeast.csv.gz");
    expect((await locateDataset("iris")).place).toBe("shipped");
    expect((await locateDataset("yeast")).place).toBe("cache");
    const [mine] = put(own, "iris.csv.gz", "yeast.csv.gz");
    expect(await locateDataset("iris")).toMatchObject({ place: "VOUCH_DATA", files: { all: mine } });
    expect((await locateDataset("yeast")).place).toBe("VOUCH_DATA");
    expect(cached).not.toBe(mine);
  });

  test("returns both parts of an official split, or the named one", async () => {
    const [train, test] = put(own, "adult.train.csv.gz", "adult.test.csv.gz");
    expect((await locateDataset("adult")).files).toEqual({ train, test });
    expect((await locateDataset("adult.train")).files).toEqual({ all: train });
    expect((await locateDataset("adult.test")).files).toEqual({ all: test });
  });

  test("accepts decompressed files", async () => {
    const [train, test] = put(own, "adult.train.csv", "adult.test.csv.gz");
    expect((await locateDataset("adult")).files).toEqual({ train, test });
  });

  test("needs all files of a data set in one place", async () => {
    put(own, "adult.train.csv.gz");
    await expect(locateDataset("adult")).rejects.toMatchObject({ code: "dataset/unavailable" });
    const [train, test] = put(cache, "adult.train.csv.gz", "adult.test.csv.gz");
    expect(await locateDataset("adult")).toMatchObject({ place: "cache", files: { train, test } });
  });

  test("returns the images of MNIST if the labels are there too", async () => {
    const [train] = put(own, "mnist/train-images-idx3-ubyte.gz");
    await expect(locateDataset("mnist.train")).rejects.toMatchObject({ code: "dataset/unavailable" });
    put(own, "mnist/train-labels-idx1-ubyte.gz");
    expect((await locateDataset("mnist.train")).files).toEqual({ all: train });
  });

  test("suggests a name for an unknown one", async () => {
    await expect(locateDataset("adlut")).rejects.toMatchObject({
      code: "dataset/unknown",
      message: expect.stringContaining('"adlut"'),
      hint: expect.stringContaining('"adult"'),
    });
    await expect(locateDataset("irsi.train")).rejects.toMatchObject({
      code: "dataset/unknown",
      hint: expect.stringContaining('"iris"'),
    });
  });

  test("says that there is no official split", async () => {
    await expect(locateDataset("iris.test")).rejects.toMatchObject({
      code: "dataset/unknown",
      message: expect.stringContaining("no official split"),
    });
  });

  test("says how to get a missing data set", async () => {
    await expect(locateDataset("adult")).rejects.toMatchObject({
      code: "dataset/unavailable",
      hint: expect.stringContaining("vouch datasets get adult"),
    });
    const byHand = await locateDataset("isolet.test").catch((error: unknown) => error);
    expect(byHand).toMatchObject({ code: "dataset/unavailable" });
    for (const part of ["https://archive.ics.uci.edu/dataset/54/isolet", "isolet.test.csv.gz", cache]) {
      expect(byHand).toMatchObject({ hint: expect.stringContaining(part) });
    }
  });

  test("refuses a VOUCH_DATA that is not a folder", async () => {
    const missing = join(folder, "nowhere");
    vi.stubEnv("VOUCH_DATA", missing);
    const gone = { code: "file/missing", message: `VOUCH_DATA is ${missing}, which does not exist.` };
    await expect(locateDataset("iris")).rejects.toMatchObject(gone);
    await expect(listDatasets()).rejects.toMatchObject(gone);
    const [file] = put(folder, "file");
    vi.stubEnv("VOUCH_DATA", file);
    await expect(locateDataset("iris")).rejects.toMatchObject({
      message: expect.stringContaining("not a folder"),
    });
  });
});

describe("a downloaded file in the cache", () => {
  const text = "label\nA\n";
  const sha256 = createHash("sha256").update(text).digest("hex");

  /** Puts a file with the record of its download into the cache. */
  function download(): string {
    mkdirSync(cache, { recursive: true });
    const path = join(cache, "yeast.csv.gz");
    writeFileSync(path, text);
    const file = { bytes: text.length, sha256, modified: statSync(path).mtimeMs };
    const source = { url: "https://example.org/yeast", bytes: 1, sha256 };
    writeFileSync(`${path}.digest.json`, JSON.stringify({ source, file }));
    return path;
  }

  test("is used while it is as it was downloaded, also with another date", async () => {
    const path = download();
    expect((await locateDataset("yeast")).files).toEqual({ all: path });
    utimesSync(path, 1, 1);
    expect((await locateDataset("yeast")).files).toEqual({ all: path });
    const record = JSON.parse(readFileSync(`${path}.digest.json`, "utf8"));
    expect(record.file).toEqual({ bytes: text.length, sha256, modified: 1000 });
  });

  test.each([
    ["changed", text.replace("A", "B")],
    ["cut short", text.slice(1)],
  ])("is refused if it was %s, and the error says how to get it again", async (_, other) => {
    const path = download();
    writeFileSync(path, other);
    utimesSync(path, 1, 1);
    await expect(locateDataset("yeast")).rejects.toMatchObject({
      code: "dataset/checksum",
      message: `${path} has changed since it was downloaded.`,
      hint: expect.stringContaining("vouch datasets get yeast"),
    });
    expect((await listDatasets()).find(({ entry }) => entry.name === "yeast")?.place).toBe("cache");
  });

  test.each(["", "{}", '{"source":{},"file":{}}'])("is refused with the record %j", async (record) => {
    const path = download();
    writeFileSync(`${path}.digest.json`, record);
    await expect(locateDataset("yeast")).rejects.toMatchObject({
      code: "dataset/checksum",
      message: expect.stringContaining("digest.json is damaged"),
    });
  });
});

describe("listDatasets", () => {
  test("tells the place of each data set", async () => {
    put(own, "wine.csv.gz", "adult.train.csv.gz");
    put(cache, "yeast.csv.gz");
    const places = new Map((await listDatasets()).map(({ entry, place }) => [entry.name, place]));
    expect(places.size).toBe(33);
    expect([...places].filter(([, place]) => place !== undefined)).toEqual([
      ["breastcancer", "shipped"],
      ["ionosphere", "shipped"],
      ["iris", "shipped"],
      ["penguins", "shipped"],
      ["wine", "VOUCH_DATA"],
      ["yeast", "cache"],
    ]);
  });
});
