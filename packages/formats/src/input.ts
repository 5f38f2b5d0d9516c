import { reserveMemory } from "@vouch/core/internal/runtime/memory-limit";
import type { Progress } from "@vouch/core/internal/runtime/parallel/run";
import { interrupted } from "@vouch/core/internal/runtime/vouch-error";
import { blobBytes, chunksOf } from "./blob-bytes.js";
import { isUtf8Text, joinBytes } from "./bytes.js";
import { limitCompression } from "./compression-limit.js";
import { plainGzip, unzippedBlocksOf } from "./gzip-blob.js";
import type { TableSource } from "./table-source.js";

/** Identify a file and its content: another file under its name, or other bytes in it, change at least one of them. */
export type FileFacts = Readonly<Record<"dev" | "ino" | "size" | "mtimeNs", bigint>>;

/** A file as it was when its reading began. Readers and threads open it several times, and each time it must be the same. */
export interface KnownFile {
  readonly path: string;
  /** Name in messages. */
  readonly name: string;
  readonly facts: FileFacts;
}

const BLOCK_BYTES = 1 << 20;

export interface InputOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** Data that a reader can read repeatedly from the start. Node's inputs are in node/file-input.ts. */
export interface Input {
  /** Name in messages. */
  readonly name: string;
  /** Decompressed size in bytes, if known without reading everything. */
  readonly size: number | undefined;
  /** A file with these bytes, neither compressed nor in memory, parts of which threads can read; Node only. */
  readonly plainFile?: KnownFile | undefined;
  /** Whether all CSV cells without quotes are numbers with a decimal point, however numbers in texts are written: a workbook. */
  readonly hasNumberCells?: boolean;
  /** Checks that bytes are valid UTF-8 without NUL. */
  isText(bytes: Uint8Array): boolean;
  /** Reads the decompressed data from the start. */
  open(): AsyncGenerator<Uint8Array>;
}

/** Source in a browser: a chosen or dropped file, bytes, or a stream such as the body of a response. */
export type WebSource = Exclude<TableSource, string>;

export interface WebInput extends Input {
  /** Returns the decompressed data, for formats that need random access. */
  plainBlob(): Promise<Blob>;
}

/** Opens a source in a browser. Streams are collected first, because readers make two passes. */
export async function webInput(source: WebSource, name: string, options: InputOptions): Promise<WebInput> {
  const blob = await blobOf(source, options.signal);
  const magic = await blobBytes(blob.slice(0, 2), name);
  const gzipped = magic[0] === 0x1f && magic[1] === 0x8b;
  // A response is often decompressed in transit, but keeps its name.
  const isNamedGzip = source instanceof File && source.name.toLowerCase().endsWith(".gz");
  if (isNamedGzip && !gzipped && blob.size > 0) throw plainGzip(name);
  const size = gzipped ? undefined : blob.size;
  const open = () =>
    watched(
      gzipped ? limitCompression(unzippedBlocksOf(blob, name), name, () => blob.size) : blocksOf(blob, name),
      ...([name, size, options] as const),
    );
  const plainBlob = async () => (gzipped ? new Blob(await collectBlocks(open())) : blob);
  return { name, size, isText: isUtf8Text, open, plainBlob };
}

/** Passes blocks on, reports progress, and throws on abort. */
export async function* watched<B extends Uint8Array>(
  blocks: AsyncIterable<B>,
  name: string,
  total: number | undefined,
  { signal, onProgress }: InputOptions,
): AsyncGenerator<B> {
  let done = 0;
  for await (const block of blocks) {
    if (signal?.aborted) throw interrupted();
    yield block;
    done += block.length;
    onProgress?.({ stage: `Reading ${name}`, done, unit: "bytes", total });
  }
}

/** Returns up to `count` first bytes of the decompressed data. */
export async function firstBytes(input: Input, count: number): Promise<Uint8Array> {
  const blocks: Uint8Array[] = [];
  let length = 0;
  for await (const block of input.open()) {
    blocks.push(block);
    length += block.length;
    if (length >= count) break;
  }
  return joinBytes(blocks).subarray(0, count);
}

async function blobOf(source: WebSource, signal: AbortSignal | undefined): Promise<Blob> {
  if (source instanceof Blob) return source;
  if (source instanceof Uint8Array) return new Blob([source]);
  if (!("getReader" in source)) return new Blob(await collectBlocks(source));
  const reader = source.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener("abort", cancel);
  try {
    const chunks = await collectBlocks(chunksOf(reader));
    if (signal?.aborted) throw interrupted();
    return new Blob(chunks);
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}

/** Collects blocks in memory; throws on an endless stream. */
export async function collectBlocks(blocks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  let length = 0;
  let checked = 0;
  for await (const block of blocks) {
    all.push(block);
    length += block.length;
    if (length < 2 * checked) continue;
    reserveMemory("the data", 2 * length);
    checked = length;
  }
  return all;
}

async function* blocksOf(blob: Blob, name: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < blob.size; at += BLOCK_BYTES) {
    yield await blobBytes(blob.slice(at, at + BLOCK_BYTES), name);
  }
}
