/** The user's choices about how a file is written; absent choices are detected. Each is a flag of `vouch train`. */
export interface ReadingChoices {
  readonly delimiter?: string;
  readonly decimalComma?: boolean;
  readonly encoding?: string;
  readonly missing?: readonly string[];
  /** The order of day and month in dates that do not show theirs. */
  readonly dateOrder?: "day-first" | "month-first";
  readonly sheet?: string;
  readonly skip?: number;
  /** Whether a last line such as "Total" counts as a row. */
  readonly keepTotals?: boolean;
  /** False if the first line is a row. */
  readonly header?: boolean;
}

/** Lists the choices for a file of this name: delimiters for text, sheets for workbooks. */
export function readingFields(name: string): readonly (keyof ReadingChoices)[] {
  const ofCells = ["missing", "dateOrder"] as const;
  if (/\.xls[xm]?$/i.test(name)) return ["sheet", "skip", "header", "keepTotals", "decimalComma", ...ofCells];
  if (/\.parquet$/i.test(name)) return ofCells;
  if (/\.(json|ndjson|jsonl|arff|libsvm|svm)(\.gz)?$/i.test(name)) return ["encoding", ...ofCells];
  return ["delimiter", "decimalComma", "header", "encoding", "skip", "keepTotals", ...ofCells];
}
