/**
 * Strings for a missing value, in data files (quoted or not) and in requests: empty cells, errors of spreadsheets, and
 * markers of databases and other programs. They are case-sensitive and must not be surrounded by spaces.
 */
export const MISSING_MARKERS: ReadonlySet<string> = new Set([
  "",
  "NA",
  "na",
  "N/A",
  "n/a",
  "NaN",
  "nan",
  "-nan",
  "null",
  "NULL",
  "Null",
  "<NA>",
  "NaT",
  "?",
  "#N/A",
  "#N/A N/A",
  "#NA",
  "#DIV/0!",
  "#NAME?",
  "#NULL!",
  "#NUM!",
  "#REF!",
  "#VALUE!",
]);

/** Words for a missing value among numbers, in lower case. Elsewhere they may be a category. */
const MISSING_NUMBERS: ReadonlySet<string> = new Set([
  ...["none", "nil", "nul", "unknown", "missing", "undefined", "not available", "not applicable"],
  ...["not known", "n.a.", "n. a.", "n.d.", "n. d.", "nd", "k.a.", "k. a.", "keine angabe", "unbekannt"],
  ...["-", "--", "---", "–", "—", ".", "..", "...", "…", "*", "#", "tbd", "1.#qnan", "1.#ind", "-1.#ind"],
]);

/** Checks whether a string stands for a missing value: a marker, or only spaces. */
export function isMissingMarker(text: string): boolean {
  return MISSING_MARKERS.has(text) || /^[ \t\u00a0]+$/.test(text);
}

/** Checks whether a string among numbers stands for a missing value. */
export function isMissingNumber(text: string): boolean {
  const word = text.trim();
  return MISSING_MARKERS.has(word) || MISSING_NUMBERS.has(word.toLowerCase());
}
