import { afterByteOrderMark } from "../bytes.js";
import { checkColumnCount } from "../column-memory.js";
import { CellScanner, loneCarriageReturn, quoteError } from "./cell-scanner.js";

/** A position between two records. */
export interface Offset {
  readonly at: number;
  readonly line: number;
}

/** Bytes up to `end`, with a line feed at `end`. */
export interface Text {
  readonly bytes: Uint8Array;
  readonly end: number;
}

/** A record as strings. */
export interface TextRecord {
  readonly cells: readonly string[];
  readonly start: Offset;
  /** Start of the next record. */
  readonly next: Offset;
}

/** Reads the record at `start`; undefined if the text contains only part of it. */
export function readTextRecord(
  file: string,
  { bytes, end }: Text,
  delimiter: number,
  start: Offset,
): TextRecord | undefined {
  const scanner = new CellScanner(delimiter);
  const cells: string[] = [];
  let { line } = start;
  // Programs that concatenate files keep all byte-order marks.
  let at = afterByteOrderMark(bytes, start.at);
  for (;;) {
    if (at >= end) return undefined;
    const scan = scanner.scan(bytes, at, end);
    if (scan === "incomplete") return undefined;
    line += scanner.lines;
    if (scan === "text after quote") {
      throw quoteError(`${file}, line ${line}, column ${cells.length + 1}: text after the closing quote.`);
    }
    cells.push(scanner.text(bytes));
    checkColumnCount(file, cells.length);
    at = scanner.stop + 1;
    if (bytes[scanner.stop] === delimiter) continue;
    if (bytes[scanner.stop] === 10) return { cells, start, next: { at, line: line + 1 } };
    if (at >= end) return undefined;
    if (bytes[at] !== 10) throw loneCarriageReturn(file, line);
    return { cells, start, next: { at: at + 1, line: line + 1 } };
  }
}

/** Records at the start of a text, without blank lines. */
export interface FirstRecords {
  readonly records: readonly TextRecord[];
  /** Whether the next record cannot be read; with the wrong delimiter, quotes may be misplaced. */
  readonly isBroken: boolean;
}

/** Reads at most `count` records that end before `upTo`. */
export function readFirstRecords(
  file: string,
  text: Text,
  delimiter: number,
  start: Offset,
  count: number,
  upTo: number,
): FirstRecords {
  const records: TextRecord[] = [];
  let offset = start;
  try {
    while (records.length < count) {
      const record = readTextRecord(file, text, delimiter, offset);
      if (record === undefined || record.next.at > upTo) break;
      if (record.cells.length > 1 || record.cells[0] !== "") records.push(record);
      offset = record.next;
    }
  } catch {
    return { records, isBroken: true };
  }
  return { records, isBroken: false };
}

/** Counts the cells that are not empty. */
export function countFilled(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => (cell.trim() === "" ? sum : sum + 1), 0);
}

/** Returns the most frequent number of cells per record; ties go to the largest. */
export function commonWidth(records: readonly TextRecord[]): { width: number; count: number } {
  const counts = new Map<number, number>();
  for (const { cells } of records) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  let best = { width: 1, count: 0 };
  for (const [width, count] of counts) {
    if (count > best.count || (count === best.count && width > best.width)) best = { width, count };
  }
  return best;
}
