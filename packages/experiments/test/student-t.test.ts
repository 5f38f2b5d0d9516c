import { describe, expect, it } from "vitest";
import { studentTail } from "vouch/select";
import { pairedTTest } from "#experiments/student-t.js";

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
