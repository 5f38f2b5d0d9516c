import { expect, it } from "vitest";
import { differenceCell, pointsCell, standardError } from "#experiments/points-cell.js";

it("shares are told in points with the standard error of their mean", () => {
  // The deviation of 0.8 and 0.9 is √0.005, the standard error half their distance.
  expect(standardError([0.8, 0.9])).toBeCloseTo(0.05, 12);
  expect(pointsCell([0.8, 0.9])).toBe("85.00 ± 5.00");
  expect(pointsCell([0.875])).toBe("87.50");
});

it("differences are taken pair by pair, with their sign", () => {
  expect(differenceCell([0.8, 0.9], [0.7, 0.8])).toBe("+10.00 ± 0.00");
  expect(differenceCell([0.5], [0.75])).toBe("-25.00");
});
