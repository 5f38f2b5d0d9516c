import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { BlobRef } from "./codec.js";

/** Keeps blobs, byte arrays named by their SHA-256, where all machines of a cluster reach them. */
export interface BlobStore {
  /** The store in words, for messages. */
  readonly title: string;
  /** Says that a run needs a blob, so that it stays until the run releases it; false if it is not there. */
  hold(ref: BlobRef, run: string): Promise<boolean>;
  /** Stores a blob for a run. */
  put(ref: BlobRef, bytes: Uint8Array, run: string): Promise<void>;
  /** Reads a blob into shared memory. Throws `cluster/blob` if it is not there; the caller checks its hash. */
  get(ref: BlobRef): Promise<SharedArrayBuffer>;
  /** Renews the time to live of blobs that a run holds. */
  renew(refs: readonly BlobRef[]): Promise<void>;
  /** Says that a run no longer needs blobs. */
  release(refs: readonly BlobRef[], run: string): Promise<void>;
}

/** Bytes that are hashed before the event loop runs again: some milliseconds. */
const HASHED_AT_ONCE = 4 * 2 ** 20;

/** Computes the SHA-256 of bytes, in hexadecimal, and lets the event loop run meanwhile. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  for (let from = 0; from < bytes.length; from += HASHED_AT_ONCE) {
    if (from > 0) await setImmediate();
    hash.update(bytes.subarray(from, from + HASHED_AT_ONCE));
  }
  return hash.digest("hex");
}

/** Makes the error of a blob that is not in the store. */
export function missingBlob({ hash, bytes }: BlobRef, title: string): VouchError {
  return new VouchError(
    "cluster/blob",
    `A blob of ${bytes} bytes (${hash.slice(0, 12)}…) is not in ${title}.`,
    {
      hint: "Give the run and all workers the same --blobs; set maxmemory-policy to noeviction if Redis keeps the blobs.",
    },
  );
}
