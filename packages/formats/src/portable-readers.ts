import type { Table } from "@vouch/core/internal/table/table";
import type { Input } from "./input.js";
import type { ReadOptions, TextFormat } from "./read-options.js";

/** Reads an input of one format into tables of at most `rows` rows. */
type TableReader = (input: Input, options: ReadOptions, rows: number) => AsyncGenerator<Table>;

/** Readers that work without Node, loaded on demand. */
export const PORTABLE_READERS: Readonly<Record<TextFormat | "xlsx", TableReader>> = {
  csv: async function* (input, options, rows) {
    yield* (await import("./csv/read-csv.js")).readCsv(input, options, rows);
  },
  tsv: async function* (input, options, rows) {
    yield* (await import("./csv/read-csv.js")).readCsv(input, { delimiter: "\t", ...options }, rows);
  },
  xlsx: async function* (input, options, rows) {
    const { openSheet } = await import("./xlsx/sheet-input.js");
    const { readCsv } = await import("./csv/read-csv.js");
    const sheet = await openSheet(input, options);
    for await (const table of readCsv(sheet.input, { ...options, delimiter: "," }, rows)) {
      yield table.firstRow === 0 ? table.withNotices(sheet.notices) : table;
    }
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
