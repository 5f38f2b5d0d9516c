import type { FloatArray } from "../runtime/maths/matrix.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import { Arena } from "../runtime/wasm/arena.js";
import { ALIGNMENT } from "../runtime/wasm/heap.js";
import type { WasmExports } from "../runtime/wasm/wasm-exports.js";

/** Number of values in WebAssembly memory at a time, so that they stay in the cache. */
const CELLS_AT_A_TIME = 2 ** 14;

/** Rows in WebAssembly memory. */
export interface RowBlock {
  readonly pointer: number;
  readonly rows: number;
}

/** Number of values changed between two pauses: a few milliseconds. */
const CELLS_BETWEEN_PAUSES = 2 ** 17;

/**
 * Copies rows and lets kernels change them in place, block by block, with pauses. A block has room for one more number,
 * so that kernels may process pairs. `vectors` are in WebAssembly memory meanwhile; the work gets their addresses.
 */
export function* mapRows(
  cells: FloatArray,
  columns: number,
  vectors: readonly (Float64Array | Int32Array)[],
  work: (exports: WasmExports, block: RowBlock, vectors: readonly number[]) => void,
): Pausable<Float64Array> {
  const changed = new Float64Array(cells);
  const length = Math.min(columns * Math.ceil(CELLS_AT_A_TIME / columns), cells.length);
  const bytes = vectors.reduce((sum, { byteLength }) => sum + byteLength + ALIGNMENT, 0);
  const arena = Arena.allocate(8 * (length + 1) + ALIGNMENT + bytes);
  try {
    const { exports } = arena.memory;
    const block = arena.f64(length + 1);
    const pointers = vectors.map((vector) => {
      const slice = vector instanceof Int32Array ? arena.i32(vector.length) : arena.f64(vector.length);
      slice.view.set(vector);
      return slice.pointer;
    });
    for (let first = 0, paused = 0; first < cells.length; first += length) {
      if (first - paused >= CELLS_BETWEEN_PAUSES) {
        paused = first;
        yield;
      }
      const part = changed.subarray(first, first + length);
      const { view } = block;
      view.set(part);
      work(exports, { pointer: block.pointer, rows: part.length / columns }, pointers);
      part.set(view.subarray(0, part.length));
    }
  } finally {
    arena.release();
  }
  return changed;
}
