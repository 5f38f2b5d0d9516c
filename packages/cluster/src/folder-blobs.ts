import { mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { type BlobStore, missingBlob } from "./blob-store.js";
import type { BlobRef } from "./codec.js";

/** Days after which an unused blob is removed. */
const DAYS_KEPT = 7;

/**
 * Stores blobs in a folder that all machines mount. They stay for later runs on the same data, until a week without
 * use.
 */
export class FolderBlobs implements BlobStore {
  readonly title: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.title = `the folder ${folder}`;
  }

  /** Checks that the folder is usable, and removes old blobs. */
  static async open(folder: string): Promise<FolderBlobs> {
    try {
      await mkdir(folder, { recursive: true });
      await sweep(folder);
    } catch (cause) {
      throw new VouchError(
        "cluster/blob",
        `The folder ${folder} cannot be used for blobs: ${String(cause)}.`,
        {
          hint: "Give a folder that all machines mount and may write to.",
          cause,
        },
      );
    }
    return new FolderBlobs(folder);
  }

  async hold(ref: BlobRef): Promise<boolean> {
    const path = this.#path(ref);
    const found = await stat(path).catch(() => undefined);
    if (found?.size !== ref.bytes) return false;
    const now = new Date();
    await utimes(path, now, now).catch(() => {});
    return true;
  }

  async put(ref: BlobRef, bytes: Uint8Array): Promise<void> {
    const path = this.#path(ref);
    const part = `${path}.${process.pid}-${crypto.getRandomValues(new Uint32Array(2)).join("-")}.part`;
    try {
      await mkdir(join(this.#folder, ref.hash.slice(0, 2)), { recursive: true });
      await writeFile(part, bytes);
      await rename(part, path);
    } catch (cause) {
      await rm(part, { force: true });
      throw new VouchError("cluster/blob", `A blob cannot be written to ${this.title}: ${String(cause)}.`, {
        cause,
      });
    }
  }

  async get(ref: BlobRef): Promise<SharedArrayBuffer> {
    const file = await open(this.#path(ref)).catch(() => undefined);
    if (!file) throw missingBlob(ref, this.title);
    try {
      if ((await file.stat()).size !== ref.bytes) throw missingBlob(ref, this.title);
      const buffer = new SharedArrayBuffer(ref.bytes);
      const bytes = new Uint8Array(buffer);
      for (let at = 0; at < bytes.length; ) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, at);
        if (bytesRead === 0) throw missingBlob(ref, this.title);
        at += bytesRead;
      }
      return buffer;
    } finally {
      await file.close();
    }
  }

  async renew(): Promise<void> {}

  async release(): Promise<void> {}

  #path({ hash }: BlobRef): string {
    return join(this.#folder, hash.slice(0, 2), hash);
  }
}

/** Removes blobs, including unfinished ones, that were not used for a week. */
async function sweep(folder: string): Promise<void> {
  const oldest = Date.now() - DAYS_KEPT * 86_400_000;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || !/^[0-9a-f]{2}$/.test(entry.name)) continue;
    for (const name of await readdir(join(folder, entry.name))) {
      if (!/^[0-9a-f]{64}(\..*\.part)?$/.test(name)) continue;
      const path = join(folder, entry.name, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
      if (mtimeMs < oldest) await rm(path, { force: true });
    }
  }
}
