import { studentTail } from "@vouch/core/internal/theory/test-tails";
import { describe, expect, it } from "vitest";
import { discordantRows, pairedTTest, signTest } from "#experiments/paired-tests.js";

describe("discordant rows", () => {
  it("are those that only one classifier gets right", () => {
    const labels = Int32Array.of(0, 0, 1, 1, 2);
    const first = Int32Array.of(0, 1, 1, 1, 0);
    const second = Int32Array.of(0, 0, 0, 0, 1);
    // Rows 3 and 4 are for the first, row 2 is for the second; both are wrong on row 5 and right on row 1.
    expect(discordantRows(first, second, labels)).toEqual({ first: 2, second: 1 });
  });
});

describe("the sign test", () => {
  it("is the tail of a fair coin", () => {
    expect(signTest({ first: 0, second: 0 })).toBe(1);
    expect(signTest({ first: 0, second: 7 })).toBeCloseTo(1, 12);
    expect(signTest({ first: 5, second: 0 })).toBeCloseTo(1 / 32, 12);
    // (C(10,8) + C(10,9) + C(10,10)) / 2¹⁰
    expect(signTest({ first: 8, second: 2 })).toBeCloseTo(56 / 1024, 12);
  });

  it("does not overflow", () => {
    expect(signTest({ first: 1000, second: 1000 })).toBeCloseTo(0.5, 1);
    expect(signTest({ first: 2000, second: 0 })).toBe(0);
  });
});

describe("the paired t-test", () => {
  it("is one-sided: small if the first numbers are below the second", () => {
    // Differences 1, 2, 3, 4, 5: mean 3, standard error √(2.5/5), t = 4.2426 on 4 degrees of freedom.
    const p = pairedTTest([1, 1, 1, 1, 1], [2, 3, 4, 5, 6]);
    expect(p).toBeCloseTo(studentTail(3 / Math.sqrt(0.5), 4), 15);
    expect(p).toBeCloseTo(0.00662, 5);
    expect(pairedTTest([2, 3, 4, 5, 6], [1, 1, 1, 1, 1])).toBeCloseTo(1 - p, 15);
  });

  it("is less sure of folds that share training rows", () => {
    // Five folds, of which one tests: the variance of the mean is (1/5 + 1/4) times that of the differences.
    const p = pairedTTest([1, 1, 1, 1, 1], [2, 3, 4, 5, 6], 1 / 4);
    expect(p).toBeCloseTo(studentTail(3 / Math.sqrt(2.5 * 0.45), 4), 15);
  });

  it("gives a number if nothing varies", () => {
    expect(pairedTTest([1, 2, 3], [1, 2, 3])).toBe(0.5);
    expect(pairedTTest([0, 0], [1, 1])).toBe(0);
    expect(pairedTTest([1, 1], [0, 0])).toBe(1);
  });
});
