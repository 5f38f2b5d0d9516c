import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Redis } from "ioredis";
import { type BlobStore, missingBlob } from "./blob-store.js";
import type { BlobRef } from "./codec.js";
import { type KeySpace, TIME_TO_LIVE } from "./keys.js";

/** Maximum size of a value in Redis, so that no command blocks others for long. */
const CHUNK = 4 * 2 ** 20;

/** Larger blobs need a folder or a bucket. */
const MOST_BYTES = 512 * 2 ** 20;

/** Adds a run to the holders of a blob, unless the blob is gone; blobs may be released concurrently. */
const HOLD = `
if redis.call("EXISTS", KEYS[1]) == 0 then return 0 end
redis.call("SADD", KEYS[2], ARGV[1])
redis.call("EXPIRE", KEYS[1], ARGV[2])
redis.call("EXPIRE", KEYS[2], ARGV[2])
for i = 3, #KEYS do redis.call("EXPIRE", KEYS[i], ARGV[2]) end
return 1`;

/** Removes a run from the holders of a blob, and the blob with its last holder. */
const RELEASE = `
redis.call("SREM", KEYS[2], ARGV[1])
if redis.call("EXISTS", KEYS[2]) == 0 then redis.call("DEL", unpack(KEYS)) end
return 1`;

/** Stores blobs in Redis as chunks, a key that is written after all chunks, and the set of runs that need it. */
export class RedisBlobs implements BlobStore {
  readonly title = "Redis";
  readonly #redis: Redis;
  readonly #keySpace: KeySpace;

  constructor(redis: Redis, keySpace: KeySpace) {
    this.#redis = redis;
    this.#keySpace = keySpace;
  }

  async hold(ref: BlobRef, run: string): Promise<boolean> {
    const keys = this.#keysOf(ref);
    return (await this.#redis.eval(HOLD, keys.length, ...keys, run, TIME_TO_LIVE)) === 1;
  }

  async put(ref: BlobRef, bytes: Uint8Array, run: string): Promise<void> {
    if (bytes.length > MOST_BYTES) {
      throw new VouchError(
        "cluster/too-large",
        `Redis would have to keep a blob of ${Math.ceil(bytes.length / 2 ** 20)} MiB; the limit is ${MOST_BYTES / 2 ** 20} MiB.`,
        { hint: "Keep data elsewhere: --blobs DIR or --blobs s3://… for the run and all workers." },
      );
    }
    const [whole, runs, ...chunks] = this.#keysOf(ref);
    for (const [i, key] of chunks.entries()) {
      const part = bytes.subarray(i * CHUNK, (i + 1) * CHUNK);
      await this.#redis.set(key, Buffer.from(part), "EX", TIME_TO_LIVE);
    }
    await this.#redis
      .multi()
      .set(whole, String(bytes.length), "EX", TIME_TO_LIVE)
      .sadd(runs, run)
      .expire(runs, TIME_TO_LIVE)
      .exec()
      .then(throwFirst);
  }

  async get(ref: BlobRef): Promise<SharedArrayBuffer> {
    const [whole, , ...chunks] = this.#keysOf(ref);
    if ((await this.#redis.get(whole)) !== String(ref.bytes)) throw missingBlob(ref, this.title);
    const buffer = new SharedArrayBuffer(ref.bytes);
    const bytes = new Uint8Array(buffer);
    for (const [i, key] of chunks.entries()) {
      const part = await this.#redis.getBuffer(key);
      if (part?.length !== Math.min(CHUNK, ref.bytes - i * CHUNK)) throw missingBlob(ref, this.title);
      bytes.set(part, i * CHUNK);
    }
    return buffer;
  }

  async renew(refs: readonly BlobRef[]): Promise<void> {
    const pipeline = this.#redis.pipeline();
    for (const key of refs.flatMap((ref) => this.#keysOf(ref))) pipeline.expire(key, TIME_TO_LIVE);
    await pipeline.exec();
  }

  async release(refs: readonly BlobRef[], run: string): Promise<void> {
    for (const ref of refs) {
      const keys = this.#keysOf(ref);
      await this.#redis.eval(RELEASE, keys.length, ...keys, run);
    }
  }

  /** Returns the keys of a blob, of its holders and of its chunks. */
  #keysOf({ hash, bytes }: BlobRef): string[] {
    const key = this.#keySpace.key("blob", hash);
    const chunks = Math.min(Math.ceil(bytes / CHUNK), Math.ceil(MOST_BYTES / CHUNK));
    return [key, `${key}:runs`, ...Array.from({ length: chunks }, (_, i) => `${key}:${i}`)];
  }
}

/** Throws the first error of a transaction. */
function throwFirst(results: [Error | null, unknown][] | null): void {
  for (const [error] of results ?? []) if (error) throw error;
}
