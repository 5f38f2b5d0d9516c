/** The bin of missing cells, in every column. */
@inline export const MISSING: i32 = 255;

/** An entry of the table of columns; `src/numeric/tree-kernels.ts` knows its size. */
@unmanaged export class Column {
  /** The address of the bins, a byte for each row. */
  bins: usize;
  /** The largest bin but that of missing cells, plus one. */
  count: i32;
  categorical: i32;
  /** Whether cells are missing. */
  missing: i32;
}

@inline export function columnAt(table: usize, index: i32): Column {
  return changetype<Column>(table + <usize>index * offsetof<Column>());
}

/** Fills the entry of a column. */
export function describeColumn(column: Column, bins: usize, rows: i32, categorical: bool): void {
  let count = 0, missing = 0;
  for (let end = bins + rows, cell = bins; cell < end; cell++) {
    const bin = <i32>load<u8>(cell);
    if (bin == MISSING) missing = 1;
    else count = max(count, bin + 1);
  }
  column.bins = bins;
  column.count = count;
  column.categorical = categorical ? 1 : 0;
  column.missing = missing;
}
