import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mean, standardDeviation } from "#core/runtime/maths/statistics.js";
import { kFold, leaveOneOut, randomHoldout, rotation, stratifiedHoldout } from "#core/table/splits.js";
import { fault } from "../fault.js";

const labelsArbitrary = fc
  .array(fc.integer({ min: -1, max: 3 }), { minLength: 5, maxLength: 80 })
  .map((labels) => Int32Array.from(labels));
const seeds = fc.integer();

const isAscending = (rows: Int32Array) => rows.every((row, i) => i === 0 || row > rows[i - 1]);
const ofClass = (labels: Int32Array, rows: Int32Array, label: number) =>
  rows.filter((row) => labels[row] === label).length;
const allRows = (labels: Int32Array) => Array.from(labels.keys());
const union = (...parts: Int32Array[]) => parts.flatMap((part) => Array.from(part)).sort((a, b) => a - b);

describe("randomHoldout", () => {
  it("draws the rounded number of rows, but not none and not all", () => {
    for (const [rows, fraction, drawn] of [
      [10, 0.25, 3],
      [2, 0.01, 1],
      [2, 0.99, 1],
      [20, 0.99, 19],
      [150, 0.2, 30],
    ]) {
      const { train, test } = randomHoldout(rows, fraction, 1);
      expect(test).toHaveLength(drawn);
      expect(union(train, test)).toEqual(Array.from({ length: rows }, (_, row) => row));
      expect(isAscending(train) && isAscending(test)).toBe(true);
      expect(randomHoldout(rows, fraction, 1)).toEqual({ train, test });
    }
  });

  it("holds out every row, and every pair of rows, equally often", () => {
    const [rows, drawn, seeds] = [6, 2, 6000];
    const pairs = new Map<string, number>();
    for (let seed = 0; seed < seeds; seed++) {
      const pair = randomHoldout(rows, drawn / rows, seed).test.join();
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    }
    expect(pairs.size).toBe(15);
    // χ² with 14 degrees of freedom is above 36.1 with probability 0.001.
    const expected = seeds / 15;
    const chiSquare = [...pairs.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    expect(chiSquare).toBeLessThan(36.1);
  });

  it("leaves the number of held-out rows of a class to chance", () => {
    // Of 100 rows with 30 of a class, 20 are drawn: the count is hypergeometric, with variance 20 · 0.3 · 0.7 · 80/99.
    const counts = Array.from(
      { length: 3000 },
      (_, seed) => randomHoldout(100, 0.2, seed).test.filter((row) => row < 30).length,
    );
    expect(Math.abs(mean(counts) - 6)).toBeLessThan(0.15);
    expect(Math.abs(standardDeviation(counts) ** 2 - (20 * 0.3 * 0.7 * 80) / 99)).toBeLessThan(0.35);
  });

  it("refuses one row and fractions that are not between 0 and 1", () => {
    expect(fault(() => randomHoldout(1, 0.5, 0)).code).toBe("data/too-few-rows");
    expect(fault(() => randomHoldout(9, 1, 0)).code).toBe("option/invalid");
  });
});

describe("stratifiedHoldout", () => {
  it("divides the rows, each class within one row of its share, and is the same for the same seed", () => {
    fc.assert(
      fc.property(
        labelsArbitrary,
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        seeds,
        (labels, fraction, seed) => {
          const { train, test } = stratifiedHoldout(labels, fraction, seed);
          expect(union(train, test)).toEqual(allRows(labels));
          expect(isAscending(train) && isAscending(test)).toBe(true);
          expect(test.length).toBeGreaterThan(0);
          const sizes = new Map<number, number>();
          for (const label of labels) sizes.set(label, (sizes.get(label) ?? 0) + 1);
          const someHaveTwo = [...sizes.values()].some((size) => size > 1);
          for (const [label, size] of sizes) {
            expect(Math.abs(ofClass(labels, test, label) - fraction * size)).toBeLessThanOrEqual(1 + 1e-9);
            if (someHaveTwo) expect(ofClass(labels, train, label)).toBeGreaterThan(0);
          }
          expect(stratifiedHoldout(labels, fraction, seed)).toEqual({ train, test });
        },
      ),
    );
  });

  it("holds out the rounded number of rows if classes are large enough", () => {
    const labels = Int32Array.from({ length: 150 }, (_, i) => i % 3);
    const { train, test } = stratifiedHoldout(labels, 0.2, 1);
    expect([train.length, test.length]).toEqual([120, 30]);
    for (const label of [0, 1, 2]) expect(ofClass(labels, test, label)).toBe(10);
    const uneven = stratifiedHoldout(
      Int32Array.from({ length: 10 }, (_, i) => i % 3),
      0.5,
      1,
    );
    expect(uneven.test.length).toBe(5);
  });

  it("depends on the seed", () => {
    const labels = new Int32Array(100);
    expect(stratifiedHoldout(labels, 0.5, 1)).not.toEqual(stratifiedHoldout(labels, 0.5, 2));
  });

  it("tests a row even if every class has only one", () => {
    expect(stratifiedHoldout(Int32Array.of(0, 1, 2), 0.1, 0).test).toHaveLength(1);
  });

  it("rejects invalid fractions, and a single row", () => {
    for (const fraction of [0, 1, -0.1, Number.NaN]) {
      expect(fault(() => stratifiedHoldout(Int32Array.of(0, 1), fraction, 0)).code).toBe("option/invalid");
    }
    expect(fault(() => stratifiedHoldout(Int32Array.of(0), 0.5, 0)).code).toBe("data/too-few-rows");
  });
});

describe("kFold", () => {
  it("tests every row once, folds and classes even within one row, and is the same for the same seed", () => {
    fc.assert(
      fc.property(labelsArbitrary, fc.integer({ min: 2, max: 5 }), seeds, (labels, k, seed) => {
        const { folds, sparse } = kFold(labels, k, seed);
        expect(folds).toHaveLength(k);
        expect(union(...folds.map(({ test }) => test))).toEqual(allRows(labels));
        for (const { train, test } of folds) {
          expect(union(train, test)).toEqual(allRows(labels));
          expect(isAscending(train) && isAscending(test)).toBe(true);
          expect(Math.abs(test.length - labels.length / k)).toBeLessThan(1);
        }
        for (const label of new Set(labels)) {
          const size = labels.filter((own) => own === label).length;
          for (const { test } of folds)
            expect(Math.abs(ofClass(labels, test, label) - size / k)).toBeLessThan(1);
          expect(sparse.includes(label)).toBe(size < k);
        }
        expect(kFold(labels, k, seed)).toEqual({ folds, sparse });
      }),
    );
  });

  it("rejects fewer rows than folds, and invalid numbers of folds", () => {
    const labels = Int32Array.of(0, 1, 0);
    const error = fault(() => kFold(labels, 4, 0));
    expect(error.code).toBe("data/too-few-rows");
    expect(error.message).toContain("4 rows");
    for (const k of [1, 0, -2, 2.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(fault(() => kFold(labels, k, 0)).code).toBe("option/invalid");
    }
  });
});

describe("leaveOneOut", () => {
  it("tests every row on its own", () => {
    expect([...leaveOneOut(3)]).toEqual([
      { train: Int32Array.of(1, 2), test: Int32Array.of(0) },
      { train: Int32Array.of(0, 2), test: Int32Array.of(1) },
      { train: Int32Array.of(0, 1), test: Int32Array.of(2) },
    ]);
    expect(fault(() => [...leaveOneOut(1)]).code).toBe("data/too-few-rows");
  });
});

describe("rotation", () => {
  it("tests one fold, validates on the next, trains on the rest", () => {
    fc.assert(
      fc.property(labelsArbitrary, seeds, (labels, seed) => {
        const { folds } = rotation(labels, seed);
        expect(folds).toHaveLength(5);
        expect(folds.map(({ test }) => test)).toEqual(kFold(labels, 5, seed).folds.map(({ test }) => test));
        folds.forEach(({ train, validate, test }, j) => {
          expect(validate).toEqual(folds[(j + 1) % 5].test);
          expect(union(train, validate, test)).toEqual(allRows(labels));
        });
      }),
    );
  });

  it("rejects two folds", () => {
    expect(fault(() => rotation(new Int32Array(10), 0, 2)).code).toBe("option/invalid");
    expect(fault(() => rotation(new Int32Array(4), 0)).code).toBe("data/too-few-rows");
  });
});
