import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Executor } from "../../runtime/parallel/executor.js";
import { defineRangeTask, forRanges } from "../../runtime/parallel/for-ranges.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import { type Pausable, runNow } from "../../runtime/parallel/pausable.js";
import type { Run } from "../../runtime/parallel/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { Arena, bytes, bytesOf, i32, Scope } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import {
  BINS_WORD,
  CATEGORICAL_WORD,
  COLUMN_WORDS,
  MAX_TREE_COLUMNS,
  MISSING_WORD,
} from "../../runtime/wasm/wasm-exports.js";
import { type WasmMemory, wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { WasmStructure } from "../../runtime/wasm/wasm-structure.js";

/** Binned columns in WebAssembly memory, as kernels and other threads see them. */
export interface TreeColumnsFields {
  readonly memory: WasmMemory;
  /** The address of the table. */
  readonly table: number;
  readonly rows: number;
  readonly columns: number;
  readonly cells: RowCells;
  /** Whether all categories have bins below 63, apart from the one of missing cells. */
  readonly fewCategories: boolean;
  /** Whether there are columns of categories. */
  readonly hasCategories: boolean;
}

/** The bins that occur in a column. */
export interface ColumnExtent {
  /** The largest bin apart from that of missing cells, plus one. */
  readonly bins: number;
  readonly missing: boolean;
}

/** Where the cells of a row are next to each other: from `pointer` on, rows `stride` bytes apart. */
export interface RowCells {
  readonly pointer: number;
  readonly stride: number;
}

/**
 * Binned columns in WebAssembly memory, where all trees, forests, folds and layers read them: once column after column, for
 * nodes with many rows, and once row after row, for nodes with few and for walks through trees. Kernels reach them through a
 * table, so that the columns of a layer can follow others without copying these. The owner releases them.
 */
export class TreeColumns extends WasmStructure implements TreeColumnsFields {
  readonly table: number;
  readonly rows: number;
  readonly columns: number;
  readonly cells: RowCells;
  readonly fewCategories: boolean;
  readonly hasCategories: boolean;

  /** Columns in an arena, which they release; without it, a view of columns that another object owns. */
  constructor(fields: TreeColumnsFields, arena?: Arena) {
    super(fields.memory, arena);
    this.table = fields.table;
    this.rows = fields.rows;
    this.columns = fields.columns;
    this.cells = fields.cells;
    this.fewCategories = fields.fewCategories;
    this.hasCategories = fields.hasCategories;
  }

  /** Copies columns to WebAssembly memory. */
  static copy(features: BinnedColumns, memory = wasmMemory()): Pausable<TreeColumns> {
    return copyColumns(features, memory);
  }

  /** Copies columns at once, on this thread. */
  static of(features: BinnedColumns, memory = wasmMemory()): TreeColumns {
    return runNow(copyColumns(features, memory));
  }

  /** Appends columns of the same rows. This object stays in use and must not be released first. */
  with(extra: BinnedColumns): Pausable<TreeColumns> {
    if (extra.rows !== this.rows) {
      throw new VouchError(
        "data/malformed",
        `Columns of ${extra.rows} rows cannot be appended to columns of ${this.rows} rows.`,
      );
    }
    return copyColumns(extra, this.memory, this);
  }

  /** The number of bins of each column, up to the largest one that occurs, and whether cells are missing. */
  get extents(): ColumnExtent[] {
    const words = this.memory.i32(this.table, this.columns * COLUMN_WORDS);
    return Array.from({ length: this.columns }, (_, j) => ({
      bins: words[j * COLUMN_WORDS + BINS_WORD],
      missing: words[j * COLUMN_WORDS + MISSING_WORD] !== 0,
    }));
  }

  /** Describes the columns as parts of longer ones, which have more bins. */
  extend(extents: readonly ColumnExtent[]): void {
    const words = this.memory.i32(this.table, this.columns * COLUMN_WORDS);
    for (const [j, { bins, missing }] of extents.entries()) {
      words[j * COLUMN_WORDS + BINS_WORD] = bins;
      words[j * COLUMN_WORDS + MISSING_WORD] = missing ? 1 : 0;
    }
  }

  /** Returns the bins of column j as a view. */
  bins(j: number): Uint8Array {
    return this.memory.u8(this.memory.i32(this.table + 4 * j * COLUMN_WORDS, 1)[0], this.rows);
  }

  /** Tells whether column j has categories. */
  isCategorical(j: number): boolean {
    return this.memory.i32(this.table + 4 * (j * COLUMN_WORDS + CATEGORICAL_WORD), 1)[0] !== 0;
  }
}

/** The bins column after column and row after row, and the table: a row of `cells` has those of the base first. */
function columnsLayout(rows: number, columns: number, stride: number, ofBase: number) {
  return {
    bins: bytes(stride * columns),
    cells: bytes(rowBytes(ofBase + columns) * rows),
    table: i32((ofBase + columns) * COLUMN_WORDS),
  };
}

/** Operations to write a cell twice. */
const WORK_PER_CELL = 2;

/** Copies columns to WebAssembly memory, after those of a base if there is one. */
function* copyColumns(
  features: BinnedColumns,
  memory: WasmMemory,
  base?: TreeColumnsFields,
): Pausable<TreeColumns> {
  const { rows } = features;
  const before = base?.columns ?? 0;
  const columns = before + features.columns;
  checkShape(rows, columns);
  // A line more than needed, so that columns do not all begin at the same place of the cache.
  const stride = alignUp(rows + 1);
  const layout = columnsLayout(rows, features.columns, stride, before);
  using scope = new Scope();
  const arena = scope.hold(Arena.allocate(bytesOf(layout), memory));
  const { bins, cells: rowsOfCells, table } = arena.take(layout);
  const cells = { pointer: rowsOfCells.pointer, stride: rowBytes(columns) };
  if (base) copyBase(base, table.pointer, cells);
  const common = {
    memory,
    bins: features.bins,
    rows,
    columns: features.columns,
    pointer: bins.pointer,
    stride,
    cells: { ...cells, pointer: cells.pointer + before },
  };
  yield* forRanges(
    writeTask,
    { count: rows, work: WORK_PER_CELL * features.columns },
    (begin, end): WriteInput => ({ ...common, begin, end }),
  );
  const { exports } = memory;
  const isCategorical = features.features.map(({ kind }) => kind === "categorical");
  isCategorical.forEach((categorical, j) => {
    const [column, place] = [bins.pointer + j * stride, before + j];
    const cell = cells.pointer + place;
    exports.treeDescribeColumn(table.pointer, place, column, rows, cell, cells.stride, categorical);
  });
  const fields = {
    memory,
    table: table.pointer,
    rows,
    columns,
    cells,
    fewCategories: exports.treeHasFewCategories(table.pointer, columns) !== 0,
    hasCategories: base?.hasCategories || isCategorical.includes(true),
  };
  return new TreeColumns(fields, scope.leave(arena));
}

/** Rows `begin` … `end` − 1 of some columns to write. */
interface WriteInput {
  readonly memory: WasmMemory;
  readonly bins: Uint8Array;
  readonly rows: number;
  readonly begin: number;
  readonly end: number;
  readonly columns: number;
  /** Address of the first column, and bytes from one to the next. */
  readonly pointer: number;
  readonly stride: number;
  /** Where the rows of these columns begin. */
  readonly cells: RowCells;
}

const writeTask = defineRangeTask(
  "tree/write-columns",
  ({ memory, bins, rows, begin, end, columns, pointer, stride, cells }: WriteInput): void => {
    for (let j = 0; j < columns; j++) {
      const column = bins.subarray(j * rows + begin, j * rows + end);
      memory.u8(pointer + j * stride + begin, end - begin).set(column);
    }
    const to = cells.pointer + begin * cells.stride;
    memory.exports.treeWriteRows(pointer + begin, stride, end - begin, columns, to, cells.stride);
  },
);

/** Copies the rows of the first columns to longer rows, and describes these columns. */
function copyBase(
  { memory, rows, columns, table, cells }: TreeColumnsFields,
  to: number,
  longer: RowCells,
): void {
  memory.exports.treeCopyRows(cells.pointer, cells.stride, rows, longer.pointer, longer.stride);
  const words = memory.i32(to, columns * COLUMN_WORDS);
  words.set(memory.i32(table, columns * COLUMN_WORDS));
  for (let j = 0; j < columns; j++) {
    words[j * COLUMN_WORDS + 1] = longer.pointer + j;
    words[j * COLUMN_WORDS + 2] = longer.stride;
  }
}

/** Returns the bytes of a row: whole groups of eight cells. */
export function rowBytes(columns: number): number {
  return Math.ceil(columns / 8) * 8;
}

function checkShape(rows: number, columns: number): void {
  if (rows === 0) throw new VouchError("data/no-rows", "There are no rows to grow trees on.");
  if (columns === 0) throw new VouchError("data/no-features", "There are no features to grow trees on.");
  if (columns > MAX_TREE_COLUMNS) {
    throw new VouchError(
      "data/too-large",
      `Trees take at most ${MAX_TREE_COLUMNS} features, but there are ${columns}.`,
      { hint: "Use fewer features." },
    );
  }
}

/** Returns the run's executor if its threads share the columns, otherwise an executor on this thread. */
export function executorFor({ memory }: Pick<TreeColumns, "memory">, { executor }: Run): Executor {
  return memory.shared ? executor : inlineExecutor();
}

/** Throws unless all row numbers are below `count`: kernels would read other memory. */
export function checkTreeRows(rows: Int32Array, count: number): void {
  for (let i = 0; i < rows.length; i++) {
    if (rows[i] < 0 || rows[i] >= count) throw new RangeError(`There is no row ${rows[i]} among ${count}.`);
  }
}
