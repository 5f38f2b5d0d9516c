import type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
import type { Progress } from "@vouch/core/internal/runtime/parallel/run";
import type { DateOrder } from "@vouch/core/internal/table/date-form";

/** Supported formats, each plain or compressed with gzip. */
export const FORMATS = ["csv", "tsv", "xlsx", "json", "ndjson", "parquet", "arff", "libsvm", "idx"] as const;

/** Name of a format. */
export type Format = (typeof FORMATS)[number];

/** Name of a text format. */
export type TextFormat = Exclude<Format, "xlsx" | "parquet" | "idx">;

/** Options of `readTable`. */
export interface ReadOptions {
  /** Input format (default: from the file extension, else from the first bytes). */
  readonly format?: Format;
  /** Name of the data in messages (default: the path). */
  readonly name?: string;
  /**
   * Column with the class, or a function that picks it from the column names. It is read verbatim: "+1" and "007"
   * stay as they are.
   */
  readonly target?: string | ((columns: readonly string[]) => string | undefined);
  /** Columns to read as categories even if all their cells are numbers, dates or prose. */
  readonly categorical?: readonly string[];
  /** Columns to read as numbers, in any notation; other words in them are missing values. */
  readonly numeric?: readonly string[];
  /** Columns of dates, in any form that can be told; see docs/files.md. */
  readonly date?: readonly string[];
  /** The order of day and month in the columns of `date` whose values do not show it. */
  readonly dateOrder?: DateOrder;
  /** Columns of prose, which become words. */
  readonly text?: readonly string[];
  /** Columns to leave out. */
  readonly ignore?: readonly string[];
  /**
   * Text formats: encoding of the file, by its WHATWG label, such as `windows-1252` or `shift_jis` (default: UTF-8, UTF-16 if a
   * byte-order mark says so, else a guess that `Table.notices` names).
   */
  readonly encoding?: string;
  /** Excel: name or number, from 1, of the sheet (default: the first one with a table). */
  readonly sheet?: string;
  /** CSV, Excel: number of lines above the header to skip (default: title lines are recognised). */
  readonly skip?: number;
  /** CSV, Excel: the line, counted from 1, that names the columns (default: the first one that is not a title). */
  readonly headerRow?: number;
  /** CSV, Excel: reads a last line such as "Total" as a row; by default it is left out, and `Table.notices` says so. */
  readonly keepTotals?: boolean;
  /** CSV: character between cells (default: the one of `,` `;` tab `|` that fits the first records). */
  readonly delimiter?: string;
  /**
   * CSV, JSON, ARFF, Parquet: columns whose spelling matters, such as the categories of a model; the file need not have them. They become numeric
   * only if nothing is lost: "007", "1.10" and integers that no double can hold stay text.
   */
  readonly verbatim?: readonly string[];
  /** Columns that are numeric in a model, which are read as those of `numeric`; the file need not have them. */
  readonly expectNumbers?: readonly string[];
  /**
   * Whether numbers have a decimal comma, as in `0,5`, or a decimal point. By default each column is read as its values suggest.
   */
  readonly decimalComma?: boolean;
  /** Further words that stand for a missing value, in every column. */
  readonly missing?: readonly string[];
  /** CSV: false if there is no header; the columns are then named column1, column2, … */
  readonly header?: boolean;
  /** LIBSVM: minimum number of feature columns, even if the largest index in the file is smaller. */
  readonly features?: number;
  /** Reads a large CSV file on these threads; the table is the same. Other formats and compressed files use one thread. */
  readonly executor?: Executor;
  /** Stops reading within 100 ms. */
  readonly signal?: AbortSignal;
  /** Called often; `done` and `total` count bytes of the file. */
  readonly onProgress?: (progress: Progress) => void;
}
