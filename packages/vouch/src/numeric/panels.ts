import { ELEMENT_BYTES, PANEL_STEP, PANEL_WIDTH, type Precision } from "./kernels.js";
import type { FloatArray, Matrix } from "./matrix.js";
import type { Block, KernelMemory } from "./memory.js";

/** Matrices are packed through a window of about so many bytes, which stays in the processor's cache. */
const WINDOW_BYTES = 256 * 1024;

/** Vectors of the same length, packed for the products (see `kernels/panels.ts`). */
export interface Panels {
  readonly pointer: number;
  readonly precision: Precision;
  /** Length of the vectors. */
  readonly depth: number;
  /** How many panels there are. */
  readonly count: number;
  readonly block: Block;
}

/** How many panels hold so many vectors. */
export function panelCount(vectors: number, precision: Precision): number {
  return Math.ceil(vectors / PANEL_WIDTH[precision]);
}

/** The precision of a matrix's elements. */
export function precisionOf({ values }: Matrix): Precision {
  return values instanceof Float32Array ? "f32" : "f64";
}

/** Packs the rows of a matrix; `memory.release(panels.block)` gives the memory back. */
export function packRows(matrix: Matrix, precision: Precision, memory: KernelMemory): Panels {
  const { rows, columns } = matrix;
  const pack = precision === "f32" ? memory.kernels.packRows32 : memory.kernels.packRows64;
  const rowBytes = columns * ELEMENT_BYTES[precision];
  return packWith(rows, columns, precision, memory, (panels) =>
    passThroughWindow(matrix, precision, memory, (window, first, count) =>
      pack(window, columns, count, columns, panels + first * rowBytes),
    ),
  );
}

/** Packs the columns of a matrix; `memory.release(panels.block)` gives the memory back. */
export function packColumns(matrix: Matrix, precision: Precision, memory: KernelMemory): Panels {
  const { rows, columns } = matrix;
  const pack = precision === "f32" ? memory.kernels.packColumns32 : memory.kernels.packColumns64;
  return packWith(columns, rows, precision, memory, (panels) =>
    passThroughWindow(matrix, precision, memory, (window, first, count) =>
      pack(window, columns, columns, count, panels + first * PANEL_STEP, rows),
    ),
  );
}

/** Allocates panels and fills them. */
function packWith(
  vectors: number,
  depth: number,
  precision: Precision,
  memory: KernelMemory,
  fill: (panels: number) => void,
): Panels {
  const count = panelCount(vectors, precision);
  const block = memory.allocate(count * depth * PANEL_STEP);
  try {
    fill(block.pointer);
  } catch (error) {
    memory.release(block);
    throw error;
  }
  return { pointer: block.pointer, precision, depth, count, block };
}

/** Copies a few rows at a time, a multiple of the panel width, to kernel memory in the precision asked for. */
function passThroughWindow(
  { rows, columns, values }: Matrix,
  precision: Precision,
  memory: KernelMemory,
  visit: (window: number, firstRow: number, rows: number) => void,
): void {
  const width = PANEL_WIDTH[precision];
  const rowBytes = columns * ELEMENT_BYTES[precision];
  const height = width * Math.max(1, Math.floor(WINDOW_BYTES / (width * Math.max(rowBytes, 1))));
  const block = memory.allocate(Math.min(height, rows) * rowBytes);
  try {
    const window: FloatArray = memory[precision](block.pointer, Math.min(height, rows) * columns);
    for (let first = 0; first < rows; first += height) {
      const last = Math.min(first + height, rows);
      window.set(values.subarray(first * columns, last * columns));
      visit(block.pointer, first, last - first);
    }
  } finally {
    memory.release(block);
  }
}
