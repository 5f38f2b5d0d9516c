import { describe, expect, it } from "vitest";
import { pairedTTest, studentTail } from "#experiments/student-t.js";

describe("the tail of Student's distribution", () => {
  it("is that of the tables", () => {
    // Quantiles t with P(T ≥ t) as given, from printed tables.
    const table: [freedom: number, t: number, tail: number][] = [
      [1, 6.3138, 0.05],
      [2, 2.91999, 0.05],
      [3, 4.5407, 0.01],
      [4, 2.13185, 0.05],
      [4, 3.74695, 0.01],
      [9, 1.83311, 0.05],
      [24, 1.71088, 0.05],
      [24, 2.49216, 0.01],
      [120, 1.65765, 0.05],
    ];
    for (const [freedom, t, tail] of table) expect(studentTail(t, freedom)).toBeCloseTo(tail, 6);
  });

  it("is Cauchy's for one degree of freedom, and symmetric", () => {
    expect(studentTail(1, 1)).toBeCloseTo(0.25, 15);
    expect(studentTail(0, 7)).toBe(0.5);
    expect(studentTail(-1.3, 6) + studentTail(1.3, 6)).toBeCloseTo(1, 15);
  });
});

describe("the paired t-test", () => {
  it("is one-sided: small when the first are below the second", () => {
    // Differences 1, 2, 3, 4, 5: mean 3, standard error √(2.5/5), t = 4.2426 on 4 degrees of freedom.
    const p = pairedTTest([1, 1, 1, 1, 1], [2, 3, 4, 5, 6]);
    expect(p).toBeCloseTo(studentTail(3 / Math.sqrt(0.5), 4), 15);
    expect(p).toBeCloseTo(0.00662, 5);
    expect(pairedTTest([2, 3, 4, 5, 6], [1, 1, 1, 1, 1])).toBeCloseTo(1 - p, 15);
  });

  it("gives a number when nothing varies", () => {
    expect(pairedTTest([1, 2, 3], [1, 2, 3])).toBe(0.5);
    expect(pairedTTest([0, 0], [1, 1])).toBe(0);
    expect(pairedTTest([1, 1], [0, 0])).toBe(1);
  });
});
