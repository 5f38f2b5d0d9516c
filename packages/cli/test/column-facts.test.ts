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
    expect(columnFacts(table.column("age"))).toEqual({
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
    });
  });

  it("are a dash where all cells are missing", () => {
    expect(columnFacts(table.column("none"))).toMatchObject({ missing: 4, values: "–" });
  });
});
