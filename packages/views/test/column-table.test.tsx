import { describe, expect, it } from "vitest";
import { Table } from "vouch";
import { columnFacts } from "#views/facts/columns/column-facts.js";
import { ColumnTable, Spark } from "#views/panels/columns/column-table.js";
import { cells, rendered } from "./rendered.js";

describe("the table of columns", () => {
  it("says of each its kind, the share of missing cells and its values", () => {
    const columns = [
      { name: "age", kind: "numeric", missing: 5, values: "17 to 90, mean 38.6", counts: [4, 2, 0, 1] },
      { name: "job", kind: "categorical", missing: 0, values: "3 values, most often clerk (7)", counts: [] },
    ];
    const page = rendered(<ColumnTable columns={columns} rows={20} />);
    expect(cells(page)).toEqual([
      ["age", "numeric", "25.0%", "", "17 to 90, mean 38.6"],
      ["job", "categorical", "–", "", "3 values, most often clerk (7)"],
    ]);
    expect(page.querySelectorAll("svg.spark")).toHaveLength(1);
    expect(page.querySelector("summary")?.textContent).toBe("2 columns");
  });

  it("scales bars to the largest count, keeps a single cell visible, and draws no bar for 0", () => {
    const path = (counts: readonly number[], kind: string) =>
      rendered(<Spark counts={counts} kind={kind} />)
        .querySelector("path")
        ?.getAttribute("d");
    expect(path([4, 2, 0, 1], "numeric")).toBe("M0 22v-22h24V22zM24 22v-11h24V22zM72 22v-5.5h24V22z");
    expect(path([1e6, 1], "categorical")).toBe("M0 22v-22h47V22zM48 22v-1h47V22z");
    expect(path([], "numeric")).toBeUndefined();
    expect(path([0, 0], "numeric")).toBeUndefined();
  });

  it("shows 50 and counts the others, shortens what is long, and is left out without columns", () => {
    const columns = Array.from({ length: 60 }, (_, i) => ({
      name: `${i} ${"n".repeat(500)}`,
      kind: "numeric",
      missing: 0,
      values: "v".repeat(500),
      counts: [1],
    }));
    const page = rendered(<ColumnTable columns={columns} rows={10} />);
    expect(page.querySelectorAll("tbody tr")).toHaveLength(50);
    expect(page.body.textContent).toContain("10 more");
    expect(page.body.textContent).not.toContain("n".repeat(100));
    expect(rendered(<ColumnTable columns={[]} rows={10} />).body.innerHTML).toBe("");
  });
});

describe("the facts of a column", () => {
  const table = Table.fromRecords("t", [
    { age: 20, job: "clerk", none: null },
    { age: null, job: "clerk", none: null },
    { age: 40.5, job: "cook", none: null },
    { age: 21, job: null, none: null },
  ]);

  it("writes years without separators, and without a mean", () => {
    const years = Table.fromRecords("t", [{ year: 2007 }, { year: null }, { year: 2009 }]);
    expect(columnFacts(years.column("year")).values).toBe("2007 to 2009");
  });

  it("are range and mean of numbers, number and most frequent of categories, without missing cells", () => {
    expect(columnFacts(table.column("age"))).toMatchObject({
      name: "age",
      kind: "numeric",
      missing: 1,
      values: "20 to 40.5, mean 27.17",
    });
    expect(columnFacts(table.column("job"))).toEqual({
      name: "job",
      kind: "categorical",
      missing: 1,
      values: "2 values, most often clerk (2)",
      counts: [2, 1],
    });
  });

  it("count numbers in equal steps, and few whole numbers one by one", () => {
    const { counts } = columnFacts(table.column("age"));
    expect(counts).toHaveLength(24);
    expect([counts[0], counts[1], counts[23]]).toEqual([1, 1, 1]);
    const values = Float64Array.of(3, 5, 5, Number.NaN, 6);
    expect(columnFacts({ kind: "numeric", name: "n", values }).counts).toEqual([1, 0, 2, 1]);
  });

  it("have no steps where all numbers are the same, or too large to count", () => {
    for (const values of [Float64Array.of(2, 2), Float64Array.of(-Number.MAX_VALUE, Number.MAX_VALUE)]) {
      expect(columnFacts({ kind: "numeric", name: "n", values }).counts).toEqual([]);
    }
  });

  it("are a dash where all cells are missing", () => {
    expect(columnFacts(table.column("none"))).toMatchObject({ missing: 4, values: "–", counts: [] });
  });
});
