/** Texts that stand for a missing cell, in data files (quoted or not) and in requests. They are case-sensitive, and spaces around them make them text. */
export const MISSING_MARKERS: ReadonlySet<string> = new Set([
  "",
  "NA",
  "N/A",
  "NaN",
  "nan",
  "null",
  "NULL",
  "?",
]);
