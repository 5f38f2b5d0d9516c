import { describe, expect, it } from "vitest";
import { Table } from "vouch";
import { columnFacts } from "#cli/column-facts.js";

describe("the facts of a column", () => {
  const table = Table.fromRecords("t", [
    { age: 20, job: "clerk", none: null },
    { age: null, job: "clerk", none: null },
    { age: 40.5, job: "cook", none: null },
    { age: 21, job: null, none: null },
  ]);

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
