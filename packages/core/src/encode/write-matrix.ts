import { type FloatArray, Matrix } from "../runtime/maths/matrix.js";
import { inParallel, type Pausable } from "../runtime/parallel/pausable.js";
import { isShared, sharedFloats } from "../runtime/parallel/shared-array.js";
import { definePureTask } from "../runtime/parallel/task.js";
import { type CellSource, cellsFrom, codeSource, numberSource, sharedSource } from "../table/column-cells.js";
import { copiedCodes, type ReadableCells } from "../table/selected-values.js";
import { doublesOf, notFinite } from "../table/value-blocks.js";
import type { NumericEncoding } from "./encoder.js";
import type { FlagCells, NumberCells } from "./encoding-steps.js";
import type { ColumnCells } from "./numeric-cells.js";

/** Rows that are transposed at a time; their cells stay in the cache, however many columns there are. */
const BLOCK_ROWS = 256;
/** Cells that one task writes: a few milliseconds of work. */
const CELLS_PER_TASK = 2 ** 19;
/** Many tasks would take long to send. */
const MOST_TASKS = 64;
/** Milliseconds that a cell takes, about. */
const MILLISECONDS_PER_CELL = 6e-6;

/** A table that is being encoded. */
export interface EncodedRows {
  readonly name: string;
  readonly rows: number;
  /** The features of its columns. */
  readonly cells: readonly ColumnCells[];
  /** Number of features. */
  readonly width: number;
}

/** Writes features row by row, on threads if there are many cells. Throws on an infinite cell. */
export function* writeMatrix(
  { name, rows, cells, width }: EncodedRows,
  precision: NonNullable<NumericEncoding["precision"]>,
): Pausable<Matrix> {
  const values = sharedFloats(rows * width, precision);
  const columns = cells.map(({ column, numbers, flags }) => {
    const isText = column.kind === "categorical";
    return { isText, source: isText ? codeSource(column) : numberSource(column), numbers, flags };
  });
  const dense = columns.flatMap(({ source, ...rest }) => (source ? [{ ...rest, source }] : []));
  const ranges = rangesOf(rows, width);
  let infinite: readonly (InfiniteCell | undefined)[] = [];
  if (dense.length === columns.length) {
    const inputs = ranges.map(([begin, end]) => ({ columns: dense, begin, end, values, width }));
    infinite = yield* inParallel(matrixTask, inputs, {
      milliseconds: isShared(values) ? rows * width * MILLISECONDS_PER_CELL : 0,
      share: (input) => ({ ...input, columns: input.columns.map(onSharedMemory) }),
    });
  } else {
    const readable = cells.map(({ column, numbers, flags }) => {
      const isText = column.kind === "categorical";
      return { isText, cells: isText ? column.codes : column.values, numbers, flags };
    });
    for (const [begin, end] of ranges) {
      infinite = [...infinite, writeRows(readable, { begin, end, values, width })];
      yield;
    }
  }
  const first = infinite.find((cell) => cell !== undefined);
  if (!first) return new Matrix(rows, width, values);
  const { column } = cells[first.column];
  throw column.kind === "numeric" ? notFinite(name, column, first.row) : new TypeError("Codes are finite.");
}

/** Divides rows into ranges of whole blocks. */
function rangesOf(rows: number, width: number): [begin: number, end: number][] {
  const wanted = Math.max(CELLS_PER_TASK / Math.max(1, width), rows / MOST_TASKS);
  const step = BLOCK_ROWS * Math.max(1, Math.ceil(wanted / BLOCK_ROWS));
  return Array.from({ length: Math.ceil(rows / step) }, (_, k) => [k * step, Math.min(rows, (k + 1) * step)]);
}

/** How the cells of a column become features. */
interface FeatureCells extends Pick<ColumnCells, "numbers" | "flags"> {
  /** Whether the cells are codes. */
  readonly isText: boolean;
}

type SentColumn = FeatureCells & { readonly source: CellSource };

function onSharedMemory(column: SentColumn): SentColumn {
  return { ...column, source: sharedSource(column.source) };
}

/** Rows `begin` … `end` − 1 of the matrix. */
interface MatrixRows {
  readonly begin: number;
  readonly end: number;
  readonly values: FloatArray;
  readonly width: number;
}

/** The place of an infinite cell: an index of the columns, and a row. */
interface InfiniteCell {
  readonly column: number;
  readonly row: number;
}

const matrixTask = definePureTask(
  "encode/write-matrix",
  ({ columns, ...rows }: MatrixRows & { readonly columns: readonly SentColumn[] }) =>
    writeRows(
      columns.map(({ source, ...column }) => ({ ...column, cells: cellsFrom(source) })),
      rows,
    ),
);

/** Writes some rows; returns the place of the first infinite cell, if there is one. */
function writeRows(
  columns: readonly (FeatureCells & { readonly cells: ReadableCells })[],
  { begin, end, values, width }: MatrixRows,
): InfiniteCell | undefined {
  const scratch = new Float64Array(BLOCK_ROWS);
  const codes = new Int32Array(BLOCK_ROWS);
  for (let start = begin; start < end; start += BLOCK_ROWS) {
    const stop = Math.min(start + BLOCK_ROWS, end);
    for (const [j, { isText, cells, numbers, flags }] of columns.entries()) {
      if (isText) {
        const own = copiedCodes(cells, start, stop, codes);
        for (const flag of flags) writeLevelFlags(own, flag, values, start * width, width);
        continue;
      }
      const block = doublesOf(cells, start, stop, scratch);
      for (const number of numbers) {
        const infinite = writeNumbers(block, number, values, start * width, width);
        if (infinite >= 0) return { column: j, row: start + infinite };
      }
      for (const flag of flags) writeMissingFlags(block, flag, values, start * width, width);
    }
  }
  return undefined;
}

/** Writes the numbers of a block, the hot loop; returns the index of its first infinite cell, or −1. */
function writeNumbers(
  block: Float64Array,
  { offset, scale, shift, factor, fill, limit }: NumberCells,
  values: FloatArray,
  start: number,
  width: number,
): number {
  for (let i = 0, at = start + offset; i < block.length; i++, at += width) {
    const x = block[i];
    const value = (x * scale - shift) * factor;
    if (value <= limit && value >= -limit) values[at] = value;
    else if (Number.isNaN(x)) values[at] = fill;
    else if (Math.abs(x) === Number.POSITIVE_INFINITY) return i;
    else values[at] = value > 0 ? limit : -limit;
  }
  return -1;
}

function writeMissingFlags(
  block: Float64Array,
  { offset, on, off }: FlagCells,
  values: FloatArray,
  start: number,
  width: number,
): void {
  for (let i = 0, at = start + offset; i < block.length; i++, at += width) {
    values[at] = Number.isNaN(block[i]) ? on : off;
  }
}

function writeLevelFlags(
  codes: Int32Array,
  { offset, code, on, off, neutral }: FlagCells,
  values: FloatArray,
  start: number,
  width: number,
): void {
  for (let i = 0, at = start + offset; i < codes.length; i++, at += width) {
    values[at] = codes[i] === code ? on : codes[i] < 0 ? neutral : off;
  }
}
