import { VouchError } from "../runtime/vouch-error.js";
import type { Column } from "./column.js";
import { type CellKind, cellKind, codeFor, readCellText, readNumber } from "./raw-cells.js";
import type { Schema } from "./schema.js";
import { Table } from "./table.js";

type CellRecord = Readonly<Record<string, unknown>>;

/** A column of the model, prepared for reading. */
interface ExpectedColumn {
  readonly name: string;
  readonly kind: CellKind;
  /**
   * Whether every object inherits a property of this name, such as "constructor", so that only own properties count.
   */
  readonly inherited: boolean;
}

/** How to read records. */
export interface RecordOptions {
  /** Name of the records in messages; default "records". */
  readonly name?: string;
  /** Receives the number of unused columns of each record; may throw if there are too many. */
  readonly onUnused?: (columns: number) => void;
}

/**
 * Reads records, such as parsed JSON, into the columns of one model. Create it once per model and use it for every
 * request: it looks only for the columns of the model, and at other keys only if there are any.
 */
export class RecordReader {
  readonly #columns: readonly ExpectedColumn[];

  constructor({ columns }: Schema) {
    this.#columns = columns.map((column) => ({
      name: column.name,
      kind: cellKind(column),
      inherited: column.name in Object.prototype,
    }));
  }

  /**
   * Makes a table of records. A column missing from all records is left out, so that the model reports it; unknown
   * columns only keep their names.
   */
  read(records: readonly unknown[], { name = "records", onUnused }: RecordOptions = {}): Table {
    const rows = records.length;
    if (!records.every(isRecord)) throw notARecord(name, records);
    let found = 0;
    const columns: Column[] = [];
    for (const expected of this.#columns) {
      const read = expected.kind === "numbers" ? readNumbers : readTexts;
      const { column, cells } = read(name, expected, records);
      if (cells > 0) columns.push(column);
      found += cells;
    }
    let keys = 0;
    for (let row = 0; row < rows; row++) keys += Object.keys(records[row]).length;
    if (keys > found) columns.push(...this.#unusedColumns(records, onUnused));
    return new Table(name, rows, columns);
  }

  /** Lists the columns that the model lacks, without their cells. */
  #unusedColumns(records: readonly CellRecord[], onUnused: RecordOptions["onUnused"]): Column[] {
    const known = new Set(this.#columns.map(({ name }) => name));
    const names = new Set<string>();
    for (const record of records) {
      for (const name of Object.keys(record)) if (!known.has(name)) names.add(name);
      onUnused?.(names.size);
    }
    const values = new Float64Array(records.length).fill(Number.NaN);
    return Array.from(names, (name) => ({ kind: "numeric", name, values }));
  }
}

/** Checks whether a value is an object rather than an array or null. */
function isRecord(value: unknown): value is CellRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A column, and the number of records that have it. */
interface ReadColumn {
  readonly column: Column;
  readonly cells: number;
}

function readNumbers(
  table: string,
  { name, inherited }: ExpectedColumn,
  records: readonly CellRecord[],
): ReadColumn {
  const values = new Float64Array(records.length);
  let cells = 0;
  for (let row = 0; row < records.length; row++) {
    const record = records[row];
    const cell = inherited && !Object.hasOwn(record, name) ? undefined : record[name];
    if (cell !== undefined) cells++;
    values[row] = typeof cell === "number" ? cell : readNumber(cell, { table, column: name, row });
  }
  return { column: { kind: "numeric", name, values }, cells };
}

function readTexts(
  table: string,
  { name, inherited }: ExpectedColumn,
  records: readonly CellRecord[],
): ReadColumn {
  const codeOf = new Map<string, number>();
  const codes = new Int32Array(records.length);
  let cells = 0;
  for (let row = 0; row < records.length; row++) {
    const record = records[row];
    const cell = inherited && !Object.hasOwn(record, name) ? undefined : record[name];
    if (cell !== undefined) cells++;
    const text = readCellText(cell, { table, column: name, row });
    codes[row] = text === undefined ? -1 : codeFor(codeOf, text);
  }
  return { column: { kind: "categorical", name, codes, levels: [...codeOf.keys()] }, cells };
}

function notARecord(name: string, records: readonly unknown[]): VouchError {
  const row = records.findIndex((record) => !isRecord(record));
  return new VouchError(
    "data/malformed",
    `${name}, row ${row + 1}: expected an object, but got ${kindInWords(records[row])}.`,
    { hint: "A record is an object with a cell per column." },
  );
}

/** Throws unless records are given as an array; JavaScript programs may pass a single one. */
export function checkRecordList(records: readonly object[]): void {
  if (Array.isArray(records)) return;
  const single = typeof records === "object" && records !== null;
  throw new VouchError("data/malformed", `Expected an array of records, but got ${kindInWords(records)}.`, {
    hint: single ? "Put a single record into an array: [record]." : "Pass an array with one object per row.",
  });
}

/** Names the kind of a value: null, an array, an object, a number, … */
function kindInWords(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}
