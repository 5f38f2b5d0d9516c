import { timeOfText } from "./date-text.js";

/**
 * Ways to write dates: ISO 8601, with the day first as in 31.12.2024, with the month first as in 12/31/2024 or 12/31/24, with the
 * English name of the month as in 31-Dec-2024 or December 31, 2024, or in eight digits as in 20241231. Any but the last may have
 * a time of day.
 */
export const DATE_FORMS = ["iso", "day-first", "month-first", "named-month", "compact"] as const;

/** The name of a way to write dates. */
export type DateForm = (typeof DATE_FORMS)[number];

/** The orders of day and month in dates of numbers. */
export const DATE_ORDERS = ["day-first", "month-first"] as const;

/** An order of day and month, for dates that do not show theirs. */
export type DateOrder = (typeof DATE_ORDERS)[number];

/** The last time that JavaScript knows, in year 275760; minus this is the first. */
export const LAST_TIME = 8.64e15;

/** A time of day on a clock of 24 or 12 hours, with an offset from UTC. */
const TIME = String.raw`(?:[T ](\d{1,2})(:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)\s?([AP]M)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$`;
/** Two numbers and a year; two-digit years only after a slash, because 1.2.24 may be a version number. */
const NUMBERED = new RegExp(String.raw`^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|(?<=/)\d{2})${TIME}`, "i");
const DAY_AND_NAME = new RegExp(String.raw`^(\d{1,2})([ .-]{1,2})([a-z]{3,9})[ .,-]{1,2}(\d{4})${TIME}`, "i");
const NAME_AND_DAY = new RegExp(
  String.raw`^([a-z]{3,9})([ .-]{1,2})(\d{1,2})(?:, ?|[ -])(\d{4})${TIME}`,
  "i",
);

const MONTHS = [
  ...["january", "february", "march", "april", "may", "june", "july"],
  ...["august", "september", "october", "november", "december"],
];

const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;

/**
 * Parses a date to milliseconds since 1970; NaN if the text is not a date of this form. Times without an offset are
 * UTC.
 */
export function timeIn(form: DateForm, text: string): number {
  if (form === "iso") return timeOfText(text);
  if (form === "compact") {
    const [, year, month, day] = COMPACT.exec(text.trim()) ?? [];
    return year === undefined ? Number.NaN : timeOfText(`${year}-${month}-${day}`);
  }
  const trimmed = text.trim();
  const named = form === "named-month" ? DAY_AND_NAME.exec(trimmed) : undefined;
  const found = named ?? (form === "named-month" ? NAME_AND_DAY : NUMBERED).exec(trimmed);
  if (!found) return Number.NaN;
  const [, first, , second, year, hours = "0", minutes = ":00", half, offset = ""] = found;
  const [day, month] = form === "day-first" || named ? [first, second] : [second, first];
  const hour = half === undefined ? Number(hours) : hourOfClock(Number(hours), half.toUpperCase());
  const number = form === "named-month" ? monthNumber(month) : month;
  const date = `${fourDigits(year)}-${twoDigits(number)}-${twoDigits(day)}`;
  return timeOfText(`${date}T${twoDigits(hour)}${minutes}${offset}`);
}

/** Parses a date like `timeIn`, or in an unambiguous form: ISO 8601, or with a named month. */
export function timeInAny(form: DateForm, text: string): number {
  const forms = [form, "iso", "named-month"] as const;
  return forms.reduce((time, next) => (Number.isNaN(time) ? timeIn(next, text) : time), Number.NaN);
}

/** Returns the number of a month from its English name or at least its first three letters; 0 for other words. */
function monthNumber(name: string): number {
  return MONTHS.findIndex((month) => month.startsWith(name.toLowerCase())) + 1;
}

/** Completes two-digit years like POSIX: 69 to 99 are in the last century. */
function fourDigits(year: string): string {
  if (year.length === 4) return year;
  return `${Number(year) < 69 ? 20 : 19}${year}`;
}

/** Formats a time in milliseconds since 1970 as a date that `timeIn` can read; eight digits have no time of day. */
export function dateText(form: DateForm, time: number): string {
  const iso = new Date(time).toISOString();
  const [year, month, day] = iso.slice(0, 10).split("-");
  switch (form) {
    case "iso":
      return iso;
    case "compact":
      return `${year}${month}${day}`;
    case "day-first":
      return `${day}.${month}.${year} ${iso.slice(11)}`;
    case "month-first":
      return `${month}/${day}/${year} ${iso.slice(11)}`;
    case "named-month":
      return `${day} ${MONTHS[Number(month) - 1]} ${year} ${iso.slice(11)}`;
  }
}

/** Converts 12 AM to 0 and 1 PM to 13; returns 99 for impossible hours. */
function hourOfClock(hours: number, half: string): number {
  if (hours < 1 || hours > 12) return 99;
  return (hours % 12) + (half === "PM" ? 12 : 0);
}

function twoDigits(number: string | number): string {
  return String(number).padStart(2, "0");
}

/** Strings, and the number of rows with each of them. */
interface CountedTexts {
  readonly levels: readonly string[];
  readonly counts: Float64Array;
}

/** Number of strings to examine first. */
const FIRST_LOOK = 100;

/**
 * Finds the form of dates: one that at least the given share of the rows have. In 03/04/2024, only a number above 12 in another
 * row tells day and month apart; without one the form is the given order, or else "ambiguous", and so it is if some rows need the
 * day first and others the month. Dates with dots, as in 03.04.2024, have the day first unless a row or the given order says the
 * contrary. Eight digits are dates only if `compact` says that they may be: most are numbers.
 */
export function dateFormOf(
  { levels, counts }: CountedTexts,
  share: number,
  { compact = false, order }: { readonly compact?: boolean; readonly order?: DateOrder | undefined } = {},
): DateForm | "ambiguous" | undefined {
  const used = levels.filter((_, level) => counts[level] > 0);
  const forms = DATE_FORMS.filter((form) => form !== "compact" || compact);
  const isIn = (form: DateForm) => (text: string) => !Number.isNaN(timeIn(form, text));
  const looked = used.slice(0, FIRST_LOOK);
  if (!forms.some((form) => looked.some(isIn(form)))) return undefined;
  const rows = counts.reduce((sum, count) => sum + count, 0);
  const suffice = (matches: (text: string) => boolean) =>
    levels.reduce((sum, text, level) => sum + (matches(text) ? counts[level] : 0), 0) >= share * rows;
  for (const form of ["iso", "named-month"] as const) if (suffice(isIn(form))) return form;
  if (compact && suffice(isIn("compact"))) return "compact";
  const dayFirst = isIn("day-first");
  const monthFirst = isIn("month-first");
  if (!suffice((text) => dayFirst(text) || monthFirst(text))) return undefined;
  const needDay = used.some((text) => dayFirst(text) && !monthFirst(text));
  const needMonth = used.some((text) => monthFirst(text) && !dayFirst(text));
  if (needDay !== needMonth) return needDay ? "day-first" : "month-first";
  if (needDay) return "ambiguous";
  const dotted = used.every((text) => !dayFirst(text) || text.includes("."));
  return order ?? (dotted ? "day-first" : "ambiguous");
}
