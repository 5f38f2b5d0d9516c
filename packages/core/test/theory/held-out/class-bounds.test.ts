import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { largestProbability } from "#core/theory/distributions.js";
import { meanUpperBounds } from "#core/theory/held-out/bounded-mean.js";
import {
  balancedErrorBound,
  classErrorBounds,
  expectedCostBounds,
  precisionErrorBounds,
} from "#core/theory/held-out/class-bounds.js";
import { binaryDivergence } from "#core/theory/pac-bayes/pac-bayes.js";

const CONFUSION = [
  [50, 4, 0],
  [2, 20, 0],
  [0, 0, 0],
];

/** A confusion matrix of K classes with these rows and errors, all errors in the next class. */
function confusionOf(rows: number[], errors: number[]): number[][] {
  return rows.map((n, c) =>
    rows.map((_, p) => (p === c ? n - errors[c] : p === (c + 1) % rows.length ? errors[c] : 0)),
  );
}

describe("bounds on the error of classes", () => {
  it("are exact binomial bounds of the rows and of the columns", () => {
    expect(classErrorBounds(CONFUSION, 0.05)).toEqual([
      { rows: 54, errors: 4, upper: largestProbability(4, 54, 0.05) },
      { rows: 22, errors: 2, upper: largestProbability(2, 22, 0.05) },
      { rows: 0, errors: 0, upper: 1 },
    ]);
    expect(precisionErrorBounds(CONFUSION, 0.05)).toEqual([
      { rows: 52, errors: 2, upper: largestProbability(2, 52, 0.05) },
      { rows: 24, errors: 4, upper: largestProbability(4, 24, 0.05) },
      { rows: 0, errors: 0, upper: 1 },
    ]);
  });

  it("refuse what is not a confusion matrix", () => {
    expect(() => classErrorBounds([[1, 2]], 0.05)).toThrow(VouchError);
    expect(() => balancedErrorBound([[0.5]], 0.05)).toThrow("counts");
    expect(() => precisionErrorBounds([[3]], 0)).toThrow("risk of failure");
  });
});

describe("the bound on the balanced error", () => {
  it("without errors puts all error in the rarest class, or in each one on its own", () => {
    const rarest = (1 - 0.025 ** (1 / 40)) / 2;
    const union = (1 - 0.0125 ** (1 / 40) + 1 - 0.0125 ** (1 / 90)) / 2;
    expect(rarest).toBeLessThan(union);
    expect(balancedErrorBound(confusionOf([40, 90], [0, 0]), 0.05)).toBeCloseTo(rarest, 9);
  });

  it("is the largest mean within the divergence, by brute force over both classes", () => {
    const [first, second, errors] = [60, 25, [18, 7]];
    const w = (errors[0] / first + errors[1] / second) / 2;
    let largest = 0;
    const steps = 150;
    for (let i = 0; i <= steps; i++) {
      for (let j = 0; j <= steps; j++) {
        const [e1, e2] = [i / steps, j / steps];
        if (e1 + e2 <= 2 * largest) continue;
        for (let y1 = 0; y1 <= Math.min(1, 2 * w); y1 += 0.01) {
          const y2 = 2 * w - y1;
          if (y2 > 1) continue;
          const divergence = first * binaryDivergence(y1, e1) + second * binaryDivergence(y2, e2);
          if (divergence <= Math.log(40)) largest = (e1 + e2) / 2;
        }
      }
    }
    const bound = balancedErrorBound(confusionOf([first, second], errors), 0.05);
    expect(bound).toBeGreaterThan(largest);
    expect(bound).toBeLessThan(largest + 0.008);
  });

  it("is below Hoeffding's and a union of binomial bounds at half the risk", () => {
    const random = new Random(4);
    for (let run = 0; run < 100; run++) {
      const rows = Array.from(
        { length: 2 + random.integer(4) },
        () => 3 + random.integer(10 ** (1 + random.integer(4))),
      );
      const errors = rows.map((n) => Math.floor(n * random.uniform() ** 3));
      const K = rows.length;
      const measured = errors.reduce((sum, count, c) => sum + count / rows[c], 0) / K;
      const variance = rows.reduce((sum, n) => sum + 1 / (2 * K * K * n), 0);
      const bound = balancedErrorBound(confusionOf(rows, errors), 0.1);
      const union = rows.reduce((sum, n, c) => sum + largestProbability(errors[c], n, 0.05 / K) / K, 0);
      expect(bound).toBeGreaterThan(measured);
      expect(bound).toBeLessThanOrEqual(Math.min(1, measured + Math.sqrt(Math.log(20) * variance)) + 1e-9);
      expect(bound).toBeLessThanOrEqual(union + 1e-12);
    }
  });

  it("counts only classes that occur: one has the binomial bound, none has 1", () => {
    const expected = balancedErrorBound(confusionOf([54, 22], [4, 2]), 0.05);
    expect(balancedErrorBound(CONFUSION, 0.05)).toBe(expected);
    expect(
      balancedErrorBound(
        [
          [7, 3],
          [0, 0],
        ],
        0.05,
      ),
    ).toBe(largestProbability(3, 10, 0.05));
    expect(
      balancedErrorBound(
        [
          [0, 0],
          [0, 0],
        ],
        0.05,
      ),
    ).toBe(1);
    expect(
      balancedErrorBound(
        [
          [0, 9],
          [5, 0],
        ],
        0.05,
      ),
    ).toBe(1);
  });

  it("covers the balanced error", () => {
    const random = new Random(8);
    const runs = 400;
    const binomial = (n: number, p: number) => {
      let count = 0;
      for (let i = 0; i < n; i++) if (random.uniform() < p) count++;
      return count;
    };
    for (const [rows, rates] of [
      [
        [30, 30],
        [0.2, 0.4],
      ],
      [
        [200, 8],
        [0.02, 0.6],
      ],
      [
        [20, 15, 40, 10],
        [0.5, 0.1, 0.05, 0.3],
      ],
    ]) {
      const truth = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
      let failures = 0;
      for (let run = 0; run < runs; run++) {
        const errors = rows.map((n, c) => binomial(n, rates[c]));
        if (balancedErrorBound(confusionOf(rows, errors), 0.25) < truth) failures++;
      }
      expect(failures / runs).toBeLessThanOrEqual(0.25 + 2 * Math.sqrt(0.1875 / runs));
    }
  });
});

describe("the bounds on the expected cost", () => {
  it("are those of the costs of the rows, in the range of the whole matrix", () => {
    const costs = [
      [0, 1, 2],
      [5, 0, 2],
      [9, 9, -1],
    ];
    const values = [...Array(50).fill(0), ...Array(4).fill(1), 5, 5, ...Array(20).fill(0)];
    const expected = meanUpperBounds(Float64Array.from(values), { low: -1, high: 9 }, 0.05);
    expect(expectedCostBounds(CONFUSION, costs, 0.05)).toEqual(expected);
    expect(expected.mean).toBeCloseTo(14 / 76, 14);
  });

  it("are the cost if it is the same everywhere, and refuse other matrices", () => {
    const same = CONFUSION.map((row) => row.map(() => 3));
    expect(expectedCostBounds(CONFUSION, same, 0.05).betting).toBe(3);
    expect(() =>
      expectedCostBounds(
        CONFUSION,
        [
          [0, 1],
          [1, 0],
        ],
        0.05,
      ),
    ).toThrow("3 rows");
    expect(() => expectedCostBounds([[1]], [[Number.POSITIVE_INFINITY]], 0.05)).toThrow("finite");
  });
});
