import { describe, expect, it } from "vitest";
import { columnTable, spark } from "#report/column-table.js";
import { parsed } from "./parsed.js";

describe("the table of columns", () => {
  it("says of each its kind, the share of missing cells and its values", () => {
    const columns = [
      { name: "age", kind: "numeric", missing: 5, values: "17 to 90, mean 38.6", counts: [4, 2, 0, 1] },
      { name: "job", kind: "categorical", missing: 0, values: "3 values, most often clerk (7)", counts: [] },
    ];
    const page = parsed(columnTable(columns, 20)?.text ?? "");
    const cells = [...page.querySelectorAll("tbody tr")].map((row) =>
      [...row.querySelectorAll("th, td")].map(({ textContent }) => textContent),
    );
    expect(cells).toEqual([
      ["age", "numeric", "25.0\u00a0%", "", "17 to 90, mean 38.6"],
      ["job", "categorical", "–", "", "3 values, most often clerk (7)"],
    ]);
    expect(page.querySelectorAll("svg.spark")).toHaveLength(1);
    expect(page.querySelector("summary")).toBeNull();
    const many = parsed(columnTable(new Array(16).fill(columns[0]), 20)?.text ?? "");
    expect(many.querySelector("summary")?.textContent).toBe("16 columns");
  });

  it("draws counts as bars of a common height, those of one cell still seen, none where there is nothing", () => {
    const path = (counts: readonly number[], kind: string) =>
      /d="(.*?)"/.exec(spark({ counts, kind })?.text ?? "")?.[1];
    expect(path([4, 2, 0, 1], "numeric")).toBe("M0 22v-22h24V22zM24 22v-11h24V22zM72 22v-5.5h24V22z");
    expect(path([1e6, 1], "categorical")).toBe("M0 22v-22h47V22zM48 22v-1h47V22z");
    expect(spark({ counts: [], kind: "numeric" })).toBeUndefined();
    expect(spark({ counts: [0, 0], kind: "numeric" })).toBeUndefined();
  });

  it("shows 50 and counts the others, shortens what is long, and is left out without columns", () => {
    const column = {
      name: "n".repeat(500),
      kind: "numeric",
      missing: 0,
      values: "v".repeat(500),
      counts: [1],
    };
    const text = columnTable(new Array(60).fill(column), 10)?.text ?? "";
    expect(parsed(text).querySelectorAll("tbody tr")).toHaveLength(50);
    expect(text).toContain("10 more");
    expect(text).not.toContain("n".repeat(100));
    expect(columnTable([], 10)).toBeUndefined();
  });
});
