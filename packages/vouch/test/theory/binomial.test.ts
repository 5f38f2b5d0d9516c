import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  binomialAtMost,
  binomialProbability,
  deviance,
  largestProbability,
  stirlingError,
} from "#vouch/theory/distributions.js";

/** C(n, i) exactly. */
function choose(n: number, i: number): bigint {
  let product = 1n;
  for (let j = 1; j <= i; j++) product = (product * BigInt(n - j + 1)) / BigInt(j);
  return product;
}

/** P(X ≤ k) for p = numerator/64, as an exact fraction rounded once. */
function exactAtMost(k: number, n: number, numerator: number): number {
  let sum = 0n;
  for (let i = 0; i <= k; i++) {
    sum += choose(n, i) * BigInt(numerator) ** BigInt(i) * BigInt(64 - numerator) ** BigInt(n - i);
  }
  return Number((sum << 500n) / 64n ** BigInt(n)) / 2 ** 500;
}

function relativeError(value: number, truth: number): number {
  return Math.abs(value - truth) / Math.abs(truth);
}

/** k, n, p, P(X ≤ k), P(X = k): mpmath with 40 digits, term by term. */
const HIGH_PRECISION = [
  [30000, 1000000, 0.0305, 0.0017979766473010571, 0.00003336377644233148],
  [500000, 1000000, 0.5, 0.5003989421806658, 0.0007978843613317501],
  [499000, 1000000, 0.5, 0.02280414993269104, 0.00010798197801891516],
  [501500, 1000000, 0.5, 0.9986545360216347, 0.000008863674664599164],
  [3, 1000000, 1e-5, 0.010335785844433463, 0.007566480927945297],
  [999990, 1000000, 0.99999, 0.5420709110761774, 0.12511066127589932],
  [5000000, 10000000, 0.5, 0.5001261566229471, 0.0002523132458941848],
  [12, 10000000, 1e-6, 0.7915565711752771, 0.09478036800392022],
  [4990000, 10000000, 0.5, 1.2724002455775864e-10, 5.200504668162564e-13],
];

/** k, n, confidence, beta.ppf(confidence, k + 1, n − k) of scipy 1.10. */
const SCIPY_UPPER = [
  [30000, 1e6, 0.95, 0.03028209852936511],
  [0, 1e6, 0.95, 0.0000029957277863525433],
  [999999, 1e6, 0.95, 0.9999999487067069],
  [500000, 1e6, 0.99, 0.501163672070515],
  [1234, 1e7, 0.999, 0.00013464468778296638],
  [10, 20, 0.95, 0.6980460887135065],
  [2, 140, 0.95, 0.04428496484428671],
  [4, 10, 0.3, 0.37258156807967513],
];

describe("binomial distribution", () => {
  it("agrees with exact rational sums for all k ≤ n ≤ 60", () => {
    let worst = 0;
    for (const n of [1, 2, 3, 7, 16, 17, 31, 60]) {
      for (const numerator of [1, 5, 20, 32, 50, 63]) {
        for (let k = 0; k < n; k++) {
          const truth = exactAtMost(k, n, numerator);
          worst = Math.max(worst, relativeError(binomialAtMost(k, n, numerator / 64), truth));
        }
      }
    }
    expect(worst).toBeLessThan(1e-13);
  });

  it("agrees with 40-digit arithmetic for millions of trials", () => {
    for (const [k, n, p, atMost, equal] of HIGH_PRECISION) {
      expect(relativeError(binomialAtMost(k, n, p), atMost)).toBeLessThan(1e-13);
      expect(relativeError(binomialProbability(k, n, p), equal)).toBeLessThan(1e-13);
    }
  });

  it("sums to one", () => {
    let sum = 0;
    for (let k = 0; k <= 500; k++) sum += binomialProbability(k, 500, 0.037);
    expect(sum).toBeCloseTo(1, 13);
  });

  it("has the right edges", () => {
    expect(binomialAtMost(-1, 10, 0.5)).toBe(0);
    expect(binomialAtMost(10, 10, 0.5)).toBe(1);
    expect(binomialAtMost(0, 0, 0.5)).toBe(1);
    expect(binomialAtMost(3, 10, 0)).toBe(1);
    expect(binomialAtMost(3, 10, 1)).toBe(0);
    expect(binomialProbability(0, 10, 0)).toBe(1);
    expect(binomialProbability(10, 10, 1)).toBe(1);
    expect(binomialProbability(11, 10, 0.3)).toBe(0);
    expect(binomialProbability(0, 0, 0.3)).toBe(1);
    expect(relativeError(binomialAtMost(0, 1e7, 1e-300), 1)).toBe(0);
    expect(binomialAtMost(1e6, 1e7, 1 - 2 ** -53)).toBe(0);
  });

  it("falls in p and rises in k", () => {
    const trials = fc.integer({ min: 1, max: 100_000 });
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(trials, unit, unit, unit, (n, share, p1, p2) => {
        const k = Math.floor(share * n);
        const [low, high] = p1 < p2 ? [p1, p2] : [p2, p1];
        expect(binomialAtMost(k, n, high)).toBeLessThanOrEqual(binomialAtMost(k, n, low) * (1 + 1e-12));
        expect(binomialAtMost(k - 1, n, p1)).toBeLessThanOrEqual(binomialAtMost(k, n, p1) * (1 + 1e-12));
      }),
    );
  });
});

describe("largest probability with a given tail", () => {
  it("agrees with scipy's beta quantiles", () => {
    for (const [k, n, confidence, upper] of SCIPY_UPPER) {
      expect(relativeError(largestProbability(k, n, 1 - confidence), upper)).toBeLessThan(1e-14);
    }
  });

  it("has closed forms for k = 0, k = n − 1 and k = n", () => {
    expect(largestProbability(0, 59, 0.05)).toBeCloseTo(1 - 0.05 ** (1 / 59), 15);
    expect(largestProbability(58, 59, 0.05)).toBeCloseTo(0.95 ** (1 / 59), 15);
    expect(largestProbability(59, 59, 0.05)).toBe(1);
    expect(largestProbability(0, 10, 1)).toBe(0);
  });

  it("inverts the tail for millions of trials", () => {
    for (const [k, n] of [
      [1, 1e7],
      [77, 1e6],
      [5e6, 1e7],
      [999_000, 1e6],
    ]) {
      for (const tail of [1e-9, 0.05, 0.5, 0.9]) {
        const p = largestProbability(k, n, tail);
        expect(relativeError(binomialAtMost(k, n, p), tail)).toBeLessThan(1e-8);
      }
    }
  });
});

describe("special functions", () => {
  it("Stirling's error continues smoothly from the table into the series", () => {
    let logFactorial = 0;
    for (let n = 1; n <= 60; n++) {
      logFactorial += Math.log(n);
      const stirling = 0.5 * Math.log(2 * Math.PI * n) + n * Math.log(n) - n;
      expect(stirlingError(n)).toBeCloseTo(logFactorial - stirling, 13);
    }
  });

  it("deviance has the same value from the series and from the formula", () => {
    for (const x of [8.2, 9.9, 10, 10.1, 12.1]) {
      expect(deviance(x, 10)).toBeCloseTo(x * Math.log(x / 10) + 10 - x, 13);
    }
    expect(deviance(1e6, 1e6)).toBe(0);
  });
});
