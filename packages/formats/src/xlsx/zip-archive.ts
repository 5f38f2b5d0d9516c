import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { chunksOf } from "../blob-bytes.js";
import { decodeUtf8 } from "../bytes.js";
import { isOverCompressed, overCompressed } from "../compression-limit.js";

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
/** Marks a 64-bit number stored elsewhere. */
const LARGEST = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED_FLAG = 1;
/** Bytes of compressed data per decompression step. */
const BLOCK_BYTES = 1 << 16;

/** A file in an archive. */
interface Entry {
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly checksum: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

/**
 * A ZIP archive in memory. Files are decompressed as they are read, by the runtime's own inflate, and checked against
 * their length and CRC-32.
 */
export class ZipArchive {
  readonly #name: string;
  readonly #data: Uint8Array;
  readonly #view: DataView;
  readonly #entries = new Map<string, Entry>();

  constructor(name: string, data: Uint8Array) {
    this.#name = name;
    this.#data = data;
    this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    this.#readDirectory();
  }

  has(path: string): boolean {
    return this.#entries.has(path);
  }

  /** Lists the paths of all files. */
  paths(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Returns the decompressed length of a file according to the directory. */
  bytes(path: string): number {
    return this.#entries.get(path)?.bytes ?? 0;
  }

  /** Reads a file in blocks. Throws at its end if it is damaged. */
  async *read(path: string): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(path);
    if (!entry) throw malformedWorkbook(this.#name, `has no part ${path}`);
    const packed = this.#packedBytes(entry);
    let length = 0;
    let checksum = -1;
    try {
      for await (const block of entry.method === STORED ? [packed] : inflated(packed)) {
        length += block.length;
        if (length > entry.bytes) break;
        checksum = crc32(checksum, block);
        yield block;
      }
    } catch (cause) {
      if (cause instanceof VouchError) throw cause;
      throw malformedWorkbook(this.#name, `is damaged (${path})`, cause);
    }
    if (length !== entry.bytes || (checksum ^ -1) >>> 0 !== entry.checksum) {
      throw malformedWorkbook(this.#name, `is damaged (${path})`);
    }
  }

  #readDirectory(): void {
    const end = this.#findEnd();
    const view = this.#view;
    let at = view.getUint32(end + 16, true);
    const count = view.getUint16(end + 10, true);
    if (at === LARGEST || count === 0xffff) throw zip64(this.#name);
    for (let i = 0; i < count; i++) {
      if (at + ENTRY_BYTES > end || view.getUint32(at, true) !== ENTRY_SIGNATURE) throw this.#badDirectory();
      const nameBytes = view.getUint16(at + 28, true);
      const next =
        at + ENTRY_BYTES + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
      if (next > end) throw this.#badDirectory();
      if ([20, 24, 42].some((field) => view.getUint32(at + field, true) === LARGEST)) throw zip64(this.#name);
      const path = decodeUtf8(this.#data, at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes);
      this.#entries.set(path.replaceAll("\\", "/").replace(/^\//, ""), {
        method: view.getUint16(at + 10, true),
        isEncrypted: (view.getUint16(at + 8, true) & ENCRYPTED_FLAG) !== 0,
        checksum: view.getUint32(at + 16, true),
        compressedBytes: view.getUint32(at + 20, true),
        bytes: view.getUint32(at + 24, true),
        offset: view.getUint32(at + 42, true),
      });
      at = next;
    }
  }

  /** Finds the end of the directory, which a comment may follow. */
  #findEnd(): number {
    const { byteLength } = this.#view;
    const lowest = Math.max(0, byteLength - END_BYTES - LONGEST_COMMENT);
    for (let at = byteLength - END_BYTES; at >= lowest; at--) {
      if (this.#view.getUint32(at, true) === END_SIGNATURE) return at;
    }
    throw malformedWorkbook(this.#name, "ends too early");
  }

  #packedBytes({ method, isEncrypted, offset, compressedBytes, bytes }: Entry): Uint8Array {
    const view = this.#view;
    if (isEncrypted || (method !== STORED && method !== DEFLATED)) {
      throw malformedWorkbook(this.#name, "is encrypted or compressed in a way that vouch does not read");
    }
    if (offset + LOCAL_BYTES > view.byteLength || view.getUint32(offset, true) !== LOCAL_SIGNATURE) {
      throw this.#badDirectory();
    }
    const start =
      offset + LOCAL_BYTES + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
    if (start + compressedBytes > view.byteLength) throw this.#badDirectory();
    if (isOverCompressed(bytes, compressedBytes)) {
      throw overCompressed(this.#name, bytes, compressedBytes, "Save the sheet as CSV.");
    }
    return this.#data.subarray(start, start + compressedBytes);
  }

  #badDirectory(): VouchError {
    return malformedWorkbook(this.#name, "is damaged (its list of parts)");
  }
}

function zip64(name: string): VouchError {
  return new VouchError(
    "file/format",
    `${name} is a workbook in the format ZIP64, which vouch does not read.`,
    {
      hint: "Open and save it in a spreadsheet program, or save the sheet as CSV.",
    },
  );
}

/** Creates the error for a workbook that cannot be read. */
export function malformedWorkbook(name: string, problem: string, cause?: unknown): VouchError {
  return new VouchError("data/malformed", `${name} is not a valid Excel workbook: it ${problem}.`, {
    hint: "The file may be incomplete: copy or download it again, or save the sheet as CSV.",
    ...(cause !== undefined && { cause }),
  });
}

function inflated(packed: Uint8Array): AsyncGenerator<Uint8Array> {
  let at = 0;
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (at >= packed.length) return controller.close();
      controller.enqueue(packed.slice(at, at + BLOCK_BYTES));
      at += BLOCK_BYTES;
    },
  });
  return chunksOf(source.pipeThrough(new DecompressionStream("deflate-raw")).getReader());
}

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Continues a CRC-32 (ISO 3309), without its final complement. */
function crc32(start: number, bytes: Uint8Array): number {
  let crc = start;
  for (let p = 0; p < bytes.length; p++) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ bytes[p]) & 255];
  return crc;
}
