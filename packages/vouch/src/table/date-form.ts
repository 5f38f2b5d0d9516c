import { timeOfText } from "./date-text.js";

/**
 * Ways to write dates as numbers: ISO 8601, with the day first as in 31.12.2024, with the month first as in 12/31/2024, or in
 * eight digits as in 20241231. Any but the last may have a time of day.
 */
export const DATE_FORMS = ["iso", "day-first", "month-first", "compact"] as const;

/** The name of a way to write dates. */
export type DateForm = (typeof DATE_FORMS)[number];

/** The last time that JavaScript knows, in year 275760; minus this is the first. */
export const LAST_TIME = 8.64e15;

/** Two numbers and a year, and optionally a time of day on a clock of 24 or 12 hours with an offset from UTC. */
const NUMBERED =
  /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[T ](\d{1,2})(:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)\s?([AP]M)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;

/** Reads a date in milliseconds since 1970; NaN if the text is not a date of this form. Times without an offset are UTC. */
export function timeIn(form: DateForm, text: string): number {
  if (form === "iso") return timeOfText(text);
  if (form === "compact") {
    const [, year, month, day] = COMPACT.exec(text.trim()) ?? [];
    return year === undefined ? Number.NaN : timeOfText(`${year}-${month}-${day}`);
  }
  const found = NUMBERED.exec(text.trim());
  if (!found) return Number.NaN;
  const [, first, , second, year, hours = "0", minutes = ":00", half, offset = ""] = found;
  const [day, month] = form === "day-first" ? [first, second] : [second, first];
  const hour = half === undefined ? Number(hours) : hourOfClock(Number(hours), half.toUpperCase());
  return timeOfText(`${year}-${twoDigits(month)}-${twoDigits(day)}T${twoDigits(hour)}${minutes}${offset}`);
}

/** Writes a time in milliseconds since 1970 as a date that `timeIn` reads; one of eight digits has no time of day. */
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
  }
}

/** Converts 12 AM to 0 and 1 PM to 13; 99, which no day has, for hours that no clock shows. */
function hourOfClock(hours: number, half: string): number {
  if (hours < 1 || hours > 12) return 99;
  return (hours % 12) + (half === "PM" ? 12 : 0);
}

function twoDigits(number: string | number): string {
  return String(number).padStart(2, "0");
}

/** Texts, and the number of rows that have each of them. */
interface CountedTexts {
  readonly levels: readonly string[];
  readonly counts: Float64Array;
}

/** Texts that are looked at before all of them are. */
const FIRST_LOOK = 100;

/**
 * Finds the form of dates: one that at least the given share of the rows have. In 03/04/2024, only a number above 12 in another
 * row tells day and month apart; without one the form is "ambiguous", and also if some rows need the day first and others the
 * month. Dates with dots, as in 03.04.2024, have the day first unless a row proves the contrary. Eight digits are dates only if
 * `compact` says that they may be: most are numbers.
 */
export function dateFormOf(
  { levels, counts }: CountedTexts,
  share: number,
  { compact = false } = {},
): DateForm | "ambiguous" | undefined {
  const used = levels.filter((_, level) => counts[level] > 0);
  const forms = DATE_FORMS.filter((form) => form !== "compact" || compact);
  const isIn = (form: DateForm) => (text: string) => !Number.isNaN(timeIn(form, text));
  const looked = used.slice(0, FIRST_LOOK);
  if (!forms.some((form) => looked.some(isIn(form)))) return undefined;
  const rows = counts.reduce((sum, count) => sum + count, 0);
  const suffice = (matches: (text: string) => boolean) =>
    levels.reduce((sum, text, level) => sum + (matches(text) ? counts[level] : 0), 0) >= share * rows;
  if (suffice(isIn("iso"))) return "iso";
  if (compact && suffice(isIn("compact"))) return "compact";
  const dayFirst = isIn("day-first");
  const monthFirst = isIn("month-first");
  if (!suffice((text) => dayFirst(text) || monthFirst(text))) return undefined;
  const needDay = used.some((text) => dayFirst(text) && !monthFirst(text));
  const needMonth = used.some((text) => monthFirst(text) && !dayFirst(text));
  if (needDay !== needMonth) return needDay ? "day-first" : "month-first";
  const dotted = used.every((text) => !dayFirst(text) || text.includes("."));
  return !needDay && dotted ? "day-first" : "ambiguous";
}
