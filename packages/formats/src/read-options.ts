import type { Progress } from "vouch";

/** The formats that can be read; each may also be gzip'd. */
export const FORMATS = ["csv", "tsv", "json", "ndjson", "parquet", "arff", "libsvm", "idx"] as const;

/** The name of a format. */
export type Format = (typeof FORMATS)[number];

/** How a file is read; everything is optional. */
export interface ReadOptions {
  /** The format; otherwise the file's extension decides, otherwise its first bytes. */
  readonly format?: Format;
  /** What messages call the data; the path unless given. */
  readonly name?: string;
  /**
   * The column that holds the class, or how to choose it from the names of all columns: it is read as text,
   * verbatim ("+1" and "007" stay as they are).
   */
  readonly target?: string | ((columns: readonly string[]) => string | undefined);
  /** Columns to read as categories even if all their cells are numbers. */
  readonly categorical?: readonly string[];
  /** Columns to read as numbers; a cell that is not a number is an error. */
  readonly numeric?: readonly string[];
  /** Columns to leave out. */
  readonly ignore?: readonly string[];
  /** CSV: the character between cells; otherwise the one of `,` `;` tab `|` that fits the first records. */
  readonly delimiter?: string;
  /**
   * CSV: columns whose spelling counts, such as the categories of a model; the file need not have them. They are read
   * as numbers only where that loses nothing: "007", "1.10" and integers that no double can hold stay text.
   */
  readonly spelled?: readonly string[];
  /** CSV: numbers are written with a comma in place of the point, `0,5`. */
  readonly decimalComma?: boolean;
  /** CSV: false if the first record is data already, the columns are then column1, column2, … */
  readonly header?: boolean;
  /** LIBSVM: there are at least this many feature columns, whatever the largest index in the file. */
  readonly features?: number;
  /** Stops the reading within 100 ms. */
  readonly signal?: AbortSignal;
  /** Called often; `done` and `total` count bytes of the file. */
  readonly onProgress?: (progress: Progress) => void;
}
