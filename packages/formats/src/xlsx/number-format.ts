/**
 * What a number format shows: a number, a date, or a date with a time. Times without a date are numbers: fractions of a
 * day.
 */
export type ShownAs = "number" | "date" | "datetime";

/** Built-in date formats; time formats are numbers. 27 to 36 and 50 to 58 are dates in East Asian versions. */
const DATE_IDS = new Set([14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58]);
const DATETIME_ID = 22;

/** Determines what a number format shows from its code, or from its number if it is built in. */
export function shownAs(id: number, code: string | undefined): ShownAs {
  if (code === undefined) return id === DATETIME_ID ? "datetime" : DATE_IDS.has(id) ? "date" : "number";
  // Removes strings, escaped characters, colours and conditions; the first section is for positive numbers.
  const letters = code
    .replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, "")
    .split(";")[0]
    .toLowerCase()
    .replace(/am\/pm|a\/p|general/g, "");
  const hasTime = /[hs]/.test(letters);
  // m stands for months, but also for minutes.
  const hasDate = /[yd]/.test(letters) || (letters.includes("m") && !hasTime);
  return hasDate ? (hasTime ? "datetime" : "date") : "number";
}

const DAY_MS = 86_400_000;
/**
 * Days between the starts of 1900 and 1970 in Excel, which treats 1900 as a leap year, so that day 60 does not exist.
 */
const DAYS_1900 = 25_569;
const DAYS_1904 = 24_107;
/** 31 December 9999. */
const LAST_DAY = 2_958_465;

/** Formats a day number as an ISO date; undefined if it is out of range. */
export function serialDate(serial: number, shown: ShownAs, is1904: boolean): string | undefined {
  if (!(serial >= 0) || serial > LAST_DAY + 1) return undefined;
  const days = is1904 ? serial - DAYS_1904 : serial < 60 ? serial + 1 - DAYS_1900 : serial - DAYS_1900;
  const time = new Date(Math.round(days * DAY_MS));
  const iso = time.toISOString();
  if (shown === "date" && time.getTime() % DAY_MS === 0) return iso.slice(0, 10);
  return iso.replace("T", " ").replace(/(?:\.000)?Z$/, "");
}
