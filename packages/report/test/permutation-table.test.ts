import { describe, expect, it } from "vitest";
import { type MeasuredImportance, permutationTable } from "#report/permutation-table.js";
import { parsed } from "./parsed.js";

function importance(means: readonly number[]): MeasuredImportance {
  const features = means.map((mean, i) => ({ feature: `feature ${i}`, mean, sd: 0.001 }));
  return { error: 0.1, features, rows: 50, on: "training" };
}

function rows(measured: MeasuredImportance) {
  const page = parsed(permutationTable(measured)?.text ?? "");
  return [...page.querySelectorAll("tbody tr")].map((row) => ({
    text: [...row.querySelectorAll("th, td.number")].map(({ textContent }) => textContent),
    length: row.querySelector(".bar span")?.getAttribute("style"),
  }));
}

describe("the table of what a model loses without each feature", () => {
  it("has the feature that matters most first, in percentage points, and bars in proportion", () => {
    expect(rows(importance([0.01, 0.04, -0.02]))).toEqual([
      { text: ["feature 1", "4\u00a0±\u00a00.1"], length: "--length:100%" },
      { text: ["feature 0", "1\u00a0±\u00a00.1"], length: "--length:25%" },
      { text: ["feature 2", "−2\u00a0±\u00a00.1"], length: "--length:0%" },
    ]);
  });

  it("shows no minus before nothing, and no bar where no feature matters", () => {
    expect(rows(importance([-1e-9]))).toEqual([
      { text: ["feature 0", "0\u00a0±\u00a00.1"], length: "--length:0%" },
    ]);
  });

  it("shows 20 features and counts the others; it is left out without any", () => {
    const many = importance(Array.from({ length: 25 }, (_, i) => i / 100));
    expect(rows(many)).toHaveLength(20);
    expect(permutationTable(many)?.text).toContain("5 more");
    expect(permutationTable(importance([]))).toBeUndefined();
  });
});
