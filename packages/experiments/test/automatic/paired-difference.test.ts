import { describe, expect, it } from "vitest";
import {
  compareOnDivisions,
  differenceOfDivisions,
  differenceOfRows,
} from "#experiments/automatic/paired-difference.js";

const rows = (testRows: number, ...wrongRows: number[]) => ({ testRows, wrongRows });

describe("the difference of two errors", () => {
  it("on the same rows has the standard error of the paired differences and the p-value of the sign test", () => {
    // Only the first is wrong on rows 0, 1, 2 and 5, only the second on row 9, both on row 7.
    const first = rows(20, 0, 1, 2, 5, 7);
    const second = rows(20, 7, 9);
    const { difference, standardError, p } = differenceOfRows(first, second);
    const differences = Array.from({ length: 20 }, (_, row) => {
      const wrong = (one: typeof first) => Number(one.wrongRows.includes(row));
      return wrong(first) - wrong(second);
    });
    const mean = differences.reduce((sum, one) => sum + one, 0) / 20;
    const variance = differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / 20;
    expect(difference).toBeCloseTo(mean, 12);
    expect(standardError).toBeCloseTo(Math.sqrt(variance / 20), 12);
    // At least 4 of 5 throws of a fair coin, on either side.
    expect(p).toBeCloseTo((2 * (5 + 1)) / 32, 12);
    expect(differenceOfRows(second, first)).toEqual({ difference: -difference, standardError, p });
  });

  it("is 0 with p = 1 for equal classifiers", () => {
    expect(differenceOfRows(rows(10, 1), rows(10, 1))).toEqual({ difference: 0, standardError: 0, p: 1 });
    expect(differenceOfDivisions([0, 0, 0], 10, 40)).toMatchObject({ difference: 0, p: 1 });
  });

  it("over divisions has the corrected variance", () => {
    const differences = [10, 20, 30, 20, 20];
    const { difference, standardError, p } = differenceOfDivisions(differences, 1000, 4000);
    expect(difference).toBeCloseTo(0.02, 12);
    // s² = 0.0002 / 4, times 1/5 + 1/4.
    expect(standardError).toBeCloseTo(Math.sqrt(0.45 * 0.00005), 12);
    // t = 4.2164 with 4 degrees of freedom: P(|T| > t) = 1 − sin θ (1 + cos² θ / 2) with tan θ = t/2.
    const angle = Math.atan(0.02 / standardError / 2);
    expect(p).toBeCloseTo(1 - Math.sin(angle) * (1 + Math.cos(angle) ** 2 / 2), 9);
  });

  it("over divisions that differ by the same amount has the variance of rounding to a row", () => {
    const { standardError } = differenceOfDivisions([1, 1], 10, 40);
    expect(standardError).toBeCloseTo(Math.sqrt((1 / 2 + 1 / 4) / (12 * 100)), 12);
  });

  it("is that of the rows for one division and that of the errors for several", () => {
    const [first, second] = [rows(10, 1, 2), rows(10, 2)];
    expect(compareOnDivisions([first], [second], 40)).toEqual(differenceOfRows(first, second));
    const swapped = compareOnDivisions([first, second], [second, first], 40);
    expect(swapped.difference).toBe(0);
    const several = compareOnDivisions([first, first], [second, first], 40);
    expect(several).toEqual(differenceOfDivisions([1, 0], 10, 40));
  });
});
