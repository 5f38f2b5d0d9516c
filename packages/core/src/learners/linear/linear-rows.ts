import { featuresFrom, type PlainFeatures, plainFeatures } from "../../encode/sample.js";
import { type FloatArray, Matrix } from "../../runtime/maths/matrix.js";
import { type SparseParts, SparseRows } from "../../runtime/maths/sparse-rows.js";
import { defineRangeTask, forRanges } from "../../runtime/parallel/for-ranges.js";
import type { Pausable } from "../../runtime/parallel/pausable.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { Arena, Scope } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { type WasmMemory, wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type Releasable, WasmStructure } from "../../runtime/wasm/wasm-structure.js";

/** Rows are stored sparsely if at most this fraction of the cells is not zero: then they are shorter and faster. */
const SPARSE_BELOW = 0.4;

/** Operations of surveying or copying a cell. */
const WORK_PER_CELL = 2.5;

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

/** What a task gets of linear rows. */
export interface LinearRowsFields extends Parts {
  readonly memory: WasmMemory;
}

/**
 * The rows of a sample in WebAssembly memory, where threads share them and train machines on any of them (`solveLinearSvm`). They
 * are dense or sparse, whichever is shorter, and in single precision if that loses no digits. The owner releases them.
 */
export class LinearRows extends WasmStructure implements LinearRowsFields {
  readonly rows: number;
  readonly columns: number;
  readonly entries: number;
  readonly pointer: number;
  readonly starts: number;
  readonly wide: boolean;
  readonly squaredRadius: number;

  /** A view of rows that another object owns. */
  constructor(fields: LinearRowsFields, owned?: Releasable) {
    super(fields.memory, owned);
    this.rows = fields.rows;
    this.columns = fields.columns;
    this.entries = fields.entries;
    this.pointer = fields.pointer;
    this.starts = fields.starts;
    this.wide = fields.wide;
    this.squaredRadius = fields.squaredRadius;
  }
}

/** Copies features into WebAssembly memory of this thread, as pausable work on ranges of rows. The caller releases the rows. */
export function* loadLinearRows(
  features: Matrix | SparseRows,
  memory: WasmMemory = wasmMemory(),
): Pausable<LinearRows> {
  const { rows, columns, values } = features;
  const plain = plainFeatures(features);
  // To share numbers first would take as long as to copy them here: threads help only if they share the numbers.
  const division = { count: rows, work: WORK_PER_CELL * columns, output: values };
  const surveys = yield* forRanges(surveyTask, division, (from, to) => ({ features: plain, from, to }));
  using scope = new Scope();
  const target = scope.hold(allocateRows(rows, columns, surveys, memory));
  yield* forRanges(writeTask, division, (from, to) => ({ features: plain, from, to, target }));
  return scope.leave(target);
}

interface RangeInput {
  readonly features: PlainFeatures;
  readonly from: number;
  readonly to: number;
}

const surveyTask = defineRangeTask(
  "linear/survey-rows",
  ({ features, from, to }: RangeInput): RowSurvey => surveyRows(linearFeatures(features), from, to),
);

const writeTask = defineRangeTask(
  "linear/write-rows",
  ({ features, from, to, target }: RangeInput & { readonly target: LinearRowsFields }): void =>
    writeRows(linearFeatures(features), target, from, to),
);

function linearFeatures(plain: PlainFeatures): Matrix | SparseRows {
  const features = featuresFrom(plain);
  if (features instanceof Matrix || features instanceof SparseRows) return features;
  throw new TypeError("Linear rows are made from a matrix or from sparse rows.");
}

/** Allocates memory for features that were surveyed in ranges. */
function allocateRows(
  rows: number,
  columns: number,
  surveys: readonly RowSurvey[],
  memory: WasmMemory,
): LinearRows {
  const stored = surveys.reduce((sum, { entries }) => sum + entries, 0);
  const squaredRadius = surveys.reduce((most, survey) => Math.max(most, survey.squaredRadius), 0);
  const wide = surveys.some((survey) => survey.wide);
  const sparse = stored <= SPARSE_BELOW * rows * columns;
  const begins = sparse ? sparseBegins(surveys, rows, wide) : undefined;
  const bytes = begins ? begins[rows] : rows * columns * valueBytes(wide);
  const startBytes = begins ? alignUp(4 * (rows + 1)) : 0;
  const arena = Arena.allocate(startBytes + bytes, memory);
  if (begins) memory.i32(arena.pointer, rows + 1).set(begins);
  return new LinearRows(
    {
      memory,
      rows,
      columns,
      entries: begins ? stored : rows * columns,
      pointer: arena.pointer + startBytes,
      starts: begins ? arena.pointer : 0,
      wide,
      squaredRadius,
    },
    arena,
  );
}

/** Writes some rows of the features, which any thread may do. */
function writeRows(
  features: Matrix | SparseRows,
  { memory, pointer, columns, wide, starts }: LinearRowsFields,
  from: number,
  to: number,
): void {
  if (starts === 0) {
    const first = pointer + from * columns * valueBytes(wide);
    viewOf(memory, wide, first, (to - from) * columns).set(denseChunk(features, from, to).values);
  } else {
    const begins = memory.i32(starts + 4 * from, to - from + 1);
    writeSparse(sparseChunk(features, from, to), begins, memory, pointer, wide);
  }
}

/** Properties of a range of rows that decide how they are stored. */
interface RowSurvey {
  /** Non-zero cells of each row. */
  readonly counts: Int32Array;
  readonly entries: number;
  /** Whether some value would change in single precision. */
  readonly wide: boolean;
  readonly squaredRadius: number;
}

/** Surveys rows `from` … `to` − 1. */
function surveyRows(features: Matrix | SparseRows, from: number, to: number): RowSurvey {
  const counts = new Int32Array(to - from);
  const { values } = features;
  const begin = features instanceof SparseRows ? features.starts[from] : from * features.columns;
  let squaredRadius = 0;
  let entries = 0;
  let end = begin;
  for (let i = from; i < to; i++) {
    const start = end;
    end = features instanceof SparseRows ? features.starts[i + 1] : start + features.columns;
    const norm = squaredNorm(values, start, end);
    if (!(norm < Number.POSITIVE_INFINITY)) throw tooLarge(i);
    if (norm > squaredRadius) squaredRadius = norm;
    counts[i - from] = features instanceof SparseRows ? end - start : nonZeros(values, start, end);
    entries += counts[i - from];
  }
  return { counts, entries, wide: needsDoubles(values.subarray(begin, end)), squaredRadius };
}

function nonZeros(values: FloatArray, begin: number, end: number): number {
  let count = 0;
  for (let e = begin; e < end; e++) if (values[e] !== 0) count++;
  return count;
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

function valueBytes(wide: boolean): number {
  return wide ? 8 : 4;
}

/** Computes where each sparse row begins, and the last one ends, in bytes from the first: they are offsets, then values. */
function sparseBegins(surveys: readonly RowSurvey[], rows: number, wide: boolean): Float64Array {
  const begins = new Float64Array(rows + 1);
  let i = 0;
  for (const { counts } of surveys) {
    for (const count of counts) {
      begins[i + 1] = begins[i] + offsetBytes(count, wide) + count * valueBytes(wide);
      i++;
    }
  }
  return begins;
}

/** Returns the bytes of offsets: doubles begin at multiples of 8 bytes. */
function offsetBytes(entries: number, wide: boolean): number {
  return wide ? Math.ceil((OFFSET * entries) / 8) * 8 : OFFSET * entries;
}

function writeSparse(
  { starts, indices, values }: SparseParts,
  begins: Int32Array,
  memory: WasmMemory,
  pointer: number,
  wide: boolean,
): void {
  const rows = starts.length - 1;
  const [first, bytes] = [pointer + begins[0], begins[rows] - begins[0]];
  const offsets = memory.i32(first, bytes / OFFSET);
  const numbers = viewOf(memory, wide, first, bytes / valueBytes(wide));
  for (let i = 0; i < rows; i++) {
    const begin = begins[i] - begins[0];
    const firstOffset = begin / OFFSET;
    const firstNumber = (begin + offsetBytes(starts[i + 1] - starts[i], wide)) / valueBytes(wide);
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      offsets[firstOffset + e - starts[i]] = 8 * indices[e];
      numbers[firstNumber + e - starts[i]] = values[e];
    }
  }
}

function viewOf(memory: WasmMemory, wide: boolean, pointer: number, length: number): FloatArray {
  return wide ? memory.f64(pointer, length) : memory.f32(pointer, length);
}
