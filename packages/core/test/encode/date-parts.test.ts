import { describe, expect, it } from "vitest";
import { calendarPart, DAY, daysSince, fitDates } from "#core/encode/date-parts.js";

const at = (text: string) => Date.parse(text);
const times = (...texts: string[]) => ({
  kind: "numeric" as const,
  name: "t",
  values: Float64Array.from(texts, (text) => (text === "" ? Number.NaN : at(text))),
});

describe("calendarPart", () => {
  it.each([
    // The Battle of Hastings was on a Saturday (14 October 1066 of the Julian calendar is 20 October of ours).
    ["1066-10-20T00:00:00Z", { year: 1066, month: 10, weekday: 6, hour: 0 }],
    ["1969-07-20T20:17:40Z", { year: 1969, month: 7, weekday: 7, hour: 20 }],
    ["1970-01-01T00:00:00Z", { year: 1970, month: 1, weekday: 4, hour: 0 }],
    ["2000-02-29T12:00:00Z", { year: 2000, month: 2, weekday: 2, hour: 12 }],
    ["2024-02-29T23:59:59Z", { year: 2024, month: 2, weekday: 4, hour: 23 }],
    ["2024-12-30T23:30:00-01:00", { year: 2024, month: 12, weekday: 2, hour: 0 }],
  ])("reads %s", (text, parts) => {
    for (const [part, value] of Object.entries(parts)) {
      expect(calendarPart(part as keyof typeof parts, at(text))).toBe(value);
    }
  });

  it("has weekdays that repeat after seven days, for four hundred years and more", () => {
    for (let day = -400 * 366; day < 400 * 366; day += 97) {
      const weekday = calendarPart("weekday", day * DAY);
      expect(weekday).toBe(((((day + 3) % 7) + 7) % 7) + 1);
    }
  });

  it("keeps missing dates missing", () => {
    for (const part of ["year", "month", "weekday", "hour"] as const) {
      expect(calendarPart(part, Number.NaN)).toBeNaN();
    }
    expect(daysSince(0, Number.NaN)).toBeNaN();
  });
});

describe("fitDates", () => {
  it("takes the first day, and the parts that vary", () => {
    expect(fitDates(times("2024-03-02T06:00:00Z", "", "2024-03-01T18:00:00Z"))).toEqual({
      reference: at("2024-03-01"),
      parts: ["weekday", "hour"],
    });
    expect(fitDates(times("1969-12-31T01:00:00Z", "1970-01-07T01:00:00Z"))).toEqual({
      reference: at("1969-12-31"),
      parts: ["year", "month"],
    });
  });

  it("has no parts without dates, or with one", () => {
    expect(fitDates(times("", ""))).toEqual({ reference: 0, parts: [] });
    expect(fitDates(times("2024-03-02T06:00:00Z"))).toEqual({ reference: at("2024-03-02"), parts: [] });
  });
});
