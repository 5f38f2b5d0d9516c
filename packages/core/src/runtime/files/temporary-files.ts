import { createHash, randomBytes } from "node:crypto";
import { readlinkSync, rmSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/**
 * Temporary files and folders beside the user's files. Each is removed when the work with it ends or fails and when the process
 * exits. A process that is killed cannot do that, so the names say who made them, and the next process that makes one in the
 * same folder removes those whose process has ended.
 */

/** `.NAME.HOST-PROCESS-RANDOM.tmp`; nothing else is ever swept. */
const TEMPORARY_NAME = /^\..*\.(?<host>[0-9a-f]{8})-(?<pid>[1-9][0-9]{0,9})-[0-9a-f]{16}\.tmp$/su;

/** A file name has at most 255 bytes on most systems, and a character up to three. */
const MAX_NAME = 60;

/** Processes of other machines cannot be asked whether they live. A file that nobody has changed for so long is abandoned. */
const ABANDONED_AFTER = 7 * 24 * 3600 * 1000;

/** Learns of each temporary path before it is created, and again when it is gone. */
export type TemporaryPathListener = (path: string, exists: boolean) => void;

const unfinished = new Set<string>();
const swept = new Set<string>();
let listener: TemporaryPathListener | undefined;
let ownHost: string | undefined;

/**
 * Reports temporary paths of this thread. A thread that is terminated has no chance to remove its files: the thread that
 * terminates it should keep a list by these reports, and remove what is still on it after the exit of the other.
 */
export function onTemporaryPath(report: TemporaryPathListener | undefined): void {
  listener = report;
}

/**
 * Calls `use` with a path in the folder where nothing exists yet, and removes the file or folder that it makes there, unless it
 * was renamed. `name` is part of the path's name, so that people see what it belongs to.
 */
export async function withTemporaryPath<T>(
  folder: string,
  name: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  await sweep(folder);
  const maker = `${host()}-${process.pid}-${randomBytes(8).toString("hex")}`;
  const path = join(folder, `.${name.slice(0, MAX_NAME)}.${maker}.tmp`);
  begin(path);
  try {
    return await use(path);
  } finally {
    await rm(path, { recursive: true, force: true }).then(
      () => end(path),
      // It stays on the list, so that another try is made at exit.
      () => undefined,
    );
  }
}

function begin(path: string): void {
  if (unfinished.size === 0) process.on("exit", removeUnfinished);
  unfinished.add(path);
  listener?.(path, true);
}

function end(path: string): void {
  unfinished.delete(path);
  listener?.(path, false);
  if (unfinished.size === 0) process.off("exit", removeUnfinished);
}

function removeUnfinished(): void {
  for (const path of unfinished) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // The next process that writes to the folder sweeps it.
    }
  }
}

/** Removes what ended processes have left in the folder; once per process and folder, because a folder may be large. */
async function sweep(folder: string): Promise<void> {
  if (swept.has(folder)) return;
  swept.add(folder);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const maker = TEMPORARY_NAME.exec(name)?.groups;
    if (!maker) continue;
    const path = join(folder, name);
    try {
      const { mtimeMs } = await stat(path);
      if (isAbandoned(maker.host, Number(maker.pid), mtimeMs))
        await rm(path, { recursive: true, force: true });
    } catch {
      // Sweeping is a courtesy: the file may belong to another user.
    }
  }
}

function isAbandoned(maker: string, pid: number, modified: number): boolean {
  if (Date.now() - modified > ABANDONED_AFTER) return true;
  if (maker !== host()) return false;
  // Containers reuse process ids: 1 is often the only one.
  if (pid === process.pid) return modified < Date.now() - 1000 * process.uptime();
  return !isClient(pid);
}

function isClient(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user may not be signalled, but it is alive.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** Identifies the machine and, on Linux, the container: process ids mean something only within it. */
function host(): string {
  ownHost ??= createHash("sha256").update(`${hostname()}\0${processNamespace()}`).digest("hex").slice(0, 8);
  return ownHost;
}

function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
