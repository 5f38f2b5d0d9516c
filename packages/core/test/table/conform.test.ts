import { describe, expect, it } from "vitest";
import { conform } from "#core/table/conform.js";
import { UNKNOWN_LEVEL } from "#core/table/levels.js";
import type { Schema } from "#core/table/schema.js";
import { type MatchFacts, SchemaMatch } from "#core/table/schema-match.js";
import { Table } from "#core/table/table.js";
import { fault } from "../fault.js";

const schema: Schema = {
  columns: [
    { kind: "numeric", name: "size" },
    { kind: "categorical", name: "colour", levels: ["blue", "red"] },
  ],
  target: "y",
  classes: ["a", "b"],
};

function noticesOf(facts: MatchFacts): string[] {
  const match = new SchemaMatch(schema);
  match.add(facts);
  return match.notices();
}

describe("conform", () => {
  it("matches by name in any order and ignores other columns", () => {
    const table = Table.fromColumns("t", { y: ["a"], colour: ["red"], id: [7], size: [2] });
    const { columns, ...found } = conform(table, schema);
    expect(columns[0]).toBe(table.column("size"));
    expect(columns[1]).toMatchObject({ codes: Int32Array.of(1), levels: ["blue", "red"] });
    expect(found.extra).toEqual(["id"]);
    expect(found.unknown).toEqual([]);
    expect(noticesOf(found)).toEqual(['1 column not used by the model: "id".']);
  });

  it("names five missing columns, the number of others, and the nearest name", () => {
    const columns = Array.from({ length: 7 }, (_, j) => ({ kind: "numeric", name: `column${j}` }) as const);
    const error = fault(() => conform(Table.fromColumns("new.csv", { colum0: [1] }), { ...schema, columns }));
    expect(error.code).toBe("data/missing-column");
    expect(error.message).toContain("new.csv lacks 7 columns");
    expect(error.message).toContain('"column0", "column1", "column2", "column3", "column4" and 2 more');
    expect(error.hint).toContain('"colum0"');
  });

  it("rejects text where numbers are expected, and names row and cell", () => {
    const table = Table.fromColumns("new.csv", { size: ["1", null, "big"], colour: ["red", "red", "red"] });
    const error = fault(() => conform(table, schema));
    expect(error.code).toBe("data/wrong-kind");
    expect(error.message).toMatch(/new\.csv, row 3, column "size": "big"/);
    const { columns } = conform(table.select([0, 1]), schema);
    expect(columns[0]).toMatchObject({ kind: "numeric", values: Float64Array.of(1, Number.NaN) });
  });

  it("accepts numbers where categories are expected, by their shortest form or value", () => {
    const years: Schema = {
      ...schema,
      columns: [{ kind: "categorical", name: "year", levels: ["1999", "2000.0"] }],
    };
    const { columns, unknown } = conform(
      Table.fromColumns("t", { year: [1999, 2000, Number.NaN, 2001] }),
      years,
    );
    expect(columns[0]).toMatchObject({ codes: Int32Array.of(0, 1, -1, UNKNOWN_LEVEL) });
    expect(unknown).toEqual([{ column: "year", rows: 1, example: "2001" }]);
    const error = fault(() => conform(Table.fromColumns("t", { size: [1], colour: [3] }), schema));
    expect(error.code).toBe("data/wrong-kind");
    expect(error.message).toMatch(/row 1, column "colour": 3/);
  });

  it("finds categories by text, or else by a value that no other category has", () => {
    const codes: Schema = {
      ...schema,
      columns: [{ kind: "categorical", name: "code", levels: ["01", "1", "2", "x"] }],
    };
    const table = Table.fromColumns("t", { code: ["1", "01", "1.0", "2.0", "x", "3"] });
    const { columns, unknown } = conform(table, codes);
    expect(columns[0]).toMatchObject({ codes: Int32Array.of(1, 0, UNKNOWN_LEVEL, 2, 3, UNKNOWN_LEVEL) });
    expect(unknown).toEqual([{ column: "code", rows: 2, example: "1.0" }]);
  });

  it("rejects numbers written as text if no category is a number", () => {
    const table = Table.fromColumns("t", { size: [1, 2], colour: [null, "3.0"] });
    const error = fault(() => conform(table, schema));
    expect(error.code).toBe("data/wrong-kind");
    expect(error.message).toMatch(/row 2, column "colour": 3/);
  });

  it("counts unseen categories apart from missing cells", () => {
    const table = Table.fromColumns("t", { size: [1, 2, 3, 4], colour: ["red", "pink", null, "pink"] });
    const { columns, ...found } = conform(table, schema);
    expect(columns[1]).toMatchObject({ codes: Int32Array.of(1, UNKNOWN_LEVEL, -1, UNKNOWN_LEVEL) });
    expect(noticesOf(found)).toEqual([
      'Column "colour": 2 cells with a category not seen in training, such as "pink".',
    ]);
  });

  it("does not copy columns that match already", () => {
    const codes = Int32Array.of(1, 0);
    const table = new Table("t", 2, [
      { kind: "numeric", name: "size", values: Uint8Array.of(1, 2) },
      { kind: "categorical", name: "colour", codes, levels: ["blue", "red"] },
    ]);
    const [, colour] = conform(table, schema).columns;
    expect(colour.kind === "categorical" && colour.codes).toBe(codes);
  });
});
