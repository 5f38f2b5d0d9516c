import { describe, expect, it } from "vitest";
import { columnTable } from "#report/column-table.js";
import { parsed } from "./parsed.js";

describe("the table of columns", () => {
  it("says of each its kind, the share of missing cells and its values", () => {
    const columns = [
      { name: "age", kind: "numeric", missing: 5, values: "17 to 90, mean 38.6" },
      { name: "job", kind: "categorical", missing: 0, values: "3 values, most often clerk (7)" },
    ];
    const page = parsed(columnTable(columns, 20)?.text ?? "");
    const cells = [...page.querySelectorAll("tbody tr")].map((row) =>
      [...row.querySelectorAll("th, td")].map(({ textContent }) => textContent),
    );
    expect(cells).toEqual([
      ["age", "numeric", "25.0\u00a0%", "17 to 90, mean 38.6"],
      ["job", "categorical", "–", "3 values, most often clerk (7)"],
    ]);
    expect(page.querySelector("summary")?.textContent).toBe("2 columns");
  });

  it("shows 50 and counts the others, shortens what is long, and is left out without columns", () => {
    const column = { name: "n".repeat(500), kind: "numeric", missing: 0, values: "v".repeat(500) };
    const text = columnTable(new Array(60).fill(column), 10)?.text ?? "";
    expect(parsed(text).querySelectorAll("tbody tr")).toHaveLength(50);
    expect(text).toContain("10 more");
    expect(text).not.toContain("n".repeat(100));
    expect(columnTable([], 10)).toBeUndefined();
  });
});
