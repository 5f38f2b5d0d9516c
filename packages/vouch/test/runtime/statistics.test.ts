import { describe, expect, it } from "vitest";
import { mean, standardDeviation } from "#vouch/runtime/statistics.js";

describe("mean and standard deviation", () => {
  it("agree with calculation by hand", () => {
    expect(mean([2, 4, 4, 4, 5, 5, 7, 9])).toBe(5);
    expect(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(Math.sqrt(32 / 7), 14);
  });

  it("have no spread for one number", () => {
    expect(standardDeviation([3])).toBe(0);
  });
});
