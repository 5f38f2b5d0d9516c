import type { Table, TableNotice } from "@vouch/core/internal/table/table";

/** Yields a table in parts of at most `rows` rows. */
export function* inChunks(table: Table, rows: number): Generator<Table> {
  if (table.rows <= rows) yield table;
  else for (let at = 0; at < table.rows; at += rows) yield table.slice(at, Math.min(at + rows, table.rows));
}

/** Adds notes to the last table, because they are known only after all tables. */
export async function* noticedAtEnd(
  tables: AsyncIterable<Table>,
  notices: () => readonly TableNotice[] | Promise<readonly TableNotice[]>,
): AsyncGenerator<Table> {
  let held: Table | undefined;
  for await (const table of tables) {
    if (held) yield held;
    held = table;
  }
  if (held) yield held.withNotices(await notices());
}

/** Returns the only part of a table that is read as a whole. */
export async function wholeTable(chunks: AsyncGenerator<Table>): Promise<Table> {
  const { value, done } = await chunks.next();
  if (done) throw new TypeError("A reader yields at least one table.");
  await chunks.return(undefined);
  return value;
}
