import { once } from "node:events";
import type { Writable } from "node:stream";

/** What a CSV cell may hold; null and undefined are missing, written as an empty cell. */
export type CsvCell = string | number | boolean | null | undefined;

/**
 * One record with its line end, quoted where a reader needs it: a delimiter, quote, line end or byte-order
 * mark in the text. A record of one empty cell is written `""`, because an empty line is no record.
 */
export function csvLine(cells: readonly CsvCell[]): string {
  const record = cells.map(csvCell).join(",");
  return `${record === "" ? '""' : record}\n`;
}

/** Writes a header and rows, waiting for the stream whenever it is full; does not end the stream. */
export async function writeCsv(
  stream: Writable,
  header: readonly string[],
  rows: Iterable<readonly CsvCell[]>,
): Promise<void> {
  let pending = csvLine(header);
  for (const row of rows) {
    pending += csvLine(row);
    if (pending.length < 1 << 16) continue;
    if (!stream.write(pending)) await once(stream, "drain");
    pending = "";
  }
  if (pending !== "" && !stream.write(pending)) await once(stream, "drain");
}

function csvCell(cell: CsvCell): string {
  if (cell === null || cell === undefined) return "";
  const text = String(cell);
  return /[",;|\t\r\n\ufeff]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
