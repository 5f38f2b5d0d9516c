/**
 * Read text formats in a browser, without Node: strings, bytes, files that the user chose, and bodies of responses.
 *
 * @packageDocumentation
 */

export { MISSING_MARKERS } from "./cell.js";
export { type CsvCell, csvLine } from "./csv/csv-line.js";
export type { TextSource } from "./input.js";
export type { ReadOptions, TextFormat } from "./read-options.js";
export { type ReadTextOptions, readText } from "./read-text.js";
