import { sharedBuffer } from "../runtime/parallel/shared-array.js";
import type { Column } from "./column.js";
import { copiedColumn, isSelected, selectedColumn } from "./column-cells.js";
import { SparseValues } from "./sparse-cells.js";

/** Minimum number of cells for deferred copying. */
const MIN_CELLS_TO_WAIT = 2 ** 19;

/**
 * Selects the cells of some rows of all columns of a table, in order; rows may repeat. Few cells are copied; many are
 * copied only when something reads them (see `selectedColumn`).
 */
export function selectCells(columns: readonly Column[], length: number, rows: ArrayLike<number>): Column[] {
  const sparse = columns.flatMap((column) => sparseValues(column) ?? []);
  const selected = sparse.length > 0 ? selectSparse(sparse, length, rows) : [];
  const waits = (columns.length - sparse.length) * rows.length >= MIN_CELLS_TO_WAIT;
  const own = waits ? sharedRows(rows) : rows instanceof Int32Array ? rows : Int32Array.from(rows);
  let next = 0;
  return columns.map((column) => {
    if (sparseValues(column)) return { kind: "numeric", name: column.name, values: selected[next++] };
    return waits ? selectedColumn(column, own) : copiedColumn(column, own);
  });
}

function sparseValues(column: Column): SparseValues | undefined {
  return column.kind === "numeric" && !isSelected(column) && column.values instanceof SparseValues
    ? column.values
    : undefined;
}

/** Copies row indices to shared memory, where all columns and threads use them. */
function sharedRows(rows: ArrayLike<number>): Int32Array {
  const own = new Int32Array(sharedBuffer(4 * rows.length, "the selected rows"));
  own.set(rows);
  return own;
}

/** Selects rows of sparse cells in time proportional to the stored cells and the rows, not to columns × rows. */
function selectSparse(
  columns: readonly SparseValues[],
  length: number,
  rows: ArrayLike<number>,
): SparseValues[] {
  const places = placesOf(length, rows);
  const counts = columns.map((column) => countSelected(column, places));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const kept = { rows: new Int32Array(total), values: new Float64Array(total) };
  const nothing = new SparseValues(rows.length, { ...kept, last: 0 });
  // The entry of each row in the current column.
  const entryOf = new Int32Array(length);
  let first = 0;
  return columns.map((column, j) => {
    if (counts[j] === 0) return nothing;
    const last = first + counts[j];
    writePlaces(column, places, entryOf, kept.rows.subarray(first, last));
    for (let e = first; e < last; e++) kept.values[e] = column.values[entryOf[rows[kept.rows[e]]]];
    const values = new SparseValues(rows.length, { ...kept, first, last });
    first = last;
    return values;
  });
}

/** Destinations of a table's rows: row r goes to `places` from starts[r] to starts[r + 1]. */
interface Places {
  readonly starts: Int32Array;
  readonly places: Int32Array;
}

function placesOf(length: number, rows: ArrayLike<number>): Places {
  const starts = new Int32Array(length + 1);
  for (let i = 0; i < rows.length; i++) starts[rows[i] + 1]++;
  for (let row = 0; row < length; row++) starts[row + 1] += starts[row];
  const next = starts.slice();
  const places = new Int32Array(rows.length);
  for (let i = 0; i < rows.length; i++) places[next[rows[i]]++] = i;
  return { starts, places };
}

function countSelected({ rows, first, last }: SparseValues, { starts }: Places): number {
  let count = 0;
  for (let e = first; e < last; e++) count += starts[rows[e] + 1] - starts[rows[e]];
  return count;
}

/** Writes the new rows of a column's cells, ascending. */
function writePlaces(
  { rows, first, last }: SparseValues,
  { starts, places }: Places,
  entryOf: Int32Array,
  to: Int32Array,
): void {
  let next = 0;
  let ascends = true;
  for (let e = first; e < last; e++) {
    const row = rows[e];
    entryOf[row] = e;
    for (let p = starts[row]; p < starts[row + 1]; p++) {
      ascends &&= next === 0 || places[p] > to[next - 1];
      to[next++] = places[p];
    }
  }
  if (!ascends) to.sort();
}
