import { alignUp } from "../numeric/heap.js";
import type { FloatArray, Matrix } from "../numeric/matrix.js";
import {
  attachKernelMemory,
  type Block,
  type KernelMemory,
  type KernelMemoryHandle,
  kernelMemory,
} from "../numeric/memory.js";
import { SparseRows } from "../numeric/sparse-rows.js";

/** Rows are stored sparsely where at most this part of the cells is not zero: then they are shorter and faster. */
const SPARSE_BELOW = 0.4;

/** Bytes of an offset into the weights. */
const OFFSET = 4;

/** Linear rows as they are sent to another thread: structured-cloneable. */
export interface LinearRowsDescriptor {
  readonly memory: KernelMemoryHandle;
  readonly rows: number;
  readonly columns: number;
  /** Values other than zero, or all values of dense rows. */
  readonly entries: number;
  readonly pointer: number;
  /** Where sparse rows begin; 0 for dense rows. */
  readonly starts: number;
  /** Whether values are f64 and not f32. */
  readonly wide: boolean;
}

/**
 * The rows of a sample in kernel memory, where machines are trained on any of them (`solveLinearSvm`) and where threads
 * share them. They are dense or sparse, whichever is shorter, and in single precision where nothing is lost by it. Its
 * owner releases it.
 */
export class LinearRows {
  readonly memory: KernelMemory;
  readonly rows: number;
  readonly columns: number;
  readonly entries: number;
  readonly pointer: number;
  readonly starts: number;
  readonly wide: boolean;
  readonly #block: Block | undefined;

  private constructor(memory: KernelMemory, parts: Omit<LinearRowsDescriptor, "memory">, block?: Block) {
    this.memory = memory;
    this.rows = parts.rows;
    this.columns = parts.columns;
    this.entries = parts.entries;
    this.pointer = parts.pointer;
    this.starts = parts.starts;
    this.wide = parts.wide;
    this.#block = block;
  }

  /** Copies features, which are finite, into kernel memory of this thread. */
  static of(features: Matrix | SparseRows, memory = kernelMemory()): LinearRows {
    if (features instanceof SparseRows) {
      return isShorterSparse(features, features.entries)
        ? LinearRows.#sparse(features, memory)
        : LinearRows.#dense(features.toMatrix(), memory);
    }
    return isShorterSparse(features, entriesOf(features))
      ? LinearRows.#sparse(SparseRows.fromMatrix(features), memory)
      : LinearRows.#dense(features, memory);
  }

  /** The rows that another thread, or this one, has copied. */
  static attach({ memory, ...parts }: LinearRowsDescriptor): LinearRows {
    return new LinearRows(attachKernelMemory(memory), parts);
  }

  /** What another thread needs to attach the rows. */
  descriptor(): LinearRowsDescriptor {
    const { memory, rows, columns, entries, pointer, starts, wide } = this;
    return { memory: memory.handle, rows, columns, entries, pointer, starts, wide };
  }

  /** Gives the memory back, if this object has allocated it. */
  release(): void {
    if (this.#block) this.memory.release(this.#block);
  }

  [Symbol.dispose](): void {
    this.release();
  }

  static #dense({ rows, columns, values }: Matrix, memory: KernelMemory): LinearRows {
    const wide = needsDoubles(values);
    const block = memory.allocate(values.length * (wide ? 8 : 4));
    const { pointer } = block;
    viewOf(memory, wide, pointer, values.length).set(values);
    return new LinearRows(memory, { rows, columns, entries: values.length, pointer, starts: 0, wide }, block);
  }

  static #sparse(from: SparseRows, memory: KernelMemory): LinearRows {
    const { rows, columns, entries, values } = from;
    const wide = needsDoubles(values);
    const begins = rowStarts(from, wide);
    const block = memory.allocate(alignUp(4 * (rows + 1)) + begins[rows]);
    const starts = block.pointer;
    const pointer = starts + alignUp(4 * (rows + 1));
    memory.i32(starts, rows + 1).set(begins);
    writeEntries(from, begins, memory, pointer, wide);
    return new LinearRows(memory, { rows, columns, entries, pointer, starts, wide }, block);
  }
}

function isShorterSparse({ rows, columns }: { rows: number; columns: number }, entries: number): boolean {
  return entries <= SPARSE_BELOW * rows * columns;
}

function entriesOf({ values }: Matrix): number {
  let count = 0;
  for (let k = 0; k < values.length; k++) if (values[k] !== 0) count++;
  return count;
}

/** Whether some value would be another one in single precision. */
function needsDoubles(values: FloatArray): boolean {
  if (values instanceof Float32Array) return false;
  for (let k = 0; k < values.length; k++) if (Math.fround(values[k]) !== values[k]) return true;
  return false;
}

/** Where each row begins, and the last one ends, in bytes: offsets, then values. */
function rowStarts({ rows, starts }: SparseRows, wide: boolean): Float64Array {
  const begins = new Float64Array(rows + 1);
  for (let i = 0; i < rows; i++) {
    const entries = starts[i + 1] - starts[i];
    begins[i + 1] = begins[i] + paddedOffsets(entries, wide) + entries * (wide ? 8 : 4);
  }
  return begins;
}

/** Doubles begin at multiples of 8 bytes. */
function paddedOffsets(entries: number, wide: boolean): number {
  return wide ? Math.ceil((OFFSET * entries) / 8) * 8 : OFFSET * entries;
}

function writeEntries(
  { rows, starts, indices, values }: SparseRows,
  begins: Float64Array,
  memory: KernelMemory,
  pointer: number,
  wide: boolean,
): void {
  const valueBytes = wide ? 8 : 4;
  const offsets = memory.i32(pointer, begins[rows] / OFFSET);
  const numbers = viewOf(memory, wide, pointer, begins[rows] / valueBytes);
  for (let i = 0; i < rows; i++) {
    const entries = starts[i + 1] - starts[i];
    const firstOffset = begins[i] / OFFSET;
    const firstNumber = (begins[i] + paddedOffsets(entries, wide)) / valueBytes;
    for (let e = 0; e < entries; e++) {
      offsets[firstOffset + e] = 8 * indices[starts[i] + e];
      numbers[firstNumber + e] = values[starts[i] + e];
    }
  }
}

function viewOf(memory: KernelMemory, wide: boolean, pointer: number, length: number): FloatArray {
  return wide ? memory.f64(pointer, length) : memory.f32(pointer, length);
}
