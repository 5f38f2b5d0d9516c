/** Texts that stand for a missing cell, quoted or not. A space more or another case makes them ordinary text. */
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

/** So many rows from the start of the data decide whether a column is numeric. */
export const SURVEYED_ROWS = 20_480;

const NUMBER = /^[ \t]*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)[ \t]*$/i;

/**
 * The number that a cell spells: decimal digits with an optional sign, point and exponent, or ±inf, ±infinity
 * (which the caller rejects); spaces and tabs around it do not count. Everything else, "0x1F", "1_000", "1,5"
 * and "true" included, is not a number: undefined.
 */
export function numberOf(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const value = Number(text);
  if (!Number.isNaN(value)) return value;
  return text.includes("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** The number that a cell spells in places where the comma parts whole and fraction; a point makes it text. */
export function numberWithComma(text: string): number | undefined {
  return text.includes(".") ? undefined : numberOf(text.replace(",", "."));
}

/** A cell for a message: quoted, and cut when it is long. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);
}
