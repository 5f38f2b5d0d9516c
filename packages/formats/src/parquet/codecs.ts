import type { CompressionCodec } from "hyparquet";
import { snappyUncompress } from "hyparquet/src/snappy.js";

/** Decompresses a page into `size` bytes. Codecs other than Snappy, the usual one, are loaded when a file needs them. */
export async function decompressed(
  bytes: Uint8Array,
  size: number,
  codec: CompressionCodec,
): Promise<Uint8Array> {
  const page = await decompress(bytes, size, codec);
  if (page.length !== size) throw new Error(`a page has ${page.length} bytes instead of ${size}`);
  return page;
}

async function decompress(bytes: Uint8Array, size: number, codec: CompressionCodec): Promise<Uint8Array> {
  if (codec === "UNCOMPRESSED") return bytes;
  const output = new Uint8Array(size);
  if (codec === "SNAPPY") {
    snappyUncompress(bytes, output);
    return output;
  }
  const { decompressBrotli, decompressLz4, decompressLz4Raw, decompressZstd, gunzip } = await import(
    "hyparquet-compressors"
  );
  if (codec === "ZSTD") return decompressZstd(bytes, output);
  if (codec === "GZIP") return gunzip(bytes, output);
  if (codec === "BROTLI") return decompressBrotli(bytes, size);
  if (codec === "LZ4_RAW") return decompressLz4Raw(bytes, size);
  if (codec === "LZ4") return decompressLz4(bytes, size);
  throw new Error(`its pages are compressed with ${codec ?? "an unknown codec"}`);
}
