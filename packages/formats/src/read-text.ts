import type { Table } from "vouch/data";
import { interrupted } from "vouch/errors";
import { withDeclaredKinds } from "./column-roles.js";
import {
  DETECTION_BYTES,
  formatOfBytes,
  formatOfName,
  undetectedFormat,
  unsupportedFormat,
} from "./detect-format.js";
import { refuseForeign, SIGNATURE_BYTES } from "./foreign-file.js";
import { firstBytes, type Input, type TextSource, webInput } from "./input.js";
import type { Format, ReadOptions, TextFormat } from "./read-options.js";
import { wholeTable } from "./table-chunks.js";

/** Reads an input of one format into tables of at most `rows` rows. */
type TableReader = (input: Input, options: ReadOptions, rows: number) => AsyncGenerator<Table>;

/** Readers of the text formats, each loaded when it is needed. */
export const TEXT_READERS: Readonly<Record<TextFormat, TableReader>> = {
  csv: async function* (input, options, rows) {
    yield* (await import("./csv/read-csv.js")).readCsv(input, options, rows);
  },
  tsv: async function* (input, options, rows) {
    yield* (await import("./csv/read-csv.js")).readCsv(input, { delimiter: "\t", ...options }, rows);
  },
  json: async function* (input, options, rows) {
    yield* (await import("./json/read-json.js")).readJson(input, options, rows);
  },
  ndjson: async function* (input, options, rows) {
    yield* (await import("./json/read-json.js")).readNdjson(input, options, rows);
  },
  arff: async function* (input, options, rows) {
    yield* (await import("./arff.js")).readArff(input, options, rows);
  },
  libsvm: async function* (input, options, rows) {
    yield* (await import("./libsvm.js")).readLibsvm(input, options, rows);
  },
};

const TEXT_FORMATS = Object.keys(TEXT_READERS).filter(isTextFormat);

/** Options of `readText`. */
export interface ReadTextOptions extends Omit<ReadOptions, "format" | "executor"> {
  /** Text format (default: from the extension of the name, else from the first bytes). */
  readonly format?: TextFormat;
}

/**
 * Reads CSV, TSV, JSON, NDJSON, ARFF or LIBSVM, plain or compressed with gzip, in a browser. Messages call the data `name`, by
 * default the name of the file if the source is one. Cells are read as by `readTable`, and errors name row, line and column.
 *
 * ```ts
 * const dropped = await readText(file, { target: "species" });
 * const pasted = await readText("a,b\n1,x\n2,y\n", { format: "csv" });
 * ```
 */
export async function readText(source: TextSource, options: ReadTextOptions = {}): Promise<Table> {
  const { format, signal } = options;
  if (format !== undefined && !isTextFormat(format)) throw unsupportedFormat(format, TEXT_FORMATS);
  if (signal?.aborted) throw interrupted();
  const name = options.name ?? (source instanceof File ? source.name : "the input");
  const input = await webInput(source, name, options);
  refuseForeign(name, await firstBytes(input, SIGNATURE_BYTES));
  const read = TEXT_READERS[format ?? (await detectTextFormat(input))];
  return withDeclaredKinds(await wholeTable(read(input, options, Number.POSITIVE_INFINITY)), options);
}

async function detectTextFormat(input: Input): Promise<TextFormat> {
  const named: Format | undefined = formatOfName(input.name);
  const format = named ?? formatOfBytes(await firstBytes(input, DETECTION_BYTES), input.isText);
  if (format === undefined) throw undetectedFormat(input.name, TEXT_FORMATS);
  if (!isTextFormat(format)) throw unsupportedFormat(format, TEXT_FORMATS);
  return format;
}

function isTextFormat(format: string): format is TextFormat {
  return Object.hasOwn(TEXT_READERS, format);
}
