/** Browser version of `@vouch/formats`: everything except the readers of large files in parts. */
export { type CsvCell, type CsvStyle, csvCell, csvLine, csvRecord } from "./csv/csv-line.js";
export { formatOfName } from "./detect-format.js";
export { FORMATS, type Format, type ReadOptions } from "./read-options.js";
export { readTable } from "./read-table.browser.js";
export type { TableSource } from "./table-source.js";
