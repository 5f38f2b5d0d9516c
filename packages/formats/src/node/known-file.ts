import { type BigIntStats, closeSync, fstatSync, openSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import type { FileFacts, KnownFile } from "../input.js";
import { changedFile } from "./file-errors.js";

const FACTS = ["dev", "ino", "size", "mtimeNs"] as const satisfies readonly (keyof FileFacts)[];

/** Returns a file as it is now. */
export async function identifyFile(path: string, name: string): Promise<KnownFile> {
  return { path, name, facts: factsIn(await stat(path, { bigint: true })) };
}

/** Picks the facts from the status of a file; threads cannot be sent the status itself. */
export function factsIn({ dev, ino, size, mtimeNs }: BigIntStats): FileFacts {
  return { dev, ino, size, mtimeNs };
}

/** Returns whether these facts are still true of a file. */
export function hasFacts(stats: BigIntStats | undefined, facts: FileFacts): boolean {
  return FACTS.every((fact) => stats?.[fact] === facts[fact]);
}

/** Opens a file. Throws if it is another one than it was. */
export async function openKnown({ path, name, facts }: KnownFile): Promise<FileHandle> {
  const handle = await open(path);
  if (hasFacts(await handle.stat({ bigint: true }), facts)) return handle;
  await handle.close();
  throw changedFile(name);
}

/** Does the same as `openKnown` without waiting; returns the descriptor. */
export function openKnownSync({ path, name, facts }: KnownFile): number {
  const file = openSync(path, "r");
  if (hasFacts(fstatSync(file, { bigint: true }), facts)) return file;
  closeSync(file);
  throw changedFile(name);
}
