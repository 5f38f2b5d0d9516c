/** A year and a month, usually a day, and optionally a time of day with an offset from UTC. */
const DATE =
  /^(\d{4})([-/])(\d{2})(?:\2(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?)?$/i;

const MINUTE = 60_000;

/**
 * Parses an ISO 8601 date or date-time to milliseconds since 1970: "2024-03-01", "2024-03-01T12:00:00Z", "2024-03-01
 * 12:00", "2024-03"; also "2024/03/01". A time without an offset is UTC. NaN for other strings: in "03/01/2024", the
 * month is ambiguous.
 */
export function timeOfText(text: string): number {
  const found = DATE.exec(text.trim());
  if (!found) return Number.NaN;
  const [, year, , month, day = "1", hours = "0", minutes = "0", seconds = "0", fraction = "0", offset] =
    found;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // An impossible day, such as 30 February, would become a day of the next month.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return Number.NaN;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 60) return Number.NaN;
  const ofDay = (Number(hours) * 60 + Number(minutes)) * MINUTE + Number(`${seconds}.${fraction}`) * 1000;
  return date.getTime() + ofDay - offsetOf(offset);
}

/** Returns the milliseconds that "+01:00" is ahead of UTC. */
function offsetOf(text = "Z"): number {
  if (text.toUpperCase() === "Z") return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(3).replace(":", ""));
  return (text.startsWith("-") ? -minutes : minutes) * MINUTE;
}
