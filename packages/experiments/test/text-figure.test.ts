import { describe, expect, it } from "vitest";
import { boxPlots, fiveNumbers, textColumns } from "#experiments/text-figure.js";

describe("five numbers", () => {
  it("are extremes and quartiles, interpolated", () => {
    expect(fiveNumbers([3, 1, 2, 5, 4])).toEqual({ least: 1, lower: 2, median: 3, upper: 4, most: 5 });
    expect(fiveNumbers([10, 0])).toEqual({ least: 0, lower: 2.5, median: 5, upper: 7.5, most: 10 });
    expect(fiveNumbers([7])).toEqual({ least: 7, lower: 7, median: 7, upper: 7, most: 7 });
  });
});

describe("box plots", () => {
  it("are drawn to scale", () => {
    const box = { least: 0, lower: 2, median: 5, upper: 8, most: 10 };
    const [line, ruler] = boxPlots([{ name: "a", box }], 0, 10, 11).split("\n");
    expect(line).toBe("a  ├─░░░█░░░─┤");
    expect(ruler).toBe("   0        10");
  });
});

describe("text columns", () => {
  it("are empty for 0, visible for 1, and full for the largest count", () => {
    expect(textColumns([0, 1, 50, 100], 100)).toBe(" ▁▄█");
  });
});
