import type { Table } from "vouch";
import { interrupted, VouchError } from "vouch/errors";
import { readArff } from "./arff/read-arff.js";
import { readCsv } from "./csv/read-csv.js";
import { detectFormat } from "./detect-format.js";
import { FOREIGN_BYTES, refuseForeign } from "./foreign-file.js";
import { readIdx } from "./idx.js";
import { emptyFile } from "./input/file-fault.js";
import { firstBytes, type Input, type Source, withInput } from "./input/input.js";
import { readJson, readNdjson } from "./json/read-json.js";
import { readLibsvm } from "./libsvm.js";
import { FORMATS, type Format, type ReadOptions } from "./read-options.js";

type Reader = (input: Input, options: ReadOptions) => Promise<Table>;

const READERS: Readonly<Record<Format, Reader>> = {
  csv: readCsv,
  tsv: (input, options) => readCsv(input, { delimiter: "\t", ...options }),
  json: readJson,
  ndjson: readNdjson,
  // DuckDB is loaded only when a Parquet file is read.
  parquet: async (input, options) => (await import("./parquet/read-parquet.js")).readParquet(input, options),
  arff: readArff,
  libsvm: readLibsvm,
  idx: readIdx,
};

/**
 * Reads a file, bytes or a stream into a table. Everything that cannot be read without doubt is a `VouchError`
 * that names the file and, where it can, row, line and column. What the cells mean, which texts are missing
 * cells and when a column is numeric is described in docs/files.md.
 *
 * ```ts
 * const table = await readTable("flowers.csv.gz", { target: "species" });
 * const piped = await readTable(process.stdin, { format: "ndjson", name: "standard input" });
 * ```
 */
export async function readTable(source: Source, options: ReadOptions = {}): Promise<Table> {
  if (options.format !== undefined && !FORMATS.includes(options.format)) {
    throw new VouchError("file/format", `There is no format ${JSON.stringify(options.format)}.`, {
      hint: `The formats are ${FORMATS.join(", ")}.`,
    });
  }
  if (options.signal?.aborted) throw interrupted();
  const name = options.name ?? (typeof source === "string" ? source : "the input");
  return withInput(source, name, options, async (input) => {
    const start = await firstBytes(input, FOREIGN_BYTES);
    if (start.length === 0) throw emptyFile(name);
    refuseForeign(name, start);
    return READERS[options.format ?? (await detectFormat(input))](input, options);
  });
}
