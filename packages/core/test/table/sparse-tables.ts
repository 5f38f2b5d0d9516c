import fc from "fast-check";
import type { Column } from "#core/table/column.js";
import { SparseValues } from "#core/table/sparse-cells.js";
import { Table } from "#core/table/table.js";

/** The same cells in arrays and as sparse values. */
export interface TwinTables {
  readonly dense: Table;
  readonly sparse: Table;
}

/** Makes a table of columns of numbers, dense and sparse. */
export function twinTables(
  columns: readonly (readonly number[])[],
  others: readonly Column[] = [],
): TwinTables {
  const rows = columns[0].length;
  const tableOf = (valuesOf: (cells: readonly number[]) => Float64Array | SparseValues) =>
    new Table("t", rows, [
      ...columns.map((cells, j): Column => ({ kind: "numeric", name: `f${j + 1}`, values: valuesOf(cells) })),
      ...others,
    ]);
  return { dense: tableOf((cells) => Float64Array.from(cells)), sparse: tableOf(SparseValues.from) };
}

const zero = { arbitrary: fc.constant(0), weight: 12 };

/** Draws cells that are mostly 0: counts, or any numbers and missing cells. */
const cell = fc.oneof(
  fc.constant(fc.oneof(zero, { arbitrary: fc.integer({ min: -3, max: 9 }), weight: 3 })),
  fc.constant(
    fc.oneof(
      zero,
      { arbitrary: fc.double({ noNaN: true, min: -1e6, max: 1e6 }), weight: 4 },
      { arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }), weight: 1 },
      { arbitrary: fc.constant(Number.NaN), weight: 1 },
    ),
  ),
);

/** Draws columns of equal length. */
export function sparseColumns(rows: { min: number; max: number }, most: number): fc.Arbitrary<number[][]> {
  return fc
    .tuple(fc.integer(rows), fc.array(cell, { minLength: 1, maxLength: most }))
    .chain(([length, kinds]) =>
      fc.tuple(...kinds.map((kind) => fc.array(kind, { minLength: length, maxLength: length }))),
    );
}
