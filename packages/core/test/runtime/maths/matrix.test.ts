import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Matrix } from "#core/runtime/maths/matrix.js";

const shape = fc.record({ rows: fc.nat(8), columns: fc.nat(8) });

describe("Matrix", () => {
  test("has as many values as its shape says, zero by default", () => {
    expect([...new Matrix(2, 2).values]).toEqual([0, 0, 0, 0]);
    expect(() => new Matrix(2, 3, new Float64Array(5))).toThrow(
      "A 2 × 3 matrix needs 6 values, but 5 were given.",
    );
  });

  test("row is a view", () => {
    const matrix = Matrix.from([
      [1, 2],
      [3, 4],
    ]);
    matrix.row(1)[0] = 9;
    expect([...matrix.values]).toEqual([1, 2, 9, 4]);
  });

  test("from keeps element (i, j), and names a row of another length", () => {
    fc.assert(
      fc.property(shape, ({ rows, columns }) => {
        const matrix = Matrix.from(
          Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => 10 * i + j)),
        );
        expect(matrix.rows).toBe(rows);
        expect(matrix.columns).toBe(rows === 0 ? 0 : columns);
        for (let i = 0; i < rows; i++) {
          for (let j = 0; j < columns; j++) expect(matrix.values[i * columns + j]).toBe(10 * i + j);
        }
      }),
    );
    expect(() => Matrix.from([[1, 2], [3, 4], [5]])).toThrow("Row 3 has 1 values, but row 1 has 2.");
  });

  test("select copies rows, in order and repeated, in the same precision", () => {
    const rows = [
      [0, 1],
      [2, 3],
      [4, 5],
    ];
    fc.assert(
      fc.property(fc.array(fc.nat(2)), fc.boolean(), (chosen, single) => {
        const double = Matrix.from(rows);
        const matrix = single ? new Matrix(3, 2, Float32Array.from(double.values)) : double;
        const selected = matrix.select(chosen);
        expect(selected.rows).toBe(chosen.length);
        expect([...selected.values]).toEqual(chosen.flatMap((i) => rows[i]));
        expect(selected.values.constructor).toBe(matrix.values.constructor);
        selected.values.fill(-1);
        expect([...matrix.values]).toEqual(rows.flat());
      }),
    );
  });
});
