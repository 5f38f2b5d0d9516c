import { constants, openSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { Socket } from "node:net";
import type { Readable } from "node:stream";

/** Opens a named pipe. An ordinary stream would wait for a writer on a thread that no signal can stop. */
export function openPipe(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

/** Reads a small text from a file, or from a pipe such as `<(command)`, whose writer it awaits. */
export async function readText(path: string): Promise<string> {
  if (!(await stat(path)).isFIFO()) return readFile(path, "utf8");
  const pieces: Buffer[] = [];
  for await (const piece of openPipe(path)) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}
