import type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
import type { Progress } from "@vouch/core/internal/runtime/parallel/run";
import type { DateOrder } from "@vouch/core/internal/table/date-form";

/** Supported formats, each plain or compressed with gzip. */
export const FORMATS = ["csv", "tsv", "xlsx", "json", "ndjson", "parquet", "arff", "libsvm", "idx"] as const;

/** Name of a format. */
export type Format = (typeof FORMATS)[number];

export type TextFormat = Exclude<Format, "xlsx" | "parquet" | "idx">;

/** Options of `readTable`. */
export interface ReadOptions {
  /** Input format (default: from the file extension, or else from the first bytes). */
  readonly format?: Format;
  /** Name of the data in messages (default: the path). */
  readonly name?: string;
  /**
   * Column with the class, or a function that chooses it from the column names. It is read verbatim: "+1" and "007"
   * stay as they are.
   */
  readonly target?: string | ((columns: readonly string[]) => string | undefined);
  /** Columns to read as categories even if all their cells are numbers, dates or free text. */
  readonly categorical?: readonly string[];
  /** Columns to read as numbers, in any notation; other words are missing values. */
  readonly numeric?: readonly string[];
  /** Date columns, in any recognisable form; see docs/files.md. */
  readonly date?: readonly string[];
  /** The order of day and month in the columns of `date` whose values do not show it. */
  readonly dateOrder?: DateOrder;
  /** Columns of prose, which become words. */
  readonly text?: readonly string[];
  /** Columns to ignore. */
  readonly ignore?: readonly string[];
  /**
   * Text formats: encoding of the file by its WHATWG label, such as `windows-1252` or `shift_jis`. Default: UTF-8, or
   * UTF-16 by its byte-order mark, or else a guess, which `Table.notices` names.
   */
  readonly encoding?: string;
  /** Excel: name or number, from 1, of the sheet (default: the first one with a table). */
  readonly sheet?: string;
  /** CSV, Excel: number of lines above the header to skip (default: title lines are recognised). */
  readonly skip?: number;
  /** CSV, Excel: the line, counted from 1, with the column names (default: the first one that is not a title). */
  readonly headerRow?: number;
  /**
   * CSV, Excel: whether a last line such as "Total" counts as a row; by default it is left out, with a note in
   * `Table.notices`.
   */
  readonly keepTotals?: boolean;
  /** CSV: character between cells (default: the one of `,` `;` tab `|` that fits the first records). */
  readonly delimiter?: string;
  /**
   * CSV, JSON, ARFF, Parquet: columns whose spelling matters, such as the categories of a model; the file may lack
   * them. They become numeric only without loss: "007", "1.10" and integers beyond doubles stay text.
   */
  readonly verbatim?: readonly string[];
  /** Numeric columns of a model, which are read like the columns of `numeric`; the file may lack them. */
  readonly expectNumbers?: readonly string[];
  /**
   * Whether numbers use a decimal comma, as in `0,5`, or a decimal point. By default the values of each column decide.
   */
  readonly decimalComma?: boolean;
  /** Additional words for missing values, in every column. */
  readonly missing?: readonly string[];
  /** CSV: false if there is no header; the columns are then named column1, column2, … */
  readonly header?: boolean;
  /** LIBSVM: minimum number of feature columns, even if the largest index in the file is smaller. */
  readonly features?: number;
  /** Threads for reading a large CSV file; the table is the same. Other formats and compressed files use one thread. */
  readonly executor?: Executor;
  /** Stops reading within 100 ms. */
  readonly signal?: AbortSignal;
  /** Called often; `done` and `total` count bytes of the file. */
  readonly onProgress?: (progress: Progress) => void;
}
