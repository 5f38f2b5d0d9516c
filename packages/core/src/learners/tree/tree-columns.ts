import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Executor } from "../../runtime/parallel/executor.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import {
  BINS_WORD,
  CATEGORICAL_WORD,
  COLUMN_WORDS,
  MAX_TREE_COLUMNS,
  MISSING_WORD,
} from "../../runtime/wasm/wasm-exports.js";
import {
  attachWasmMemory,
  type Block,
  type WasmMemory,
  type WasmMemoryHandle,
  wasmMemory,
} from "../../runtime/wasm/wasm-memory.js";
import { type Descriptor, WasmStructure } from "../../runtime/wasm/wasm-structure.js";

interface Parts {
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

/** Tree columns as they are sent to another thread: structured-cloneable. */
export type TreeColumnsDescriptor = Descriptor<Parts>;

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
export class TreeColumns extends WasmStructure<Parts> implements Parts {
  readonly rows: number;
  readonly columns: number;
  readonly table: number;
  readonly cells: RowCells;
  readonly fewCategories: boolean;
  readonly hasCategories: boolean;

  private constructor(memory: WasmMemory, parts: Parts, blocks: Block[]) {
    super(memory, parts, blocks);
    this.rows = parts.rows;
    this.columns = parts.columns;
    this.table = parts.table;
    this.cells = parts.cells;
    this.fewCategories = parts.fewCategories;
    this.hasCategories = parts.hasCategories;
  }

  /** Copies columns to WebAssembly memory. */
  static of(features: BinnedColumns, memory = wasmMemory()): TreeColumns {
    return TreeColumns.#append(layOut(memory, features));
  }

  /** Copies columns to WebAssembly memory on the threads of the run. */
  static async onThreads(features: BinnedColumns, run: Run): Promise<TreeColumns> {
    const layout = layOut(wasmMemory(), features);
    try {
      await writeOnThreads(layout, run);
      return TreeColumns.#from(layout);
    } catch (error) {
      release(layout);
      throw error;
    }
  }

  static #append(layout: Layout): TreeColumns {
    if (layout.base) copyBase(layout.base, layout.table.pointer, layout.cells);
    writeCells(layout.memory, writeInput(layout));
    return TreeColumns.#from(layout);
  }

  static #from(layout: Layout): TreeColumns {
    return new TreeColumns(layout.memory, described(layout), [layout.bins, layout.table]);
  }

  /** Appends columns of the same rows. This object stays in use and must not be released first. */
  with(extra: BinnedColumns): TreeColumns {
    if (extra.rows !== this.rows) {
      throw new VouchError(
        "data/malformed",
        `Columns of ${extra.rows} rows cannot be appended to columns of ${this.rows} rows.`,
      );
    }
    return TreeColumns.#append(layOut(this.memory, extra, this));
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

  /** Attaches to columns that another thread, or this one, has laid out. */
  static attach({ memory, ...parts }: TreeColumnsDescriptor): TreeColumns {
    return new TreeColumns(attachWasmMemory(memory), parts, []);
  }
}

/** Columns whose memory is allocated, but empty. */
interface Layout {
  readonly memory: WasmMemory;
  readonly features: BinnedColumns;
  readonly base: TreeColumns | undefined;
  readonly bins: Block;
  readonly table: Block;
  /** Bytes from one column to the next. */
  readonly stride: number;
  readonly cells: RowCells;
}

function layOut(memory: WasmMemory, features: BinnedColumns, base?: TreeColumns): Layout {
  const { rows } = features;
  const columns = (base?.columns ?? 0) + features.columns;
  checkShape(rows, columns);
  // A line more than needed, so that columns do not all begin at the same place of the cache.
  const stride = alignUp(rows + 1);
  const rowStride = rowBytes(columns);
  const bins = memory.allocate(stride * features.columns + rowStride * rows);
  try {
    const table = memory.allocate(columns * COLUMN_WORDS * 4);
    const cells = { pointer: bins.pointer + stride * features.columns, stride: rowStride };
    return { memory, features, base, bins, table, stride, cells };
  } catch (error) {
    memory.release(bins);
    throw error;
  }
}

function release({ memory, bins, table }: Layout): void {
  memory.release(bins);
  memory.release(table);
}

/** Describes the columns once their cells are written; those of the base come first. */
function described({ memory, features, base, bins, table, stride, cells }: Layout): Parts {
  const { exports } = memory;
  const { rows } = features;
  const before = base?.columns ?? 0;
  const columns = before + features.columns;
  features.features.forEach(({ kind }, j) => {
    const [column, place] = [bins.pointer + j * stride, before + j];
    const cell = cells.pointer + place;
    const categorical = kind === "categorical";
    exports.treeDescribeColumn(table.pointer, place, column, rows, cell, cells.stride, categorical);
  });
  const fewCategories = exports.treeHasFewCategories(table.pointer, columns) !== 0;
  const hasCategories = base?.hasCategories || features.features.some(({ kind }) => kind === "categorical");
  return { table: table.pointer, rows, columns, cells, fewCategories, hasCategories };
}

/** Rows of some columns to write: structured-cloneable. */
interface WriteInput {
  readonly memory: WasmMemoryHandle;
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

/** Writes all cells of a layout: the task of one thread, or the part of one. */
function writeInput({ features, base, bins, stride, cells }: Layout): Omit<WriteInput, "memory"> {
  const { rows, columns } = features;
  const own = { ...cells, pointer: cells.pointer + (base?.columns ?? 0) };
  return {
    bins: features.bins,
    rows,
    begin: 0,
    end: rows,
    columns,
    pointer: bins.pointer,
    stride,
    cells: own,
  };
}

function writeCells(
  memory: WasmMemory,
  { bins, rows, begin, end, columns, pointer, stride, cells }: Omit<WriteInput, "memory">,
): void {
  for (let j = 0; j < columns; j++) {
    memory.u8(pointer + j * stride + begin, end - begin).set(bins.subarray(j * rows + begin, j * rows + end));
  }
  const to = cells.pointer + begin * cells.stride;
  memory.exports.treeWriteRows(pointer + begin, stride, end - begin, columns, to, cells.stride);
}

const writeTask = defineTask("tree/write-columns", ({ memory, ...input }: WriteInput): void => {
  writeCells(attachWasmMemory(memory), input);
});

/** Cells that are written in a millisecond, very roughly; only for estimates of time. */
const CELLS_PER_MILLISECOND = 500_000;

/** Cells of a task. */
const CELLS_PER_TASK = 1 << 19;

async function writeOnThreads(layout: Layout, { executor, signal }: Run): Promise<void> {
  const { memory, features } = layout;
  const { rows, columns } = features;
  const tasks = Math.max(1, Math.min(4 * executor.threads, Math.floor((rows * columns) / CELLS_PER_TASK)));
  if (!memory.shared || executor.threads === 1 || tasks === 1) {
    writeCells(memory, writeInput(layout));
    return;
  }
  const common = {
    ...writeInput(layout),
    memory: memory.handle,
    bins: onSharedMemory(features.bins),
  };
  const start = (task: number) => Math.floor((task * rows) / tasks);
  const inputs = Array.from({ length: tasks }, (_, task) => {
    return { ...common, begin: start(task), end: start(task + 1) };
  });
  await executor.map(writeTask, inputs, {
    ...(signal && { signal }),
    milliseconds: (rows * columns) / CELLS_PER_MILLISECOND,
  });
}

/** Copies the rows of the first columns to longer rows, and describes these columns. */
function copyBase({ memory, rows, columns, table, cells }: TreeColumns, to: number, longer: RowCells): void {
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
