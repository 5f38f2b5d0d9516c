import { describe, expect, it } from "vitest";
import { studentTail } from "#vouch/theory/distributions.js";

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
