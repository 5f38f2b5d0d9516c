import type { FloatArray } from "./matrix.js";
import { VouchError } from "./vouch-error.js";

/**
 * Zeroed memory for large results, on a `SharedArrayBuffer` where the platform has one, so that threads read
 * it without a copy; on an ordinary buffer otherwise (a browser page without cross-origin isolation).
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

/** Shared bytes. */
export function sharedBytes(length: number): Uint8Array {
  return new Uint8Array(sharedBuffer(length));
}

/** Shared floats of the given precision. */
export function sharedFloats(length: number, precision: "f32" | "f64"): FloatArray {
  return precision === "f32"
    ? new Float32Array(sharedBuffer(length * 4))
    : new Float64Array(sharedBuffer(length * 8));
}
