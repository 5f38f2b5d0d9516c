import type { FloatArray } from "./matrix.js";
import { VouchError } from "./vouch-error.js";

/**
 * Allocates zeroed memory on a `SharedArrayBuffer`, so that threads read it without a copy. A browser page without cross-origin
 * isolation has no shared memory and gets an ordinary buffer.
 */
export function sharedBuffer(bytes: number): ArrayBufferLike {
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

/** Allocates shared floats of the given precision. */
export function sharedFloats(length: number, precision: "f32" | "f64"): FloatArray {
  return precision === "f32"
    ? new Float32Array(sharedBuffer(length * 4))
    : new Float64Array(sharedBuffer(length * 8));
}

/** Returns the array itself if it is on shared memory, otherwise a copy that is. */
export function toShared<A extends Uint8Array | Int32Array | FloatArray>(
  array: A,
  allocate: (length: number) => A,
): A {
  if (isShared(array)) return array;
  const copy = allocate(array.length);
  copy.set(array);
  return copy;
}

/** Nothing is shared in a page without cross-origin isolation. */
function isShared({ buffer }: { readonly buffer: ArrayBufferLike }): boolean {
  return typeof SharedArrayBuffer !== "undefined" && buffer instanceof SharedArrayBuffer;
}
