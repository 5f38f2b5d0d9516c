import type { Table } from "vouch/data";
import { interrupted } from "vouch/errors";
import { withDeclaredKinds } from "./column-roles.js";
import { withDeclaredMissing } from "./declared-missing.js";
import { unsupportedFormat } from "./detect-format.js";
import { type DataSource, type WebInput, webInput } from "./input.js";
import { readOpened } from "./open-data.js";
import { PORTABLE_READERS } from "./portable-readers.js";
import { FORMATS, type Format, type ReadOptions } from "./read-options.js";
import { wholeTable } from "./table-chunks.js";

/** Options of `readData`. */
export interface ReadDataOptions extends Omit<ReadOptions, "executor"> {
  /** Name of the data in messages (default: the name of the file, if the source is one). */
  readonly name?: string;
}

/**
 * Reads a file, text, bytes or a stream in a browser. All formats of `readTable` are read into the same tables, plain or compressed
 * with gzip, and errors name row, line and column. Call it in a worker if the data may be large.
 *
 * ```ts
 * const dropped = await readData(file, { target: "species" });
 * const pasted = await readData("a,b\n1,x\n2,y\n", { format: "csv" });
 * ```
 */
export async function readData(source: DataSource, options: ReadDataOptions = {}): Promise<Table> {
  const { format, signal } = options;
  if (format !== undefined && !FORMATS.includes(format)) throw unsupportedFormat(format, FORMATS);
  if (signal?.aborted) throw interrupted();
  const name = options.name ?? (source instanceof File ? source.name : "the input");
  const input = await webInput(source, name, options);
  const table = await readOpened(input, options, (found, data) => readWhole(data, found, options));
  return withDeclaredKinds(withDeclaredMissing(table, options), options);
}

/** Reads an input into one table. Readers are loaded when they are needed. */
async function readWhole(input: WebInput, format: Format, options: ReadOptions): Promise<Table> {
  if (format === "parquet") {
    const { readParquetBlob } = await import("./parquet/read-parquet.js");
    return readParquetBlob(await input.plainBlob(), input.name, options);
  }
  if (format === "idx") {
    const { readIdx } = await import("./idx.js");
    return wholeTable(readIdx(input, options, Number.POSITIVE_INFINITY));
  }
  return wholeTable(PORTABLE_READERS[format](input, options, Number.POSITIVE_INFINITY));
}
