import type { VNode } from "preact";
import { describe, expect, it } from "vitest";
import type { MeasuredImportance } from "#views/facts/columns/column-importance.js";
import { ImportanceTable, PermutationTable } from "#views/panels/columns/importance-table.js";
import { rendered, textOf } from "./rendered.js";

function importance(means: readonly number[], changes: Partial<MeasuredImportance> = {}): MeasuredImportance {
  // An interval of ±0.01.
  const se = 0.01 / 1.96;
  const features = means.map((mean, i) => ({
    feature: `column ${i}`,
    mean,
    se: mean === 0 ? 0 : se,
    sd: mean === 0 ? 0 : 0.01,
    p: mean > 0 ? 0.001 : 1,
    matters: mean > 0,
  }));
  return {
    metric: "error",
    loss: 0.1,
    features,
    rows: 50,
    allRows: 50,
    repeats: 5,
    slow: false,
    on: "training",
    ...changes,
  };
}

function wordsOf(measured: MeasuredImportance): string {
  return textOf(<PermutationTable measured={measured} />);
}

function bars(measured: MeasuredImportance) {
  const page = rendered(<PermutationTable measured={measured} />);
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

  it("pales columns that chance may explain, and says so", () => {
    const page = rendered(<PermutationTable measured={importance([0.04, -0.02])} />);
    expect([...page.querySelectorAll(".faint span")].map(({ textContent }) => textContent)).toEqual([
      "column 1",
    ]);
    expect(wordsOf(importance([0.04, -0.02]))).toContain("Pale columns may be chance");
    expect(wordsOf(importance([-0.02]))).toContain("These columns may be chance");
    expect(wordsOf(importance([0.04]))).not.toContain("chance");
  });

  it("names the metric, and writes percentage points for the error only", () => {
    expect(wordsOf(importance([0.04]))).toContain(
      "the error of 10.0% grows when a column is shuffled, in percentage points.",
    );
    const logLoss = importance([0.0412], { metric: "log-loss", loss: 0.345 });
    expect(wordsOf(logLoss)).toContain("the log loss of 0.345 grows when a column is shuffled.");
    expect(bars(logLoss)[0].text[1]).toBe("0.041\u00a0±\u00a00.010");
  });

  it("shows no minus before nothing", () => {
    expect(bars(importance([-1e-9]))[0].text[1]).toBe("0.00\u00a0±\u00a01.00");
  });

  it("names columns without any effect apart, and says so where there are only such", () => {
    const some = importance([0.1, 0, 0]);
    expect(bars(some)).toHaveLength(1);
    expect(wordsOf(some)).toContain("Without effect: column 1, column 2.");
    const none = importance([0, 0]);
    expect(bars(none)).toHaveLength(0);
    expect(wordsOf(none)).toContain("stays at 10.0% whichever of the 2 columns is shuffled");
  });

  it("shows 20 columns and counts the others; it is left out without any", () => {
    const many = importance(Array.from({ length: 25 }, (_, i) => (i + 1) / 100));
    expect(bars(many)).toHaveLength(20);
    expect(wordsOf(many)).toContain("5 more columns matter less.");
    expect(wordsOf(importance([]))).toBe("");
  });

  it("says on which rows and columns it was measured, and why on fewer", () => {
    const all = wordsOf(importance([0.1]));
    expect(all).toContain("Measured on 50 training rows.");
    expect(all).not.toContain("than usual");
    const screening = { of: 9000, columns: 2500, rows: 50 };
    const part = wordsOf(importance([0.1], { allRows: 2000, on: "held-out", slow: true, screening }));
    expect(part).toContain("Measured on a random subsample of 50 of 2,000 held-out rows.");
    expect(part).toContain("2,500 of 9,000 columns, chosen at random, were first shuffled once on 50 rows");
    expect(part).toContain("Fewer rows or columns than usual, because the model predicts slowly.");
  });
});

const drawn = (features: readonly { readonly name: string; readonly share: number }[]) => (
  <ImportanceTable section={{ kind: "importance", title: "importance", features }} />
);

const rowsOf = (table: VNode) =>
  [...rendered(table).querySelectorAll(".bars li")].map((row) => ({
    feature: row.querySelector("span")?.textContent,
    length: row.querySelector("u")?.getAttribute("style"),
  }));

describe("the importance of the features", () => {
  it("has a bar per feature, the longest first, in proportion", () => {
    const shares = [0.2, 0.4, 0.3, 0.1].map((share, j) => ({ name: `x${j + 1}`, share }));
    expect(rowsOf(drawn(shares))).toEqual([
      { feature: "x2", length: "--length:100%" },
      { feature: "x3", length: "--length:75%" },
      { feature: "x1", length: "--length:50%" },
      { feature: "x4", length: "--length:25%" },
    ]);
  });

  it("shows the twenty largest of many and counts the others", () => {
    const shares = Array.from({ length: 1000 }, (_, j) => ({ name: `x${j}`, share: 0.001 }));
    const table = drawn(shares);
    expect(rowsOf(table)).toHaveLength(20);
    expect(textOf(table)).toContain("The 20 most important; 980 more.");
  });

  it("is left out without features, and draws no bars where nothing matters", () => {
    expect(textOf(drawn([]))).toBe("");
    const mixed = drawn([
      { name: "x", share: 0 },
      { name: "y", share: 1 },
    ]);
    expect(rowsOf(mixed)).toEqual([{ feature: "y", length: "--length:100%" }]);
    expect(textOf(mixed)).toContain("No split uses x.");
    expect(rowsOf(drawn([{ name: "x", share: 0 }]))).toEqual([]);
  });
});
