import { describe, expect, it } from "vitest";
import {
  binomialAtMost,
  largestProbability,
  largestProbabilityByLog,
  logBinomialAtMost,
  logBinomialCoefficient,
  logBinomialSum,
  logHypergeometricAtMost,
} from "#vouch/theory/distributions.js";
import { binaryDivergence, largestWithinDivergence } from "#vouch/theory/pac-bayes/pac-bayes.js";

/** C(n, k) in whole numbers. */
function choose(n: number, k: number): bigint {
  let result = 1n;
  for (let i = 1; i <= k; i++) result = (result * BigInt(n - k + i)) / BigInt(i);
  return result;
}

/** ln of a whole number of any size. */
function logOf(value: bigint): number {
  const digits = value.toString();
  return Math.log(Number(`0.${digits.slice(0, 17)}`)) + digits.length * Math.LN10;
}

describe("logarithms of binomial coefficients", () => {
  it("are those of the whole numbers", () => {
    for (const [n, k] of [
      [5, 2],
      [30, 15],
      [600, 75],
      [5000, 1],
      [5000, 4990],
    ]) {
      expect(logBinomialCoefficient(n, k)).toBeCloseTo(logOf(choose(n, k)), 10);
    }
    expect(logBinomialCoefficient(7, 0)).toBe(0);
    expect(logBinomialCoefficient(7, 7)).toBe(0);
    expect(logBinomialCoefficient(7, 8)).toBe(Number.NEGATIVE_INFINITY);
  });

  it("sum to those of the sums, up to all 2ⁿ subsets", () => {
    for (const n of [1, 2, 9, 40, 400]) {
      let sum = 0n;
      for (let d = 0; d <= n + 1; d++) {
        if (d <= n) sum += choose(n, d);
        expect(logBinomialSum(n, d)).toBeCloseTo(logOf(sum), 9);
      }
    }
    expect(logBinomialSum(5, -1)).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe("logarithms of tails", () => {
  it("are those of the tails where there is a number for them", () => {
    for (const [k, n, p] of [
      [0, 10, 0.3],
      [3, 10, 0.3],
      [9, 10, 0.3],
      [40, 600, 0.1],
      [90, 600, 0.1],
    ]) {
      expect(Math.exp(logBinomialAtMost(k, n, p))).toBeCloseTo(binomialAtMost(k, n, p), 12);
    }
    expect(logBinomialAtMost(10, 10, 0.3)).toBe(0);
    expect(logBinomialAtMost(-1, 10, 0.3)).toBe(Number.NEGATIVE_INFINITY);
    expect(logBinomialAtMost(3, 10, 1)).toBe(Number.NEGATIVE_INFINITY);
  });

  it("go on where there is none: (1 − p)ⁿ by hand", () => {
    expect(logBinomialAtMost(0, 20_000, 0.9)).toBeCloseTo(20_000 * Math.log(0.1), 6);
    expect(largestProbabilityByLog(0, 20_000, 20_000 * Math.log(0.1))).toBeCloseTo(0.9, 12);
  });

  it("are inverted like the tails themselves", () => {
    for (const [k, n, tail] of [
      [0, 140, 0.05],
      [6, 140, 0.05],
      [50, 200, 1e-30],
    ]) {
      expect(largestProbabilityByLog(k, n, Math.log(tail))).toBeCloseTo(largestProbability(k, n, tail), 10);
    }
    const p = largestProbabilityByLog(3, 5000, -2000);
    expect(logBinomialAtMost(3, 5000, p)).toBeCloseTo(-2000, 6);
    expect(largestProbabilityByLog(9, 9, -5)).toBe(1);
  });

  it("of the hypergeometric distribution are counts of subsets", () => {
    const [drawn, others] = [7, 11];
    for (let marked = 1; marked <= 12; marked++) {
      let sum = 0n;
      for (let k = 0; k <= (marked * drawn) / (drawn + others); k++) {
        if (marked - k <= others) sum += choose(drawn, k) * choose(others, marked - k);
        const expected = logOf(sum) - logOf(choose(drawn + others, marked));
        if (sum > 0n) expect(logHypergeometricAtMost(k, drawn, others, marked)).toBeCloseTo(expected, 10);
        else expect(logHypergeometricAtMost(k, drawn, others, marked)).toBe(Number.NEGATIVE_INFINITY);
      }
    }
  });
});

describe("the divergence of two coins", () => {
  it("is the formula by hand, 0 for equal ones and infinite for impossible ones", () => {
    expect(binaryDivergence(0.2, 0.5)).toBeCloseTo(0.2 * Math.log(0.4) + 0.8 * Math.log(1.6), 14);
    expect(binaryDivergence(0.3, 0.3)).toBe(0);
    expect(binaryDivergence(0, 0.25)).toBeCloseTo(-Math.log(0.75), 14);
    expect(binaryDivergence(0.2, 1)).toBe(Number.POSITIVE_INFINITY);
  });

  it("is inverted upwards", () => {
    const p = largestWithinDivergence(0.1, 0.05);
    expect(p).toBeGreaterThan(0.1);
    expect(binaryDivergence(0.1, p)).toBeCloseTo(0.05, 12);
    expect(largestWithinDivergence(0, 0.1)).toBeCloseTo(1 - Math.exp(-0.1), 12);
    expect(largestWithinDivergence(1, 0.1)).toBe(1);
  });
});
