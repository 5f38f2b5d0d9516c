import { VouchError } from "./vouch-error.js";

/** The share of the memory of the machine or container that a process may use unless it sets a limit. */
const DEFAULT_SHARE = 0.75;

/** A browser does not say how much memory a tab may use; most stop it at about this size. */
const BROWSER_LIMIT = 4 * 2 ** 30;

/** Smaller allocations are not checked: to ask the system for the memory in use takes longer than they do. */
const SMALLEST_CHECKED = 16 * 2 ** 20;

let limit: number | undefined;

/** Limits the memory of this process, in bytes; undefined restores the default. Threads that start later have the same limit. */
export function limitMemory(bytes: number | undefined): void {
  if (bytes !== undefined && !(bytes > 0)) {
    throw new VouchError("option/invalid", `The memory limit is ${bytes} bytes, but must be positive.`);
  }
  limit = bytes;
}

/** Returns how many bytes this process may use: the limit that was set, or 75% of what the machine or container has. */
export function memoryLimit(): number {
  limit ??= DEFAULT_SHARE * machineMemory();
  return limit;
}

/**
 * Checks before an allocation that it fits the limit, together with what the process already uses. The error says what needs how
 * much; `what` names it in the user's terms, such as "the table" or "the kernel matrix".
 */
export function reserveMemory(what: string, bytes: number): void {
  if (!(bytes >= SMALLEST_CHECKED)) return;
  const used = residentMemory();
  if (used + bytes <= memoryLimit()) return;
  const inUse = used > 0 ? `, ${readableBytes(used)} are in use,` : "";
  throw new VouchError(
    "memory/limit",
    `${what[0].toUpperCase()}${what.slice(1)} needs ${readableBytes(bytes)}${inUse} and the limit is ${readableBytes(memoryLimit())}.`,
    { hint: "Use fewer rows or columns, or raise the limit (--memory, or limitMemory in programs)." },
  );
}

/** Writes a number of bytes for people: 1.5 GB, 20 MB. */
export function readableBytes(bytes: number): string {
  for (const [unit, size] of UNITS) {
    if (bytes >= size) return `${(bytes / size).toFixed(bytes < 9.95 * size ? 1 : 0)} ${unit}`;
  }
  return `${bytes} bytes`;
}

const UNITS = [
  ["TB", 2 ** 40],
  ["GB", 2 ** 30],
  ["MB", 2 ** 20],
  ["kB", 2 ** 10],
] as const;

/** A container may have less memory than its machine. */
function machineMemory(): number {
  const os = globalThis.process?.getBuiltinModule?.("node:os");
  if (!os) return BROWSER_LIMIT / DEFAULT_SHARE;
  const container = globalThis.process.constrainedMemory?.() ?? 0;
  return container > 0 ? Math.min(container, os.totalmem()) : os.totalmem();
}

/** Returns the bytes that the process has in memory; 0 if the platform does not report it. */
function residentMemory(): number {
  return globalThis.process?.memoryUsage?.rss?.() ?? 0;
}
