export { MISSING_MARKERS } from "./cell.js";
export { type CsvCell, csvLine, writeCsv } from "./csv/write-csv.js";
export { formatOfName } from "./detect-format.js";
export type { Source } from "./input/input.js";
export { FORMATS, type Format, type ReadOptions } from "./read-options.js";
export { readTable } from "./read-table.js";
