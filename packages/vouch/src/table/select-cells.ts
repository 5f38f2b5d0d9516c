import type { Column, NumericValues } from "./column.js";
import { SparseValues } from "./sparse-values.js";

/** Copies the cells of some rows of all columns of a table, in this order; rows may repeat. */
export function selectCells(columns: readonly Column[], length: number, rows: ArrayLike<number>): Column[] {
  const sparse = columns.flatMap((column) =>
    column.kind === "numeric" && column.values instanceof SparseValues ? column.values : [],
  );
  const selected = sparse.length > 0 ? selectSparse(sparse, length, rows) : [];
  let next = 0;
  return columns.map((column) => {
    if (column.kind === "categorical") {
      const codes = new Int32Array(rows.length);
      for (let i = 0; i < rows.length; i++) codes[i] = column.codes[rows[i]];
      return { ...column, codes };
    }
    const { name, values } = column;
    if (values instanceof SparseValues) return { kind: "numeric", name, values: selected[next++] };
    const own = emptyLike(values, rows.length);
    for (let i = 0; i < rows.length; i++) own[i] = values[rows[i]];
    return { kind: "numeric", name, values: own };
  });
}

/** Selects rows of sparse cells, in time proportional to the cells that are kept and the rows, not to columns × rows. */
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
  // The entry of each row of the column that is being copied.
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

/** Where the rows of a table go: row r to `places` from starts[r] to starts[r + 1]. */
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

function emptyLike(values: NumericValues, length: number): NumericValues {
  if (values instanceof Float64Array) return new Float64Array(length);
  if (values instanceof Float32Array) return new Float32Array(length);
  if (values instanceof Int32Array) return new Int32Array(length);
  if (values instanceof Int16Array) return new Int16Array(length);
  if (values instanceof Uint16Array) return new Uint16Array(length);
  if (values instanceof Int8Array) return new Int8Array(length);
  return new Uint8Array(length);
}
