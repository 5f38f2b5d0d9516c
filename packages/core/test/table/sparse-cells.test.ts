import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { cellText, missingCells } from "#core/table/column.js";
import { conform } from "#core/table/conform.js";
import { naturalRepeats } from "#core/table/duplicate-test.js";
import { identifierColumns } from "#core/table/identifier-columns.js";
import { rowHashes } from "#core/table/row-hashes.js";
import { SparseValues } from "#core/table/sparse-cells.js";
import type { SplitColumns } from "#core/table/split-columns.js";
import { Table } from "#core/table/table.js";
import { labelled } from "#core/table/target.js";
import { TrainingProfile } from "#core/table/training-profile.js";
import { countZeros, rangeOf } from "#core/table/value-blocks.js";
import { fault } from "../fault.js";
import { sparseColumns, twinTables } from "./sparse-tables.js";

const columns = sparseColumns({ min: 1, max: 40 }, 4);

/** The cells of a table. */
function cellsOf(table: Table): number[][] {
  return table.columns.map((column) => (column.kind === "numeric" ? Array.from(column.values) : []));
}

describe("sparse columns are like dense ones", () => {
  it("in their cells, range, zeros, missing cells and texts", () => {
    fc.assert(
      fc.property(columns, (cells) => {
        const { dense, sparse } = twinTables(cells);
        expect(cellsOf(sparse)).toEqual(cellsOf(dense));
        dense.columns.forEach((column, j) => {
          const other = sparse.columns[j];
          if (column.kind !== "numeric" || other.kind !== "numeric") throw new TypeError("Numbers only.");
          expect(rangeOf("t", other)).toEqual(rangeOf("t", column));
          expect(countZeros(other.values)).toBe(countZeros(column.values));
          expect(missingCells(other)).toBe(missingCells(column));
          for (let row = 0; row < dense.rows; row++) expect(cellText(other, row)).toBe(cellText(column, row));
        });
      }),
    );
  });

  it("when rows are selected, in any order and repeatedly", () => {
    fc.assert(
      fc.property(columns, fc.array(fc.nat()), (cells, numbers) => {
        const { dense, sparse } = twinTables(cells);
        const rows = numbers.map((number) => number % dense.rows);
        expect(cellsOf(sparse.select(rows))).toEqual(cellsOf(dense.select(rows)));
      }),
    );
  });

  it("in hashes of rows, repeats and identifiers", () => {
    fc.assert(
      fc.property(columns, (cells) => {
        const { dense, sparse } = twinTables(cells);
        const schema = {
          columns: dense.columns.map(({ name }) => ({ kind: "numeric" as const, name })),
          target: "y",
          classes: ["a", "b"],
        };
        expect(rowHashes({ features: sparse }, schema)).toEqual(rowHashes({ features: dense }, schema));
        expect(runNow(naturalRepeats([sparse, sparse], schema))).toEqual(
          runNow(naturalRepeats([dense, dense], schema)),
        );
        expect(identifierColumns(sparse)).toEqual(identifierColumns(dense));
        const profile = (table: Table) => runNow(TrainingProfile.of(table, schema))?.toState();
        expect(profile(sparse)).toEqual(profile(dense));
      }),
      { numRuns: 50 },
    );
  });

  it("as identifiers, targets, groups, times and categories", () => {
    const numbers = Array.from({ length: 30 }, (_, i) => (i === 3 ? 0 : i + 100));
    const { dense, sparse } = twinTables([
      numbers.map((_, i) => i),
      numbers.map((_, i) => (i % 5 === 0 ? 1 : 0)),
    ]);
    expect(identifierColumns(sparse)).toEqual(["f1"]);
    const split = (table: Table, columns: SplitColumns) => {
      const more = table.withColumn({ ...table.columns[0], name: "x" });
      const { labels, classes, groups, groupNames, times } = labelled(more, "f2", columns);
      return { labels, classes, groups, groupNames, times };
    };
    for (const columns of [{ group: "f1" }, { time: "f1" }]) {
      expect(split(sparse, columns)).toEqual(split(dense, columns));
    }
    const categories = {
      columns: [{ kind: "categorical", name: "f2", levels: ["1", "0"] }],
      target: "y",
      classes: [],
    } as const;
    expect(conform(sparse, categories).columns).toEqual(conform(dense, categories).columns);
    expect(sparse.withKinds({ f2: "categorical" }).column("f2")).toEqual(
      dense.withKinds({ f2: "categorical" }).column("f2"),
    );
  });
});

describe("SparseValues", () => {
  it("are refused if rows are out of order or out of range", () => {
    const values = Float64Array.of(1, 2);
    for (const rows of [
      Int32Array.of(1, 1),
      Int32Array.of(2, 0),
      Int32Array.of(0, 3),
      Int32Array.of(-1, 0),
    ]) {
      expect(fault(() => new SparseValues(3, { rows, values })).code).toBe("data/malformed");
    }
    expect(fault(() => new SparseValues(3, { rows: Int32Array.of(0), values, last: 2 })).code).toBe(
      "data/malformed",
    );
  });

  it("name the row of an infinite cell", () => {
    const values = new SparseValues(9, { rows: Int32Array.of(2, 7), values: Float64Array.of(1, Infinity) });
    expect(fault(() => rangeOf("t", { kind: "numeric", name: "x", values })).message).toContain("row 8");
  });

  it("make a table of columns by name", () => {
    const table = Table.fromColumns("t", { x: SparseValues.from([0, 2, 0]), y: [1, 2, 3] });
    expect(cellsOf(table)).toEqual([
      [0, 2, 0],
      [1, 2, 3],
    ]);
  });
});
