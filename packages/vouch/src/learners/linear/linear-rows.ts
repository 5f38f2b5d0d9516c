import { alignUp } from "../../runtime/heap.js";
import { type FloatArray, Matrix } from "../../runtime/matrix.js";
import { attachKernelMemory, type Block, type KernelMemory, kernelMemory } from "../../runtime/memory.js";
import { type Descriptor, Resident } from "../../runtime/resident.js";
import { type SparseParts, SparseRows } from "../../runtime/sparse-rows.js";
import { inOneGo, type Steps } from "../../runtime/steps.js";
import { VouchError } from "../../runtime/vouch-error.js";

/** Rows are stored sparsely if at most this fraction of the cells is not zero: then they are shorter and faster. */
const SPARSE_BELOW = 0.4;

/** Cells visited between two pauses. */
const CELLS_AT_ONCE = 2 ** 19;

/** Bytes of an offset into the weights. */
const OFFSET = 4;

interface Parts {
  readonly rows: number;
  readonly columns: number;
  /** Values other than zero, or all values of dense rows. */
  readonly entries: number;
  readonly pointer: number;
  /** Address of the places where sparse rows begin; 0 for dense rows. */
  readonly starts: number;
  /** Whether values are f64 instead of f32. */
  readonly wide: boolean;
  /** R² = max ‖x‖². */
  readonly squaredRadius: number;
}

/** Linear rows as sent to another thread: structured-cloneable. */
export type LinearRowsDescriptor = Descriptor<Parts>;

/**
 * The rows of a sample in kernel memory, where threads share them and train machines on any of them (`solveLinearSvm`). They
 * are dense or sparse, whichever is shorter, and in single precision if that loses no digits. The owner releases them.
 */
export class LinearRows extends Resident<Parts> implements Parts {
  readonly rows: number;
  readonly columns: number;
  readonly entries: number;
  readonly pointer: number;
  readonly starts: number;
  readonly wide: boolean;
  readonly squaredRadius: number;

  private constructor(memory: KernelMemory, parts: Parts, blocks: readonly Block[]) {
    super(memory, parts, blocks);
    this.rows = parts.rows;
    this.columns = parts.columns;
    this.entries = parts.entries;
    this.pointer = parts.pointer;
    this.starts = parts.starts;
    this.wide = parts.wide;
    this.squaredRadius = parts.squaredRadius;
  }

  /** Copies features into kernel memory of this thread. */
  static of(features: Matrix | SparseRows, memory = kernelMemory()): LinearRows {
    return inOneGo(LinearRows.inSteps(features, memory));
  }

  /** Copies features with pauses, for large samples. */
  static *inSteps(features: Matrix | SparseRows, memory = kernelMemory()): Steps<LinearRows> {
    const { counts, entries, wide, squaredRadius } = yield* survey(features);
    const { rows, columns } = features;
    const sparse = entries <= SPARSE_BELOW * rows * columns;
    const begins = sparse ? sparseBegins(counts, wide) : denseBegins(rows, columns, wide);
    const startBytes = sparse ? alignUp(4 * (rows + 1)) : 0;
    const block = memory.allocate(startBytes + begins[rows]);
    const pointer = block.pointer + startBytes;
    try {
      if (sparse) memory.i32(block.pointer, rows + 1).set(begins);
      for (const { from, to } of chunksOf(features)) {
        if (sparse)
          writeSparse(sparseChunk(features, from, to), begins.subarray(from), memory, pointer, wide);
        else
          viewOf(memory, wide, pointer + begins[from], (to - from) * columns).set(
            denseChunk(features, from, to).values,
          );
        yield;
      }
    } catch (error) {
      memory.release(block);
      throw error;
    }
    const starts = sparse ? block.pointer : 0;
    const stored = sparse ? entries : rows * columns;
    return new LinearRows(memory, { rows, columns, entries: stored, pointer, starts, wide, squaredRadius }, [
      block,
    ]);
  }

  /** Attaches rows that this or another thread has copied. */
  static attach({ memory, ...parts }: LinearRowsDescriptor): LinearRows {
    return new LinearRows(attachKernelMemory(memory), parts, []);
  }
}

/** Properties of features that decide how they are stored. */
interface Survey {
  /** Non-zero cells of each row. */
  readonly counts: Int32Array;
  readonly entries: number;
  /** Whether some value would change in single precision. */
  readonly wide: boolean;
  readonly squaredRadius: number;
}

function* survey(features: Matrix | SparseRows): Steps<Survey> {
  const counts = new Int32Array(features.rows);
  let entries = 0;
  let squaredRadius = 0;
  let wide = false;
  for (const { from, to } of chunksOf(features)) {
    const { starts, values } = sparseChunk(features, from, to);
    for (let i = from; i < to; i++) {
      const norm = squaredNorm(values, starts[i - from], starts[i - from + 1]);
      if (!(norm < Number.POSITIVE_INFINITY)) throw tooLarge(i);
      if (norm > squaredRadius) squaredRadius = norm;
      counts[i] = starts[i - from + 1] - starts[i - from];
    }
    entries += values.length;
    wide ||= needsDoubles(values);
    yield;
  }
  return { counts, entries, wide, squaredRadius };
}

function squaredNorm(values: FloatArray, begin: number, end: number): number {
  let sum = 0;
  for (let e = begin; e < end; e++) sum += values[e] * values[e];
  return sum;
}

function needsDoubles(values: FloatArray): boolean {
  if (values instanceof Float32Array) return false;
  for (let k = 0; k < values.length; k++) if (Math.fround(values[k]) !== values[k]) return true;
  return false;
}

function tooLarge(row: number): VouchError {
  return new VouchError(
    "data/too-large",
    `The features of row ${row + 1} are so large that the sum of their squares overflows.`,
    { hint: "Scale the features." },
  );
}

/** Divides rows into ranges of a few milliseconds of work. */
function* chunksOf({ rows, columns }: Matrix | SparseRows): Generator<{ from: number; to: number }> {
  const size = Math.max(1, Math.floor(CELLS_AT_ONCE / Math.max(1, columns)));
  for (let from = 0; from < rows; from += size) yield { from, to: Math.min(rows, from + size) };
}

/** Takes some rows, those of sparse rows without a copy. */
function sparseChunk(features: Matrix | SparseRows, from: number, to: number): SparseParts {
  if (!(features instanceof SparseRows)) return SparseRows.fromMatrix(denseChunk(features, from, to));
  const [first, last] = [features.starts[from], features.starts[to]];
  return {
    starts: features.starts.subarray(from, to + 1).map((start) => start - first),
    indices: features.indices.subarray(first, last),
    values: features.values.subarray(first, last),
  };
}

function denseChunk(features: Matrix | SparseRows, from: number, to: number): Matrix {
  if (features instanceof SparseRows) return features.select(range(from, to)).toMatrix();
  const { columns, values } = features;
  return new Matrix(to - from, columns, values.subarray(from * columns, to * columns));
}

function range(from: number, to: number): Int32Array {
  return Int32Array.from({ length: to - from }, (_, i) => from + i);
}

/** Computes where each row begins, and the last one ends, in bytes from the first. */
function denseBegins(rows: number, columns: number, wide: boolean): Float64Array {
  return Float64Array.from({ length: rows + 1 }, (_, i) => i * columns * (wide ? 8 : 4));
}

/** Computes the same for sparse rows, which are offsets, then values. */
function sparseBegins(counts: Int32Array, wide: boolean): Float64Array {
  const begins = new Float64Array(counts.length + 1);
  for (let i = 0; i < counts.length; i++) {
    begins[i + 1] = begins[i] + offsetBytes(counts[i], wide) + counts[i] * (wide ? 8 : 4);
  }
  return begins;
}

/** Returns the bytes of offsets: doubles begin at multiples of 8 bytes. */
function offsetBytes(entries: number, wide: boolean): number {
  return wide ? Math.ceil((OFFSET * entries) / 8) * 8 : OFFSET * entries;
}

function writeSparse(
  { starts, indices, values }: SparseParts,
  begins: Float64Array,
  memory: KernelMemory,
  pointer: number,
  wide: boolean,
): void {
  const rows = starts.length - 1;
  const [first, bytes] = [pointer + begins[0], begins[rows] - begins[0]];
  const valueBytes = wide ? 8 : 4;
  const offsets = memory.i32(first, bytes / OFFSET);
  const numbers = viewOf(memory, wide, first, bytes / valueBytes);
  for (let i = 0; i < rows; i++) {
    const begin = begins[i] - begins[0];
    const firstOffset = begin / OFFSET;
    const firstNumber = (begin + offsetBytes(starts[i + 1] - starts[i], wide)) / valueBytes;
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      offsets[firstOffset + e - starts[i]] = 8 * indices[e];
      numbers[firstNumber + e - starts[i]] = values[e];
    }
  }
}

function viewOf(memory: KernelMemory, wide: boolean, pointer: number, length: number): FloatArray {
  return wide ? memory.f64(pointer, length) : memory.f32(pointer, length);
}
