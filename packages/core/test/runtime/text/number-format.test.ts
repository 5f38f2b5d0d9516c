import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
} from "#core/runtime/text/number-format.js";

describe("numbers for reading", () => {
  it.each([
    [0, "0"],
    [1234567, "1,234,567"],
    [-3, "−3"],
    [0.0357142857, "0.03571"],
    [12345.6, "12,346"],
    [1.6e-7, "1.60 × 10⁻⁷"],
    [-2.5e20, "−2.50 × 10²⁰"],
    [Number.POSITIVE_INFINITY, "∞"],
    [Number.NEGATIVE_INFINITY, "−∞"],
    [Number.NaN, "–"],
  ])("writes %d as %s", (value, text) => expect(formatNumber(value)).toBe(text));

  it("uses singular and plural", () => {
    expect(formatCount(1, "class", "classes")).toBe("1 class");
    expect(formatCount(0, "row")).toBe("0 rows");
  });

  it.each([
    [0, "0%"],
    [1.4e-17, "0%"],
    [2e-7, "0.000020%"],
    [1, "100%"],
    [0.0357, "3.6%"],
    [0.5, "50.0%"],
    [0.0046, "0.46%"],
    [-0.0046, "−0.46%"],
    [-0.25, "−25.0%"],
    [0.000031, "0.0031%"],
    [0.99996, "> 99.9%"],
    [Number.NaN, "–"],
  ])("writes the fraction %d as %s", (fraction, text) => expect(formatPercent(fraction)).toBe(text));

  it("writes durations in suitable units", () => {
    const shown: readonly (readonly [number, string])[] = [
      [0, "0.0 µs"],
      [4e-7, "0.4 µs"],
      [0.0000129, "13 µs"],
      [0.0009996, "1.0 ms"],
      [0.00996, "10 ms"],
      [0.04, "40 ms"],
      [0.0996, "0.10 s"],
      [0.444, "0.44 s"],
      [0.996, "1.0 s"],
      [3.14, "3.1 s"],
      [9.97, "10 s"],
      [99.4, "99 s"],
      [119.6, "2 min 0 s"],
      [250, "4 min 10 s"],
      [Number.NaN, "–"],
    ];
    expect(shown.map(([seconds]) => formatDuration(seconds))).toEqual(shown.map(([, text]) => text));
  });

  it("writes confidences and ticks with the digits they have", () => {
    expect([0.95, 0.999, 0.07, 0].map((fraction) => formatRoundPercent(fraction))).toEqual([
      "95%",
      "99.9%",
      "7%",
      "0%",
    ]);
  });
});

describe("upper bounds", () => {
  it("are rounded up, by less than one unit of the last digit", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1, noNaN: true, maxExcluded: true }), (bound) => {
        const text = formatUpperBound(bound).replace(/[^\d.]/g, "");
        const unit = 10 ** -(text.split(".")[1] ?? "").length;
        expect(Number(text)).toBeGreaterThanOrEqual(100 * bound * (1 - 1e-11));
        expect(Number(text)).toBeLessThan(100 * bound + unit * (1 + 1e-6));
      }),
    );
  });

  it("are not pushed up by the rounding error of the percentage itself", () => {
    expect(formatUpperBound(0.07)).toBe("7.0%");
    expect(formatUpperBound(0.0736)).toBe("7.4%");
  });

  it("never exceed 100%", () => {
    expect(formatUpperBound(Number.POSITIVE_INFINITY)).toBe("100%");
    expect(formatUpperBound(0)).toBe("0%");
  });
});

describe("numbers from 10,000 on", () => {
  it("are rounded and grouped as a format for the locale does it", () => {
    const format = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
    for (const value of [
      0, 7, 999, 1000, 12345.5, -12346.5, 99999.49999, 123456789, -1e14, 999999999999999,
    ]) {
      expect(formatNumber(value)).toBe(format.format(value).replace("-", "−"));
    }
  });
});
