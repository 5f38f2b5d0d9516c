import { interrupted, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Table } from "@vouch/core/internal/table/table";
import { withDeclaredKinds } from "../column-roles.js";
import { withDeclaredMissing } from "../declared-missing.js";
import { unsupportedFormat } from "../detect-format.js";
import { openData, readOpened } from "../open-data.js";
import { PORTABLE_READERS } from "../portable-readers.js";
import { FORMATS, type Format, type ReadOptions } from "../read-options.js";
import { wholeTable } from "../table-chunks.js";
import { nameOfSource, type TableSource } from "../table-source.js";
import { type FileInput, withFileInput } from "./file-input.js";
import { readIdxFile } from "./idx-file.js";
import { openResource } from "./open-resource.js";

type FileReader = (input: FileInput, options: ReadOptions, rows: number) => AsyncGenerator<Table>;

const READERS: Readonly<Record<Format, FileReader>> = {
  ...PORTABLE_READERS,
  csv: async function* (input, options, rows) {
    yield* (await import("./read-csv-on-threads.js")).readCsvFile(input, options, rows);
  },
  tsv: async function* (input, options, rows) {
    const { readCsvFile } = await import("./read-csv-on-threads.js");
    yield* readCsvFile(input, { delimiter: "\t", ...options }, rows);
  },
  // DuckDB is loaded only for Parquet files.
  parquet: async function* (input, options, rows) {
    yield* (await import("./parquet.js")).readParquet(input, options, rows);
  },
  idx: readIdxFile,
};

/** Default number of rows per part: a few megabytes with usual tables. */
const CHUNK_ROWS = 16_384;

/** Options of `readTableInChunks`. */
export interface ReadChunksOptions extends ReadOptions {
  /** Maximum number of rows per part (default 16,384). */
  readonly rows?: number;
}

/**
 * Reads a file, bytes or a stream into a table. In browsers, a string is an address to fetch. Everything ambiguous is a
 * `VouchError` that names the file and, if possible, row, line and column. docs/files.md explains which strings are
 * missing cells, and when a column is numeric.
 *
 * ```ts const table = await readTable("flowers.csv.gz", { target: "species" }); const piped = await
 * readTable(process.stdin, { format: "ndjson", name: "standard input" }); ```
 */
export async function readTable(source: TableSource, options: ReadOptions = {}): Promise<Table> {
  const name = checkedName(source, options);
  return withFileInput(source, name, options, async (input) => {
    const readWhole = (format: Format, data: FileInput) =>
      wholeTable(READERS[format](data, options, Number.POSITIVE_INFINITY));
    const table = await readOpened(input, options, readWhole, input.path);
    return withDeclaredKinds(withDeclaredMissing(table, options), options);
  });
}

/**
 * Reads a file, bytes or a stream in parts, in memory that does not depend on the number of rows. The parts contain the
 * cells of `readTable` in the same order, and messages number rows from the start of the data. The kinds of columns
 * follow from the options and the first 20,480 rows. Some rules of `readTable` need all rows and therefore differ:
 *
 * - A column of `verbatim` that starts with numbers holds numbers up to its first other string, and strings from there
 *   on.
 * - Columns of `date` are strings, because the form of the dates is not determined.
 * - JSON, LIBSVM: a column that appears later is missing in earlier parts, and options can only name columns of the
 *   first rows.
 *
 * ```ts for await (const part of readTableInChunks("flowers.csv")) console.log(part.rows); ```
 */
export async function* readTableInChunks(
  source: TableSource,
  { rows = CHUNK_ROWS, ...options }: ReadChunksOptions = {},
): AsyncGenerator<Table> {
  if (!Number.isInteger(rows) || rows < 1) {
    throw new VouchError("option/invalid", `rows must be a whole number ≥ 1, not ${rows}.`);
  }
  const name = checkedName(source, options);
  const { resource: input, release } = await openResource<FileInput>((use) =>
    withFileInput(source, name, options, use),
  );
  try {
    const { format, input: data, notices } = await openData(input, options, input.path);
    for await (const read of READERS[format](data, options, rows)) {
      const table = withDeclaredMissing(read, options);
      yield withDeclaredKinds(table.firstRow === 0 ? table.withNotices(notices) : table, options, true);
    }
  } finally {
    await release();
  }
}

/** Validates the options; returns the name of the data for messages. */
function checkedName(source: TableSource, { format, signal, name }: ReadOptions): string {
  if (format !== undefined && !FORMATS.includes(format)) throw unsupportedFormat(format, FORMATS);
  if (signal?.aborted) throw interrupted();
  return name ?? nameOfSource(source);
}
