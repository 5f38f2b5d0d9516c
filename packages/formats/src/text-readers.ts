import type { Table } from "vouch/data";
import type { Input } from "./input.js";
import type { ReadOptions, TextFormat } from "./read-options.js";

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
