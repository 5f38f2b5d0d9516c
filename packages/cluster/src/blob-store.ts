import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { BlobRef } from "./codec.js";

/** Stores blobs, byte arrays named by their SHA-256, for all machines of a cluster. */
export interface BlobStore {
  /** Description for messages. */
  readonly title: string;
  /** Registers that a run needs a blob, which keeps it until released; false if the blob does not exist. */
  hold(ref: BlobRef, run: string): Promise<boolean>;
  put(ref: BlobRef, bytes: Uint8Array, run: string): Promise<void>;
  /** Reads a blob into shared memory. Throws `cluster/blob` if it does not exist; the caller checks its hash. */
  get(ref: BlobRef): Promise<SharedArrayBuffer>;
  /** Renews the time to live of blobs that a run holds. */
  renew(refs: readonly BlobRef[]): Promise<void>;
  /** Releases blobs that a run no longer needs. */
  release(refs: readonly BlobRef[], run: string): Promise<void>;
}

/** Bytes to hash between turns of the event loop: some milliseconds. */
const HASHED_AT_ONCE = 4 * 2 ** 20;

/** Computes a SHA-256 in hexadecimal without blocking the event loop. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  for (let from = 0; from < bytes.length; from += HASHED_AT_ONCE) {
    if (from > 0) await setImmediate();
    hash.update(bytes.subarray(from, from + HASHED_AT_ONCE));
  }
  return hash.digest("hex");
}

/** Creates the error for a missing blob. */
export function missingBlob({ hash, bytes }: BlobRef, title: string): VouchError {
  return new VouchError(
    "cluster/blob",
    `A blob of ${bytes} bytes (${hash.slice(0, 12)}…) is not in ${title}.`,
    {
      hint: "Give the run and all workers the same --blobs; set maxmemory-policy to noeviction if Redis keeps the blobs.",
    },
  );
}
