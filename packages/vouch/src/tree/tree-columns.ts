import type { BinnedColumns } from "../data/binned-columns.js";
import { VouchError } from "../error.js";
import { alignUp } from "../numeric/heap.js";
import { attachKernelMemory, type Block, type KernelMemory, kernelMemory } from "../numeric/memory.js";
import { type Descriptor, Resident } from "../numeric/resident.js";
import { COLUMN_WORDS, MOST_TREE_COLUMNS } from "../numeric/tree-kernels.js";

interface Parts {
  /** The address of the table. */
  readonly table: number;
  readonly rows: number;
  readonly columns: number;
  /** Absent if columns were put behind others: then a row is in several places. */
  readonly cells: RowCells | undefined;
  /** Whether categories have bins below 63 only, the one of missing cells besides. */
  readonly fewCategories: boolean;
}

/** Tree columns as they are sent to another thread: structured-cloneable. */
export type TreeColumnsDescriptor = Descriptor<Parts>;

/** Where the cells of a row are next to each other: from `pointer` on, rows `stride` bytes apart. */
export interface RowCells {
  readonly pointer: number;
  readonly stride: number;
}

/**
 * Binned columns in kernel memory, where all trees, forests, folds and layers read them: once column after column, for
 * nodes with many rows, and once row after row, for nodes with few. Kernels reach them through a table, so that the
 * columns of a layer come behind others without a copy of these. The owner releases them.
 */
export class TreeColumns extends Resident<Parts> implements Parts {
  readonly rows: number;
  readonly columns: number;
  readonly table: number;
  readonly cells: RowCells | undefined;
  readonly fewCategories: boolean;

  private constructor(memory: KernelMemory, parts: Parts, blocks: Block[]) {
    super(memory, parts, blocks);
    this.rows = parts.rows;
    this.columns = parts.columns;
    this.table = parts.table;
    this.cells = parts.cells;
    this.fewCategories = parts.fewCategories;
  }

  /** A copy of the columns in kernel memory. */
  static of(features: BinnedColumns, memory = kernelMemory()): TreeColumns {
    return append(memory, features, undefined, (parts, blocks) => new TreeColumns(memory, parts, blocks));
  }

  /** These columns and further ones of the same rows behind them; these stay where they are, and must not be released first. */
  with(extra: BinnedColumns): TreeColumns {
    if (extra.rows !== this.rows) {
      throw new VouchError(
        "data/malformed",
        `Columns of ${extra.rows} rows do not fit to ${this.rows} rows.`,
      );
    }
    const { memory } = this;
    return append(memory, extra, this, (parts, blocks) => new TreeColumns(memory, parts, blocks));
  }

  /** The columns that another thread, or this one, has laid out. */
  static attach({ memory, ...parts }: TreeColumnsDescriptor): TreeColumns {
    return new TreeColumns(attachKernelMemory(memory), parts, []);
  }
}

function append(
  memory: KernelMemory,
  features: BinnedColumns,
  base: TreeColumns | undefined,
  make: (parts: Parts, blocks: Block[]) => TreeColumns,
): TreeColumns {
  const { rows } = features;
  const before = base?.columns ?? 0;
  const columns = before + features.columns;
  checkShape(rows, columns);
  // A line more than needed, lest all columns begin at the same place of the cache.
  const stride = alignUp(rows + 1);
  const rowStride = rowBytes(features.columns);
  const bins = memory.allocate(stride * features.columns + rowStride * rows);
  try {
    const table = memory.allocate(columns * COLUMN_WORDS * 4);
    const { kernels } = memory;
    const cells = bins.pointer + stride * features.columns;
    if (base) {
      const length = before * COLUMN_WORDS;
      memory.i32(table.pointer, length).set(memory.i32(base.table, length));
    }
    features.features.forEach(({ kind }, j) => {
      const column = bins.pointer + j * stride;
      memory.u8(column, rows).set(features.column(j));
      const categorical = kind === "categorical";
      kernels.treeDescribeColumn(table.pointer, before + j, column, rows, cells + j, rowStride, categorical);
    });
    kernels.treeWriteRows(bins.pointer, stride, rows, features.columns, cells, rowStride);
    const rowCells = base ? undefined : { pointer: cells, stride: rowStride };
    const fewCategories = kernels.treeHasFewCategories(table.pointer, columns) !== 0;
    return make({ table: table.pointer, rows, columns, cells: rowCells, fewCategories }, [bins, table]);
  } catch (error) {
    memory.release(bins);
    throw error;
  }
}

/** Bytes of a row: whole groups of eight cells. */
export function rowBytes(columns: number): number {
  return Math.ceil(columns / 8) * 8;
}

function checkShape(rows: number, columns: number): void {
  if (rows === 0) throw new VouchError("data/no-rows", "There are no rows to grow trees on.");
  if (columns === 0) throw new VouchError("data/no-features", "There are no features to grow trees on.");
  if (columns > MOST_TREE_COLUMNS) {
    throw new VouchError(
      "data/too-large",
      `Trees take ${columns} features, but at most ${MOST_TREE_COLUMNS}.`,
      {
        hint: "Use fewer features.",
      },
    );
  }
}
