import type { BlobStore } from "./blob-store.js";
import { type BlobRef, blobsIn } from "./codec.js";
import type { TaskEvent } from "./messages.js";
import type { SentMessage } from "./uploads.js";

/** Results that are remembered; the blobs of further ones go when their time to live ends. */
const MOST = 1000;

/** A result, as a worker tells of it. */
type Result = Extract<TaskEvent, { kind: "done" }>;

/**
 * Results that nobody needs: of tasks that another try has finished before, or that were cancelled. Their blobs may be those of the
 * result that counts, which is perhaps being read. So they are released at the end of the run.
 */
export class LateResults {
  readonly #results: Result[] = [];

  add(event: TaskEvent): void {
    if (event.kind === "done" && this.#results.length < MOST) this.#results.push(event);
  }

  /** Releases the blobs of all of them; `holderOf` names the holder of each. */
  async release(store: BlobStore, holderOf: (result: Result) => string): Promise<void> {
    for (const result of this.#results.splice(0)) {
      await store.release(await blobsOf(result.output, store), holderOf(result));
    }
  }
}

/** Lists the blobs of a message: a message that is a blob itself may refer to others. */
async function blobsOf(message: SentMessage, store: BlobStore): Promise<BlobRef[]> {
  if ("bytes" in message) return blobsIn(message.bytes);
  // It may have been released already.
  const buffer = await store.get(message.blob).catch(() => undefined);
  return buffer ? [...blobsIn(new Uint8Array(buffer)), message.blob] : [];
}
