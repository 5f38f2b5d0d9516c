import { inflate } from "./inflate.js";
import { type Kernels, kernelModule, sharedMemoryImport } from "./kernels.generated.js";

export type { Kernels } from "./kernels.generated.js";

/** Element types of kernels. */
export type Precision = "f32" | "f64";

// The constants below have the same values in the sources of the kernels.

export const ELEMENT_BYTES = { f32: 4, f64: 8 } as const;

/** Vectors per panel. See `kernels/panels.ts`. */
export const PANEL_WIDTH = { f32: 8, f64: 4 } as const;

/** Bytes of one step along the depth of a panel: a panel has depth × PANEL_STEP bytes. */
export const PANEL_STEP = 32;

/** Values of a digit of the radix sort, and digits of half a key. See `kernels/radix.ts`. */
export const DIGIT_VALUES = 2048;
export const DIGITS_PER_HALF = 3;

/** Bytes of a pair of half a key and an index. */
export const PAIR_BYTES = 8;

/** Returns the padded width of a layer of a network: whole vectors and panels. */
export function layerWidth(units: number): number {
  return Math.ceil(units / 8) * 8;
}

/** Bytes that `netUpdate` and `netUpdateAfterLists` need apart from their arguments; `netUpdateOfLists` needs fewer. */
export function updateScratch(rows: number): number {
  return 128 * (rows + 33);
}

/** Columns in a stripe of weights. See `kernels/net-sums.ts`. */
export const STRIPE_COLUMNS = 32;

/** Bytes of an entry of a list of numbers, columns in a part of such a list, and words of a part. See `kernels/net-lists.ts`. */
export const LIST_ENTRY_BYTES = 8;
export const LIST_BLOCK = 256;
export const LIST_PART_WORDS = 2;

/** Words of a column's entry in the table of columns. See `kernels/tree-column.ts`. */
export const COLUMN_WORDS = 6;

/** Features have 21 bits in a node. */
export const MAX_TREE_COLUMNS = 2 ** 21;

/** Classes have 16 bits in a row of a node. */
export const MAX_TREE_CLASSES = 65535;

/** Words of a node, and of a set of categories. See `kernels/tree-node.ts`. */
export const NODE_WORDS = 2;
export const SET_WORDS = 9;

/** Compiles the kernels for shared or unshared memory, which takes a few milliseconds. */
export function compileKernels(shared: boolean): WebAssembly.Module {
  const { size, deflated } = kernelModule;
  const bytes = inflate(fromBase64(deflated), size);
  return new WebAssembly.Module(shared ? withSharedMemory(bytes) : bytes);
}

function fromBase64(text: string): Uint8Array {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

function withSharedMemory(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const { begin, end, bytes } = sharedMemoryImport;
  const patched = new Uint8Array(module.length - (end - begin) + bytes.length);
  patched.set(module.subarray(0, begin));
  patched.set(bytes, begin);
  patched.set(module.subarray(end), begin + bytes.length);
  return patched;
}

/** Instantiates the kernels in a memory. Throws if memory and module do not match. */
export function instantiateKernels(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernels {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  assertKernels(exports);
  return exports;
}

function assertKernels(exports: object): asserts exports is Kernels {
  if (!("gram32" in exports)) throw new TypeError("The WebAssembly module does not hold the kernels.");
}
