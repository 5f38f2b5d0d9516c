import { type BlobStore, sha256Of } from "./blob-store.js";
import { BusyTime } from "./busy-time.js";
import { type BlobRef, encodeValue, LEAST_BLOB, outOfBand } from "./codec.js";

/** A message as sent: its bytes, or a blob with them. */
export type SentMessage = { readonly bytes: Uint8Array } | { readonly blob: BlobRef };

/** An encoded message, and the blobs that it needs. */
export interface UploadedMessage {
  readonly message: SentMessage;
  readonly blobs: readonly BlobRef[];
}

/**
 * Blobs that a run, or a worker for a run, has stored. Each is stored once, even if several messages with it are sent
 * concurrently, and not at all if it exists already.
 */
export class Uploads {
  readonly #store: BlobStore;
  readonly #run: string;
  /** Cached hashes of arrays; arrays in messages never change. */
  readonly #known = new WeakMap<object, Promise<BlobRef>>();
  readonly #stored = new Map<string, Promise<BlobRef>>();
  /** Number of bytes sent to the store. */
  bytes = 0;
  /** Number of blobs sent, and of blobs that already existed. */
  sent = 0;
  found = 0;
  /** Time spent sending. */
  readonly busy = new BusyTime();

  constructor(store: BlobStore, run: string) {
    this.#store = store;
    this.#run = run;
  }

  /** Encodes a value and stores its blobs. */
  async message(value: unknown): Promise<UploadedMessage> {
    const refs = new Map<object, BlobRef>();
    await Promise.all(
      outOfBand(value).map(async ({ source, bytes }) => {
        refs.set(source, await this.#blobOf(source, bytes));
      }),
    );
    const bytes = encodeValue(value, (source) => {
      const ref = refs.get(source);
      if (!ref) throw new TypeError("An array of the message has changed.");
      return ref;
    });
    const blobs = [...refs.values()];
    if (bytes.length < LEAST_BLOB) return { message: { bytes }, blobs };
    const blob = await this.#storeBytes(bytes);
    return { message: { blob }, blobs: [...blobs, blob] };
  }

  /** Lists all blobs of the run. */
  async refs(): Promise<BlobRef[]> {
    const stored = await Promise.allSettled(this.#stored.values());
    return stored.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  }

  /** Forgets blobs, so that they are stored again if they are gone. */
  forget(refs: readonly BlobRef[]): void {
    for (const { hash } of refs) this.#stored.delete(hash);
  }

  async #blobOf(source: object, bytes: Uint8Array): Promise<BlobRef> {
    const known = this.#known.get(source);
    if (known) {
      const ref = await known;
      return this.#stored.get(ref.hash) ?? this.#keep(ref, bytes);
    }
    const ref = refOf(bytes);
    this.#known.set(source, ref);
    return this.#keep(await ref, bytes);
  }

  async #storeBytes(bytes: Uint8Array): Promise<BlobRef> {
    return this.#keep(await refOf(bytes), bytes);
  }

  #keep(ref: BlobRef, bytes: Uint8Array): Promise<BlobRef> {
    const stored = this.#stored.get(ref.hash) ?? this.#send(ref, bytes);
    this.#stored.set(ref.hash, stored);
    stored.catch(() => this.#stored.delete(ref.hash));
    return stored;
  }

  async #send(ref: BlobRef, bytes: Uint8Array): Promise<BlobRef> {
    await this.busy.during(async () => {
      if (await this.#store.hold(ref, this.#run)) this.found++;
      else {
        await this.#store.put(ref, bytes, this.#run);
        this.bytes += bytes.length;
        this.sent++;
      }
    });
    return ref;
  }
}

async function refOf(bytes: Uint8Array): Promise<BlobRef> {
  return { hash: await sha256Of(bytes), bytes: bytes.length };
}
