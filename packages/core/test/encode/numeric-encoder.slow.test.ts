import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NumericEncoding } from "#core/encode/encoder.js";
import { fitEncoder } from "#core/encode/fit-encoder.js";
import type { Matrix } from "#core/runtime/maths/matrix.js";
import { Table } from "#core/table/table.js";
import { fault } from "../fault.js";
import { arraysOfEveryType } from "../table/arrays-of-every-type.js";

const target = { target: "y", classes: ["a", "b"] };
const raw: NumericEncoding = { kind: "numeric", standardise: false };
const standardised: NumericEncoding = { kind: "numeric", standardise: true };

const columnOf = (matrix: Matrix, j: number) =>
  Array.from({ length: matrix.rows }, (_, i) => matrix.values[i * matrix.columns + j]);

const fitted = (table: Table, encoding = raw) => {
  const encoder = fitEncoder(table, target, encoding);
  return { encoder, matrix: encoder.encode(table) };
};

describe("numeric encoder: numbers", () => {
  it("fills missing cells with the mean of the others and flags them", () => {
    const { encoder, matrix } = fitted(Table.fromColumns("t", { a: [1, null, 5], b: [1, 2, 3] }));
    expect(encoder.featureNames).toEqual(["a", "a is missing", "b"]);
    expect(encoder.featureColumns).toEqual([0, 0, 1]);
    expect(columnOf(matrix, 0)).toEqual([1, 3, 5]);
    expect(columnOf(matrix, 1)).toEqual([0, 1, 0]);
    expect(columnOf(matrix, 2)).toEqual([1, 2, 3]);
  });

  it("fills, but does not flag, missing cells if training had none", () => {
    const { encoder } = fitted(Table.fromColumns("t", { a: [1, 3] }));
    expect(columnOf(encoder.encode(Table.fromColumns("new", { a: [null, 7] })), 0)).toEqual([2, 7]);
    const { encoder: scaled } = fitted(Table.fromColumns("t", { a: [1, 3] }), standardised);
    expect(columnOf(scaled.encode(Table.fromColumns("new", { a: [null, 3] })), 0)).toEqual([0, 1]);
  });

  it("flags only, if the present cells are all equal", () => {
    const { encoder, matrix } = fitted(Table.fromColumns("t", { a: [4, null, 4] }));
    expect(encoder.featureNames).toEqual(["a is missing"]);
    expect(columnOf(matrix, 0)).toEqual([0, 1, 0]);
  });

  it("standardises every feature to mean 0 and deviation 1", () => {
    const cells = fc.array(fc.option(fc.double({ noNaN: true, min: -1e6, max: 1e6 })), { minLength: 2 });
    fc.assert(
      fc.property(cells, (a) => {
        const present = a.filter((cell) => cell !== null);
        const spread = Math.max(...present) - Math.min(...present);
        fc.pre(spread > 1e-6);
        const { matrix } = fitted(Table.fromColumns("t", { a }), standardised);
        for (let j = 0; j < matrix.columns; j++) {
          const column = columnOf(matrix, j);
          // Missing cells are 0 by design and so do not count in the deviation of the number.
          const n = j === 0 ? present.length : a.length;
          expect(column.reduce((sum, z) => sum + z, 0) / n).toBeCloseTo(0, 6);
          expect(column.reduce((sum, z) => sum + z * z, 0) / n).toBeCloseTo(1, 6);
        }
      }),
    );
  });

  it("keeps its digits under a large offset", () => {
    const a = Array.from({ length: 1000 }, (_, i) => 1e9 + (i % 2) * 1e-3);
    const values = columnOf(fitted(Table.fromColumns("t", { a }), standardised).matrix, 0);
    expect(values[0]).toBeCloseTo(-1, 3);
    expect(values[1]).toBeCloseTo(1, 3);
  });

  it.each([
    [1e308, -1e308],
    [Number.MAX_VALUE, -Number.MAX_VALUE],
    [5e-324, 1e-323],
    [1e-200, 3e-200],
    [1, 1 + 2 * Number.EPSILON],
  ])("standardises %d and %d to −1 and 1", (x, y) => {
    const { encoder, matrix } = fitted(Table.fromColumns("t", { a: [x, y] }), standardised);
    expect(columnOf(matrix, 0)[0]).toBeCloseTo(Math.sign(x - y), 9);
    expect(columnOf(matrix, 0)[1]).toBeCloseTo(Math.sign(y - x), 9);
    const far = encoder.encode(Table.fromColumns("new", { a: [Number.MAX_VALUE, -Number.MAX_VALUE, null] }));
    expect(far.values.every((value) => Math.abs(value) <= 1e15)).toBe(true);
    expect(far.values[2]).toBe(0);
  });

  it("scales but does not shift columns that are mostly zero, with keep-zeros", () => {
    const keepZeros: NumericEncoding = { kind: "numeric", standardise: "keep-zeros" };
    // Three of the five present cells of a are 0, but only two of the four of b; both have mean 2.
    const table = Table.fromColumns("t", {
      a: [0, 0, 4, 0, null, 6],
      b: [0, 0, 5, 3, null, null],
      c: ["x", "y", "z", "x", "x", null],
      d: ["p", "q", "p", "p", "p", "p"],
    });
    const { encoder, matrix } = fitted(table, keepZeros);
    const column = (name: string) => columnOf(matrix, encoder.featureNames.indexOf(name));
    const deviation = Math.sqrt((3 * 4 + 4 + 16) / 5);
    expect(column("a")).toEqual([0, 0, 4 / deviation, 0, 0, 6 / deviation].map((x) => expect.closeTo(x, 12)));
    const own = columnOf(fitted(table, standardised).matrix, encoder.featureNames.indexOf("b"));
    expect(column("b")).toEqual(own);
    const half = Math.sqrt(0.5 * 0.5);
    expect(column("c=x")).toEqual([1 / half, 0, 0, 1 / half, 1 / half, 0]);
    const sixth = Math.sqrt((1 / 6) * (5 / 6));
    expect(column("d=q")).toEqual([0, 1 / sixth, 0, 0, 0, 0]);
    // What is neither of two levels gets the mean.
    const strange = encoder.encode(Table.fromColumns("n", { a: [0], b: [2], c: ["w"], d: ["r"] }));
    expect(Array.from(strange.values).map((x) => x || 0)).toEqual(
      encoder.featureNames.map((name) => (name === "d=q" ? expect.closeTo(1 / 6 / sixth, 12) : 0)),
    );
  });

  it("divides all features by the root mean square of their deviations, with common", () => {
    const common: NumericEncoding = { kind: "numeric", standardise: "common" };
    // Deviations 1 and 7, and 1/2 for the flag.
    const table = Table.fromColumns("t", { a: [1, 3], b: [20, 6], c: ["p", "q"] });
    const { encoder, matrix } = fitted(table, common);
    const deviation = Math.sqrt((1 + 49 + 1 / 4) / 3);
    const expected = [-1, 7, -0.5, 1, -7, 0.5].map((x) => expect.closeTo(x / deviation, 12));
    expect(Array.from(matrix.values)).toEqual(expected);
    const missing = encoder.encode(Table.fromColumns("n", { a: [null], b: [13], c: ["r"] }));
    expect(Array.from(missing.values)).toEqual([0, 0, 0]);
  });

  it("divides by a common number that no column overflows", () => {
    const common: NumericEncoding = { kind: "numeric", standardise: "common" };
    const table = Table.fromColumns("t", {
      large: [Number.MAX_VALUE, -Number.MAX_VALUE],
      small: [5e-324, 1e-323],
    });
    const { matrix } = fitted(table, common);
    const [first] = columnOf(matrix, 0);
    expect(first).toBeGreaterThan(1);
    expect(first).toBeLessThan(3);
    expect(columnOf(matrix, 1).every((value) => Math.abs(value) < 1e-300)).toBe(true);
  });

  it("never gives NaN or Infinity for finite numbers", () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    const cells = fc.array(fc.option(finite), { minLength: 2, maxLength: 8 });
    const encodings = fc.record({
      kind: fc.constant("numeric" as const),
      standardise: fc.constantFrom(true, false, "keep-zeros" as const, "common" as const),
      precision: fc.constantFrom("f32" as const, "f64" as const),
    });
    fc.assert(
      fc.property(cells, cells, encodings, (a, b, encoding) => {
        fc.pre(new Set(a).size > 1);
        const encoder = fitEncoder(Table.fromColumns("t", { a }), target, encoding);
        for (const table of [Table.fromColumns("t", { a }), Table.fromColumns("n", { a: b })]) {
          expect(encoder.encode(table).values.every((value) => Number.isFinite(value))).toBe(true);
        }
      }),
    );
  });

  it.each([raw, standardised])(
    "rejects infinite cells when it is fitted and when it encodes: %j",
    (encoding) => {
      const bad = Table.fromColumns("bad.csv", { a: [1, 2, Number.NEGATIVE_INFINITY] });
      const good = Table.fromColumns("good.csv", { a: [1, 2, 3] });
      for (const work of [
        () => fitEncoder(bad, target, encoding),
        () => fitEncoder(good, target, encoding).encode(bad),
      ]) {
        const error = fault(work);
        expect(error.code).toBe("data/not-finite");
        expect(error.message).toMatch(/bad\.csv, row 3, column "a"/);
      }
    },
  );

  it("gives the same numbers for every type of array, over more than one block", () => {
    const cells = Array.from({ length: 10_000 }, (_, i) => (i * 7919) % 128);
    const expected = fitted(Table.fromColumns("t", { a: Float64Array.from(cells) }), standardised).matrix
      .values;
    for (const a of arraysOfEveryType(cells)) {
      expect(fitted(Table.fromColumns("t", { a }), standardised).matrix.values).toEqual(expected);
    }
  });

  it("puts cells into rows on a wide and long table", () => {
    const rows = 600;
    const names = Array.from({ length: 37 }, (_, j) => `c${j}`);
    const cell = (i: number, j: number) => Math.sin(i * 37 + j);
    const table = Table.fromColumns(
      "t",
      Object.fromEntries(names.map((name, j) => [name, Array.from({ length: rows }, (_, i) => cell(i, j))])),
    );
    const { matrix } = fitted(table);
    expect(matrix.values.every((value, k) => value === cell(Math.floor(k / 37), k % 37))).toBe(true);
  });

  it("uses shared memory, in the requested precision", () => {
    const table = Table.fromColumns("t", { a: [1, 2] });
    expect(fitted(table).matrix.values).toBeInstanceOf(Float64Array);
    const single = fitted(table, { ...raw, precision: "f32" }).matrix;
    expect(single.values).toBeInstanceOf(Float32Array);
    expect(single.values.buffer).toBeInstanceOf(SharedArrayBuffer);
  });
});

describe("numeric encoder: categories", () => {
  it("makes one flag per level, with all flags off for unseen levels", () => {
    const { encoder, matrix } = fitted(Table.fromColumns("t", { c: ["x", "z", "y", "x"] }));
    expect(encoder.featureNames).toEqual(["c=x", "c=y", "c=z"]);
    expect(matrix.row(0)).toEqual(Float64Array.of(1, 0, 0));
    expect(matrix.row(1)).toEqual(Float64Array.of(0, 0, 1));
    const notices: string[] = [];
    const fresh = encoder.encode(Table.fromColumns("new", { c: ["w", null, "y"] }), (text) =>
      notices.push(text),
    );
    expect(Array.from(fresh.values)).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 0]);
    expect(notices).toEqual(['Column "c": 1 cell with a category not seen in training, such as "w".']);
  });

  it("flags missing cells if training had some", () => {
    const { encoder, matrix } = fitted(Table.fromColumns("t", { c: ["x", "y", null] }));
    expect(encoder.featureNames).toEqual(["c=x", "c=y", "c is missing"]);
    expect(Array.from(matrix.values)).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    const unseen = encoder.encode(Table.fromColumns("new", { c: ["w"] }));
    expect(Array.from(unseen.values)).toEqual([0, 0, 0]);
  });

  it("makes one feature of two levels, and gives the mean to other cells", () => {
    const table = Table.fromColumns("t", { c: ["no", "yes", "no", "no"] });
    const { encoder, matrix } = fitted(table);
    expect(encoder.featureNames).toEqual(["c=yes"]);
    expect(columnOf(matrix, 0)).toEqual([0, 1, 0, 0]);
    const strange = Table.fromColumns("new", { c: ["maybe", null] });
    expect(columnOf(encoder.encode(strange), 0)).toEqual([0.25, 0.25]);
    const scaled = fitted(table, standardised);
    expect(columnOf(scaled.encoder.encode(strange), 0)).toEqual([0, 0]);
    const [off, on] = columnOf(scaled.matrix, 0);
    expect(off).toBeCloseTo(-0.25 / Math.sqrt(3 / 16));
    expect(on).toBeCloseTo(0.75 / Math.sqrt(3 / 16));
  });

  it("makes one feature of one level and missing cells", () => {
    const { encoder, matrix } = fitted(Table.fromColumns("t", { c: ["x", null, "x"] }));
    expect(encoder.featureNames).toEqual(["c is missing"]);
    expect(columnOf(matrix, 0)).toEqual([0, 1, 0]);
  });

  it("groups levels beyond the 255 most frequent, and unseen ones with them", () => {
    // Level k occurs twice for k < 255 and once for the 45 others.
    const c = Array.from({ length: 255 + 300 }, (_, i) => `level${String(i % 300).padStart(3, "0")}`);
    const { encoder, matrix } = fitted(Table.fromColumns("t", { c }));
    expect(encoder.featureNames).toHaveLength(256);
    expect(encoder.featureNames[254]).toBe("c=level254");
    expect(encoder.featureNames[255]).toBe("c=(other)");
    expect(columnOf(matrix, 255).reduce((sum, flag) => sum + flag, 0)).toBe(45);
    expect(encoder.notices).toEqual([
      '1 column with many categories; rare ones are grouped as "(other)": "c".',
    ]);
    const notices: string[] = [];
    const unseen = encoder.encode(Table.fromColumns("n", { c: ["brand new"] }), (text) => notices.push(text));
    expect(unseen.values[255]).toBe(1);
    expect(notices).toEqual([]);
  });

  it("does not depend on the order in which levels turn up", () => {
    const c = ["b", "a", "c", "a"];
    const table = Table.fromColumns("t", { c });
    const reversed = Table.fromColumns("t", { c: c.toReversed() }).select([3, 2, 1, 0]);
    expect(fitted(reversed).matrix.values).toEqual(fitted(table).matrix.values);
    expect(fitted(reversed).encoder.toState()).toEqual(fitted(table).encoder.toState());
  });
});

describe("numeric encoder: columns that are left out", () => {
  it("leaves out constant columns and names of rows, with one notice each, and does not ask for them", () => {
    const n = 20;
    const fill = (value: string | number | null) => Array.from({ length: n }, () => value);
    const table = Table.fromColumns("t", {
      id: Array.from({ length: n }, (_, i) => `id${i}`),
      k1: fill(7),
      k2: fill("same"),
      k3: fill(null),
      k4: fill(1),
      k5: fill(2),
      k6: fill(3),
      x: Array.from({ length: n }, (_, i) => i),
    });
    const encoder = fitEncoder(table, target, raw);
    expect(encoder.featureNames).toEqual(["x"]);
    expect(encoder.notices).toEqual([
      '6 constant columns left out: "k1", "k2", "k3", "k4", "k5" and 1 more.',
      '1 column left out because no two rows share a category: "id".',
    ]);
    expect(encoder.encode(Table.fromColumns("new", { x: [5] })).values).toEqual(Float64Array.of(5));
  });

  it("rejects a table without useful columns, or without rows", () => {
    const constant = Table.fromColumns("flat.csv", { a: [1, 1], b: ["k", "k"] });
    const error = fault(() => fitEncoder(constant, target, raw));
    expect(error.code).toBe("data/no-features");
    expect(error.message).toContain("flat.csv");
    expect(error.message).toContain('"a", "b"');
    const empty = Table.fromColumns("t", { a: [1, 2] }).select([]);
    expect(fault(() => fitEncoder(empty, target, raw)).code).toBe("data/no-rows");
  });

  it("encodes no rows as a matrix without rows", () => {
    const { encoder } = fitted(Table.fromColumns("t", { a: [1, 2] }));
    expect(encoder.encode(Table.fromColumns("n", { a: [] })).rows).toBe(0);
  });

  it("accepts 100,000 columns", () => {
    const columns = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, j) => [`c${j}`, Float64Array.of(j, j + 1, j + 2)]),
    );
    const { matrix } = fitted(Table.fromColumns("wide", columns));
    expect(matrix.columns).toBe(100_000);
    expect(matrix.row(2)[99_999]).toBe(100_001);
  });
});
