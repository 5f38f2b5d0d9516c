import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { binomialAtMost, largestProbability } from "#core/theory/distributions.js";
import {
  largestProbabilityByLog,
  logBinomialCoefficient,
  logBinomialSum,
  logHypergeometricAtMost,
} from "#core/theory/log-tails.js";
import { kolmogorovTail, studentTail } from "#core/theory/test-tails.js";

/** C(n, k) exactly. */
function choose(n: number, k: number): bigint {
  let result = 1n;
  for (let i = 1; i <= k; i++) result = (result * BigInt(n - k + i)) / BigInt(i);
  return result;
}

/** The logarithm of an integer of any size. */
function logOf(value: bigint): number {
  const digits = value.toString();
  return Math.log(Number(`0.${digits.slice(0, 17)}`)) + digits.length * Math.LN10;
}

/** P(X ≤ k) for k = 0 … n − 1 and p = numerator/64, as exact fractions rounded once. */
function exactTails(n: number, numerator: number): number[] {
  let sum = 0n;
  return Array.from({ length: n }, (_, i) => {
    sum += choose(n, i) * BigInt(numerator) ** BigInt(i) * BigInt(64 - numerator) ** BigInt(n - i);
    return Number((sum << 500n) / 64n ** BigInt(n)) / 2 ** 500;
  });
}

function relativeError(value: number, truth: number): number {
  return Math.abs(value - truth) / Math.abs(truth);
}

/** k, n, p, P(X ≤ k): mpmath with 40 digits, term by term. */
const HIGH_PRECISION = [
  [30000, 1000000, 0.0305, 0.0017979766473010571],
  [500000, 1000000, 0.5, 0.5003989421806658],
  [499000, 1000000, 0.5, 0.02280414993269104],
  [501500, 1000000, 0.5, 0.9986545360216347],
  [3, 1000000, 1e-5, 0.010335785844433463],
  [999990, 1000000, 0.99999, 0.5420709110761774],
  [5000000, 10000000, 0.5, 0.5001261566229471],
  [12, 10000000, 1e-6, 0.7915565711752771],
  [4990000, 10000000, 0.5, 1.2724002455775864e-10],
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

describe("binomial tail", () => {
  it("agrees with exact rational sums for all k ≤ n ≤ 60", () => {
    let worst = 0;
    for (const n of [1, 2, 3, 7, 16, 17, 31, 60]) {
      for (const numerator of [1, 5, 20, 32, 50, 63]) {
        exactTails(n, numerator).forEach((truth, k) => {
          worst = Math.max(worst, relativeError(binomialAtMost(k, n, numerator / 64), truth));
        });
      }
    }
    expect(worst).toBeLessThan(1e-13);
  });

  it("agrees with 40-digit arithmetic for millions of trials", () => {
    for (const [k, n, p, atMost] of HIGH_PRECISION) {
      expect(relativeError(binomialAtMost(k, n, p), atMost)).toBeLessThan(1e-13);
    }
  });

  it("has the right edges", () => {
    expect(binomialAtMost(-1, 10, 0.5)).toBe(0);
    expect(binomialAtMost(10, 10, 0.5)).toBe(1);
    expect(binomialAtMost(0, 0, 0.5)).toBe(1);
    expect(binomialAtMost(3, 10, 0)).toBe(1);
    expect(binomialAtMost(3, 10, 1)).toBe(0);
    expect(binomialAtMost(0, 1e7, 1e-300)).toBe(1);
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

describe("largest probability with a given binomial tail", () => {
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
      [999_000, 1e6],
    ]) {
      for (const tail of [1e-9, 0.05, 0.9]) {
        const p = largestProbability(k, n, tail);
        expect(relativeError(binomialAtMost(k, n, p), tail)).toBeLessThan(1e-8);
      }
    }
  });
});

describe("logarithms of binomial coefficients", () => {
  it("are those of the integers", () => {
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
    for (const n of [1, 2, 9, 40, 150]) {
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
  it("are inverted like the tails themselves", () => {
    for (const [k, n, tail] of [
      [0, 140, 0.05],
      [6, 140, 0.05],
      [3, 10, 0.6],
      [90, 600, 0.999],
      [50, 200, 1e-30],
    ]) {
      expect(largestProbabilityByLog(k, n, Math.log(tail))).toBeCloseTo(largestProbability(k, n, tail), 10);
    }
    expect(largestProbabilityByLog(9, 9, -5)).toBe(1);
  });

  it("are inverted beyond the smallest number: (1 − p)ⁿ, and a sum of four terms, by hand", () => {
    expect(largestProbabilityByLog(0, 20_000, 20_000 * Math.log(0.1))).toBeCloseTo(0.9, 12);
    const p = largestProbabilityByLog(3, 5000, -2000);
    const logTerms = [0, 1, 2, 3].map(
      (i) => logOf(choose(5000, i)) + i * Math.log(p) + (5000 - i) * Math.log1p(-p),
    );
    const largest = Math.max(...logTerms);
    const sum = logTerms.reduce((total, log) => total + Math.exp(log - largest), 0);
    expect(largest + Math.log(sum)).toBeCloseTo(-2000, 6);
  });

  it("of the hypergeometric distribution count subsets", () => {
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

describe("tail of Student's distribution", () => {
  it("agrees with printed tables", () => {
    const table: [freedom: number, t: number, tail: number][] = [
      [1, 6.3138, 0.05],
      [2, 2.91999, 0.05],
      [3, 4.5407, 0.01],
      [4, 2.13185, 0.05],
      [4, 3.74695, 0.01],
      [9, 1.83311, 0.05],
      [24, 1.71088, 0.05],
      [24, 2.49216, 0.01],
      [120, 1.65765, 0.05],
    ];
    for (const [freedom, t, tail] of table) expect(studentTail(t, freedom)).toBeCloseTo(tail, 6);
  });

  it("is that of Cauchy for one degree of freedom, and symmetric", () => {
    expect(studentTail(1, 1)).toBeCloseTo(0.25, 15);
    expect(studentTail(0, 7)).toBe(0.5);
    expect(studentTail(-1.3, 6) + studentTail(1.3, 6)).toBeCloseTo(1, 15);
  });
});

describe("kolmogorovTail", () => {
  it.each([
    // Smirnov's table (1948).
    [0.4, 0.997192],
    [0.8276, 0.5],
    [1, 0.269999],
    [1.3581, 0.05],
    [1.6276, 0.01],
    [1.9495, 0.001],
  ])("at %d is %d", (lambda, tail) => {
    expect(kolmogorovTail(lambda)).toBeCloseTo(tail, 4);
  });

  it("is 1 up to 0, falls to 0, and has no jump where one series takes over from the other", () => {
    expect(kolmogorovTail(0)).toBe(1);
    expect(kolmogorovTail(1e-9)).toBe(1);
    expect(kolmogorovTail(40)).toBe(0);
    expect(kolmogorovTail(1 - 1e-12)).toBeCloseTo(kolmogorovTail(1), 11);
    for (let lambda = 0.2; lambda < 5; lambda += 0.1) {
      expect(kolmogorovTail(lambda + 0.1)).toBeLessThan(kolmogorovTail(lambda) + 1e-12);
    }
  });

  it("is the limit of the distance between samples: at most the nominal share of them is as far apart", () => {
    const random = new Random(5);
    const draw = () => Float64Array.from({ length: 60 }, () => random.uniform()).sort();
    let exceeded = 0;
    for (let run = 0; run < 2000; run++) {
      const [a, b] = [draw(), draw()];
      const distance = Math.max(
        ...a.map((x, i) => {
          const below = b.filter((y) => y <= x).length / 60;
          return Math.max(Math.abs((i + 1) / 60 - below), Math.abs(i / 60 - below));
        }),
      );
      if (kolmogorovTail(Math.sqrt(30) * distance) < 0.1) exceeded++;
    }
    expect(exceeded / 2000).toBeLessThan(0.1);
    expect(exceeded / 2000).toBeGreaterThan(0.05);
  });
});
