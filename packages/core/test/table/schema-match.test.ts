import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conform, conformPart } from "#core/table/conform.js";
import type { Schema } from "#core/table/schema.js";
import { SchemaMatch } from "#core/table/schema-match.js";
import { Table } from "#core/table/table.js";
import { fault } from "../fault.js";

const schema: Schema = {
  columns: [
    { kind: "date", name: "day", form: "iso" },
    { kind: "categorical", name: "colour", levels: ["blue", "red"] },
    { kind: "categorical", name: "size", levels: ["s", "1"] },
  ],
  target: "y",
  classes: ["a", "b"],
};

const rows = fc.array(
  fc.record({
    day: fc.constantFrom("2024-03-01", "today", "2024-13-01", null),
    colour: fc.constantFrom("red", "pink", "3", "4.0", null),
    size: fc.constantFrom("s", "1.0", "2", null),
    id: fc.constantFrom("x", "7"),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Says what a match says: the error, or else the notices. */
function said(match: SchemaMatch): string[] {
  try {
    match.check();
    return match.notices();
  } catch (error) {
    return [String(error)];
  }
}

describe("SchemaMatch", () => {
  it("says the same of a table and of its parts, however it is divided", () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 5 }), (records, size) => {
        const table = Table.fromRecords("t", records, { day: "text", colour: "categorical", size: "text" });
        const whole = new SchemaMatch(schema);
        whole.add(conformPart(table, schema));
        const parts = new SchemaMatch(schema);
        for (let from = 0; from < table.rows; from += size) {
          parts.add(conformPart(table.slice(from, Math.min(from + size, table.rows)), schema));
        }
        expect(said(parts)).toEqual(said(whole));
      }),
    );
  });

  it("finds a column of the wrong kind only when all parts are, and names the row of the whole table", () => {
    const table = Table.fromColumns("new.csv", {
      day: [null, "soon", "later"],
      colour: ["red", "red", "red"],
      size: ["s", "s", "s"],
    });
    const match = new SchemaMatch(schema);
    for (const row of [0, 1, 2]) match.add(conformPart(table.slice(row, row + 1), schema));
    const error = fault(() => match.check());
    expect(error.message).toContain('new.csv, row 2, column "day": "soon"');
    expect(error.message).toBe(fault(() => conform(table, schema)).message);
    const dated = Table.fromColumns("new.csv", { day: ["2024-03-31"], colour: ["red"], size: ["s"] });
    match.add(conformPart(dated, schema));
    match.check();
    expect(match.notices()).toEqual([
      'Column "day": 2 cells are not a date and counted as missing, such as "soon".',
    ]);
  });
});
