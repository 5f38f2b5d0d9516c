import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { SparseRows } from "#core/runtime/maths/sparse-rows.js";
import { fault } from "../../fault.js";

const matrices = fc
  .record({ rows: fc.integer({ min: 0, max: 6 }), columns: fc.integer({ min: 0, max: 5 }) })
  .chain(({ rows, columns }) =>
    fc
      .array(fc.oneof(fc.constant(0), fc.double({ noNaN: true, noDefaultInfinity: true })), {
        minLength: rows * columns,
        maxLength: rows * columns,
      })
      .map(
        (values) =>
          new Matrix(
            rows,
            columns,
            Float64Array.from(values, (value) => value || 0),
          ),
      ),
  );

describe("SparseRows", () => {
  it("hold a matrix without its zeros", () => {
    fc.assert(
      fc.property(matrices, (matrix) => {
        const sparse = SparseRows.fromMatrix(matrix);
        expect(sparse.values.includes(0)).toBe(false);
        expect(sparse.entries).toBe(matrix.values.filter((value) => value !== 0).length);
        expect(sparse.toMatrix()).toEqual(matrix);
      }),
    );
  });

  it("select rows as a matrix does", () => {
    const cases = matrices.chain((matrix) => {
      const rows = fc.array(fc.nat(Math.max(0, matrix.rows - 1)), { maxLength: matrix.rows === 0 ? 0 : 9 });
      return fc.tuple(fc.constant(matrix), rows);
    });
    fc.assert(
      fc.property(cases, ([matrix, rows]) => {
        expect(SparseRows.fromMatrix(matrix).select(rows).toMatrix()).toEqual(matrix.select(rows));
      }),
    );
  });

  it("keep single precision", () => {
    const single = SparseRows.fromMatrix(new Matrix(1, 2, Float32Array.of(0, 0.1)));
    expect(single.select([0, 0]).values).toEqual(Float32Array.of(0.1, 0.1));
    expect(single.toMatrix().values).toBeInstanceOf(Float32Array);
  });

  const good = {
    starts: Int32Array.of(0, 2, 3),
    indices: Int32Array.of(0, 2, 1),
    values: Float64Array.of(1, 2, 3),
  };
  it.each([
    ["too few starts", { starts: Int32Array.of(0, 3) }, "2 sparse rows need 3 starts, but 2 were given."],
    [
      "a late first start",
      { starts: Int32Array.of(1, 2, 3) },
      "The first row starts at entry 1 and not at 0.",
    ],
    [
      "a row that ends before it starts",
      { starts: Int32Array.of(0, 4, 3) },
      "Row 2 starts at entry 4 and ends before it, at 3.",
    ],
    [
      "too few values",
      { values: Float64Array.of(1, 2) },
      "The rows have 3 entries, but there are 3 indices and 2 values.",
    ],
    [
      "a column that is not there",
      { indices: Int32Array.of(0, 3, 1) },
      "Row 1 has an entry in column index 3, but there are 3 columns.",
    ],
    [
      "a negative column",
      { indices: Int32Array.of(0, 2, -1) },
      "Row 2 has an entry in column index -1, but there are 3 columns.",
    ],
    ["a column twice", { indices: Int32Array.of(2, 2, 1) }, "Row 1 has two entries in column index 2."],
    [
      "columns out of order",
      { indices: Int32Array.of(2, 0, 1) },
      "Row 1 has an entry in column index 0 after one in 2: they must ascend.",
    ],
    ["NaN", { values: Float64Array.of(1, Number.NaN, 3) }, "Row 1 has NaN in column 3."],
    [
      "Infinity",
      { values: Float64Array.of(1, 2, Number.POSITIVE_INFINITY) },
      "Row 2 has Infinity in column 2.",
    ],
  ])("reject %s", (_, change, message) => {
    expect(new SparseRows(2, 3, good).entries).toBe(3);
    expect(fault(() => new SparseRows(2, 3, { ...good, ...change })).message).toBe(message);
  });

  it("reject an invalid shape", () => {
    expect(fault(() => new SparseRows(2, -1, good)).code).toBe("data/malformed");
  });
});
