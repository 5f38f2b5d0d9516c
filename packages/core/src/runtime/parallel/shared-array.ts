import { reserveMemory } from "../memory-limit.js";
import { VouchError } from "../vouch-error.js";

/** The element types that matrices and kernels work in. */
export type FloatArray = Float32Array | Float64Array;

/**
 * Allocates zeroed memory on a `SharedArrayBuffer`, so that threads read it without a copy. A browser page without cross-origin
 * isolation has no shared memory and gets an ordinary buffer.
 */
export function sharedBuffer(bytes: number, what = "the encoded data"): ArrayBufferLike {
  reserveMemory(what, bytes);
  try {
    return typeof SharedArrayBuffer === "undefined" ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);
  } catch (cause) {
    throw new VouchError(
      "memory/exhausted",
      `There is not enough memory for ${Math.ceil(bytes / 2 ** 20)} MiB of encoded data.`,
      { cause, hint: "Use fewer rows or columns." },
    );
  }
}

/** Allocates shared bytes. */
export function sharedBytes(length: number): Uint8Array {
  return new Uint8Array(sharedBuffer(length));
}

/** Allocates shared integers. */
export function sharedInts(length: number): Int32Array {
  return new Int32Array(sharedBuffer(4 * length));
}

/** Allocates shared floats of the given precision. */
export function sharedFloats(length: number, precision: "f32" | "f64"): FloatArray {
  return precision === "f32"
    ? new Float32Array(sharedBuffer(length * 4))
    : new Float64Array(sharedBuffer(length * 8));
}

/** Returns whether threads share an array, instead of getting a copy each. A page without cross-origin isolation shares none. */
export function isShared({ buffer }: { readonly buffer: ArrayBufferLike }): boolean {
  return typeof SharedArrayBuffer !== "undefined" && buffer instanceof SharedArrayBuffer;
}

/** Arrays that threads can share. */
type Shareable =
  | FloatArray
  | Int32Array
  | Uint32Array
  | Uint16Array
  | Int8Array
  | Uint8Array
  | BigUint64Array;

/** Returns the array itself if threads share it, otherwise a copy that they share. */
export function onSharedMemory<Kind extends Shareable>(array: Kind): Kind;
export function onSharedMemory(array: Shareable): Shareable {
  if (isShared(array)) return array;
  const buffer = sharedBuffer(array.byteLength);
  new Uint8Array(buffer).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return viewLike(array, buffer);
}

/** Arrays of fewer bytes are sent to threads as copies. */
const MIN_BYTES_TO_SHARE = 1 << 14;

/** Returns a shared copy of an array that is large and not shared, undefined for other values. */
export function sharedIfLarge(value: object): object | undefined {
  const isLarge = isShareable(value) && value.byteLength >= MIN_BYTES_TO_SHARE;
  return isLarge && !isShared(value) ? onSharedMemory(value) : undefined;
}

function isShareable(value: object): value is Shareable {
  return ArrayBuffer.isView(value) && SHAREABLE.some((type) => value instanceof type);
}

const SHAREABLE = [
  Float64Array,
  Float32Array,
  Int32Array,
  Uint32Array,
  Uint16Array,
  Int8Array,
  Uint8Array,
  BigUint64Array,
];

/** Views a buffer as numbers of the same type. */
function viewLike(array: Shareable, buffer: ArrayBufferLike): Shareable {
  if (array instanceof Float64Array) return new Float64Array(buffer);
  if (array instanceof Float32Array) return new Float32Array(buffer);
  if (array instanceof Int32Array) return new Int32Array(buffer);
  if (array instanceof Uint32Array) return new Uint32Array(buffer);
  if (array instanceof Uint16Array) return new Uint16Array(buffer);
  if (array instanceof Int8Array) return new Int8Array(buffer);
  if (array instanceof Uint8Array) return new Uint8Array(buffer);
  return new BigUint64Array(buffer);
}

/** Alignment of the arrays of a pool, in bytes. */
const POOL_ALIGNMENT = 8;

/**
 * Allocates many arrays on few shared buffers: to send a buffer to a thread takes microseconds, a further view of it almost no
 * time. Arrays are zeroed and live as long as any array of the same buffer is in use.
 */
export class SharedHeap {
  readonly #chunkBytes: number;
  #chunk: ArrayBufferLike;
  #used = 0;

  /** Shares buffers of `chunkBytes` among smaller arrays; larger ones have their own buffer. */
  constructor(chunkBytes: number) {
    this.#chunkBytes = chunkBytes;
    this.#chunk = sharedBuffer(0);
  }

  uint16(length: number): Uint16Array {
    return new Uint16Array(...this.#allocate(2 * length), length);
  }

  uint32(length: number): Uint32Array {
    return new Uint32Array(...this.#allocate(4 * length), length);
  }

  int32(length: number): Int32Array {
    return new Int32Array(...this.#allocate(4 * length), length);
  }

  float64(length: number): Float64Array {
    return new Float64Array(...this.#allocate(8 * length), length);
  }

  #allocate(bytes: number): [buffer: ArrayBufferLike, start: number] {
    if (bytes >= this.#chunkBytes) return [sharedBuffer(bytes), 0];
    if (this.#used + bytes > this.#chunk.byteLength) {
      this.#chunk = sharedBuffer(this.#chunkBytes);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += Math.ceil(bytes / POOL_ALIGNMENT) * POOL_ALIGNMENT;
    return [this.#chunk, start];
  }
}
