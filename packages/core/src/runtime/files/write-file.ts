import type { Stats } from "node:fs";
import { type FileHandle, open, readlink, realpath, rename, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { explained, systemCode } from "./system-error.js";
import { withTemporaryPath } from "./temporary-files.js";

/**
 * Writes a file so that the path holds either all of the new content or all of the old, even if the disk is full, the process
 * is interrupted or the power fails: it is written under a temporary name in the same folder, flushed to disk, then renamed.
 * Content that comes in pieces is written as it comes; if it ends with an error, the old file stays and the error is passed on.
 * A symbolic link stays, and the file that it points to is replaced; the new file has the permissions of the old one. A device
 * or pipe (`/dev/null`) is written directly.
 */
export async function writeFileAtomic(
  path: string,
  content: Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const pieces = content instanceof Uint8Array ? [content] : content;
  await explained(path, "write", async () => {
    const existing = await existingFile(path);
    if (existing?.isDirectory()) throw Object.assign(new Error("is a directory"), { code: "EISDIR" });
    if (existing && !existing.isFile()) await writeDirectly(path, pieces);
    else await replaceFile(await linkTarget(path), pieces, existing?.mode);
  });
}

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Bytes per system call: more would not be faster, and another call could not go in between for longer. */
const BLOCK_BYTES = 1 << 24;

/** Returns the facts of a file, undefined if there is none. */
async function existingFile(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Resolves symbolic links, even if the last one points to a file that does not exist yet. */
async function linkTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
  const target = await readlink(path).catch(() => undefined);
  return target === undefined ? path : linkTarget(resolve(dirname(path), target));
}

async function replaceFile(path: string, pieces: Pieces, mode?: number): Promise<void> {
  const folder = dirname(path);
  await withTemporaryPath(folder, basename(path), async (temporary) => {
    const file = await open(temporary, "wx", mode);
    await closing(file, async () => {
      await writePieces(file, pieces);
      await file.sync();
    });
    await rename(temporary, path);
  });
  await flushFolder(folder);
}

async function writeDirectly(path: string, pieces: Pieces): Promise<void> {
  const file = await open(path, "w");
  await closing(file, () => writePieces(file, pieces));
}

async function writePieces(file: FileHandle, pieces: Pieces): Promise<void> {
  for await (const piece of pieces) {
    let written = 0;
    while (written < piece.length) {
      const block = Math.min(BLOCK_BYTES, piece.length - written);
      // A system may write less than it was asked to.
      written += (await file.write(piece, written, block)).bytesWritten;
    }
  }
}

/** Closes the file after the work; an error of the work goes before one of closing. */
async function closing(file: FileHandle, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
  await file.close();
}

/** Makes the rename durable, if the system can flush a folder (Windows cannot). */
async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // The file is complete and in place; it might only be lost in a power failure right now.
  }
}
