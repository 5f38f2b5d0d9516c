import { createReadStream, createWriteStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Progress } from "vouch";
import { interrupted, VouchError } from "vouch/errors";
import { fileFault, isDirectory } from "./file-fault.js";
import { withTemporaryFile } from "./temporary-file.js";

const BLOCK_BYTES = 1 << 20;

/** What can be read: a path, the bytes themselves, or a stream such as standard input. */
export type Source = string | Uint8Array | Readable;

/** How an input reports and is stopped. */
export interface InputOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** Data that can be read from its start as often as a reader needs. */
export interface Input {
  /** What messages call it. */
  readonly name: string;
  /** The path, if the data is a file of the user's. */
  readonly path: string | undefined;
  readonly gzipped: boolean;
  /** Bytes after unpacking, where that is known without reading everything. */
  readonly size: number | undefined;
  /** The data from the start, unpacked. */
  open(): AsyncGenerator<Buffer>;
}

/** Where the stored bytes are. */
interface Store {
  readonly name: string;
  readonly path: string | undefined;
  readonly bytes: number;
  blocks(): AsyncIterable<Buffer>;
}

/** Calls `use` with the source's data; a stream is spooled to a temporary file, removed afterwards. */
export async function withInput<T>(
  source: Source,
  name: string,
  options: InputOptions,
  use: (input: Input) => Promise<T>,
): Promise<T> {
  if (source instanceof Uint8Array) return use(await inputOf(bytesStore(source, name), options));
  if (source instanceof Readable) return withSpooled(source, name, options, use);
  const stats = await stat(source).catch(async (error) => {
    throw await fileFault(source, name, error);
  });
  if (stats.isDirectory()) throw isDirectory(name);
  if (stats.isFIFO() || stats.isSocket()) return withSpooled(createReadStream(source), name, options, use);
  if (!stats.isFile()) throw new VouchError("file/format", `${name} is a device, not a file.`);
  return use(await inputOf(fileStore(source, name, stats.size, options.signal), options));
}

/** Calls `use` with the path of a plain file that holds the unpacked data: the user's own, or a copy. */
export async function withPlainFile<T>(
  input: Input,
  signal: AbortSignal | undefined,
  use: (path: string) => Promise<T>,
): Promise<T> {
  if (input.path !== undefined && !input.gzipped) return use(input.path);
  return withTemporaryFile(async (path) => {
    await spool(input.open(), path, input.name, signal);
    return use(path);
  });
}

/** The first bytes of the unpacked data, at most `count`. */
export async function firstBytes(input: Input, count: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const block of input.open()) {
    parts.push(block);
    length += block.length;
    if (length >= count) break;
  }
  return Buffer.concat(parts).subarray(0, count);
}

async function withSpooled<T>(
  stream: Readable,
  name: string,
  options: InputOptions,
  use: (input: Input) => Promise<T>,
): Promise<T> {
  return withTemporaryFile(async (path) => {
    await spool(stream, path, name, options.signal);
    const { size } = await stat(path);
    const store = fileStore(path, name, size, options.signal);
    return use(await inputOf({ ...store, path: undefined }, options));
  });
}

async function spool(
  stream: AsyncIterable<Uint8Array>,
  path: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await pipeline(stream, createWriteStream(path), { ...(signal && { signal }) });
  } catch (error) {
    if (signal?.aborted) throw interrupted();
    throw await fileFault(path, name, error);
  }
}

async function inputOf(store: Store, options: InputOptions): Promise<Input> {
  const gzipped = await isGzip(store);
  if (!gzipped && store.path?.toLowerCase().endsWith(".gz") && store.bytes > 0) {
    throw new VouchError("file/format", `${store.name} is called .gz, but its contents are not gzip'd.`, {
      hint: "Rename it if it is a plain file; fetch it again if it should be compressed.",
    });
  }
  return {
    name: store.name,
    path: store.path,
    gzipped,
    size: gzipped ? undefined : store.bytes,
    open: () => (gzipped ? unpacked(store, options) : watched(store, options)),
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

/** The stored blocks, counted and stoppable. */
async function* watched(store: Store, options: InputOptions): AsyncGenerator<Buffer> {
  let done = 0;
  for await (const block of store.blocks()) {
    if (options.signal?.aborted) throw interrupted();
    yield block;
    done += block.length;
    options.onProgress?.({ stage: `Reading ${store.name}`, done, total: store.bytes });
  }
}

async function* unpacked(store: Store, options: InputOptions): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: BLOCK_BYTES >> 2 });
  const packed = Readable.from(watched(store, options), { objectMode: false });
  packed.once("error", (error) => gunzip.destroy(error));
  try {
    for await (const block of packed.pipe(gunzip)) {
      if (options.signal?.aborted) throw interrupted();
      yield block;
    }
  } catch (error) {
    throw gzipFault(store.name, error);
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

function gzipFault(name: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || !String(error.code).startsWith("Z_")) return error;
  const truncated = error.code === "Z_BUF_ERROR";
  return new VouchError(
    "data/malformed",
    truncated ? `${name}: the gzip data ends too early.` : `${name}: the gzip data is corrupt.`,
    { hint: "The file may not have been copied completely; fetch it again.", cause: error },
  );
}

function bytesStore(source: Uint8Array, name: string): Store {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  return {
    name,
    path: undefined,
    bytes: bytes.length,
    async *blocks() {
      for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
        yield bytes.subarray(at, at + BLOCK_BYTES);
        await new Promise(setImmediate);
      }
    },
  };
}

function fileStore(path: string, name: string, bytes: number, signal: AbortSignal | undefined): Store {
  return {
    name,
    path,
    bytes,
    async *blocks() {
      try {
        const handle = await open(path);
        yield* handle.createReadStream({ highWaterMark: BLOCK_BYTES, ...(signal && { signal }) });
      } catch (error) {
        if (signal?.aborted) throw interrupted();
        throw await fileFault(path, name, error);
      }
    },
  };
}
