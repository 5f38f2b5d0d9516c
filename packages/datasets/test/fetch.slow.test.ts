import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { type DatasetEntry, type Download, fetchDataset } from "@vouch/datasets";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { digestOf } from "./csv-file.js";
import { type LocalServer, startServer } from "./local-server.js";

let cache: string;
let server: LocalServer;
let address: string;
let answer: RequestListener;

beforeEach(async () => {
  cache = mkdtempSync(join(tmpdir(), "vouch-fetch-"));
  server = await startServer((request, response) => answer(request, response));
  address = server.address;
});

afterEach(async () => {
  await server.close();
  rmSync(cache, { recursive: true });
});

/** Serves these files, and 404 for anything else. */
function serve(files: Record<string, string | Uint8Array>): void {
  answer = (request, response) => {
    const body = files[request.url ?? ""];
    if (body === undefined) response.writeHead(404).end("no such file");
    else response.end(body);
  };
}

const original = "5.10, 3.5 ,?, A\n-.25,1e3,+7,B\n\n";
const converted = "x,y,z,label\n5.1,3.5,,A\n-0.25,1000,7,B\n";

/** Describes a data set of one file, which is made from `original` on the test server. */
function toy(download: Partial<Download> = {}, rows = 2, classes = 2): DatasetEntry {
  return {
    name: "toy",
    title: "A toy",
    features: 3,
    classes,
    kinds: "3 reals",
    split: "none",
    sortedByClass: false,
    target: "label",
    source: "this test",
    urls: ["https://example.org/toy"],
    licence: "none",
    files: [
      {
        part: "all",
        name: "toy.csv.gz",
        rows,
        download: {
          url: `${address}/toy.data`,
          convert: {
            kind: "fields",
            compression: "none",
            separator: "comma",
            label: -1,
            missing: "?",
            columns: ["x", "y", "z"],
          },
          ...download,
        },
      },
    ],
    notes: [],
    shipped: false,
  };
}

const leftBehind = () => readdirSync(cache);
const unpacked = (name: string) => gunzipSync(readFileSync(join(cache, name))).toString();

describe("fetchDataset", () => {
  test("converts the original to CSV in the cache and reports progress", async () => {
    serve({ "/toy.data": original });
    const onProgress = vi.fn();
    const fetched = await fetchDataset(toy(), { cacheFolder: cache, onProgress });
    expect(fetched).toMatchObject({ files: [join(cache, "toy.csv.gz")], verified: "counts" });
    expect(unpacked("toy.csv.gz")).toBe(converted);
    expect(leftBehind()).toEqual(["toy.csv.gz", "toy.csv.gz.digest.json"]);
    expect(onProgress).toHaveBeenLastCalledWith({
      stage: "Downloading",
      done: original.length,
      total: original.length,
      note: `${address}/toy.data`,
    });
  });

  test("follows a redirect", async () => {
    answer = (request, response) => {
      if (request.url === "/moved") response.end(original);
      else response.writeHead(301, { location: "/moved" }).end();
    };
    await fetchDataset(toy(), { cacheFolder: cache });
    expect(unpacked("toy.csv.gz")).toBe(converted);
  });

  test("replaces an old copy", async () => {
    writeFileSync(join(cache, "toy.csv.gz"), "old");
    serve({ "/toy.data": original });
    await fetchDataset(toy(), { cacheFolder: cache });
    expect(unpacked("toy.csv.gz")).toBe(converted);
  });

  test("verifies the checksum of the original or of the text if one is known", async () => {
    serve({ "/toy.data": original });
    const known = toy({ original: digestOf(Buffer.from(original)) });
    expect(await fetchDataset(known, { cacheFolder: cache })).toMatchObject({ verified: "checksum" });
    const unknown = toy();
    const files = unknown.files.map((file) => ({ ...file, content: digestOf(Buffer.from(converted)) }));
    expect(await fetchDataset({ ...unknown, files }, { cacheFolder: cache })).toMatchObject({
      verified: "checksum",
    });
  });

  test("remembers the first download if the catalogue has no checksum, and refuses another one later", async () => {
    serve({ "/toy.data": original });
    await fetchDataset(toy(), { cacheFolder: cache });
    expect(await fetchDataset(toy(), { cacheFolder: cache })).toMatchObject({ verified: "counts" });
    serve({ "/toy.data": original.replace("5.10", "5.11") });
    const changed = fetchDataset(toy(), { cacheFolder: cache });
    await expect(changed).rejects.toMatchObject({
      code: "dataset/checksum",
      message: expect.stringContaining(digestOf(Buffer.from(original)).sha256),
      hint: expect.stringContaining(join(cache, "toy.csv.gz")),
    });
    expect(unpacked("toy.csv.gz")).toBe(converted);
    rmSync(join(cache, "toy.csv.gz.digest.json"));
    await fetchDataset(toy(), { cacheFolder: cache });
    expect(unpacked("toy.csv.gz")).toBe(converted.replace("5.1", "5.11"));
  });

  test("downloads an original once for two files", async () => {
    let requests = 0;
    answer = (_, response) => {
      requests++;
      response.end("A 1\nB 2\nA 3\n");
    };
    const part = (part: "train" | "test", rows: readonly [number, number]) => ({
      part,
      name: `toy.${part}.csv.gz`,
      rows: rows[1] - rows[0],
      download: {
        url: `${address}/toy.data`,
        convert: {
          kind: "fields",
          compression: "none",
          separator: "blanks",
          label: 0,
          columns: ["x"],
          rows,
        } as const,
      },
    });
    await fetchDataset(
      { ...toy(), files: [part("train", [0, 2]), part("test", [2, 3])] },
      { cacheFolder: cache },
    );
    expect(requests).toBe(1);
    expect(unpacked("toy.train.csv.gz")).toBe("x,label\n1,A\n2,B\n");
    expect(unpacked("toy.test.csv.gz")).toBe("x,label\n3,A\n");
  });

  test("keeps an original that needs no conversion", async () => {
    serve({ "/images.gz": "bytes" });
    const entry = toy({ url: `${address}/images.gz`, convert: { kind: "keep" } });
    const files = entry.files.map((file) => ({ ...file, name: "toy/images.gz" }));
    await fetchDataset({ ...entry, files }, { cacheFolder: cache });
    expect(readFileSync(join(cache, "toy/images.gz"), "utf8")).toBe("bytes");
    expect(leftBehind()).toEqual(["toy"]);
  });

  test.each(["none", "bzip2"] as const)("reads LIBSVM lines (compression: %s)", async (compression) => {
    const packed = "QlpoOTFBWSZTWU/ClpkAAAnZABAQQAN6EAIAIAAxA0DQIm00Jmk2bLgzphtgNirf0A0rE/C7kinChIJ+FLTI";
    const lines = "1 1:0.50 3:-2\n-1.000000  2:1e1 \n";
    serve({ "/toy": compression === "bzip2" ? Buffer.from(packed, "base64") : lines });
    const convert = { kind: "libsvm", compression, columns: ["x", "y", "z"], labels: { "1": "+1" } } as const;
    await fetchDataset(toy({ url: `${address}/toy`, convert }), { cacheFolder: cache });
    expect(unpacked("toy.csv.gz")).toBe("x,y,z,label\n0.5,0,-2,+1\n0,10,0,-1\n");
  });

  test("reads compressed fields, letters as features, dropped fields, a header and renamed labels", async () => {
    serve({ "/toy": gzipSync("a header\r\nE,  NAME-1,   ACN\r\nI,NAME-2, GGT\r\n") });
    const convert = {
      kind: "fields",
      compression: "gzip",
      separator: "comma",
      skipLines: 1,
      label: 0,
      drop: [1],
      letters: true,
      labels: { I: "intron" },
      columns: ["x", "y", "z"],
    } as const;
    await fetchDataset(toy({ url: `${address}/toy`, convert }), { cacheFolder: cache });
    expect(unpacked("toy.csv.gz")).toBe("x,y,z,label\nA,C,N,E\nG,G,T,intron\n");
  });
});

describe("fetchDataset fails clearly and leaves nothing behind", () => {
  /** Fetches, expects a failure, and checks that the cache folder is empty. */
  async function failure(entry: DatasetEntry, signal?: AbortSignal): Promise<unknown> {
    const error = await fetchDataset(entry, { cacheFolder: cache, signal }).then(
      () => expect.unreachable("it should fail"),
      (reason: unknown) => reason,
    );
    expect(leftBehind()).toEqual([]);
    return error;
  }

  test("on an HTTP error, with the status and where else to get the data", async () => {
    serve({});
    const error = await failure(toy());
    expect(error).toMatchObject({
      code: "dataset/unavailable",
      message: `${address}/toy.data returned HTTP status 404.`,
    });
    for (const part of ["https://example.org/toy", "toy.csv.gz", cache, "VOUCH_DATA"]) {
      expect(error).toMatchObject({ hint: expect.stringContaining(part) });
    }
  });

  test("when the server cannot be reached", async () => {
    const unused = await startServer(() => {});
    await unused.close();
    expect(await failure(toy({ url: `${unused.address}/toy.data` }))).toMatchObject({
      code: "dataset/unavailable",
      message: expect.stringMatching(/Cannot reach .*ECONNREFUSED/),
    });
  });

  test("when the connection breaks", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write(original, () => response.destroy());
    };
    expect(await failure(toy())).toMatchObject({
      code: "dataset/unavailable",
      message: expect.stringContaining("stopped after"),
    });
  });

  test("on a wrong checksum", async () => {
    serve({ "/toy.data": original.replace("5.10", "5.11") });
    expect(await failure(toy({ original: digestOf(Buffer.from(original)) }))).toMatchObject({
      code: "dataset/checksum",
      message: expect.stringContaining(digestOf(Buffer.from(original)).sha256),
    });
  });

  test("on text that does not have the known checksum", async () => {
    serve({ "/toy.data": original.replace("5.10", "5.11") });
    const entry = toy();
    const files = entry.files.map((file) => ({ ...file, content: digestOf(Buffer.from(converted)) }));
    expect(await failure({ ...entry, files })).toMatchObject({
      code: "dataset/checksum",
      message: expect.stringContaining(digestOf(Buffer.from(converted)).sha256),
    });
  });

  /** Sends lines until the client hangs up; counts the bytes. */
  function sendWithoutEnd(line: string): { sent: number } {
    const count = { sent: 0 };
    answer = (_, response) => {
      const chunk = line.repeat(10_000);
      const more = () => {
        if (response.destroyed) return;
        count.sent += chunk.length;
        response.write(chunk, more);
      };
      more();
    };
    return count;
  }

  test("on a body without end: it stops at the size that the rows and columns can have", async () => {
    const count = sendWithoutEnd("1,2,3,A\n");
    expect(await failure(toy())).toMatchObject({
      code: "dataset/checksum",
      message: expect.stringMatching(/bytes or more, and may have \d+/),
    });
    expect(count.sent).toBeLessThan(20_000_000);
    sendWithoutEnd("1,2,3,A\n");
    expect(await failure(toy({ original: digestOf(Buffer.from(original)) }))).toMatchObject({
      code: "dataset/checksum",
      message: expect.stringContaining(`may have ${original.length}`),
    });
  });

  test("on an announced size that is too large, before a byte of it arrives", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-length": "1000000000" }).flushHeaders();
    };
    expect(await failure(toy())).toMatchObject({
      code: "dataset/checksum",
      message: expect.stringContaining("1000000000 bytes"),
    });
  });

  test("on a small file that decompresses to a large one", async () => {
    const bomb = gzipSync("1,2,3,A\n".repeat(2_000_000));
    const convert = { kind: "fields", compression: "gzip", separator: "comma", label: -1 } as const;
    serve({ "/toy.data": bomb });
    expect(bomb.length).toBeLessThan(65_536);
    expect(await failure(toy({ convert: { ...convert, columns: ["x", "y", "z"] } }))).toMatchObject({
      code: "dataset/checksum",
      message: expect.stringMatching(/its text has more than \d+ bytes/),
    });
  });

  test("on a line that is too long", async () => {
    serve({ "/toy.data": "1".repeat(66_000) });
    expect(await failure(toy({}, 1000))).toMatchObject({
      code: "dataset/checksum",
      message: expect.stringMatching(/a line has more than \d+ characters/),
    });
  });

  test("when the server falls silent", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write(original);
    };
    const stalled = fetchDataset(toy(), { cacheFolder: cache, timeout: 200 });
    await expect(stalled).rejects.toMatchObject({
      code: "dataset/unavailable",
      message: expect.stringMatching(/stopped after \d+ bytes: nothing arrived for 0.2 s/),
    });
    answer = () => {};
    const unanswered = fetchDataset(toy(), { cacheFolder: cache, timeout: 200 });
    await expect(unanswered).rejects.toMatchObject({
      code: "dataset/unavailable",
      message: expect.stringMatching(/Cannot reach .*nothing arrived for 0.2 s/),
    });
    expect(leftBehind()).toEqual([]);
  });

  test("on a redirect to an address that is not encrypted, and on redirects without end", async () => {
    answer = (_, response) => response.writeHead(302, { location: "http://example.org/toy.data" }).end();
    expect(await failure(toy())).toMatchObject({
      code: "dataset/unavailable",
      message: expect.stringContaining("redirects to http://example.org/toy.data, which is not encrypted"),
    });
    answer = (_, response) => response.writeHead(302, { location: "/toy.data" }).end();
    expect(await failure(toy())).toMatchObject({
      code: "dataset/unavailable",
      message: expect.stringContaining("redirects more than 5 times"),
    });
    expect(await failure(toy({ url: "http://example.org/toy.data" }))).toMatchObject({
      message: expect.stringContaining("is not an https address"),
    });
  });

  test("on a body that is shorter than the known original", async () => {
    serve({ "/toy.data": original.slice(0, 12) });
    expect(await failure(toy({ original: digestOf(Buffer.from(original)) }))).toMatchObject({
      code: "dataset/checksum",
      message: expect.stringContaining(`12 bytes`),
    });
  });

  test("on a web page in place of the file", async () => {
    serve({ "/toy.data": "<!doctype html>\n<title>Please log in</title>\n" });
    expect(await failure(toy())).toMatchObject({
      code: "dataset/checksum",
      message: expect.stringMatching(/line 1 has 0 features instead of 3/),
    });
    const convert = { kind: "libsvm", compression: "none", columns: ["x"] } as const;
    expect(await failure(toy({ convert }))).toMatchObject({
      code: "dataset/checksum",
      message: expect.stringMatching(/line 1 has "html>"/),
    });
  });

  test.each(["gzip", "bzip2"] as const)("on bytes that are not %s", async (compression) => {
    serve({ "/toy.data": original });
    const convert = { kind: "libsvm", compression, columns: ["x"] } as const;
    expect(await failure(toy({ convert }))).toMatchObject({ code: "dataset/checksum" });
  });

  test("on too few rows or classes", async () => {
    serve({ "/toy.data": original });
    expect(await failure(toy({}, 3))).toMatchObject({
      code: "dataset/checksum",
      message: expect.stringContaining("2 rows instead of 3"),
    });
    expect(await failure(toy({}, 2, 5))).toMatchObject({
      code: "dataset/checksum",
      message: expect.stringContaining("2 classes instead of 5"),
    });
  });

  test("when it is aborted in the middle of the download", async () => {
    const controller = new AbortController();
    answer = (_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write(original, () => setTimeout(() => controller.abort(), 20));
    };
    const started = performance.now();
    expect(await failure(toy(), controller.signal)).toMatchObject({ code: "run/interrupted" });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test("when it is aborted before it starts", async () => {
    serve({ "/toy.data": original });
    expect(await failure(toy(), AbortSignal.abort())).toMatchObject({ code: "run/interrupted" });
  });

  test("when the cache folder cannot be created", async () => {
    const file = join(cache, "file");
    writeFileSync(file, "");
    serve({ "/toy.data": original });
    await expect(fetchDataset(toy(), { cacheFolder: join(file, "cache") })).rejects.toMatchObject({
      code: "file/write",
      message: expect.stringContaining(join(file, "cache")),
      hint: expect.stringContaining("VOUCH_CACHE"),
    });
  });

  test("for a data set made by hand, a shipped one and an unknown name", async () => {
    const options = { cacheFolder: cache };
    await expect(fetchDataset("isolet", options)).rejects.toMatchObject({
      code: "dataset/unavailable",
      hint: expect.stringContaining("isolet.train.csv.gz and isolet.test.csv.gz"),
    });
    await expect(fetchDataset("iris", options)).rejects.toMatchObject({
      code: "dataset/unavailable",
      message: expect.stringContaining("comes with vouch"),
    });
    await expect(fetchDataset("iriss", options)).rejects.toMatchObject({ code: "dataset/unknown" });
  });
});
