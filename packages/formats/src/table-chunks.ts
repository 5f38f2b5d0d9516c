import type { Table } from "vouch/data";

/** Yields a table in parts of at most `rows` rows. */
export function* inChunks(table: Table, rows: number): Generator<Table> {
  if (table.rows <= rows) yield table;
  else for (let at = 0; at < table.rows; at += rows) yield table.slice(at, Math.min(at + rows, table.rows));
}

/** Returns the one part of a table that is read as a whole. */
export async function wholeTable(chunks: AsyncGenerator<Table>): Promise<Table> {
  const { value, done } = await chunks.next();
  if (done) throw new TypeError("A reader yields at least one table.");
  await chunks.return(undefined);
  return value;
}
