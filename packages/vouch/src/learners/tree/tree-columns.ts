import type { BinnedColumns } from "../../encode/binned-columns.js";
import { alignUp } from "../../runtime/heap.js";
import { COLUMN_WORDS, MAX_TREE_COLUMNS, NODE_WORDS, SET_WORDS } from "../../runtime/kernels.js";
import { attachKernelMemory, type Block, type KernelMemory, kernelMemory } from "../../runtime/memory.js";
import { type Descriptor, Resident } from "../../runtime/resident.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { CATEGORICAL_PLACE, type TreeArrays } from "./tree-set.js";

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

/** Where the cells of a row are next to each other: from `pointer` on, rows `stride` bytes apart. */
export interface RowCells {
  readonly pointer: number;
  readonly stride: number;
}

/**
 * Binned columns in kernel memory, where all trees, forests, folds and layers read them: once column after column, for
 * nodes with many rows, and once row after row, for nodes with few and for walks through trees. Kernels reach them through a
 * table, so that the columns of a layer can follow others without copying these. The owner releases them.
 */
export class TreeColumns extends Resident<Parts> implements Parts {
  readonly rows: number;
  readonly columns: number;
  readonly table: number;
  readonly cells: RowCells;
  readonly fewCategories: boolean;
  readonly hasCategories: boolean;

  private constructor(memory: KernelMemory, parts: Parts, blocks: Block[]) {
    super(memory, parts, blocks);
    this.rows = parts.rows;
    this.columns = parts.columns;
    this.table = parts.table;
    this.cells = parts.cells;
    this.fewCategories = parts.fewCategories;
    this.hasCategories = parts.hasCategories;
  }

  /** Copies columns to kernel memory. */
  static of(features: BinnedColumns, memory = kernelMemory()): TreeColumns {
    return append(memory, features, undefined, (parts, blocks) => new TreeColumns(memory, parts, blocks));
  }

  /** Appends columns of the same rows. This object stays in use and must not be released first. */
  with(extra: BinnedColumns): TreeColumns {
    if (extra.rows !== this.rows) {
      throw new VouchError(
        "data/malformed",
        `Columns of ${extra.rows} rows cannot be appended to columns of ${this.rows} rows.`,
      );
    }
    const { memory } = this;
    return append(memory, extra, this, (parts, blocks) => new TreeColumns(memory, parts, blocks));
  }

  /** Attaches to columns that another thread, or this one, has laid out. */
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
  // A line more than needed, so that columns do not all begin at the same place of the cache.
  const stride = alignUp(rows + 1);
  const rowStride = rowBytes(columns);
  const bins = memory.allocate(stride * features.columns + rowStride * rows);
  try {
    const table = memory.allocate(columns * COLUMN_WORDS * 4);
    const { kernels } = memory;
    const cells = { pointer: bins.pointer + stride * features.columns, stride: rowStride };
    if (base) copyBase(base, table.pointer, cells);
    features.features.forEach(({ kind }, j) => {
      const column = bins.pointer + j * stride;
      memory.u8(column, rows).set(features.column(j));
      const place = before + j;
      const categorical = kind === "categorical";
      kernels.treeDescribeColumn(
        table.pointer,
        place,
        column,
        rows,
        cells.pointer + place,
        rowStride,
        categorical,
      );
    });
    kernels.treeWriteRows(bins.pointer, stride, rows, features.columns, cells.pointer + before, rowStride);
    const fewCategories = kernels.treeHasFewCategories(table.pointer, columns) !== 0;
    const hasCategories = base?.hasCategories || features.features.some(({ kind }) => kind === "categorical");
    return make({ table: table.pointer, rows, columns, cells, fewCategories, hasCategories }, [bins, table]);
  } catch (error) {
    memory.release(bins);
    throw error;
  }
}

/** Copies the rows of the first columns to longer rows, and describes these columns. */
function copyBase({ memory, rows, columns, table, cells }: TreeColumns, to: number, longer: RowCells): void {
  memory.kernels.treeCopyRows(cells.pointer, cells.stride, rows, longer.pointer, longer.stride);
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

/**
 * Writes the short form of category sets over copied nodes and to two words per split of all trees. If all categories have
 * bins below 63, apart from the one of missing cells, a set needs only two words, which a walk finds directly: a split of
 * categories then holds its left child, as one of a number does, and as all left children are odd, 1, 3, … in each tree,
 * there are as many places for two words as splits. Bit b says whether bin b goes right; the last bit is that of missing
 * cells.
 */
export function writeFewCategories(arrays: TreeArrays, nodes: Int32Array, bits: Int32Array): void {
  const { nodeStarts, setStarts } = arrays;
  for (let tree = 0; tree < nodeStarts.length - 1; tree++) {
    if (setStarts[tree + 1] === setStarts[tree]) continue;
    writeBits(arrays, tree, bits);
    writeLeftChildren(arrays, tree, nodes);
  }
}

/** Counts two words for each split of the trees before one; every split adds two nodes to the root. */
export function wordsOfSplits(nodeStarts: Int32Array, tree: number): number {
  return nodeStarts[tree] - tree;
}

function writeBits({ nodeStarts, sets, setStarts }: TreeArrays, tree: number, bits: Int32Array): void {
  const first = wordsOfSplits(nodeStarts, tree);
  const end = setStarts[tree + 1] * SET_WORDS;
  for (let set = setStarts[tree] * SET_WORDS; set < end; set += SET_WORDS) {
    const left = sets[set];
    bits[first + left - 1] = ~sets[set + 1];
    bits[first + left] = (~sets[set + 2] & 0x7fffffff) | (~sets[set + 8] & 0x80000000);
  }
}

/** Writes left children without branches, which the processor would mispredict half of the time. */
function writeLeftChildren(
  { nodeStarts, sets, setStarts }: TreeArrays,
  tree: number,
  nodes: Int32Array,
): void {
  const first = setStarts[tree] * SET_WORDS;
  const end = nodeStarts[tree + 1] * NODE_WORDS;
  for (let at = nodeStarts[tree] * NODE_WORDS; at < end; at += NODE_WORDS) {
    const word = nodes[at];
    const split = nodes[at + 1];
    // All ones if it is a split of categories: not negative, as leaves are.
    const isSet = -((split >> CATEGORICAL_PLACE) & ~(split >> 31) & 1);
    const left = sets[first + Math.imul(word & isSet, SET_WORDS)];
    nodes[at] = (left & isSet) | (word & ~isSet);
  }
}
