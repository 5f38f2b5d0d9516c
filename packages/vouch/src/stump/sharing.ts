import { sharedFloats } from "../data/shared-array.js";
import type { Run } from "../learning/run.js";
import type { FloatArray } from "../numeric/matrix.js";
import type { Executor } from "../parallel/executor.js";
import { inlineExecutor } from "../parallel/inline.js";

/** The executor of a run where its threads can share memory, otherwise this thread: copies would cost too much. */
export function sharingExecutor({ executor }: Run): Executor {
  return typeof SharedArrayBuffer === "undefined" || executor.threads === 1 ? inlineExecutor() : executor;
}

/** Whether threads share these numbers, instead of getting a copy each. */
export function isShared({ buffer }: FloatArray): boolean {
  return !(buffer instanceof ArrayBuffer);
}

/** The same numbers where threads share them: the array itself if it is there already, otherwise a copy. */
export function onSharedMemory(values: Float64Array): Float64Array;
export function onSharedMemory(values: FloatArray): FloatArray;
export function onSharedMemory(values: FloatArray): FloatArray {
  if (isShared(values)) return values;
  const copy = sharedFloats(values.length, values instanceof Float32Array ? "f32" : "f64");
  copy.set(values);
  return copy;
}
