import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { identifierColumns } from "#core/table/identifier-columns.js";
import { Table } from "#core/table/table.js";

const ROWS = 100;
const count = (value: (i: number) => number) => Float64Array.from({ length: ROWS }, (_, i) => value(i));

describe("identifierColumns", () => {
  it.each([
    ["a running number", "nr", count((i) => i + 1)],
    [
      "a running number in another order",
      "x",
      Float64Array.from(new Random(1).shuffle(Array.from({ length: ROWS }, (_, i) => i))),
    ],
    ["a running number with a few gaps", "x", count((i) => i + Math.floor(i / 20))],
    ["large whole numbers in a column called so", "customer_id", count((i) => 10_007 * i + 5)],
    ["the same in camel case", "orderId", count((i) => 10_007 * i + 5)],
    ["another text in every row", "x", Array.from({ length: ROWS }, (_, i) => `row ${i}`)],
  ])("finds %s", (_, name, values) => {
    expect(identifierColumns(Table.fromColumns("t", { [name]: values }))).toEqual([name]);
  });

  it.each([
    ["whole numbers that are merely all different", "income", count((i) => 10_007 * i + 5)],
    ["numbers with fractions", "id", count((i) => i + 0.5)],
    ["numbers that repeat", "id", count((i) => Math.floor(i / 2) * 1000)],
    ["numbers of which one is missing", "id", count((i) => (i === 3 ? Number.NaN : i))],
    ["a word that only ends in the letters", "humid", count((i) => 10_007 * i)],
    ["texts of which two are the same", "x", Array.from({ length: ROWS }, (_, i) => `row ${Math.max(1, i)}`)],
  ])("leaves %s", (_, name, values) => {
    expect(identifierColumns(Table.fromColumns("t", { [name]: values }))).toEqual([]);
  });

  it("finds nothing in a few rows", () => {
    expect(identifierColumns(Table.fromColumns("t", { id: [1, 2, 3, 4] }))).toEqual([]);
  });
});
