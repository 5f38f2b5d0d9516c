/**
 * Read data files into tables, in Node and in browsers, and write rows as CSV.
 *
 * @packageDocumentation
 */

export { type CsvCell, type CsvStyle, csvCell, csvLine, csvRecord } from "./csv/csv-line.js";
export { formatOfName } from "./detect-format.js";
export { type ReadChunksOptions, readTable, readTableInChunks } from "./node/read-table.js";
export { readTableShard } from "./node/read-table-shard.js";
export { FORMATS, type Format, type ReadOptions } from "./read-options.js";
export type { TableSource } from "./table-source.js";
