import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BlobCache } from "#cluster/blob-cache.js";
import { type BlobStore, sha256Of } from "#cluster/blob-store.js";
import { FolderBlobs } from "#cluster/folder-blobs.js";
import { KeySpace } from "#cluster/keys.js";
import { RedisBlobs } from "#cluster/redis-blobs.js";
import { S3Blobs } from "#cluster/s3-blobs.js";
import { Uploads } from "#cluster/uploads.js";
import { hasRedis, RedisServer } from "./redis-server.js";

const long = Float64Array.from({ length: 700_000 }, (_, i) => Math.sqrt(i));
const value = {
  long,
  again: long,
  text: "short",
  levels: Array.from({ length: 3000 }, (_, i) => `level ${i}`),
};

/** A store of objects with the requests of S3 that blobs need. */
async function objectStore() {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const { method, url = "", headers } = request;
      requests.push(`${method} ${url}`);
      const isSigned = /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/eu-1\/s3\/aws4_request/.test(
        headers.authorization ?? "",
      );
      if (!isSigned) return response.writeHead(403).end();
      if (method === "PUT") objects.set(url, Buffer.concat(parts));
      const object = objects.get(url);
      if (!object) return response.writeHead(404).end();
      response.writeHead(200, method === "PUT" ? {} : { "content-length": object.length });
      return response.end(method === "GET" ? object : undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const url = `s3://bucket/blobs?endpoint=http://127.0.0.1:${port}&region=eu-1`;
  return { url, objects, requests, close: () => server.close() };
}

/** Checks what all stores have to do; returns the number of blobs. */
async function checkStore(store: BlobStore): Promise<number> {
  const uploads = new Uploads(store, "run");
  const [first, second] = await Promise.all([uploads.message(value), uploads.message(value)]);
  expect(first).toEqual(second);
  // Once each, although two messages were sent at the same time.
  expect([uploads.sent, uploads.found]).toEqual([2, 0]);
  const other = new Uploads(store, "other run");
  await other.message(value);
  expect([other.sent, other.found]).toEqual([0, 2]);
  const cache = new BlobCache(store, 2 ** 24);
  const [decoded] = await Promise.all([
    cache.decode(first.message, 2 ** 30),
    cache.decode(first.message, 2 ** 30),
  ]);
  const received = decoded.value;
  if (typeof received !== "object" || !received || !("long" in received && "levels" in received))
    throw new Error("no value");
  expect(isSame(received.long, long)).toBe(true);

  expect(received.levels).toEqual(value.levels);
  // Fetched once, and then kept.
  const { fetched } = cache;
  expect(fetched).toBe(uploads.bytes);
  await cache.decode(first.message, 2 ** 30);
  expect(cache.fetched).toBe(fetched);
  await expect(cache.decode(first.message, 1000)).rejects.toMatchObject({ code: "cluster/too-large" });
  const missing = { hash: "0".repeat(64), bytes: 10 };
  await expect(store.get(missing)).rejects.toMatchObject({ code: "cluster/blob" });
  await store.renew(first.blobs);
  await store.release(first.blobs, "run");
  // Another run still needs them.
  expect(await store.hold(first.blobs[0], "other run")).toBe(true);
  await store.release(first.blobs, "other run");
  return first.blobs.length;
}

describe("blobs", () => {
  const folder = mkdtempSync(join(tmpdir(), "vouch-blobs-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("are kept in a folder, once each, and refused if they are damaged", async () => {
    const store = await FolderBlobs.open(folder);
    await checkStore(store);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
      /[0-9a-f]{64}$/.test(path),
    );
    expect(files).toHaveLength(2);
    const uploads = new Uploads(store, "run");
    const bytes = new Uint8Array(20_000).fill(1);
    const { message, blobs } = await uploads.message({ bytes });
    const [{ hash }] = blobs;
    writeFileSync(join(folder, hash.slice(0, 2), hash), new Uint8Array(20_000).fill(2));
    const cache = new BlobCache(store, 2 ** 24);
    await expect(cache.decode(message, 2 ** 30)).rejects.toMatchObject({ code: "cluster/blob" });
  });

  it("are kept in a bucket, with signed requests", async () => {
    const server = await objectStore();
    const keys = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" };
    await checkStore(new S3Blobs(server.url, keys));
    expect([...server.objects.keys()].every((name) => /^\/bucket\/blobs\/[0-9a-f]{64}$/.test(name))).toBe(
      true,
    );
    expect(server.requests.filter((request) => request.startsWith("PUT"))).toHaveLength(2);
    expect(() => new S3Blobs(server.url, {})).toThrow(/no keys/);
    const refused = new S3Blobs(server.url.replace("eu-1", "us-1"), keys);
    await expect(refused.hold({ hash: "0".repeat(64), bytes: 1 })).rejects.toMatchObject({
      code: "cluster/blob",
    });
    server.close();
  });

  it("that were used last are kept in memory", async () => {
    const store = await FolderBlobs.open(folder);
    const messages = [];
    for (let k = 0; k < 3; k++)
      messages.push(await new Uploads(store, "run").message(new Uint8Array(100_000).fill(k)));
    const cache = new BlobCache(store, 250_000);
    for (const { message } of messages) await cache.decode(message, 2 ** 20);
    expect([cache.fetched, cache.bytes]).toEqual([300_000, 200_000]);
    await cache.decode(messages[2].message, 2 ** 20);
    expect(cache.fetched).toBe(300_000);
    await cache.decode(messages[0].message, 2 ** 20);
    expect(cache.fetched).toBe(400_000);
  });

  it("are named by the SHA-256 of their bytes", async () => {
    expect(await sha256Of(new TextEncoder().encode("abc"))).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });
});

describe.skipIf(!hasRedis)("blobs in Redis", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(async () => {
    await server?.stop();
  });

  it("are kept in chunks until no run needs them", async () => {
    await server.with(async (redis: Redis) => {
      expect(await checkStore(new RedisBlobs(redis, new KeySpace()))).toBe(2);
    });
    expect(await server.keys()).toEqual([]);
  });
});

/** Compares arrays byte by byte: the test framework takes seconds for long ones. */
function isSame(one: unknown, other: Float64Array): boolean {
  return one instanceof Float64Array && Buffer.from(one.buffer).equals(Buffer.from(other.buffer));
}
