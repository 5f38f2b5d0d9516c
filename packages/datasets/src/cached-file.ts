import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { FileDigest } from "./entry.js";

/** Facts about a downloaded file, stored beside it in the cache. */
interface CacheRecord {
  /** The published file that it was made from. */
  readonly source: FileDigest & { readonly url: string };
  /** Digest at the last verification; `modified` in milliseconds since 1970. */
  readonly file: FileDigest & { readonly modified: number };
}

const recordPath = (path: string) => `${path}.digest.json`;

/** Records the digests of a file that was just downloaded. */
export async function recordDownload(path: string, source: CacheRecord["source"]): Promise<void> {
  await write(path, {
    source,
    file: { ...(await digestOfFile(path)), modified: (await stat(path)).mtimeMs },
  });
}

/** Returns the digest of the published file that `path` was made from, if it was downloaded. */
export async function recordedSource(path: string): Promise<CacheRecord["source"] | undefined> {
  return (await read(path))?.source;
}

/**
 * Verifies a downloaded file of the cache: reads it only if its size or time has changed since the last verification.
 * Ignores files that were put there by hand.
 */
export async function verifyCached(path: string, dataset: string): Promise<void> {
  const record = await read(path);
  if (record === undefined) return;
  const found = await stat(path).catch(() => undefined);
  // If someone decompresses a file and deletes the compressed one, the file counts as made by hand.
  if (found === undefined) return;
  const { size, mtimeMs } = found;
  const { file } = record;
  if (size === file.bytes && mtimeMs === file.modified) return;
  const { sha256 } = size === file.bytes ? await digestOfFile(path) : { sha256: undefined };
  if (sha256 !== file.sha256) {
    throw new VouchError("dataset/checksum", `${path} has changed since it was downloaded.`, {
      hint:
        `Download it again with: vouch datasets get ${dataset}. ` +
        `If you changed it yourself, move it to a folder of your own and set VOUCH_DATA to that folder.`,
    });
  }
  // An unwritable cache is not an obstacle: the file is read again next time.
  await write(path, { ...record, file: { ...file, modified: mtimeMs } }).catch(() => {});
}

async function digestOfFile(path: string): Promise<FileDigest> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** Writes the record atomically. */
async function write(path: string, record: CacheRecord): Promise<void> {
  const next = `${recordPath(path)}.${process.pid}`;
  await writeFile(next, `${JSON.stringify(record, null, 2)}\n`);
  await rename(next, recordPath(path));
}

/** Reads the record of a file; undefined if there is none. */
async function read(path: string): Promise<CacheRecord | undefined> {
  const text = await readFile(recordPath(path), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const record: unknown = JSON.parse(text);
    if (isRecord(record)) return record;
  } catch {
    // Not JSON: the same error as for other invalid content.
  }
  throw new VouchError("dataset/checksum", `${recordPath(path)} is damaged.`, {
    hint: "Delete it together with the data file beside it, and download the data set again.",
  });
}

function isRecord(value: unknown): value is CacheRecord {
  return (
    hasFields(value, ["source", "file"]) && isDigest(value.source, "url") && isDigest(value.file, "modified")
  );
}

function isDigest(value: unknown, further: "url" | "modified"): boolean {
  if (!hasFields(value, ["bytes", "sha256", further])) return false;
  const expected = further === "url" ? "string" : "number";
  const { bytes, sha256 } = value;
  return typeof bytes === "number" && typeof sha256 === "string" && typeof value[further] === expected;
}

function hasFields<Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Readonly<Record<Name, unknown>> {
  return typeof value === "object" && value !== null && names.every((name) => name in value);
}
