import type { CompressionCodec } from "hyparquet";
import { snappyUncompress } from "hyparquet/src/snappy.js";
import { chunksOf } from "../blob-bytes.js";
import { lz4Decompress } from "./lz4.js";
import { UnsupportedValues } from "./malformed-parquet.js";

/**
 * Decompresses a page into exactly `size` bytes. The decoders stop at that size, whatever the page contains. No such
 * decoder exists for Brotli, and the older of two LZ4 formats is obsolete.
 */
export async function decompressed(
  bytes: Uint8Array,
  size: number,
  codec: CompressionCodec,
): Promise<Uint8Array> {
  const page = await decompress(bytes, size, codec);
  if (page.length !== size) throw new Error(`a page does not contain the ${size} bytes that it declares`);
  return page;
}

async function decompress(bytes: Uint8Array, size: number, codec: CompressionCodec): Promise<Uint8Array> {
  if (codec === "UNCOMPRESSED") return bytes;
  if (codec === "GZIP") return gunzip(bytes, size);
  const output = new Uint8Array(size);
  if (codec === "SNAPPY") {
    snappyUncompress(bytes, output);
    return output;
  }
  if (codec === "LZ4_RAW") return lz4Decompress(bytes, output);
  // Loaded lazily, for files that need it.
  if (codec === "ZSTD") return (await import("fzstd")).decompress(bytes, output);
  throw new UnsupportedValues(
    `its pages are compressed with ${codec ?? "an unknown codec"}; without DuckDB, Snappy, Zstandard, gzip and raw LZ4 can be read`,
  );
}

async function gunzip(bytes: Uint8Array, size: number): Promise<Uint8Array> {
  const output = new Uint8Array(size);
  let length = 0;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  for await (const block of chunksOf(stream.getReader())) {
    if (length + block.length > size)
      throw new Error(`a page contains more than the ${size} bytes that it declares`);
    output.set(block, length);
    length += block.length;
  }
  return output.subarray(0, length);
}
