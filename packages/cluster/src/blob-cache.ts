import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { type BlobStore, sha256Of } from "./blob-store.js";
import { BusyTime } from "./busy-time.js";
import { type BlobRef, blobsIn, decodeValue, MOST_MESSAGE } from "./codec.js";
import type { SentMessage } from "./uploads.js";

/**
 * Fetches each blob once, even if several messages need it at the same time, and keeps the most recently used ones up
 * to a number of bytes. Refuses a blob whose hash differs from its name.
 */
export class BlobCache {
  /** Time spent fetching. */
  readonly busy = new BusyTime();
  /** Number of bytes fetched. */
  fetched = 0;
  readonly #store: BlobStore;
  readonly #mostBytes: number;
  /** Least recently used first. */
  readonly #kept = new Map<string, SharedArrayBuffer>();
  readonly #coming = new Map<string, Promise<SharedArrayBuffer>>();
  #bytes = 0;

  constructor(store: BlobStore, mostBytes: number) {
    this.#store = store;
    this.#mostBytes = mostBytes;
  }

  /** Size of the cache in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Fetches the blobs of a message, up to `mostBytes` in total, and decodes it. Also returns the blobs. */
  async decode(
    sent: SentMessage,
    mostBytes: number,
  ): Promise<{ readonly value: unknown; readonly blobs: readonly BlobRef[] }> {
    if ("blob" in sent && sent.blob.bytes > MOST_MESSAGE) throw tooLarge(sent.blob.bytes, MOST_MESSAGE);
    const bytes = "bytes" in sent ? sent.bytes : new Uint8Array(await this.#get(sent.blob));
    const blobs = blobsIn(bytes);
    const total = blobs.reduce((sum, each) => sum + each.bytes, 0);
    if (total > mostBytes) throw tooLarge(total, mostBytes);
    const found = await Promise.all(
      blobs.map(async (ref): Promise<[string, SharedArrayBuffer]> => [ref.hash, await this.#get(ref)]),
    );
    const value = decodeValue(bytes, new Map(found));
    return { value, blobs: "blob" in sent ? [...blobs, sent.blob] : blobs };
  }

  #get(ref: BlobRef): Promise<SharedArrayBuffer> {
    const kept = this.#kept.get(ref.hash);
    if (kept) {
      this.#kept.delete(ref.hash);
      this.#kept.set(ref.hash, kept);
      return Promise.resolve(kept);
    }
    const coming = this.#coming.get(ref.hash) ?? this.#fetch(ref);
    this.#coming.set(ref.hash, coming);
    return coming;
  }

  async #fetch(ref: BlobRef): Promise<SharedArrayBuffer> {
    try {
      const buffer = await this.busy.during(() => this.#store.get(ref));
      this.fetched += ref.bytes;
      if ((await sha256Of(new Uint8Array(buffer))) !== ref.hash) {
        throw new VouchError(
          "cluster/blob",
          `A blob of ${this.#store.title} is damaged: its bytes do not have the hash ${ref.hash}.`,
          {
            hint: "Something else writes to the store.",
          },
        );
      }
      this.#keep(ref.hash, buffer);
      return buffer;
    } finally {
      this.#coming.delete(ref.hash);
    }
  }

  #keep(hash: string, buffer: SharedArrayBuffer): void {
    if (buffer.byteLength > this.#mostBytes) return;
    this.#kept.set(hash, buffer);
    this.#bytes += buffer.byteLength;
    for (const [oldest, own] of this.#kept) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= own.byteLength;
    }
  }
}

function tooLarge(bytes: number, most: number): VouchError {
  const mebibytes = (count: number) => `${Math.ceil(count / 2 ** 20)} MiB`;
  return new VouchError(
    "cluster/too-large",
    `A message needs ${mebibytes(bytes)}; the limit here is ${mebibytes(most)}.`,
    {
      hint: "Give the worker more memory (--memory), or use fewer rows.",
    },
  );
}
