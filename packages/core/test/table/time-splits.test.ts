import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { timeFolds, timeHoldout } from "#core/table/time-splits.js";
import { fault } from "../fault.js";

const timesArbitrary = fc
  .array(fc.integer({ min: -5, max: 12 }), { minLength: 6, maxLength: 60 })
  .map((times) => Float64Array.from(times))
  .filter((times) => new Set(times).size >= 5);

const timesIn = (times: Float64Array, rows: Int32Array) => Array.from(rows, (row) => times[row]);

describe("timeHoldout", () => {
  it("tests on later rows than it trains on, as near to the fraction as any cut", () => {
    const fraction = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(timesArbitrary, fraction, (times, fraction) => {
        const { train, test } = timeHoldout(times, fraction);
        expect(Math.max(...timesIn(times, train))).toBeLessThan(Math.min(...timesIn(times, test)));
        expect(train.length + test.length).toBe(times.length);
        const later = [...new Set(times)].map((cut) => times.filter((time) => time >= cut).length);
        const distances = later
          .filter((rows) => rows < times.length)
          .map((rows) => Math.abs(rows - fraction * times.length));
        expect(Math.abs(test.length - fraction * times.length)).toBeCloseTo(Math.min(...distances), 9);
      }),
    );
  });

  it("takes the later of two equally near cuts", () => {
    expect(timeHoldout(Float64Array.of(3, 1, 2, 3, 1, 2), 0.5).test).toEqual(Int32Array.of(0, 3));
  });

  it("refuses times that are all equal, and missing times", () => {
    const same = fault(() => timeHoldout(new Float64Array(5), 0.2));
    expect([same.code, same.message]).toEqual([
      "data/too-few-rows",
      "It takes at least 2 different times to hold the latest rows out, but all rows have the same time.",
    ]);
    const missing = fault(() => timeHoldout(Float64Array.of(1, Number.NaN, 2, Number.NaN), 0.2));
    expect(missing.message).toBe("2 of 4 rows have no time.");
  });
});

describe("timeFolds", () => {
  it("trains on all that is past and never on the future, and tests no row twice", () => {
    fc.assert(
      fc.property(timesArbitrary, fc.integer({ min: 2, max: 4 }), (times, k) => {
        const labels = Int32Array.from(times, (time) => (time < 3 ? 0 : 1));
        const { folds } = timeFolds(times, labels, k);
        expect(folds).toHaveLength(k);
        let seen = folds[0].train.length;
        for (const { train, test } of folds) {
          expect(train.length).toBe(seen);
          expect(test.length).toBeGreaterThan(0);
          expect(Math.max(...timesIn(times, train))).toBeLessThan(Math.min(...timesIn(times, test)));
          seen += test.length;
        }
        expect(seen).toBe(times.length);
      }),
    );
  });

  it("cuts different times into blocks whose sizes differ by at most one row", () => {
    const times = Float64Array.from({ length: 100 }, (_, row) => (row * 37) % 100);
    const { folds, sparse } = timeFolds(
      times,
      Int32Array.from(times, (time) => (time < 40 ? 0 : 1)),
      5,
    );
    expect(folds.map(({ test }) => test.length)).toEqual([16, 17, 17, 16, 17]);
    // Class 0 is in the past only: the last folds do not test it; class 1 is not in the fold of times 17 to 33.
    expect(sparse).toEqual([0, 1]);
  });

  it("needs one time more than folds", () => {
    expect(fault(() => timeFolds(Float64Array.of(1, 2, 2, 3), new Int32Array(4), 3)).message).toBe(
      "It takes at least 4 different times to make 3 folds by time, but there are only 3.",
    );
  });
});
