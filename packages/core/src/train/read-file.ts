import { type FileHandle, open, stat } from "node:fs/promises";
import { explained } from "../runtime/files/system-error.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { ByteReader } from "./model-file.js";
import { blocksOf } from "./sha256.js";

/**
 * Calls `use` with a reader of a file. Refuses devices and pipes, which may have no end, and files whose length changes
 * meanwhile.
 */
export async function withFileReader<T>(path: string, use: (reader: ByteReader) => Promise<T>): Promise<T> {
  return explained(path, "read", async () => {
    // Opening a pipe would wait for a writer.
    requireFile(path, await stat(path));
    const file = await open(path);
    try {
      const stats = await file.stat();
      requireFile(path, stats);
      return await use(new FileReader(path, file, stats.size));
    } finally {
      await file.close();
    }
  });
}

function requireFile(path: string, stats: Awaited<ReturnType<typeof stat>>): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) throw Object.assign(new Error("is a directory"), { code: "EISDIR" });
  const kind = stats.isFIFO() ? "pipe" : stats.isSocket() ? "socket" : "device";
  throw new VouchError("file/format", `${path} is a ${kind}, not a file.`, {
    hint: "Use the path of a file.",
  });
}

class FileReader implements ByteReader {
  readonly length: number;
  readonly #path: string;
  readonly #file: FileHandle;
  #place = 0;

  constructor(path: string, file: FileHandle, length: number) {
    this.#path = path;
    this.#file = file;
    this.length = length;
  }

  async next(count: number): Promise<ArrayBuffer> {
    const buffer = this.#allocate(count);
    for (const block of blocksOf(buffer, 0, count)) await this.#fill(block);
    if (this.#place === this.length && (await this.#read(new Uint8Array(1))) > 0)
      throw this.#changed("longer");
    return buffer;
  }

  #allocate(bytes: number): ArrayBuffer {
    try {
      return new ArrayBuffer(bytes);
    } catch (cause) {
      throw new VouchError("memory/exhausted", `There is not enough memory for ${this.#path}.`, { cause });
    }
  }

  async #fill(block: Uint8Array): Promise<void> {
    for (let filled = 0; filled < block.length; ) {
      const count = await this.#read(block.subarray(filled));
      if (count === 0) throw this.#changed("shorter");
      filled += count;
    }
  }

  async #read(block: Uint8Array): Promise<number> {
    const { bytesRead } = await this.#file.read(block, 0, block.length, this.#place);
    this.#place += bytesRead;
    return bytesRead;
  }

  #changed(how: "longer" | "shorter"): VouchError {
    return new VouchError("file/read", `${this.#path} became ${how} while it was being read.`, {
      hint: "Try again when no other program writes to it.",
    });
  }
}
