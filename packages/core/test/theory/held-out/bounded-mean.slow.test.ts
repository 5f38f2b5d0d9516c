import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { largestProbability } from "#core/theory/distributions.js";
import { bettingCapital, bettingOrders, capitalReaches } from "#core/theory/held-out/betting.js";
import { meanLowerBounds, meanUpperBounds } from "#core/theory/held-out/bounded-mean.js";

const UNIT = { low: 0, high: 1 };
const DELTAS = [0.25, 0.1, 0.05, 0.01, 0.0005];

/** n values of which the first k are b and the others a: sorted, as files often are. */
function twoPoint(n: number, k: number, a = 0, b = 1): Float64Array {
  return Float64Array.from({ length: n }, (_, i) => (i < k ? b : a));
}

/** Sums a function of all sequences of n of the given values, weighted with their probabilities. */
function expectation(
  n: number,
  law: [value: number, probability: number][],
  f: (values: Float64Array) => number,
) {
  let sum = 0;
  for (let code = 0; code < law.length ** n; code++) {
    const digits = Array.from({ length: n }, (_, i) => Math.floor(code / law.length ** i) % law.length);
    const probability = digits.reduce((product, digit) => product * law[digit][1], 1);
    sum += probability * f(Float64Array.from(digits, (digit) => law[digit][0]));
  }
  return sum;
}

describe("the capital of bets on a mean", () => {
  it("is expected to stay 1 if the mean is m, and to fall if it is larger", () => {
    const laws: [value: number, probability: number][][] = [
      [
        [0, 0.7],
        [1, 0.3],
      ],
      [
        [0, 0.05],
        [1, 0.95],
      ],
      [
        [0, 0.5],
        [0.3, 0.4],
        [1, 0.1],
      ],
    ];
    for (const law of laws) {
      const m = law.reduce((sum, [value, probability]) => sum + value * probability, 0);
      const expected = (at: number) =>
        expectation(law.length === 2 ? 9 : 6, law, (values) => bettingCapital(bettingOrders(values), at, 25));
      expect(expected(m)).toBeCloseTo(1, 10);
      expect(expected(0.9 * m)).toBeLessThan(1);
    }
  });

  it("lies between 0 and the target and does not fall in m, with bets for each value or for blocks", () => {
    const random = new Random(2);
    for (const n of [3, 40, 2500]) {
      for (const power of [0.2, 1, 6]) {
        const orders = bettingOrders(Float64Array.from({ length: n }, () => random.uniform() ** power));
        let before = 0;
        for (let m = 0.02; m < 1; m += 0.02) {
          const capital = bettingCapital(orders, m, 25);
          expect(capital).toBeGreaterThanOrEqual(before * (1 - 1e-9));
          expect(capital).toBeLessThanOrEqual(25);
          before = capital;
          for (const level of [0.5, 5, 20]) {
            expect(capitalReaches(level, orders, m, 25)).toBe(capital >= level);
          }
        }
      }
    }
  });
});

describe("bounds on a mean", () => {
  it("of Hoeffding and empirical Bernstein are their formulas", () => {
    const values = Float64Array.from({ length: 400 }, (_, i) => (i % 4) / 4);
    const { mean, hoeffding, empiricalBernstein } = meanUpperBounds(values, UNIT, 0.05);
    expect(mean).toBe(0.375);
    expect(hoeffding).toBeCloseTo(0.375 + Math.sqrt(Math.log(20) / 800), 14);
    const variance = (5 / 64) * (400 / 399);
    const log = Math.log(40);
    expect(empiricalBernstein).toBeCloseTo(
      0.375 + Math.sqrt((variance * log) / 200) + (7 * log) / (3 * 399),
      14,
    );
  });

  it("by betting are near 1 − δ^(1/n) if all values are 0, and 1 if all are 1", () => {
    for (const n of [10, 100, 1000]) {
      const least = 1 - 0.05 ** (1 / n);
      const { betting } = meanUpperBounds(new Float64Array(n), UNIT, 0.05);
      expect(betting).toBeGreaterThan(least);
      expect(betting).toBeLessThan(1.25 * least);
      expect(meanUpperBounds(twoPoint(n, n), UNIT, 0.05).betting).toBe(1);
    }
  });

  it("by betting are never above Hoeffding's by 0.002", () => {
    const pairs: [a: number, b: number][] = [
      [0, 1],
      [0.5, 1],
      [0, 0.5],
      [0.3, 0.7],
      [0, 0.05],
    ];
    let worst = Number.NEGATIVE_INFINITY;
    for (const delta of DELTAS) {
      for (const n of [10, 40, 100]) {
        for (const [a, b] of pairs) {
          for (let k = 0; k <= n; k += n / 5) {
            const { betting, hoeffding } = meanUpperBounds(twoPoint(n, Math.floor(k), a, b), UNIT, delta);
            worst = Math.max(worst, betting - hoeffding);
          }
        }
      }
    }
    expect(worst).toBeLessThan(0.002);
  });

  it("by betting are below empirical Bernstein's and Hoeffding's on all kinds of values", () => {
    const random = new Random(3);
    const draws = [
      () => random.uniform(),
      () => random.uniform() ** 3,
      () => 1 - random.uniform() ** 4,
      () => 0.4 + 0.02 * random.uniform(),
      () => Math.sin((Math.PI / 2) * random.uniform()) ** 2,
      () => (random.uniform() < 0.03 ? random.uniform() : 0.001),
    ];
    for (const draw of draws) {
      for (const n of [10, 50, 1000]) {
        for (const delta of [0.1, 0.0005]) {
          const values = Float64Array.from({ length: n }, draw);
          const { betting, hoeffding, empiricalBernstein } = meanUpperBounds(values, UNIT, delta);
          expect(betting).toBeLessThanOrEqual(empiricalBernstein);
          expect(betting).toBeLessThanOrEqual(hoeffding);
        }
      }
    }
  });

  it("by betting are within a third of the width of the exact binomial bound for 0 and 1", () => {
    for (const [n, k] of [
      [30, 6],
      [100, 2],
      [100, 50],
      [300, 6],
      [1000, 200],
      [10_000, 5000],
    ]) {
      const exact = largestProbability(k, n, 0.05) - k / n;
      const width = meanUpperBounds(twoPoint(n, k), UNIT, 0.05).betting - k / n;
      expect(width).toBeGreaterThan(exact);
      expect(width).toBeLessThan(1.33 * exact);
    }
  });

  it("cover the mean", () => {
    const random = new Random(5);
    const laws: [mean: number, draw: () => number][] = [
      [0.5, () => (random.uniform() < 0.5 ? 1 : 0)],
      [0.97, () => (random.uniform() < 0.97 ? 1 : 0)],
      [0.25, () => random.uniform() ** 3],
      [0.05, () => (random.uniform() < 0.1 ? random.uniform() : 0)],
    ];
    const runs = 150;
    for (const [mean, draw] of laws) {
      for (const delta of [0.05, 0.25]) {
        let failures = 0;
        for (let run = 0; run < runs; run++) {
          const values = Float64Array.from({ length: 40 }, draw);
          if (meanUpperBounds(values, UNIT, delta).betting < mean) failures++;
        }
        expect(failures / runs).toBeLessThanOrEqual(delta + 2 * Math.sqrt((delta * (1 - delta)) / runs));
      }
    }
  });

  it("keep their level on sorted files of 0 and 1, since they are not below the exact binomial bound", () => {
    for (const delta of [0.01, 0.05, 0.1, 0.25]) {
      for (const n of [1, 2, 3, 5, 9, 12, 24, 40, 150]) {
        for (let k = 0; k <= Math.min(n, 4); k++) {
          const exact = largestProbability(k, n, delta);
          for (const values of [twoPoint(n, k), twoPoint(n, k).reverse()]) {
            expect(meanUpperBounds(values, UNIT, delta).betting).toBeGreaterThanOrEqual(exact - 1e-9);
          }
        }
      }
    }
  });

  it("hardly depend on the order of the values", () => {
    const random = new Random(6);
    const values = Float64Array.from({ length: 500 }, () => random.uniform() ** 2);
    const given = meanUpperBounds(values, UNIT, 0.05);
    const sorted = meanUpperBounds(values.sort(), UNIT, 0.05);
    expect(Math.abs(sorted.betting - given.betting)).toBeLessThan(0.15 * (given.betting - given.mean));
    expect(meanUpperBounds(values, UNIT, 0.05)).toEqual(sorted);
  });

  it("follow the scale of the values, and lower bounds are reflected upper bounds", () => {
    const random = new Random(7);
    const unit = Float64Array.from({ length: 80 }, () => random.integer(9) / 8);
    const upper = meanUpperBounds(unit, UNIT, 0.1);
    const wide = meanUpperBounds(
      unit.map((value) => 8 * value - 3),
      { low: -3, high: 5 },
      0.1,
    );
    const lower = meanLowerBounds(
      unit.map((value) => 1 - value),
      UNIT,
      0.1,
    );
    for (const name of ["mean", "hoeffding", "empiricalBernstein", "betting"] as const) {
      expect(wide[name]).toBeCloseTo(8 * upper[name] - 3, 10);
      expect(lower[name]).toBeCloseTo(1 - upper[name], 10);
    }
  });

  it("stay between the mean and the end of the range", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -2, max: 7, noNaN: true }), { minLength: 1, maxLength: 30 }),
        fc.constantFrom(...DELTAS),
        (list, delta) => {
          const { mean, ...bounds } = meanUpperBounds(Float64Array.from(list), { low: -2, high: 7 }, delta);
          for (const bound of Object.values(bounds)) {
            expect(bound).toBeGreaterThanOrEqual(mean - 1e-12);
            expect(bound).toBeLessThanOrEqual(7);
          }
        },
      ),
    );
  });

  it("say nothing without values, and refuse bad ones", () => {
    const none = new Float64Array(0);
    const range = { low: -1, high: 4 };
    const { mean, ...bounds } = meanUpperBounds(none, range, 0.05);
    expect(mean).toBeNaN();
    expect(Object.values(bounds)).toEqual([4, 4, 4]);
    expect(meanLowerBounds(none, range, 0.05).betting).toBe(-1);
    expect(() => meanUpperBounds(Float64Array.of(0, Number.NaN), UNIT, 0.05)).toThrow(
      "Value 2 is not a number.",
    );
    expect(() => meanUpperBounds(Float64Array.of(1.5), UNIT, 0.05)).toThrow(
      "outside of the range from 0 to 1",
    );
    expect(() => meanUpperBounds(none, { low: 1, high: 1 }, 0.05)).toThrow(VouchError);
    expect(() => meanUpperBounds(none, UNIT, 0)).toThrow("risk of failure");
  });
});
