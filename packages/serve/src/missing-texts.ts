/** Texts that stand for a missing cell, as in data files (`MISSING_MARKERS` of @vouch/formats). */
export const MISSING_TEXTS: ReadonlySet<string> = new Set([
  "",
  "NA",
  "N/A",
  "NaN",
  "nan",
  "null",
  "NULL",
  "?",
]);
