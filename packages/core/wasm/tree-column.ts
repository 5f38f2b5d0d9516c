import { Grower } from "./tree-state";

/** The bin of missing cells, in every column. */
@inline export const MISSING: i32 = 255;

/** In nodes with less than this fraction of a large sample, cells are read from the rows instead of the column. */
@inline const SPARSE: i32 = 32;

/** An entry of the table of columns; `src/runtime/wasm/wasm-exports.ts` has its size. */
@unmanaged export class Column {
  /** The bins, row by row: those of neighbouring rows share a cache line. */
  bins: usize;
  /** The same bins in rows with other columns, `stride` bytes apart: those of other columns share a cache line. */
  cells: usize;
  stride: i32;
  /** The largest bin apart from that of missing cells, plus one. */
  count: i32;
  categorical: i32;
  /** Whether cells are missing. */
  missing: i32;
}

@inline export function columnAt(table: usize, index: i32): Column {
  return changetype<Column>(table + <usize>index * offsetof<Column>());
}

/** Fills the entry of a column. */
export function describeColumn(
  column: Column, bins: usize, rows: i32,
  cells: usize, stride: i32, categorical: bool,
): void {
  column.bins = bins;
  column.cells = cells;
  column.stride = stride;
  column.categorical = categorical ? 1 : 0;
  countBins(column, bins, bins + rows);
}

function countBins(column: Column, cell: usize, end: usize): void {
  const missing = i8x16.splat(<i8>MISSING);
  let most = i8x16.splat(0), anyMissing = most;
  for (; cell + 16 <= end; cell += 16) {
    const bins = v128.load(cell), isMissing = i8x16.eq(bins, missing);
    anyMissing = v128.or(anyMissing, isMissing);
    // The bin plus one, and 0 for missing cells.
    most = i8x16.max_u(most, i8x16.sub(bins, missing));
  }
  let count = 0, hasMissing = v128.any_true(anyMissing);
  for (let bin = 0; bin < 256; bin++) if (v128.any_true(i8x16.eq(most, i8x16.splat(<i8>bin)))) count = bin;
  for (; cell < end; cell++) {
    const bin = <i32>load<u8>(cell);
    if (bin == MISSING) hasMissing = true;
    else count = max(count, bin + 1);
  }
  column.count = count;
  column.missing = hasMissing ? 1 : 0;
}

/** Tells whether all categories have bins below 63, so that 64 bits, with missing cells, say where they go. */
export function hasFewCategories(table: usize, columns: i32): bool {
  for (let index = 0; index < columns; index++) {
    const column = columnAt(table, index);
    if (column.categorical && column.count > 63) return false;
  }
  return true;
}

/** Writes the columns at `from`, `fromStride` bytes apart, as rows. */
export function writeRows(from: usize, fromStride: usize, rows: i32, columns: i32, to: usize, stride: usize): void {
  let column: usize = 0;
  for (; column + 8 <= <usize>columns; column += 8) {
    const source = from + column * fromStride;
    for (let row: usize = 0; row < <usize>rows; row++) {
      const cell = source + row, target = to + row * stride + column;
      store<u32>(target, fourCells(cell, fromStride));
      store<u32>(target, fourCells(cell + 4 * fromStride, fromStride), 4);
    }
  }
  for (; column < <usize>columns; column++) {
    for (let row: usize = 0; row < <usize>rows; row++) {
      store<u8>(to + row * stride + column, load<u8>(from + column * fromStride + row));
    }
  }
}

/** Copies the rows of one table to the fronts of the rows of another; both strides are multiples of eight. */
export function copyRows(from: usize, fromStride: usize, rows: i32, to: usize, toStride: usize): void {
  for (let row = 0; row < rows; row++, from += fromStride, to += toStride) {
    for (let at: usize = 0; at < fromStride; at += 8) store<u64>(to + at, load<u64>(from + at));
  }
}

@inline function fourCells(cell: usize, stride: usize): u32 {
  return <u32>load<u8>(cell) | (<u32>load<u8>(cell + stride) << 8)
    | (<u32>load<u8>(cell + 2 * stride) << 16) | (<u32>load<u8>(cell + 3 * stride) << 24);
}

/** Decides where to read the cells of a column for the current node. */
@inline export function useColumn(grower: Grower, column: Column): void {
  const isSparse = grower.isLarge && (grower.end - grower.begin) * SPARSE < grower.sampleRows;
  grower.cells = isSparse ? column.cells : column.bins;
  grower.stride = isSparse ? column.stride : 1;
}

/** Returns the bin of a row. */
@inline export function binOf(cells: usize, stride: usize, number: usize): usize {
  return load<u8>(cells + number * stride);
}
