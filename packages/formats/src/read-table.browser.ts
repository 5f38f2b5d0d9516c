import { interrupted, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Table } from "@vouch/core/internal/table/table";
import { withDeclaredKinds } from "./column-roles.js";
import { withDeclaredMissing } from "./declared-missing.js";
import { unsupportedFormat } from "./detect-format.js";
import { type WebInput, type WebSource, webInput } from "./input.js";
import { readOpened } from "./open-data.js";
import { PORTABLE_READERS } from "./portable-readers.js";
import { FORMATS, type Format, type ReadOptions } from "./read-options.js";
import { wholeTable } from "./table-chunks.js";
import { nameOfSource, type TableSource } from "./table-source.js";

/**
 * Reads data in a browser, without Node, into the same tables with the same errors. Call it in a worker if the data may
 * be large; `executor` is ignored.
 *
 * ```ts const dropped = await readTable(file, { target: "species" }); const pasted = await readTable(new
 * Blob(["a,b\n1,x\n2,y\n"]), { format: "csv" }); ```
 */
export async function readTable(source: TableSource, options: ReadOptions = {}): Promise<Table> {
  const { format, signal } = options;
  if (format !== undefined && !FORMATS.includes(format)) throw unsupportedFormat(format, FORMATS);
  if (signal?.aborted) throw interrupted();
  const name = options.name ?? nameOfSource(source);
  const data = typeof source === "string" ? await fetchData(source, signal) : source;
  const input = await webInput(data, name, options);
  const table = await readOpened(input, options, (found, data) => readWhole(data, found, options));
  return withDeclaredKinds(withDeclaredMissing(table, options), options);
}

async function fetchData(address: string, signal: AbortSignal | undefined): Promise<WebSource> {
  if (address.includes("\n")) {
    throw new VouchError("file/read", "A string of several lines is not an address.", {
      hint: "A string is the address of a file; give rows as new Blob([text]).",
    });
  }
  const response = await fetch(address, { signal }).catch((cause: unknown) => {
    if (signal?.aborted) throw interrupted();
    throw new VouchError("file/read", `Cannot fetch ${address}.`, { cause });
  });
  if (!response.ok) throw new VouchError("file/read", `${address} returned ${response.status}.`);
  return response.blob();
}

/** Reads an input into one table. Readers are loaded on demand. */
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
