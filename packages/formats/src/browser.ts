/**
 * Read data files in a browser, without Node: files that the user chose or dropped, text, bytes, and bodies of responses.
 *
 * @packageDocumentation
 */

export { type CsvCell, type CsvStyle, csvCell, csvLine, csvRecord } from "./csv/csv-line.js";
export { formatOfName } from "./detect-format.js";
export type { DataSource } from "./input.js";
export { type ReadDataOptions, readData } from "./read-data.js";
export { FORMATS, type Format, type ReadOptions } from "./read-options.js";
