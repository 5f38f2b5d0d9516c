import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** Tables are compressed to a tenth or so. Data that becomes so many times as long is refused, unless it stays small. */
const MOST_COMPRESSION = 200;
const SMALL_BYTES = 1 << 26;

/** Tests for data that a few bytes expand to. A gzip file of 6 MB may hold 6 GB of the same line, which would be parsed for minutes. */
export function isOverCompressed(bytes: number, compressedBytes: number): boolean {
  return bytes > SMALL_BYTES && bytes > MOST_COMPRESSION * compressedBytes;
}

/** Returns the error for data that is compressed too much. */
export function overCompressed(name: string, hint: string): VouchError {
  return new VouchError(
    "data/too-large",
    `${name} becomes more than ${MOST_COMPRESSION} times as long when it is decompressed.`,
    { hint },
  );
}

/** Passes decompressed blocks on as long as they suit the compressed bytes that were taken for them. */
export async function* limitCompression<B extends Uint8Array>(
  blocks: AsyncIterable<B>,
  name: string,
  compressedBytes: () => number,
): AsyncGenerator<B> {
  let length = 0;
  for await (const block of blocks) {
    length += block.length;
    if (isOverCompressed(length, compressedBytes())) {
      throw overCompressed(
        name,
        "If that is right, decompress the file first, and name the decompressed file.",
      );
    }
    yield block;
  }
}
