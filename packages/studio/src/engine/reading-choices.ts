/** What the user says about how a file is written; what is absent is found in the file. Each is a flag of `vouch train`. */
export interface ReadingChoices {
  readonly delimiter?: string;
  readonly decimalComma?: boolean;
  readonly encoding?: string;
  readonly missing?: readonly string[];
  /** The order of day and month in dates that do not show theirs. */
  readonly dateOrder?: "day-first" | "month-first";
  readonly sheet?: string;
  readonly skip?: number;
  /** Whether a last line such as "Total" is a row. */
  readonly keepTotals?: boolean;
  /** False if the first line is a row. */
  readonly header?: boolean;
}

/** What can be said about a file of this name: delimiters are of text, sheets of workbooks. */
export function readingFields(name: string): readonly (keyof ReadingChoices)[] {
  const ofCells = ["missing", "dateOrder"] as const;
  if (/\.xls[xm]?$/i.test(name)) return ["sheet", "skip", "header", "keepTotals", "decimalComma", ...ofCells];
  if (/\.parquet$/i.test(name)) return ofCells;
  if (/\.(json|ndjson|jsonl|arff|libsvm|svm)(\.gz)?$/i.test(name)) return ["encoding", ...ofCells];
  return ["delimiter", "decimalComma", "header", "encoding", "skip", "keepTotals", ...ofCells];
}
