/** Lists of rows in one array: sending one is much cheaper than sending hundreds. */
export interface RowLists {
  readonly rows: Int32Array;
  /** How many rows each list has. */
  readonly lengths: Int32Array;
}

/** The lists one after the other. */
export function packRowLists(lists: readonly Int32Array[]): RowLists {
  const lengths = Int32Array.from(lists, (list) => list.length);
  const rows = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
  let next = 0;
  for (const list of lists) {
    rows.set(list, next);
    next += list.length;
  }
  return { rows, lengths };
}

/** The lists, each with memory of its own. */
export function unpackRowLists({ rows, lengths }: RowLists): Int32Array[] {
  let next = 0;
  return Array.from(lengths, (length) => {
    next += length;
    return rows.slice(next - length, next);
  });
}
