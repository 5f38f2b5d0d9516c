import type { BoostedKernels } from "./boosted-kernels.js";
import { ownMemoryModule, sharedMemoryModule } from "./kernels.generated.js";
import type { LinearKernels } from "./linear-kernels.js";
import type { NetKernels } from "./net-kernels.js";
import type { SvmKernels } from "./svm-kernels.js";
import type { TreeKernels } from "./tree-kernels.js";

/** The element types of kernels. */
export type Precision = "f32" | "f64";

/** Bytes of an element. */
export const ELEMENT_BYTES = { f32: 4, f64: 8 } as const;

/** How many vectors a panel holds. See `kernels/panels.ts` for what panels are. */
export const PANEL_WIDTH = { f32: 8, f64: 4 } as const;

/** Bytes of one step along the depth of a panel: so a panel has depth × PANEL_STEP bytes. */
export const PANEL_STEP = 32;

/** Packs rows, which lie `stride` elements apart, into panels. */
type PackRows = (matrix: number, stride: number, rows: number, depth: number, panels: number) => void;

/** Packs columns of `depth` rows, which lie `stride` elements apart, into panels of `panelDepth` steps. */
type PackColumns = (
  matrix: number,
  stride: number,
  columns: number,
  depth: number,
  panels: number,
  panelDepth: number,
) => void;

/** C = A · Bᵀ, or C + A · Bᵀ, of packed matrices, in the rows of the panels [begin, end) of A. */
type Product = (
  a: number,
  b: number,
  depth: number,
  c: number,
  stride: number,
  rows: number,
  columns: number,
  begin: number,
  end: number,
  accumulate: boolean,
) => void;

/** The Gram matrix of packed rows, as far as the panels [begin, end) determine it. */
type Gram = (
  panels: number,
  depth: number,
  gram: number,
  stride: number,
  rows: number,
  begin: number,
  end: number,
) => void;

/** The scalar product of two vectors. */
type Dot = (x: number, y: number, length: number) => number;

/** y ← y + alpha · x. */
type Axpy = (alpha: number, x: number, y: number, length: number) => void;

/** How many values a digit of the radix sort has, and how many digits half a key has. See `kernels/radix.ts`. */
export const DIGIT_VALUES = 2048;
export const DIGITS_PER_HALF = 3;

/** Bytes of a pair of half a key and an index. */
export const PAIR_BYTES = 8;

/** The steps of the radix sort, each on `length` doubles or pairs. */
interface RadixKernels {
  readonly splitKeys: (values: number, first: number, length: number, pairs: number, highs: number) => void;
  readonly countDigits: (pairs: number, length: number, counts: number) => void;
  readonly moveByDigit: (pairs: number, length: number, digit: number, places: number, to: number) => void;
  readonly fetchHighs: (pairs: number, length: number, highs: number) => void;
  readonly takeIndices: (pairs: number, length: number, indices: number) => void;
}

/**
 * The functions of the modules that are compiled from `kernels/`, which document them. Matrices, panels and vectors
 * are pointers into kernel memory, strides count elements.
 */
export interface Kernels
  extends RadixKernels,
    SvmKernels,
    LinearKernels,
    TreeKernels,
    BoostedKernels,
    NetKernels {
  readonly packRows32: PackRows;
  readonly packRows64: PackRows;
  readonly packColumns32: PackColumns;
  readonly packColumns64: PackColumns;
  readonly product32: Product;
  readonly product64: Product;
  readonly gram32: Gram;
  readonly gram64: Gram;
  readonly dot32: Dot;
  readonly dot64: Dot;
  readonly axpy32: Axpy;
  readonly axpy64: Axpy;
}

/** Compiles the kernels for shared memory or for memory of one thread. They are small: 5 kB, a millisecond. */
export function compileKernels(shared: boolean): WebAssembly.Module {
  const characters = atob(shared ? sharedMemoryModule : ownMemoryModule);
  return new WebAssembly.Module(Uint8Array.from(characters, (character) => character.charCodeAt(0)));
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
