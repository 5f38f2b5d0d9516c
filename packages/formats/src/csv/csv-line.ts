/** Cell of a CSV record; null and undefined are missing, written as an empty cell. */
export type CsvCell = string | number | boolean | null | undefined;

/**
 * Writes one CSV record with its line end. Text with a delimiter, quote, line end or byte-order mark is quoted. A record
 * of one empty cell is written `""`, because readers skip empty lines.
 */
export function csvLine(cells: readonly CsvCell[]): string {
  const record = cells.map(csvCell).join(",");
  return `${record === "" ? '""' : record}\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null || cell === undefined) return "";
  const text = String(cell);
  return /[",;|\t\r\n\ufeff]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
