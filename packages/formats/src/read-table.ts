import type { Table } from "vouch";
import { interrupted, VouchError } from "vouch/errors";
import { detectFormat } from "./detect-format.js";
import { FOREIGN_BYTES, refuseForeign } from "./foreign-file.js";
import { emptyFile } from "./input/file-fault.js";
import { firstBytes, type Input, type Source, withInput } from "./input/input.js";
import { FORMATS, type Format, type ReadOptions } from "./read-options.js";

type Reader = (input: Input, options: ReadOptions) => Promise<Table>;

/** A reader is loaded when a file of its format is read: that of Parquet loads DuckDB. */
const READERS: Readonly<Record<Format, () => Promise<Reader>>> = {
  csv: async () => (await import("./csv/read-csv.js")).readCsv,
  tsv: async () => {
    const { readCsv } = await import("./csv/read-csv.js");
    return (input, options) => readCsv(input, { delimiter: "\t", ...options });
  },
  json: async () => (await import("./json/read-json.js")).readJson,
  ndjson: async () => (await import("./json/read-json.js")).readNdjson,
  parquet: async () => (await import("./parquet/read-parquet.js")).readParquet,
  arff: async () => (await import("./arff/read-arff.js")).readArff,
  libsvm: async () => (await import("./libsvm.js")).readLibsvm,
  idx: async () => (await import("./idx.js")).readIdx,
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
    const read = await READERS[options.format ?? (await detectFormat(input))]();
    return read(input, options);
  });
}
