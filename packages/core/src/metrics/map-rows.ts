import { Arena } from "../runtime/arena.js";
import { ALIGNMENT } from "../runtime/heap.js";
import type { Kernels } from "../runtime/kernels.js";
import type { FloatArray } from "../runtime/matrix.js";
import type { Steps } from "../runtime/steps.js";

/** Numbers that are in kernel memory at a time: they stay in the cache. */
const CELLS_AT_A_TIME = 2 ** 14;

/** Rows in kernel memory. */
export interface RowBlock {
  readonly pointer: number;
  readonly rows: number;
}

/** Numbers that are changed between two pauses: a few milliseconds. */
const CELLS_BETWEEN_PAUSES = 2 ** 17;

/**
 * Copies rows and lets kernels change them in place, a block of rows at a time, with pauses. A block has room for one more number, so that
 * kernels may process pairs. `vectors` are in kernel memory meanwhile; the work gets their addresses.
 */
export function* mapRows(
  cells: FloatArray,
  columns: number,
  vectors: readonly (Float64Array | Int32Array)[],
  work: (kernels: Kernels, block: RowBlock, vectors: readonly number[]) => void,
): Steps<Float64Array> {
  const changed = new Float64Array(cells);
  const length = Math.min(columns * Math.ceil(CELLS_AT_A_TIME / columns), cells.length);
  const bytes = vectors.reduce((sum, { byteLength }) => sum + byteLength + ALIGNMENT, 0);
  const arena = Arena.allocate(8 * (length + 1) + ALIGNMENT + bytes);
  try {
    const { kernels } = arena.memory;
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
      work(kernels, { pointer: block.pointer, rows: part.length / columns }, pointers);
      part.set(view.subarray(0, part.length));
    }
  } finally {
    arena.release();
  }
  return changed;
}
