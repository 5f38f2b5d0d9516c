import { describe, expect, it } from "vitest";
import { importanceTable } from "#report/importance-table.js";
import { parsed } from "./parsed.js";

const rowsOf = (text: string) =>
  [...parsed(text).querySelectorAll(".bars li")].map((row) => ({
    feature: row.querySelector("span")?.textContent,
    length: row.querySelector("u")?.getAttribute("style"),
  }));

describe("the importance of the features", () => {
  it("has a bar per feature, the longest first, in proportion", () => {
    const shares = [0.2, 0.4, 0.3, 0.1].map((share, j) => ({ feature: `x${j + 1}`, share }));
    expect(rowsOf(importanceTable(shares)?.text ?? "")).toEqual([
      { feature: "x2", length: "--length:100%" },
      { feature: "x3", length: "--length:75%" },
      { feature: "x1", length: "--length:50%" },
      { feature: "x4", length: "--length:25%" },
    ]);
  });

  it("shows the twenty largest of many and counts the others", () => {
    const shares = Array.from({ length: 1000 }, (_, j) => ({ feature: `x${j}`, share: 0.001 }));
    const text = importanceTable(shares)?.text ?? "";
    expect(rowsOf(text)).toHaveLength(20);
    expect(text).toContain("The 20 most important; 980 more.");
  });

  it("is left out without features, and draws no bars where nothing matters", () => {
    expect(importanceTable([])).toBeUndefined();
    expect(rowsOf(importanceTable([{ feature: "x", share: 0 }])?.text ?? "")).toEqual([
      { feature: "x", length: "--length:0%" },
    ]);
  });
});
