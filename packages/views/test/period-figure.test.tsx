import { describe, expect, it } from "vitest";
import { binomialInterval } from "vouch/theory";
import { PeriodFigure } from "#views/panels/evaluation/period-figure.js";
import { numbers, rendered, textOf } from "./rendered.js";

/** Periods that follow each other from a start in steps. */
function periodsFrom(start: number, step: number) {
  return [10, 40].map((errors, i) => ({
    from: start + 2 * i * step,
    to: start + (2 * i + 1) * step,
    rows: 100,
    errors,
  }));
}

const DAY = 86_400_000;
const march = Date.UTC(2024, 2, 1);

function wordsOf(periods: Parameters<typeof PeriodFigure>[0]["periods"], change?: string): string {
  return textOf(<PeriodFigure periods={periods} change={change} />);
}

describe("the error over time", () => {
  it("is drawn for each period, with its interval, in proportion", () => {
    const figure = rendered(<PeriodFigure periods={periodsFrom(march, 10 * DAY)} change={undefined} />);
    const [first, second] = numbers(figure, ".wide circle", "cx");
    const ends = numbers(figure, '.wide [aria-label="rule"] line', "x2");
    const zero = numbers(figure, '.wide [aria-label="rule"] line', "x1")[1];
    expect((second - zero) / (first - zero)).toBeCloseTo(4, 6);
    expect((ends[4] - zero) / (second - zero)).toBeCloseTo(binomialInterval(40, 100)[1] / 0.4, 6);
  });

  it("names dates as dates, times of day within two days, and numbers as numbers", () => {
    expect(wordsOf(periodsFrom(march, 10 * DAY))).toContain("1 Mar 2024 – 11 Mar 2024: 10 in 100");
    expect(wordsOf(periodsFrom(march, DAY / 8))).toMatch(/1 Mar, 00:00 – 1 Mar, 03:00/);
    expect(wordsOf(periodsFrom(2010, 1))).toContain("2010 – 2011: 10 in 100");
    expect(wordsOf(periodsFrom(20_000, 500))).toContain("20,000 – 20,500: 10 in 100");
    expect(wordsOf([{ from: march, to: march, rows: 30, errors: 3 }])).toContain("1 Mar 2024: 3 in 30");
  });

  it("comes with the finding", () => {
    const change = "The error changes over time: 10% in the first period, 40% in the last.";
    const periods = periodsFrom(march, DAY);
    expect(wordsOf(periods, change)).toContain("do not hold for later cases");
    expect(wordsOf(periods)).toContain("do not differ significantly");
    expect(wordsOf([])).toBe("");
  });
});
