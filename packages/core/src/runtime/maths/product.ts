import { VouchError } from "../vouch-error.js";
import { ELEMENT_BYTES, PANEL_STEP, PANEL_WIDTH, type Precision } from "../wasm/wasm-exports.js";
import { type Block, type WasmMemory, wasmMemory } from "../wasm/wasm-memory.js";
import { type FloatArray, Matrix } from "./matrix.js";

/** Matrices are packed, and products computed, in windows of this many bytes, which fit in the processor's cache. */
const WINDOW_BYTES = 256 * 1024;

/** Vectors of the same length, packed for the products (see `wasm/panels.ts`). */
export interface Panels {
  readonly pointer: number;
  readonly precision: Precision;
  /** Length of the vectors. */
  readonly depth: number;
  /** Number of panels. */
  readonly count: number;
  readonly block: Block;
}

/** Counts the panels that hold `vectors` vectors. */
function panelCount(vectors: number, precision: Precision): number {
  return Math.ceil(vectors / PANEL_WIDTH[precision]);
}

/** Returns the precision of a matrix's elements. */
export function precisionOf({ values }: Matrix): Precision {
  return values instanceof Float32Array ? "f32" : "f64";
}

/** Maximum part of the depth that kernels sum at a time: see `wasm/product.ts`. */
const DEPTH_BLOCK = 1024;

/** Returns where each part of the depth ends that kernels sum before they add it to the result. */
export function depthBlocks(depth: number): Int32Array {
  const count = Math.ceil(depth / DEPTH_BLOCK);
  return Int32Array.from({ length: count }, (_, block) => Math.floor((depth * (block + 1)) / count));
}

/** Packs the rows of a matrix; free the panels with `memory.release(panels.block)`. */
export function packRows(matrix: Matrix, precision: Precision, memory: WasmMemory): Panels {
  const { rows, columns } = matrix;
  const pack = precision === "f32" ? memory.exports.packRows32 : memory.exports.packRows64;
  const rowBytes = columns * ELEMENT_BYTES[precision];
  return packWith(rows, columns, precision, memory, (panels) =>
    passThroughWindow(matrix, precision, memory, (window, first, count) =>
      pack(window, columns, count, columns, panels + first * rowBytes),
    ),
  );
}

/** Packs the columns of a matrix; free the panels with `memory.release(panels.block)`. */
function packColumns(matrix: Matrix, precision: Precision, memory: WasmMemory): Panels {
  const { rows, columns } = matrix;
  const pack = precision === "f32" ? memory.exports.packColumns32 : memory.exports.packColumns64;
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
  memory: WasmMemory,
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

/** Copies rows to WebAssembly memory in the given precision, a multiple of the panel width at a time. */
function passThroughWindow(
  { rows, columns, values }: Matrix,
  precision: Precision,
  memory: WasmMemory,
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

/** Computes A · B, in double precision unless both are single. */
export function multiply(a: Matrix, b: Matrix): Matrix {
  if (a.columns !== b.rows) throw wrongShapes(a, `${b.rows} × ${b.columns}`);
  return productOf(a, packRows, a.rows, b, packColumns, b.columns);
}

/** Computes A · Bᵀ, the scalar products of the rows of A and B, in double precision unless both are single. */
export function multiplyTransposed(a: Matrix, b: Matrix): Matrix {
  if (a.columns !== b.columns) throw wrongShapes(a, `transposed ${b.rows} × ${b.columns}`);
  return productOf(a, packRows, a.rows, b, packRows, b.rows);
}

/** Computes Aᵀ · B, the scalar products of the columns of A and B, in double precision unless both are single. */
export function transposedMultiply(a: Matrix, b: Matrix): Matrix {
  if (a.rows !== b.rows) throw wrongShapes(a, `${b.rows} × ${b.columns}`, "transposed ");
  return productOf(a, packColumns, a.columns, b, packColumns, b.columns);
}

function productOf(
  a: Matrix,
  packA: typeof packRows,
  rows: number,
  b: Matrix,
  packB: typeof packRows,
  columns: number,
): Matrix {
  const memory = wasmMemory();
  const precision = precisionOf(a) === "f32" && precisionOf(b) === "f32" ? "f32" : "f64";
  const left = packA(a, precision, memory);
  try {
    const right = packB(b, precision, memory);
    try {
      return multiplyPanels(left, right, rows, columns, memory);
    } finally {
      memory.release(right.block);
    }
  } finally {
    memory.release(left.block);
  }
}

/** Multiplies panels, one window of the result at a time, so that WebAssembly memory never holds the whole result. */
function multiplyPanels(a: Panels, b: Panels, rows: number, columns: number, memory: WasmMemory): Matrix {
  const { precision, depth } = a;
  const compute = precision === "f32" ? memory.exports.product32 : memory.exports.product64;
  const values = newArray(precision, rows * columns);
  const rowBytes = Math.max(1, columns * ELEMENT_BYTES[precision]);
  const width = PANEL_WIDTH[precision];
  const panelsAtOnce = Math.max(1, Math.floor(WINDOW_BYTES / (width * rowBytes)));
  const block = memory.allocate(panelsAtOnce * width * rowBytes);
  try {
    for (let first = 0; first < a.count; first += panelsAtOnce) {
      const count = Math.min(panelsAtOnce, a.count - first);
      const firstRow = first * width;
      const windowRows = Math.min(count * width, rows - firstRow);
      const panels = a.pointer + first * depth * PANEL_STEP;
      compute(panels, b.pointer, depth, block.pointer, columns, windowRows, columns, 0, count, false);
      values.set(memory[precision](block.pointer, windowRows * columns), firstRow * columns);
    }
  } finally {
    memory.release(block);
  }
  return new Matrix(rows, columns, values);
}

function newArray(precision: Precision, length: number): FloatArray {
  return precision === "f32" ? new Float32Array(length) : new Float64Array(length);
}

function wrongShapes(a: Matrix, shapeOfB: string, how = ""): VouchError {
  return new VouchError(
    "data/malformed",
    `A ${how}${a.rows} × ${a.columns} matrix cannot be multiplied by a ${shapeOfB} matrix.`,
  );
}
