import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import {
  type FileHandle,
  open,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { didYouMean } from "../runtime/names.js";
import { type ErrorCode, VouchError } from "../runtime/vouch-error.js";
import type { Classifier } from "./classifier.js";
import type { LibsvmImportOptions } from "./libsvm.js";
import { deserialise, type LoadOptions, serialise } from "./model-file.js";

/** Writes a classifier to a file, completely or not at all. */
export async function saveModel(path: string, classifier: Classifier): Promise<void> {
  await writeFileAtomic(path, await serialise(classifier));
}

/** Reads a classifier from a file; errors name the file. */
export async function loadModel(path: string, options: LoadOptions = {}): Promise<Classifier> {
  const bytes = await readWhole(path);
  try {
    return await deserialise(bytes, options);
  } catch (error) {
    if (!(error instanceof VouchError)) throw error;
    throw new VouchError(error.code, `${path}: ${error.message}`, { hint: error.hint, cause: error.cause });
  }
}

/** Reads a classifier from a LIBSVM model file; errors name the file. */
export async function loadLibsvmModel(
  path: string,
  options: Omit<LibsvmImportOptions, "name"> = {},
): Promise<Classifier> {
  const text = new TextDecoder().decode(await readWhole(path));
  // It loads kernel machines, which most programs that load models do without.
  const { importLibsvm } = await import("./libsvm.js");
  return importLibsvm(text, { ...options, name: path });
}

async function readWhole(path: string): Promise<Uint8Array> {
  return readFile(path).catch((cause) => {
    throw fileError(cause, path, "read");
  });
}

/**
 * Writes a file so that the path holds either all of the new content or all of the old, even if the disk is full, the process
 * is interrupted or the power fails: it is written under a temporary name in the same folder, flushed to disk, then renamed. A
 * symbolic link stays, and the file that it points to is replaced; the new file has the permissions of the old one. A device
 * or pipe (`/dev/null`) is written directly.
 */
export async function writeFileAtomic(path: string, bytes: Uint8Array): Promise<void> {
  try {
    const existing = await stat(path).catch(() => undefined);
    if (existing?.isDirectory()) throw Object.assign(new Error("is a directory"), { code: "EISDIR" });
    if (existing && !existing.isFile()) await writeFile(path, bytes);
    else await replaceFile(await linkTarget(path), bytes, existing?.mode);
  } catch (cause) {
    throw fileError(cause, path, "write");
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

async function replaceFile(path: string, bytes: Uint8Array, mode?: number): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path).slice(0, 100)}.${randomUUID()}.tmp`);
  start(temporary);
  try {
    await writeAndFlush(await open(temporary, "wx", mode), bytes);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    finish(temporary);
  }
  await flushFolder(folder);
}

async function writeAndFlush(file: FileHandle, bytes: Uint8Array): Promise<void> {
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
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

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Temporary files that are being written. */
const unfinished = new Set<string>();

/**
 * Makes sure that the file is removed if the process ends before `finish` is called: at exit, and at a signal that ends the
 * process because nothing else listens to it.
 */
function start(temporary: string): void {
  if (unfinished.size === 0) {
    process.on("exit", removeUnfinished);
    for (const signal of SIGNALS) process.on(signal, removeUnfinishedAndDie);
  }
  unfinished.add(temporary);
}

function finish(temporary: string): void {
  unfinished.delete(temporary);
  if (unfinished.size > 0) return;
  process.off("exit", removeUnfinished);
  for (const signal of SIGNALS) process.off(signal, removeUnfinishedAndDie);
}

function removeUnfinished(): void {
  for (const path of unfinished) rmSync(path, { force: true });
}

function removeUnfinishedAndDie(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  removeUnfinished();
  process.off(signal, removeUnfinishedAndDie);
  process.kill(process.pid, signal);
}

/** Returns the code of a failed system call, such as ENOENT; "" for any other error. */
function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Suggests the file in the same folder with the nearest name; undefined if none is near. */
function nearestFile(path: string): string | undefined {
  const folder = dirname(path);
  try {
    const neighbours = readdirSync(folder).map((name) => join(folder, name));
    return didYouMean(join(folder, basename(path)), neighbours);
  } catch {
    return undefined;
  }
}

/** Explains a failed system call to the user. */
function fileError(cause: unknown, path: string, action: "read" | "write"): VouchError {
  const code = systemCode(cause);
  const fault = (kind: ErrorCode, message: string, hint?: string) =>
    new VouchError(kind, message, { cause, ...(hint !== undefined && { hint }) });
  switch (code) {
    case "EISDIR":
      return fault("file/directory", `${path} is a directory, not a file.`, "Use the path of a file.");
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return fault("file/permission", `There is no permission to ${action} ${path}.`);
    case "ENOENT":
      return action === "read"
        ? fault("file/missing", `There is no file ${path}.`, nearestFile(path))
        : fault("file/write", `Cannot write ${path}: the folder ${dirname(path)} does not exist.`);
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return fault(
        "file/write",
        `Cannot write ${path}: the disk is full or the file too large (${code}).`,
        "Nothing was written. Free some space, or choose another folder.",
      );
    default:
      return fault(
        action === "read" ? "file/read" : "file/write",
        `Cannot ${action} ${path}: ${cause instanceof Error ? cause.message : String(cause)}.`,
      );
  }
}
