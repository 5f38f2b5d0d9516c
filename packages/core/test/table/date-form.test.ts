import { describe, expect, it } from "vitest";
import { dateFormOf, timeIn } from "#core/table/date-form.js";

const formOf = (levels: readonly string[], options?: Parameters<typeof dateFormOf>[2]) =>
  dateFormOf({ levels, counts: new Float64Array(levels.length).fill(1) }, 0.95, options);

describe("timeIn", () => {
  it.each([
    ["day-first", "31.12.2024", "2024-12-31T00:00:00.000Z"],
    ["day-first", "1/3/2024 9:05", "2024-03-01T09:05:00.000Z"],
    ["month-first", "12-31-2024", "2024-12-31T00:00:00.000Z"],
    ["month-first", "2/29/2024 12:30 AM", "2024-02-29T00:30:00.000Z"],
    ["month-first", "2/29/2024 12:30:15 pm", "2024-02-29T12:30:15.000Z"],
    ["day-first", "01.01.1950 23:00+02:00", "1950-01-01T21:00:00.000Z"],
    ["month-first", "12/31/24", "2024-12-31T00:00:00.000Z"],
    ["day-first", "31/12/69", "1969-12-31T00:00:00.000Z"],
    ["named-month", "31-Dec-2024", "2024-12-31T00:00:00.000Z"],
    ["named-month", "1. sept. 2024 9:05 pm", "2024-09-01T21:05:00.000Z"],
    ["named-month", "February 29, 2024", "2024-02-29T00:00:00.000Z"],
    ["named-month", "May 3 2024 12:00Z", "2024-05-03T12:00:00.000Z"],
    ["compact", "19691231", "1969-12-31T00:00:00.000Z"],
    ["iso", "2024-03-01 00:00:00+00", "2024-03-01T00:00:00.000Z"],
  ] as const)("reads %s %s", (form, text, iso) => {
    expect(new Date(timeIn(form, text)).toISOString()).toBe(iso);
  });

  it.each([
    ["day-first", "12/31/2024"],
    ["month-first", "31/12/2024"],
    ["day-first", "29.02.2023"],
    ["day-first", "1.2/2024"],
    ["month-first", "1/1/2024 13:00 PM"],
    ["month-first", "1/1/2024 0:30 AM"],
    ["day-first", "1.2.24"],
    ["named-month", "31-Dez-2024"],
    ["named-month", "30 Feb 2024"],
    ["named-month", "12 apples 2024"],
    ["compact", "20241301"],
    ["compact", "2024-01-01"],
  ] as const)("does not read %s %s", (form, text) => {
    expect(timeIn(form, text)).toBeNaN();
  });
});

describe("dateFormOf", () => {
  it("tells day from month by a number above 12", () => {
    expect(formOf(["01/02/2024", "13/02/2024"])).toBe("day-first");
    expect(formOf(["01/02/2024", "02/13/2024"])).toBe("month-first");
    expect(formOf(["01/02/2024", "03/04/2024"])).toBe("ambiguous");
    expect(formOf(["13/02/2024", "02/13/2024"])).toBe("ambiguous");
  });

  it("reads the day first if dots separate the numbers, unless a row proves the contrary", () => {
    expect(formOf(["01.02.2024", "03.04.2024"])).toBe("day-first");
    expect(formOf(["01.02.2024", "03.14.2024"])).toBe("month-first");
  });

  it("takes the given order only where no row decides", () => {
    expect(formOf(["01/02/2024", "03/04/2024"], { order: "day-first" })).toBe("day-first");
    expect(formOf(["01.02.2024", "03.04.2024"], { order: "month-first" })).toBe("month-first");
    expect(formOf(["01/02/2024", "02/13/2024"], { order: "day-first" })).toBe("month-first");
    expect(formOf(["13/02/2024", "02/13/2024"], { order: "day-first" })).toBe("ambiguous");
  });

  it("needs 95% of the rows, not of the different texts", () => {
    const levels = ["2024-01-01", "n.d."];
    expect(dateFormOf({ levels, counts: Float64Array.of(95, 5) }, 0.95)).toBe("iso");
    expect(dateFormOf({ levels, counts: Float64Array.of(94, 6) }, 0.95)).toBeUndefined();
  });

  it("takes eight digits for dates only if they are declared", () => {
    expect(formOf(["20240101", "20240102"])).toBeUndefined();
    expect(formOf(["20240101", "20240102"], { compact: true })).toBe("compact");
  });

  it("finds no dates among other texts, and none without texts", () => {
    expect(formOf(["red", "blue"])).toBeUndefined();
    expect(formOf([])).toBeUndefined();
    expect(formOf(["1.2.3", "10.0.1"])).toBeUndefined();
  });
});
