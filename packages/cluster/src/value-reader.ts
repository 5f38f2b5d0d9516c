import type { PassedArray } from "./typed-arrays.js";
import { type BlobRef, malformedMessage } from "./value-format.js";

const HASH_BYTES = 32;
const textDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads the bytes of a message. Throws `cluster/malformed` if it ends too early; memory is allocated only for bytes
 * that exist.
 */
export class ValueReader {
  /** Arrays read so far. */
  readonly arrays: PassedArray[] = [];
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    return this.#bytes[this.#take(1)];
  }

  length(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  float(): number {
    return this.#bytes.readDoubleLE(this.#take(8));
  }

  /** Reads the number of items that take at least `bytesEach` bytes each. */
  count(bytesEach: number): number {
    const count = this.length();
    if (count * bytesEach > this.left)
      throw malformedMessage(`${count} values cannot be in ${this.left} bytes`);
    return count;
  }

  /** Reads a string after its type byte. */
  string(wide: boolean): string {
    const bytes = this.count(wide ? 2 : 1) * (wide ? 2 : 1);
    const at = this.#take(bytes);
    const own = this.#bytes.subarray(at, at + bytes);
    try {
      // Decoders do not accept shared memory.
      return wide
        ? own.toString("utf16le")
        : textDecoder.decode(isOnSharedMemory(own) ? Uint8Array.from(own) : own);
    } catch {
      throw malformedMessage("a string is not UTF-8");
    }
  }

  copy(bytes: number): ArrayBuffer {
    const at = this.#take(bytes);
    const copied = new Uint8Array(bytes);
    copied.set(this.#bytes.subarray(at, at + bytes));
    return copied.buffer;
  }

  ref(): BlobRef {
    const at = this.#take(HASH_BYTES);
    const hash = this.#bytes.toString("hex", at, at + HASH_BYTES);
    const bytes = this.float();
    if (!Number.isSafeInteger(bytes) || bytes < 0)
      throw malformedMessage(`a blob cannot have ${bytes} bytes`);
    return { hash, bytes };
  }

  #take(bytes: number): number {
    if (bytes > this.left) throw malformedMessage(`it ends after ${this.#bytes.length} bytes`);
    this.#at += bytes;
    return this.#at - bytes;
  }
}

function isOnSharedMemory({ buffer }: Uint8Array): boolean {
  return typeof SharedArrayBuffer === "function" && buffer instanceof SharedArrayBuffer;
}
