import { VouchError } from "../error.js";
import { ELEMENT_BYTES, PANEL_STEP, PANEL_WIDTH, type Precision } from "./kernels.js";
import { type FloatArray, Matrix } from "./matrix.js";
import { type KernelMemory, kernelMemory } from "./memory.js";
import { type Panels, packColumns, packRows, precisionOf } from "./panels.js";

/** The result is computed so many bytes at a time in kernel memory and then copied: it is not held twice. */
const WINDOW_BYTES = 256 * 1024;

/** A · B, in double precision unless both are single. */
export function multiply(a: Matrix, b: Matrix): Matrix {
  if (a.columns !== b.rows) throw wrongShapes(a, `${b.rows} × ${b.columns}`);
  return productOf(a, packRows, a.rows, b, packColumns, b.columns);
}

/** A · Bᵀ: the scalar products of the rows of A with the rows of B, in double precision unless both are single. */
export function multiplyTransposed(a: Matrix, b: Matrix): Matrix {
  if (a.columns !== b.columns) throw wrongShapes(a, `transposed ${b.rows} × ${b.columns}`);
  return productOf(a, packRows, a.rows, b, packRows, b.rows);
}

/** Aᵀ · B: the scalar products of the columns of A with those of B, in double precision unless both are single. */
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
  const memory = kernelMemory();
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

function multiplyPanels(a: Panels, b: Panels, rows: number, columns: number, memory: KernelMemory): Matrix {
  const { precision, depth } = a;
  const compute = precision === "f32" ? memory.kernels.product32 : memory.kernels.product64;
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
    `A ${how}${a.rows} × ${a.columns} matrix cannot be multiplied with a ${shapeOfB} matrix.`,
  );
}
