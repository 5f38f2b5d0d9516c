import { describe, expect, it } from "vitest";
import { type MeasuredImportance, permutationTable } from "#report/permutation-table.js";
import { parsed } from "./parsed.js";

function importance(means: readonly number[], changes: Partial<MeasuredImportance> = {}): MeasuredImportance {
  const features = means.map((mean, i) => ({ feature: `column ${i}`, mean, sd: mean === 0 ? 0 : 0.01 }));
  return { error: 0.1, features, rows: 50, allRows: 50, repeats: 5, slow: false, on: "training", ...changes };
}

function textOf(measured: MeasuredImportance): string {
  return (parsed(permutationTable(measured)?.text ?? "").body.textContent ?? "").replaceAll("\u00a0", " ");
}

function bars(measured: MeasuredImportance) {
  const page = parsed(permutationTable(measured)?.text ?? "");
  return [...page.querySelectorAll(".bars li")].map((item) => ({
    text: [...item.querySelectorAll("span, b")].map(({ textContent }) => textContent),
    length: item.querySelector("u")?.getAttribute("style"),
    spread: item.querySelector("s")?.getAttribute("style"),
  }));
}

describe("what a model loses without each column", () => {
  it("has the column that matters most first, in percentage points, and bars and spreads to one scale", () => {
    expect(bars(importance([0.01, 0.04, -0.02]))).toEqual([
      { text: ["column 1", "4.00\u00a0±\u00a01.00"], length: "--length:80%", spread: "--from:60%;--to:100%" },
      { text: ["column 0", "1.00\u00a0±\u00a01.00"], length: "--length:20%", spread: "--from:0%;--to:40%" },
      { text: ["column 2", "−2.00\u00a0±\u00a01.00"], length: "--length:0%", spread: undefined },
    ]);
  });

  it("shows no minus before nothing", () => {
    expect(bars(importance([-1e-9]))[0].text[1]).toBe("0.00\u00a0±\u00a01.00");
  });

  it("names columns without any effect apart, and says so where there are only such", () => {
    const some = importance([0.1, 0, 0]);
    expect(bars(some)).toHaveLength(1);
    expect(textOf(some)).toContain("No prediction got better or worse without column 1, column 2.");
    const none = importance([0, 0]);
    expect(bars(none)).toHaveLength(0);
    expect(textOf(none)).toContain("stays at 10.0 % whichever of the 2 columns is shuffled");
  });

  it("shows 20 columns and counts the others; it is left out without any", () => {
    const many = importance(Array.from({ length: 25 }, (_, i) => (i + 1) / 100));
    expect(bars(many)).toHaveLength(20);
    expect(permutationTable(many)?.text).toContain("5 more");
    expect(permutationTable(importance([]))).toBeUndefined();
  });

  it("says on which rows and columns it was measured, and why on fewer", () => {
    const all = textOf(importance([0.1]));
    expect(all).toContain("Measured on 50 training rows.");
    expect(all).not.toContain("than usual");
    const screening = { of: 9000, columns: 2500, rows: 50 };
    const part = textOf(importance([0.1], { allRows: 2000, on: "held-out", slow: true, screening }));
    expect(part).toContain("Measured on 50 of 2,000 held-out rows, drawn at random.");
    expect(part).toContain("2,500 of 9,000 columns, drawn at random, were first shuffled once on 50 rows");
    expect(part).toContain("Fewer rows or columns than usual, because the model takes long to predict.");
  });
});
