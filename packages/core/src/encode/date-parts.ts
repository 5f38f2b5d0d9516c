import { denseValues, type NumericColumn } from "../table/column.js";

/** Parts of a date that become features, apart from the days since a reference. */
export const CALENDAR_PARTS = ["year", "month", "weekday", "hour"] as const;

/** A part of a date: months count from 1, weekdays from 1 for Monday to 7 for Sunday (ISO 8601), hours from 0. */
export type CalendarPart = (typeof CALENDAR_PARTS)[number];

/** Milliseconds of a day. */
export const DAY = 86_400_000;

/** Computes the days, with fractions, from one time to another; NaN stays NaN. */
export function daysSince(reference: number, time: number): number {
  return (time - reference) / DAY;
}

/** Computes a part of a date in UTC, from milliseconds since 1970; NaN stays NaN. */
export function calendarPart(part: CalendarPart, time: number): number {
  const date = new Date(time);
  switch (part) {
    case "year":
      return date.getUTCFullYear();
    case "month":
      return date.getUTCMonth() + 1;
    case "weekday":
      return ((date.getUTCDay() + 6) % 7) + 1;
    case "hour":
      return date.getUTCHours();
  }
}

/** Makes the column of a part of dates. */
export function partColumn(name: string, part: CalendarPart, times: NumericColumn): NumericColumn {
  return {
    kind: "numeric",
    name,
    values: Float64Array.from(times.values, (time) => calendarPart(part, time)),
  };
}

/** Makes the column of days since a reference. */
export function daysColumn(name: string, reference: number, times: NumericColumn): NumericColumn {
  return {
    kind: "numeric",
    name,
    values: Float64Array.from(times.values, (time) => daysSince(reference, time)),
  };
}

/** How a column of dates becomes features. */
export interface FittedDates {
  /** The first day of the training rows, in milliseconds since 1970; 0 without any date. */
  readonly reference: number;
  /** The parts that differ between training rows. */
  readonly parts: readonly CalendarPart[];
}

/** Finds the first day of times, and the parts in which they differ. */
export function fitDates(times: NumericColumn): FittedDates {
  const values = denseValues(times.values);
  let earliest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < values.length; i++) if (values[i] < earliest) earliest = values[i];
  if (earliest === Number.POSITIVE_INFINITY) return { reference: 0, parts: [] };
  const varies = (part: CalendarPart) => {
    const first = calendarPart(part, earliest);
    return values.some((time) => !Number.isNaN(time) && calendarPart(part, time) !== first);
  };
  return { reference: Math.floor(earliest / DAY) * DAY, parts: CALENDAR_PARTS.filter(varies) };
}
