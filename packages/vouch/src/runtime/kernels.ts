import { type Kernels, kernelModule, sharedMemoryImport } from "./kernels.generated.js";

export type { Kernels } from "./kernels.generated.js";

/** The element types of kernels. */
export type Precision = "f32" | "f64";

/** Bytes of an element. */
export const ELEMENT_BYTES = { f32: 4, f64: 8 } as const;

/** How many vectors a panel holds. See `kernels/panels.ts` for what panels are. */
export const PANEL_WIDTH = { f32: 8, f64: 4 } as const;

/** Bytes of one step along the depth of a panel: so a panel has depth × PANEL_STEP bytes. */
export const PANEL_STEP = 32;

/** How many values a digit of the radix sort has, and how many digits half a key has. See `kernels/radix.ts`. */
export const DIGIT_VALUES = 2048;
export const DIGITS_PER_HALF = 3;

/** Bytes of a pair of half a key and an index. */
export const PAIR_BYTES = 8;

/** Compiles the kernels for shared memory or for the memory of one thread; takes a few milliseconds. */
export function compileKernels(shared: boolean): WebAssembly.Module {
  const bytes = Uint8Array.from(atob(kernelModule), (character) => character.charCodeAt(0));
  return new WebAssembly.Module(shared ? withSharedMemory(bytes) : bytes);
}

function withSharedMemory(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const { begin, end, bytes } = sharedMemoryImport;
  const patched = new Uint8Array(module.length - (end - begin) + bytes.length);
  patched.set(module.subarray(0, begin));
  patched.set(bytes, begin);
  patched.set(module.subarray(end), begin + bytes.length);
  return patched;
}

/** The kernels working in a memory. Throws when memory and module do not fit together. */
export function instantiateKernels(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernels {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  assertKernels(exports);
  return exports;
}

function assertKernels(exports: object): asserts exports is Kernels {
  if (!("gram32" in exports)) throw new TypeError("This WebAssembly module is not the one with the kernels.");
}
