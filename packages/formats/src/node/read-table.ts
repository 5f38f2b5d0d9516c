import type { Table } from "vouch";
import { interrupted } from "vouch/errors";
import { withDeclaredKinds } from "../column-roles.js";
import {
  DETECTION_BYTES,
  formatOfBytes,
  formatOfName,
  undetectedFormat,
  unsupportedFormat,
} from "../detect-format.js";
import { refuseForeign, SIGNATURE_BYTES } from "../foreign-file.js";
import { firstBytes } from "../input.js";
import { FORMATS, type Format, type ReadOptions } from "../read-options.js";
import { TEXT_READERS } from "../read-text.js";
import { type FileInput, type TableSource, withFileInput } from "./file-input.js";
import { idxHeader, readIdx } from "./idx.js";

const READERS: Readonly<Record<Format, (input: FileInput, options: ReadOptions) => Promise<Table>>> = {
  ...TEXT_READERS,
  // DuckDB is loaded only when a Parquet file is read.
  parquet: async (input, options) => (await import("./parquet.js")).readParquet(input, options),
  idx: readIdx,
};

/**
 * Reads a file, bytes or a stream into a table. Everything ambiguous is a `VouchError` that names the file and, if
 * possible, row, line and column. docs/files.md says what cells mean: which texts are missing cells, and when a
 * column is numeric.
 *
 * ```ts
 * const table = await readTable("flowers.csv.gz", { target: "species" });
 * const piped = await readTable(process.stdin, { format: "ndjson", name: "standard input" });
 * ```
 */
export async function readTable(source: TableSource, options: ReadOptions = {}): Promise<Table> {
  if (options.format !== undefined && !FORMATS.includes(options.format)) {
    throw unsupportedFormat(options.format, FORMATS);
  }
  if (options.signal?.aborted) throw interrupted();
  const name = options.name ?? (typeof source === "string" ? source : "the input");
  return withFileInput(source, name, options, async (input) => {
    refuseForeign(name, await firstBytes(input, SIGNATURE_BYTES));
    const table = await READERS[options.format ?? (await detectFormat(input))](input, options);
    return withDeclaredKinds(table, options);
  });
}

async function detectFormat(input: FileInput): Promise<Format> {
  const named = formatOfName(input.path ?? input.name);
  if (named !== undefined) return named;
  const start = await firstBytes(input, DETECTION_BYTES);
  if (Buffer.from(start.subarray(0, 4)).toString("latin1") === "PAR1") return "parquet";
  if (idxHeader(start) !== undefined) return "idx";
  const format = formatOfBytes(start, input.isText);
  if (format === undefined) throw undetectedFormat(input.name, FORMATS);
  return format;
}
