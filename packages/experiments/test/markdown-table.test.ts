import { expect, it } from "vitest";
import { differenceCell, markdownTable, percentCell, standardError } from "#experiments/markdown-table.js";

it("tables have words to the left and numbers to the right", () => {
  expect(markdownTable(["name", "error", "won"], [["a", "0.5", "3 of 4"]]).split("\n")).toEqual([
    "| name | error |    won |",
    "| ---- | ----: | -----: |",
    "| a    |   0.5 | 3 of 4 |",
  ]);
});

it("fractions are shown in per cent with the standard error of their mean", () => {
  // The deviation of 0.8 and 0.9 is √0.005, the standard error half their distance.
  expect(standardError([0.8, 0.9])).toBeCloseTo(0.05, 12);
  expect(percentCell([0.8, 0.9])).toBe("85.00 ± 5.00");
  expect(percentCell([0.875])).toBe("87.50");
});

it("differences are taken pair by pair, with their sign", () => {
  expect(differenceCell([0.8, 0.9], [0.7, 0.8])).toBe("+10.00 ± 0.00");
  expect(differenceCell([0.5], [0.75])).toBe("-25.00");
});
