import { describe, expect, it } from "vitest";
import { Random } from "vouch/extend";
import {
  centralInterval,
  holmAdjusted,
  meanInterval,
  pairedP,
  studentQuantile,
} from "#experiments/confidence-interval.js";

describe("Student's interval", () => {
  it("has the quantiles of the tables", () => {
    expect(studentQuantile(0.025, 1)).toBeCloseTo(12.706, 3);
    expect(studentQuantile(0.025, 10)).toBeCloseTo(2.2281, 4);
    expect(studentQuantile(0.005, 99)).toBeCloseTo(2.6264, 4);
  });

  it("covers the mean of normal values as often as it says", () => {
    const random = new Random(11);
    let covered = 0;
    for (let trial = 0; trial < 2000; trial++) {
      const { low, high } = meanInterval(Array.from({ length: 5 }, () => 3 + random.normal()));
      if (low <= 3 && 3 <= high) covered++;
    }
    // 1,900 are expected, with a standard deviation of 10.
    expect(Math.abs(covered - 1900)).toBeLessThan(40);
  });

  it("is wider by √(1 + k·overlap) for overlapping splits", () => {
    const values = [0.1, 0.3, 0.2, 0.4];
    const [plain, wide] = [meanInterval(values), meanInterval(values, 0.95, 0.25)];
    expect((wide.high - wide.low) / (plain.high - plain.low)).toBeCloseTo(Math.SQRT2, 10);
  });
});

it("the central interval leaves the same number of values out on both sides", () => {
  const values = Array.from({ length: 100 }, (_, i) => 99 - i);
  expect(centralInterval(values)).toEqual({ low: 2, high: 97 });
  expect(centralInterval([5])).toEqual({ low: 5, high: 5 });
});

it("the paired test has the p-value of its t", () => {
  // t = 1 with one degree of freedom: the Cauchy distribution has a quarter above 1.
  expect(pairedP([0, 20])).toBeCloseTo(0.5, 10);
  expect(pairedP([-1, 1])).toBe(1);
});

it("Holm's p-values are those of the sequential test", () => {
  const adjusted = holmAdjusted([0.04, 0.01, 0.03]);
  [0.06, 0.03, 0.06].forEach((p, k) => {
    expect(adjusted[k]).toBeCloseTo(p, 12);
  });
  expect(holmAdjusted([0.5, 0.9])).toEqual([1, 1]);
});
