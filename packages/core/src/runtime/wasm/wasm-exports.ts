import { inflate } from "./inflate.js";
import { PANEL_STEP, sharedMemoryImport, type WasmExports, wasmModule } from "./wasm.generated.js";

export {
  BINS_WORD,
  BOOSTED_BYTES,
  BOOSTED_LEVEL_WORD,
  BOOSTED_WORKER_BYTES,
  CALIBRATION_BYTES,
  CATEGORICAL,
  CATEGORICAL_WORD,
  COLUMN_WORDS,
  DIGIT_VALUES,
  DIGITS_PER_HALF,
  FEATURE_BYTES,
  FEATURE_SHIFT,
  GIVEN_DRAWS,
  GROWER_BYTES,
  GROWN_TREE,
  KERNEL_ROW_SCRATCH,
  LINEAR_BYTES,
  LINEAR_ENTRY_BYTES,
  LIST_BLOCK,
  LIST_ENTRY_BYTES,
  LIST_PART_WORDS,
  LOGISTIC_BYTES,
  MISSING_WORD,
  MOST_CELLS,
  MOST_PACKED,
  NODE_WORDS,
  OWNER_WORDS,
  PAIR_BYTES,
  PANEL_STEP,
  PART_WORDS,
  PLAN_WORDS,
  ROW_CACHE_BYTES,
  ROW_CACHE_USED_WORD,
  RULE_WORDS,
  SET_WORDS,
  SHIFT_PLACE,
  SMO_BETA_WORD,
  SMO_BYTES,
  SMO_GRADIENT_WORD,
  SMO_ITERATIONS_WORD,
  SMO_VECTOR_BYTES,
  SPARSE_SAMPLE_BYTES,
  SPLIT_BYTES,
  STRIPE_COLUMNS,
  SUMS_ENTRY_BYTES,
  SUMS_USE_BYTES,
  VOTE_LOSS_UNITS,
  WALKER_BYTES,
  type WasmExports,
} from "./wasm.generated.js";

/** Element types of kernels. */
export type Precision = "f32" | "f64";

export const ELEMENT_BYTES = { f32: 4, f64: 8 } as const;

/** Vectors per panel: the elements of a step. */
export const PANEL_WIDTH = { f32: PANEL_STEP / 4, f64: PANEL_STEP / 8 } as const;

/** Returns the padded width of a layer of a network: whole vectors and panels. */
export function layerWidth(units: number): number {
  return Math.ceil(units / 8) * 8;
}

/** Bytes that `netUpdate` and `netUpdateSparseThenDense` need apart from their arguments; `netUpdateOfLists` needs fewer. */
export function updateScratch(rows: number): number {
  return 128 * (rows + 33);
}

/** Features have 21 bits in a node. */
export const MAX_TREE_COLUMNS = 2 ** 21;

/** Classes have 16 bits in a row of a node. */
export const MAX_TREE_CLASSES = 65535;

/** Compiles the kernels for shared or unshared memory, which takes a few milliseconds. */
export function compileWasm(shared: boolean): WebAssembly.Module {
  const { size, deflated } = wasmModule;
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
export function instantiateWasm(module: WebAssembly.Module, memory: WebAssembly.Memory): WasmExports {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  assertExports(exports);
  return exports;
}

function assertExports(exports: object): asserts exports is WasmExports {
  if (!("gram32" in exports)) throw new TypeError("The WebAssembly module does not hold the kernels.");
}
