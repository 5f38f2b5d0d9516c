import type { GroupCount } from "../theory/held-out/held-out.js";

/** Averages values by group; groups are independent, rows within a group are not. */
export function meansByGroup(values: ArrayLike<number>, groups: Int32Array): Float64Array {
  const sums = new Map<number, { sum: number; rows: number }>();
  groups.forEach((group, row) => {
    const own = sums.get(group);
    if (own) {
      own.sum += values[row];
      own.rows++;
    } else sums.set(group, { sum: values[row], rows: 1 });
  });
  return Float64Array.from(sums.values(), ({ sum, rows }) => sum / rows);
}

/** Sums values by group. */
export function sumsByGroup(values: ArrayLike<number>, groups: Int32Array): Float64Array {
  const sums = new Map<number, number>();
  groups.forEach((group, row) => {
    sums.set(group, (sums.get(group) ?? 0) + values[row]);
  });
  return Float64Array.from(sums.values());
}

/** Counts groups by their numbers of rows and errors. */
export function groupCounts(mistakes: Uint8Array, groups: Int32Array): GroupCount[] {
  const rowsOf = new Map<number, { rows: number; errors: number }>();
  groups.forEach((group, row) => {
    const own = rowsOf.get(group) ?? { rows: 0, errors: 0 };
    rowsOf.set(group, { rows: own.rows + 1, errors: own.errors + mistakes[row] });
  });
  const counts = new Map<string, { rows: number; errors: number; groups: number }>();
  for (const { rows, errors } of rowsOf.values()) {
    const key = `${rows} ${errors}`;
    const own = counts.get(key);
    if (own) own.groups++;
    else counts.set(key, { rows, errors, groups: 1 });
  }
  return [...counts.values()].sort((a, b) => a.rows - b.rows || a.errors - b.errors);
}
