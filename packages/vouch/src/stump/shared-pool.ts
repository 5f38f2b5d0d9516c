import { sharedBuffer } from "../data/shared-array.js";

/** Every array starts at a multiple of this, in bytes. */
const ALIGNMENT = 8;

/**
 * Many arrays on few shared buffers: each buffer that goes to a thread costs microseconds, a further view of it
 * next to nothing. Arrays are zeroed and live as long as anybody uses one of the same buffer.
 */
export class SharedPool {
  readonly #chunkBytes: number;
  #chunk: ArrayBufferLike;
  #used = 0;

  /** A pool that shares buffers of `chunkBytes` among smaller arrays; larger ones have a buffer of their own. */
  constructor(chunkBytes: number) {
    this.#chunkBytes = chunkBytes;
    this.#chunk = sharedBuffer(0);
  }

  uint16(length: number): Uint16Array {
    return new Uint16Array(...this.#room(2 * length), length);
  }

  uint32(length: number): Uint32Array {
    return new Uint32Array(...this.#room(4 * length), length);
  }

  float64(length: number): Float64Array {
    return new Float64Array(...this.#room(8 * length), length);
  }

  #room(bytes: number): [buffer: ArrayBufferLike, start: number] {
    if (bytes >= this.#chunkBytes) return [sharedBuffer(bytes), 0];
    if (this.#used + bytes > this.#chunk.byteLength) {
      this.#chunk = sharedBuffer(this.#chunkBytes);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    return [this.#chunk, start];
  }
}
