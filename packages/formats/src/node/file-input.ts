import { type BigIntStats, createWriteStream } from "node:fs";
import { mkdir, stat, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { openPipe } from "@vouch/core/internal/runtime/files/read-text";
import { withTemporaryPath } from "@vouch/core/internal/runtime/files/temporary-files";
import { readableBytes } from "@vouch/core/internal/runtime/memory-limit";
import { interrupted, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { limitCompression } from "../compression-limit.js";
import { gzipError, plainGzip } from "../gzip-blob.js";
import type { KnownFile } from "../input.js";
import { type Input, type InputOptions, watched } from "../input.js";
import type { TableSource } from "../table-source.js";
import { asBuffer, isUtf8WithoutNul } from "./file-blocks.js";
import { changedFile, directoryError, fileError } from "./file-errors.js";
import { factsIn, hasFacts, identifyFile, openKnown } from "./known-file.js";

const BLOCK_BYTES = 1 << 20;
/** Maximum share of the free disk space for a temporary copy. */
const SPOOLED_SHARE = 0.5;

/** An input in Node: a file, bytes or a spooled stream. */
export interface FileInput extends Input {
  /** Path of the user's file, if there is one. */
  readonly path: string | undefined;
  readonly gzipped: boolean;
}

/** Stored bytes, possibly compressed. */
interface Store {
  readonly name: string;
  readonly path: string | undefined;
  /** The user's file or a temporary one; undefined for data in memory. */
  readonly file: KnownFile | undefined;
  readonly bytes: number;
  blocks(): AsyncIterable<Buffer>;
}

/** Calls `use` with the data of the source; a stream is spooled to a temporary file, which is removed afterwards. */
export async function withFileInput<T>(
  source: TableSource,
  name: string,
  options: InputOptions,
  use: (input: FileInput) => Promise<T>,
): Promise<T> {
  if (source instanceof Uint8Array) return use(await openStore(bytesStore(source, name), options));
  if (source instanceof Blob) return withSpooled(source.stream(), name, options, use);
  if (typeof source !== "string") return withSpooled(source, name, options, use);
  const stats = await stat(source, { bigint: true }).catch(async (error) => {
    throw await fileError(source, name, error);
  });
  if (stats.isDirectory()) throw directoryError(name);
  if (stats.isFIFO()) return withSpooled(await pipeAt(source, name), name, options, use);
  if (!stats.isFile()) {
    throw new VouchError("file/format", `${name} is a device, not a file.`, {
      hint: "Name a file, or pipe the data in.",
    });
  }
  const file = { path: source, name, facts: factsIn(stats) };
  return unlessChanged(file, async () => use(await openStore(fileStore(file, options.signal), options)));
}

/**
 * Calls `read`, which may open the file several times and on several threads. Throws if the file has changed
 * afterwards, because rows of both versions would be mixed.
 */
async function unlessChanged<T>(
  { path, name, facts }: KnownFile,
  read: () => Promise<T>,
  isSame = (after: BigIntStats | undefined) => hasFacts(after, facts),
): Promise<T> {
  const isChanged = async () => !isSame(await stat(path, { bigint: true }).catch(() => undefined));
  try {
    const value = await read();
    if (await isChanged()) throw changedFile(name);
    return value;
  } catch (error) {
    // Data errors in a mix of two files are meaningless.
    const isAboutData = error instanceof VouchError && error.code !== "run/interrupted";
    throw isAboutData && (await isChanged()) ? changedFile(name) : error;
  }
}

async function pipeAt(path: string, name: string): Promise<Readable> {
  try {
    return openPipe(path);
  } catch (error) {
    throw await fileError(path, name, error);
  }
}

/** Calls `use` with the path of an uncompressed file: the user's own, or a temporary copy. */
export async function withPlainFile<T>(
  input: FileInput,
  signal: AbortSignal | undefined,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const { path, plainFile } = input;
  if (path !== undefined && plainFile) {
    // DuckDB opens the path by itself. A rename changes ctime, even of a file that has its name back.
    const before = await stat(path, { bigint: true }).catch(() => undefined);
    const isSame = (after: BigIntStats | undefined) =>
      hasFacts(after, plainFile.facts) && after?.ctimeNs === before?.ctimeNs;
    return unlessChanged(plainFile, () => use(path), isSame);
  }
  return withTemporaryFile(async (path) => {
    await spool(input.open(), path, input.name, signal);
    return use(path);
  });
}

async function withSpooled<T>(
  stream: AsyncIterable<Uint8Array>,
  name: string,
  options: InputOptions,
  use: (input: FileInput) => Promise<T>,
): Promise<T> {
  return withTemporaryFile(async (path) => {
    await spool(stream, path, name, options.signal);
    const store = fileStore(await identifyFile(path, name), options.signal);
    return use(await openStore({ ...store, path: undefined }, options));
  });
}

/** Calls `use` with the path of a file that does not exist yet, in a folder that only this user can read. */
async function withTemporaryFile<T>(use: (path: string) => Promise<T>): Promise<T> {
  return withTemporaryPath(tmpdir(), "vouch-data", async (folder) => {
    await mkdir(folder, { mode: 0o700 }).catch((cause) => {
      throw new VouchError("file/write", `Cannot write to the folder for temporary files, ${tmpdir()}.`, {
        hint: "Set the environment variable TMPDIR to another folder.",
        cause,
      });
    });
    return use(join(folder, "data"));
  });
}

async function spool(
  stream: AsyncIterable<Uint8Array>,
  path: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const most = SPOOLED_SHARE * (await freeSpace(dirname(path)));
  try {
    const limit = (blocks: AsyncIterable<Uint8Array>) => limited(blocks, name, most);
    await pipeline(stream, limit, createWriteStream(path), { ...(signal && { signal }) });
  } catch (error) {
    if (signal?.aborted) throw interrupted();
    throw await fileError(path, name, error);
  }
}

/** Returns the free bytes on a folder's disk; infinity if the system does not report them. */
async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder).catch(() => ({
    bavail: Number.POSITIVE_INFINITY,
    bsize: 1,
  }));
  return bavail * bsize;
}

/** Passes blocks on up to a size limit, because an endless stream would fill the disk. */
async function* limited(
  blocks: AsyncIterable<Uint8Array>,
  name: string,
  most: number,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const block of blocks) {
    length += block.length;
    if (length > most) {
      throw new VouchError(
        "data/too-large",
        `${name} is longer than ${readableBytes(most)}, half of the free space for temporary files.`,
        { hint: "Write the data to a file first, or set the environment variable TMPDIR to another folder." },
      );
    }
    yield block;
  }
}

async function openStore(store: Store, options: InputOptions): Promise<FileInput> {
  const gzipped = await isGzip(store);
  if (!gzipped && store.path?.toLowerCase().endsWith(".gz") && store.bytes > 0) {
    throw plainGzip(store.name);
  }
  const stored = () => watched(store.blocks(), store.name, store.bytes, options);
  return {
    name: store.name,
    path: store.path,
    gzipped,
    plainFile: gzipped ? undefined : store.file,
    size: gzipped ? undefined : store.bytes,
    isText: isUtf8WithoutNul,
    open: () => (gzipped ? unzipped(stored(), store.name, options.signal) : stored()),
  };
}

async function isGzip(store: Store): Promise<boolean> {
  const magic: number[] = [];
  for await (const block of store.blocks()) {
    magic.push(...block.subarray(0, 2 - magic.length));
    if (magic.length === 2) break;
  }
  return magic[0] === 0x1f && magic[1] === 0x8b;
}

async function* unzipped(
  blocks: AsyncGenerator<Buffer>,
  name: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: BLOCK_BYTES >> 2 });
  const packed = Readable.from(blocks, { objectMode: false });
  packed.once("error", (error) => gunzip.destroy(error));
  try {
    const unpacked = limitCompression<Buffer>(packed.pipe(gunzip), name, () => gunzip.bytesWritten);
    for await (const block of unpacked) {
      if (signal?.aborted) throw interrupted();
      yield block;
    }
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || !String(error.code).startsWith("Z_")) throw error;
    throw gzipError(name, error.code === "Z_BUF_ERROR" ? "ends too early" : "is corrupt", error);
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

function bytesStore(source: Uint8Array, name: string): Store {
  const bytes = asBuffer(source);
  return {
    name,
    path: undefined,
    file: undefined,
    bytes: bytes.length,
    async *blocks() {
      for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
        yield bytes.subarray(at, at + BLOCK_BYTES);
        await new Promise(setImmediate);
      }
    },
  };
}

function fileStore(file: KnownFile, signal: AbortSignal | undefined): Store {
  const { path, name, facts } = file;
  return {
    name,
    path,
    file,
    bytes: Number(facts.size),
    async *blocks() {
      try {
        const handle = await openKnown(file);
        yield* handle.createReadStream({ highWaterMark: BLOCK_BYTES, ...(signal && { signal }) });
      } catch (error) {
        if (signal?.aborted) throw interrupted();
        throw await fileError(path, name, error);
      }
    },
  };
}
