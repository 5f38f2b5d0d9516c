import type { BlobStore } from "./blob-store.js";
import { type BlobRef, blobsIn } from "./codec.js";
import type { TaskEvent } from "./messages.js";
import type { SentMessage } from "./uploads.js";

/** Maximum number of results to remember; the blobs of further ones expire. */
const MOST = 1000;

/** A result, as reported by a worker. */
type Result = Extract<TaskEvent, { kind: "done" }>;

/**
 * Results that are not needed, because another attempt finished first or the task was cancelled. Their blobs may also
 * belong to the result that counts, which may be in use, so they are released at the end of the run.
 */
export class LateResults {
  readonly #results: Result[] = [];

  add(event: TaskEvent): void {
    if (event.kind === "done" && this.#results.length < MOST) this.#results.push(event);
  }

  /** Releases the blobs of all these results; `holderOf` returns the holder of each. */
  async release(store: BlobStore, holderOf: (result: Result) => string): Promise<void> {
    for (const result of this.#results.splice(0)) {
      await store.release(await blobsOf(result.output, store), holderOf(result));
    }
  }
}

/** Lists the blobs of a message; a message that is a blob itself may refer to others. */
async function blobsOf(message: SentMessage, store: BlobStore): Promise<BlobRef[]> {
  if ("bytes" in message) return blobsIn(message.bytes);
  // It may have been released already.
  const buffer = await store.get(message.blob).catch(() => undefined);
  return buffer ? [...blobsIn(new Uint8Array(buffer)), message.blob] : [];
}
