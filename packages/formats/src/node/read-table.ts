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
  // DuckDB is loaded only when a Parquet file is read.
  parquet: async function* (input, options, rows) {
    yield* (await import("./parquet.js")).readParquet(input, options, rows);
  },
  idx: readIdxFile,
};

/** Rows of a part by default: a few megabytes with usual tables. */
const CHUNK_ROWS = 16_384;

/** Options of `readTableInChunks`. */
export interface ReadChunksOptions extends ReadOptions {
  /** Maximum number of rows of each part (default 16,384). */
  readonly rows?: number;
}

/**
 * Reads a file, bytes or a stream into a table, in Node and in browsers, where a string is an address to fetch. Everything ambiguous is a `VouchError` that names the file and, if
 * possible, row, line and column. docs/files.md says what cells mean: which texts are missing cells, and when a
 * column is numeric.
 *
 * ```ts
 * const table = await readTable("flowers.csv.gz", { target: "species" });
 * const piped = await readTable(process.stdin, { format: "ndjson", name: "standard input" });
 * ```
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
 * Reads a file, bytes or a stream in parts, in memory that does not depend on the number of rows. The parts have the cells of `readTable`, in its order, and their messages number rows from the start of the data. The kinds of columns come from
 * the options and the first 20,480 rows; a few rules of `readTable` need all rows and differ:
 *
 * - A column of `verbatim` that starts with numbers has numbers up to its first other text, and texts from there on.
 * - Columns of `date` are texts: the form of the dates is not told.
 * - JSON, LIBSVM: a column that appears later is missing in the parts before, and options can only name columns of the first rows.
 *
 * ```ts
 * for await (const part of readTableInChunks("flowers.csv")) console.log(part.rows);
 * ```
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

/** Checks the options before anything is read; returns the name of the data in messages. */
function checkedName(source: TableSource, { format, signal, name }: ReadOptions): string {
  if (format !== undefined && !FORMATS.includes(format)) throw unsupportedFormat(format, FORMATS);
  if (signal?.aborted) throw interrupted();
  return name ?? nameOfSource(source);
}
