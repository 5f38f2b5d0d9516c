import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binLike, binMatrix } from "#core/encode/bin-matrix.js";
import { type BinnedColumns, MISSING_BIN } from "#core/encode/binned-columns.js";
import { fitEncoder } from "#core/encode/fit-encoder.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { Table } from "#core/table/table.js";
import { fault } from "../fault.js";
import { arraysOfEveryType } from "../table/arrays-of-every-type.js";

const target = { target: "y", classes: ["a", "b"] };
const encoderOf = (table: Table, maxBins = 255) => fitEncoder(table, target, { kind: "binned", maxBins });

const cutsOf = (binned: BinnedColumns, j: number): Float64Array => {
  const feature = binned.features[j];
  return feature.kind === "numeric" ? feature.cuts : expect.fail("not numeric");
};

/** The definition: the number of cuts below x. */
const plainBin = (cuts: Float64Array, x: number) => cuts.filter((cut) => cut < x).length;

const rowsPerBin = (bins: Uint8Array): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const bin of bins) counts.set(bin, (counts.get(bin) ?? 0) + 1);
  return counts;
};

describe("the cut between two values", () => {
  const between = (lower: number, upper: number) => cutsOf(binMatrix(Matrix.from([[lower], [upper]])), 0)[0];

  it("lies in [lower, upper) for all pairs of doubles, neighbours and extremes included", () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(finite, finite, (x, y) => {
        fc.pre(x !== y);
        const [lower, upper] = x < y ? [x, y] : [y, x];
        const middle = between(lower, upper);
        expect(middle).toBeGreaterThanOrEqual(lower);
        expect(middle).toBeLessThan(upper);
      }),
    );
    expect(between(1, 1 + Number.EPSILON)).toBe(1);
    expect(between(0, 5e-324)).toBe(0);
    expect(between(-Number.MAX_VALUE, Number.MAX_VALUE)).toBe(0);
    expect(between(1, 4)).toBe(2.5);
  });
});

describe("binned encoder: numbers", () => {
  it("gives every value its own bin if there are few, with cuts halfway", () => {
    const table = Table.fromColumns("t", { a: [3, 1, null, 7, 3] });
    const binned = encoderOf(table).encode(table);
    expect(cutsOf(binned, 0)).toEqual(Float64Array.of(2, 5));
    expect(binned.column(0)).toEqual(Uint8Array.of(1, 0, MISSING_BIN, 2, 1));
    expect(binned.bins.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  const cell = fc.oneof(
    fc.integer({ min: -20, max: 20 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constant(null),
  );

  it("never splits ties, leaves no bin empty, keeps order, and bins by definition", () => {
    fc.assert(
      fc.property(
        fc.array(cell, { minLength: 2, maxLength: 200 }),
        fc.integer({ min: 2, max: 20 }),
        (a, maxBins) => {
          const present = a.filter((x) => x !== null);
          const distinct = new Set(present.map((x) => x + 0)).size;
          fc.pre(distinct > 1);
          const table = Table.fromColumns("t", { a });
          const binned = encoderOf(table, maxBins).encode(table);
          const bins = binned.column(0);
          const cuts = cutsOf(binned, 0);
          a.forEach((x, i) => {
            expect(bins[i]).toBe(x === null ? MISSING_BIN : plainBin(cuts, x));
          });
          const used = new Set(bins);
          used.delete(MISSING_BIN);
          expect(used.size).toBe(cuts.length + 1);
          expect(cuts.length + 1).toBeLessThanOrEqual(maxBins);
          if (distinct <= maxBins) expect(cuts.length + 1).toBe(distinct);
        },
      ),
    );
  });

  it("fills the bins about equally, on long columns too, and is the same in every run", () => {
    const random = new Random(1);
    for (const rows of [5000, 300_000]) {
      const table = Table.fromColumns("t", {
        a: Float64Array.from({ length: rows }, () => random.normal() ** 3),
      });
      const binned = encoderOf(table, 16).encode(table);
      const counts = rowsPerBin(binned.column(0));
      expect(counts.size).toBe(16);
      for (const count of counts.values()) {
        expect(count).toBeGreaterThan((0.9 * rows) / 16);
        expect(count).toBeLessThan((1.1 * rows) / 16);
      }
      expect(Buffer.compare(encoderOf(table, 16).encode(table).bins, binned.bins)).toBe(0);
    }
  });

  it("gives the value of most rows its own bin", () => {
    const a = Array.from({ length: 1000 }, (_, i) => (i % 10 === 0 ? i + 0.5 : 0));
    const table = Table.fromColumns("t", { a });
    const binned = encoderOf(table, 10).encode(table);
    expect(rowsPerBin(binned.column(0)).get(0)).toBe(900);
    expect(cutsOf(binned, 0).length + 1).toBe(10);
  });

  it("finds rare values of a long column with few values", () => {
    const values = new Float64Array(400_000).fill(0.5);
    values[399_999] = 0.25;
    values[1] = 0.75;
    const table = Table.fromColumns("t", { a: values });
    const binned = encoderOf(table).encode(table);
    expect(cutsOf(binned, 0)).toEqual(Float64Array.of(0.375, 0.625));
    expect([binned.bins[0], binned.bins[1], binned.bins[399_999]]).toEqual([1, 2, 0]);
  });

  it("bins every type of array alike", () => {
    const cells = Array.from({ length: 3000 }, (_, i) => (i * 7919) % 128);
    const table = Table.fromColumns("t", { a: Float64Array.from(cells) });
    const expected = encoderOf(table, 20).encode(table);
    for (const a of arraysOfEveryType(cells)) {
      const other = Table.fromColumns("t", { a });
      expect(encoderOf(other, 20).encode(other)).toEqual(expected);
    }
    const negative = Table.fromColumns("t", { a: Int8Array.from(cells, (x) => x - 100) });
    expect(encoderOf(negative, 20).encode(negative).bins).toEqual(expected.bins);
  });

  it("bins by definition on long columns of any spread", () => {
    const random = new Random(2);
    const spreads = [
      () => random.normal(),
      () => Math.exp(50 * random.normal()),
      () => (random.uniform() < 0.5 ? -1 : 1) * 10 ** (600 * random.uniform() - 300),
      () => Number.MAX_VALUE * (2 * random.uniform() - 1),
      () => 5e-324 * random.integer(100_000),
    ];
    for (const draw of spreads) {
      const a = Float64Array.from({ length: 2000 }, draw);
      const table = Table.fromColumns("t", { a });
      const binned = encoderOf(table, 100).encode(table);
      const cuts = cutsOf(binned, 0);
      expect(cuts.length).toBe(99);
      const expected = Uint8Array.from(a, (x) => plainBin(cuts, x));
      expect(binned.bins).toEqual(expected);
    }
  });

  it("rejects infinite cells when it is fitted and when it encodes", () => {
    const good = Table.fromColumns("good.csv", { a: [1, 2, 3] });
    const bad = Table.fromColumns("bad.csv", { a: [1, Number.POSITIVE_INFINITY, 3] });
    for (const work of [() => encoderOf(bad), () => encoderOf(good).encode(bad)]) {
      const error = fault(work);
      expect(error.code).toBe("data/not-finite");
      expect(error.message).toMatch(/bad\.csv, row 2, column "a"/);
    }
  });

  it.each([1, 256, 2.5, Number.NaN])("rejects %d bins", (maxBins) => {
    const error = fault(() => encoderOf(Table.fromColumns("t", { a: [1, 2] }), maxBins));
    expect(error.code).toBe("option/invalid");
  });
});

describe("binned encoder: categories and columns left out", () => {
  it("gives every level a bin, and unseen levels that of missing cells", () => {
    const table = Table.fromColumns("t", { c: ["x", "z", null, "y"] });
    const encoder = encoderOf(table);
    expect(encoder.encode(table).column(0)).toEqual(Uint8Array.of(0, 2, MISSING_BIN, 1));
    const notices: string[] = [];
    const fresh = encoder.encode(Table.fromColumns("new", { c: ["w", "z"] }), (text) => notices.push(text));
    expect(fresh.column(0)).toEqual(Uint8Array.of(MISSING_BIN, 2));
    expect(notices).toHaveLength(1);
  });

  it("lets the rarest of too many levels share a bin, unseen ones with them", () => {
    const table = Table.fromColumns("t", { c: ["a", "b", "c", "d", "c", "d", "d"] });
    const encoder = encoderOf(table, 3);
    const binned = encoder.encode(table);
    expect(binned.features[0]).toMatchObject({ levels: ["c", "d", "(other)"] });
    expect(binned.column(0)).toEqual(Uint8Array.of(2, 2, 0, 1, 0, 1, 1));
    expect(encoder.encode(Table.fromColumns("n", { c: ["new", null] })).bins).toEqual(
      Uint8Array.of(2, MISSING_BIN),
    );
    expect(encoderOf(table, 4).encode(table).features[0]).toMatchObject({ levels: ["a", "b", "c", "d"] });
  });

  it("uses all 255 bins but never that of missing cells", () => {
    const c = Array.from({ length: 600 }, (_, i) => `level${i % 300}`);
    const table = Table.fromColumns("t", { c });
    const bins = new Set(encoderOf(table).encode(table).bins);
    expect(bins.size).toBe(255);
    expect(bins.has(MISSING_BIN)).toBe(false);
  });

  it("leaves out constant columns, but not those with one value and missing cells", () => {
    const table = Table.fromColumns("t", {
      k: [1, 1],
      m: [1, null],
      e: [null, null],
      c: ["s", "s"],
      x: [1, 2],
    });
    const encoder = encoderOf(table);
    expect(encoder.featureNames).toEqual(["m", "x"]);
    expect(encoder.encode(table).column(0)).toEqual(Uint8Array.of(0, MISSING_BIN));
    expect(encoder.notices).toEqual(['3 constant columns left out: "k", "e", "c".']);
    expect(fault(() => encoderOf(table.without(["m", "x"]))).code).toBe("data/no-features");
    expect(fault(() => encoderOf(table.select([]))).code).toBe("data/no-rows");
  });

  it("keeps constant columns of numbers if asked to", () => {
    const table = Table.fromColumns(
      "t",
      { k: [1, 1], e: [null, null], c: ["s", "s"], x: [1, 2] },
      { e: "numeric" },
    );
    const encoder = fitEncoder(table, target, { kind: "binned", maxBins: 255, constants: "keep" });
    expect(encoder.featureNames).toEqual(["k", "e", "x"]);
    const binned = encoder.encode(table);
    expect([0, 1, 2].map((j) => [...binned.column(j)])).toEqual([
      [0, 0],
      [MISSING_BIN, MISSING_BIN],
      [0, 1],
    ]);
  });
});

describe("binMatrix", () => {
  it("bins a matrix as a table of its columns, constant ones kept, and more rows alike", () => {
    const matrix = Matrix.from([
      [1, 5, 0.5],
      [2, 5, Number.NaN],
      [4, 5, 0.25],
    ]);
    const binned = binMatrix(matrix, 10, ["a", "b", "c"]);
    expect(binned.features.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(Array.from(binned.bins)).toEqual([0, 1, 2, 0, 0, 0, 1, MISSING_BIN, 0]);
    const more = binLike(Matrix.from([[3, 6, 9]]), binned.features);
    expect(Array.from(more.bins)).toEqual([1, 0, 1]);
    expect(fault(() => binLike(Matrix.from([[1]]), binned.features)).code).toBe("data/malformed");
  });

  it("bins wide and long matrices, of either precision, column by column", () => {
    const random = new Random(4);
    const [rows, columns] = [300, 21];
    const values = Float32Array.from({ length: rows * columns }, () => random.normal());
    const columnOf = (j: number) => Float64Array.from({ length: rows }, (_, i) => values[i * columns + j]);
    for (const matrix of [
      new Matrix(rows, columns, values),
      new Matrix(rows, columns, Float64Array.from(values)),
    ]) {
      const binned = binMatrix(matrix, 20);
      for (let j = 0; j < columns; j++) {
        const alone = binMatrix(new Matrix(rows, 1, columnOf(j)), 20);
        expect(binned.column(j)).toEqual(alone.bins);
        expect(cutsOf(binned, j)).toEqual(cutsOf(alone, 0));
      }
      expect(binLike(matrix, binned.features)).toEqual(binned);
    }
  });

  it("keeps rows together when rows are selected", () => {
    const binned = binMatrix(
      Matrix.from([
        [1, 9],
        [2, 8],
        [3, 7],
      ]),
    ).select([2, 0]);
    expect(Array.from(binned.bins)).toEqual([2, 0, 0, 2]);
  });
});
