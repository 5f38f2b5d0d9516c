import { inParallel, type Pausable } from "../runtime/parallel/pausable.js";
import { isShared } from "../runtime/parallel/shared-array.js";
import { definePureTask } from "../runtime/parallel/task.js";
import type { NumericColumn, NumericValues } from "../table/column.js";
import {
  type CellSource,
  cellsFrom,
  numberSource,
  sharedSource,
  sourceLength,
} from "../table/column-cells.js";
import { CutSearch } from "../table/cut-search.js";
import { SelectedValues } from "../table/selected-values.js";
import { SparseValues } from "../table/sparse-cells.js";
import { BLOCK_ROWS, doublesOf, notFinite } from "../table/value-blocks.js";
import { MISSING_BIN } from "./binned-columns.js";

/** With fewer rows, a lookup table takes longer to prepare than it saves. */
const MIN_ROWS_FOR_TABLE = 1024;

/** Rows of a column that one task bins. */
const ROWS_PER_TASK = 2 ** 18;

/** Milliseconds that the bin of a cell takes, about. */
const MILLISECONDS_PER_CELL = 8e-6;

/** A column of numbers to bin. */
export interface NumbersToBin {
  readonly column: NumericColumn;
  /** Ascending. */
  readonly cuts: Float64Array;
  /** Where the bin of each cell goes. */
  readonly bins: Uint8Array;
}

/**
 * Writes the bin of every cell: the number of cuts below it, so that bin b is (cuts[b−1], cuts[b]]. NaN gets the bin of missing
 * cells. Throws on an infinite cell.
 */
export function writeNumberBins(table: string, { column, cuts, bins }: NumbersToBin): void {
  const { values } = column;
  if (values instanceof SparseValues) {
    writeSparseBins(table, column, values, cuts, bins);
    return;
  }
  const infinite = binCells(values, cuts, { begin: 0, end: values.length, bins });
  if (infinite >= 0) throw notFinite(table, column, infinite);
}

/** Fewer rows are binned at once: preparing a search, or a task, would take longer. */
const FEW_ROWS = 16;

/** Writes the bins of a few rows by a binary search in the cuts. */
function writeFewBins(table: string, column: NumericColumn, values: Float64Array, to: NumbersToBin): void {
  const { cuts, bins } = to;
  for (let row = 0; row < values.length; row++) {
    const x = values[row];
    if (x - x !== 0) {
      if (!Number.isNaN(x)) throw notFinite(table, column, row);
      bins[row] = MISSING_BIN;
      continue;
    }
    let low = 0;
    let high = cuts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (cuts[middle] < x) low = middle + 1;
      else high = middle;
    }
    bins[row] = low;
  }
}

/** Writes the bins of several columns, on threads if there are many cells. */
export function* writeBinsOf(table: string, columns: readonly NumbersToBin[]): Pausable<void> {
  const inputs: (BinsInput & { readonly column: NumericColumn })[] = [];
  let cells = 0;
  for (const each of columns) {
    const { column, cuts, bins } = each;
    if (column.values instanceof Float64Array && column.values.length <= FEW_ROWS) {
      writeFewBins(table, column, column.values, each);
      continue;
    }
    const source = numberSource(column);
    if (!source) {
      writeNumberBins(table, { column, cuts, bins });
      yield;
      continue;
    }
    const rows = sourceLength(source);
    cells += rows;
    for (let begin = 0; begin < rows; begin += ROWS_PER_TASK) {
      inputs.push({ column, source, cuts, bins, begin, end: Math.min(rows, begin + ROWS_PER_TASK) });
    }
  }
  const infinite = yield* inParallel(
    binsTask,
    inputs.map(({ column: _, ...input }) => input),
    {
      milliseconds: columns.every(({ bins }) => isShared(bins)) ? cells * MILLISECONDS_PER_CELL : 0,
      share: (input) => ({ ...input, source: sharedSource(input.source) }),
    },
  );
  const first = infinite.findIndex((row) => row >= 0);
  if (first >= 0) throw notFinite(table, inputs[first].column, infinite[first]);
}

/** Some rows of a column. */
interface BinsInput extends RowsToBin {
  readonly source: CellSource;
  readonly cuts: Float64Array;
}

interface RowsToBin {
  readonly begin: number;
  readonly end: number;
  readonly bins: Uint8Array;
}

const binsTask = definePureTask("encode/write-bins", ({ source, cuts, ...rows }: BinsInput) =>
  binCells(cellsFrom(source), cuts, rows),
);

/** Bins some rows of a column; returns the first row with an infinite cell, or −1. */
function binCells(
  values: NumericValues | SelectedValues,
  cuts: Float64Array,
  { begin, end, bins }: RowsToBin,
): number {
  const search = new CutSearch(cuts, end - begin < MIN_ROWS_FOR_TABLE ? 1 : 8 * cuts.length + 1);
  const { cells, rows } = values instanceof SelectedValues ? values : { cells: values };
  if ((cells instanceof Uint8Array || cells instanceof Int8Array) && end - begin >= MIN_ROWS_FOR_TABLE) {
    const lowest = cells instanceof Int8Array ? -128 : 0;
    const binOf = Uint8Array.from({ length: 256 }, (_, i) => search.cutsBelow(lowest + i));
    for (let i = begin; i < end; i++) bins[i] = binOf[cells[rows ? rows[i] : i] - lowest];
    return -1;
  }
  const scratch = new Float64Array(Math.min(BLOCK_ROWS, end - begin));
  for (let start = begin; start < end; start += BLOCK_ROWS) {
    const block = doublesOf(values, start, Math.min(start + BLOCK_ROWS, end), scratch);
    const infinite = binBlock(block, search, bins, start);
    if (infinite >= 0) return start + infinite;
  }
  return -1;
}

/** Writes the bin of 0 for all cells, and then the bins of those that are kept. */
function writeSparseBins(
  table: string,
  column: NumericColumn,
  { rows, values, first, last, entries }: SparseValues,
  cuts: Float64Array,
  bins: Uint8Array,
): void {
  const search = new CutSearch(cuts, entries < MIN_ROWS_FOR_TABLE ? 1 : 8 * cuts.length + 1);
  bins.fill(search.cutsBelow(0));
  for (let e = first; e < last; e++) {
    const x = values[e];
    if (x - x === 0) bins[rows[e]] = search.cutsBelow(x);
    else if (Number.isNaN(x)) bins[rows[e]] = MISSING_BIN;
    else throw notFinite(table, column, rows[e]);
  }
}

/** Bins a block, the hot loop; returns the index of its first infinite cell, or −1. */
function binBlock(block: Float64Array, search: CutSearch, bins: Uint8Array, start: number): number {
  for (let i = 0; i < block.length; i++) {
    const x = block[i];
    if (x - x === 0) bins[start + i] = search.cutsBelow(x);
    else if (Number.isNaN(x)) bins[start + i] = MISSING_BIN;
    else return i;
  }
  return -1;
}
