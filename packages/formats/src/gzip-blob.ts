import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { blobBytes, chunksOf, unreadable } from "./blob-bytes.js";

/** Block size when searching for the start of a part. */
const BLOCK_BYTES = 1 << 20;
/** First bytes of every part: the signature, the only method, and flags whose upper three bits are 0. */
const HEADER_BYTES = 4;
/** After this many consecutive false starts, the data is damaged; false starts by chance are rare. */
const MOST_FAILURES = 4;

/**
 * Decompresses a file. `bgzip` and `cat a.gz b.gz` write files of several parts, but browsers report data after the
 * first part as damage. In that case, the parts are searched for and decompressed one by one.
 */
export async function* unzippedBlocksOf(blob: Blob, name: string): AsyncGenerator<Uint8Array> {
  let done = 0;
  try {
    for await (const block of unzipped(blob)) {
      done += block.length;
      yield block;
    }
  } catch {
    yield* unzippedParts(blob, name, done);
  }
}

/** Decompresses the parts of a file without the first `done` bytes. Each part ends with a checksum of its content. */
async function* unzippedParts(blob: Blob, name: string, done: number): AsyncGenerator<Uint8Array> {
  let start = 0;
  let failures = 0;
  let known = done;
  for await (const end of possibleEnds(blob, name)) {
    let length = 0;
    try {
      for await (const block of unzipped(blob.slice(start, end))) {
        const fresh = block.subarray(Math.min(block.length, Math.max(0, known - length)));
        length += block.length;
        known = Math.max(known, length);
        if (fresh.length > 0) yield fresh;
      }
      start = end;
      known -= length;
      failures = 0;
    } catch (error) {
      failures++;
      if (end < blob.size && failures < MOST_FAILURES) continue;
      const cause = unreadable(error, name);
      throw cause instanceof VouchError ? cause : gzipError(name, "is corrupt or ends too early", cause);
    }
  }
}

/** Lists possible ends of a part: where the next one seems to start, and the end of the file. */
async function* possibleEnds(blob: Blob, name: string): AsyncGenerator<number> {
  for (let from = 1; from < blob.size; from += BLOCK_BYTES) {
    const bytes = await blobBytes(blob.slice(from, from + BLOCK_BYTES + HEADER_BYTES - 1), name);
    for (let at = bytes.indexOf(0x1f); at >= 0 && at < BLOCK_BYTES; at = bytes.indexOf(0x1f, at + 1)) {
      if (bytes[at + 1] === 0x8b && bytes[at + 2] === 8 && bytes[at + 3] < 32) yield from + at;
    }
  }
  yield blob.size;
}

function unzipped(blob: Blob): AsyncGenerator<Uint8Array> {
  return chunksOf(blob.stream().pipeThrough(new DecompressionStream("gzip")).getReader());
}

/** Creates the error for gzip data that cannot be decompressed. */
export function gzipError(name: string, problem: string, cause: unknown): VouchError {
  return new VouchError("data/malformed", `${name}: the gzip data ${problem}.`, {
    hint: "The file may be incomplete: copy or download it again.",
    cause,
  });
}

/** Creates the error for a file that is not compressed in spite of its name. */
export function plainGzip(name: string): VouchError {
  return new VouchError("file/format", `${name} is named .gz, but it is not compressed with gzip.`, {
    hint: "Rename it if it is a plain file; otherwise copy or download it again.",
  });
}
