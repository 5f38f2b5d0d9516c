import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import {
  exactSignTest,
  fisherGreater,
  fisherTwoSided,
  type Proportion,
  pairedMeanTest,
} from "#core/theory/held-out/exact-tests.js";

/** C(n, k) exactly, for small n. */
function choose(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  let result = 1;
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i;
  return Math.round(result);
}

/** Calls with each pair of proportions of m and n rows and their probability, if all rows have the property with probability p. */
function forAllTables(
  m: number,
  n: number,
  p: number,
  f: (first: Proportion, second: Proportion, probability: number) => void,
) {
  for (let a = 0; a <= m; a++) {
    for (let b = 0; b <= n; b++) {
      const probability = choose(m, a) * choose(n, b) * p ** (a + b) * (1 - p) ** (m + n - a - b);
      f({ count: a, rows: m }, { count: b, rows: n }, probability);
    }
  }
}

describe("the exact sign test", () => {
  it("is the tail of a fair coin, by hand", () => {
    expect(exactSignTest(5, 0)).toBeCloseTo(1 / 32, 15);
    expect(exactSignTest(4, 1)).toBeCloseTo(6 / 32, 15);
    expect(exactSignTest(0, 5)).toBe(1);
    expect(exactSignTest(0, 0)).toBe(1);
    expect(exactSignTest(3, 3)).toBeCloseTo(0.5 + choose(6, 3) / 128, 15);
    expect(exactSignTest(501_500, 498_500)).toBeCloseTo(0.00135, 4);
    expect(() => exactSignTest(-1, 3)).toThrow(VouchError);
  });

  it("keeps its level for each number of throws", () => {
    for (let n = 1; n <= 25; n++) {
      for (const level of [0.01, 0.05, 0.25]) {
        let size = 0;
        for (let wins = 0; wins <= n; wins++)
          if (exactSignTest(wins, n - wins) <= level) size += choose(n, wins) / 2 ** n;
        expect(size).toBeLessThanOrEqual(level);
      }
    }
  });
});

describe("Fisher's exact test", () => {
  it("of the lady tasting tea is 17/70, and 34/70 two-sided", () => {
    const [first, second] = [
      { count: 3, rows: 4 },
      { count: 1, rows: 4 },
    ];
    expect(fisherGreater(first, second)).toBeCloseTo(17 / 70, 14);
    expect(fisherTwoSided(first, second)).toBeCloseTo(34 / 70, 14);
    expect(fisherGreater(second, first)).toBeCloseTo(69 / 70, 14);
  });

  it("sums the tables of the same margins, for all tables of 6 and 9 rows", () => {
    forAllTables(6, 9, 0.5, (first, second) => {
      const marked = first.count + second.count;
      const weight = (k: number) => choose(6, k) * choose(9, marked - k);
      const sumOf = (counts: (k: number) => boolean) =>
        [0, 1, 2, 3, 4, 5, 6].reduce((sum, k) => sum + (counts(k) ? weight(k) : 0), 0) / choose(15, marked);
      expect(fisherGreater(first, second)).toBeCloseTo(
        sumOf((k) => k >= first.count),
        12,
      );
      expect(fisherTwoSided(first, second)).toBeCloseTo(
        sumOf((k) => weight(k) <= weight(first.count)),
        12,
      );
      expect(fisherTwoSided(second, first)).toBeCloseTo(fisherTwoSided(first, second), 12);
    });
  });

  it("keeps its level, one- and two-sided", () => {
    for (const p of [0.05, 0.3, 0.5]) {
      for (const level of [0.05, 0.25]) {
        const size = { greater: 0, twoSided: 0 };
        forAllTables(9, 13, p, (first, second, probability) => {
          if (fisherGreater(first, second) <= level) size.greater += probability;
          if (fisherTwoSided(first, second) <= level) size.twoSided += probability;
        });
        expect(size.greater).toBeLessThanOrEqual(level);
        expect(size.twoSided).toBeLessThanOrEqual(level);
      }
    }
  });

  it("takes a million rows, and agrees with the normal approximation there", () => {
    const first = { count: 251_000, rows: 500_000 };
    const second = { count: 250_000, rows: 500_000 };
    // z = 2.0 for p = 0.501: tails 0.02275 and 0.0455.
    expect(fisherGreater(first, second)).toBeCloseTo(0.0228, 3);
    expect(fisherTwoSided(first, second)).toBeCloseTo(0.0456, 3);
    expect(fisherTwoSided({ count: 5, rows: 10 }, { count: 500_000, rows: 1_000_000 })).toBe(1);
    expect(fisherGreater({ count: 500_000, rows: 500_000 }, { count: 0, rows: 500_000 })).toBe(0);
  });

  it("finds nothing in empty groups, and refuses what is not a count", () => {
    const empty = { count: 0, rows: 0 };
    expect(fisherGreater(empty, { count: 3, rows: 9 })).toBe(1);
    expect(fisherTwoSided({ count: 3, rows: 9 }, empty)).toBe(1);
    expect(() => fisherGreater({ count: 4, rows: 3 }, empty)).toThrow("4 of 3 rows");
  });
});

describe("the test of paired differences", () => {
  it("keeps its level for skewed differences with mean 0", () => {
    const random = new Random(21);
    const runs = 300;
    for (const [n, rare] of [
      [40, 0.05],
      [150, 0.01],
      [60, 0.5],
    ]) {
      const size = { 0.05: 0, 0.005: 0 };
      for (let run = 0; run < runs; run++) {
        // Mostly small gains, rarely a loss that makes up for them: a sign test would take this for an improvement.
        const differences = Float64Array.from({ length: n }, () =>
          random.uniform() < rare ? -1 : rare / (1 - rare),
        );
        const p = pairedMeanTest(differences, 1);
        if (p <= 0.05) size[0.05]++;
        if (p <= 0.005) size[0.005]++;
      }
      expect(size[0.05] / runs).toBeLessThanOrEqual(0.05 + 2 * Math.sqrt(0.0475 / runs));
      expect(size[0.005] / runs).toBeLessThanOrEqual(0.005 + 2 * Math.sqrt(0.005 / runs));
    }
  });

  it("finds an improvement of three standard errors nearly always, and is surer of a clear one", () => {
    const random = new Random(22);
    let found = 0;
    for (let run = 0; run < 100; run++) {
      const values = Float64Array.from({ length: 200 }, () => 0.3 * (random.uniform() < 0.606 ? 1 : -1));
      if (pairedMeanTest(values, 1) <= 0.05) found++;
    }
    expect(found).toBeGreaterThan(70);
    const clear = Float64Array.from({ length: 200 }, () => 0.3 * (random.uniform() < 0.8 ? 1 : -1));
    expect(pairedMeanTest(clear, 1)).toBeLessThan(0.0005);
    expect(
      pairedMeanTest(
        clear.map((difference) => -difference),
        1,
      ),
    ).toBe(1);
  });

  it("says nothing of no or of equal values, and refuses bad ones", () => {
    expect(pairedMeanTest(new Float64Array(0), 1)).toBe(1);
    expect(pairedMeanTest(new Float64Array(50), 1)).toBeCloseTo(1, 12);
    expect(() => pairedMeanTest(Float64Array.of(0, Number.NaN), 1)).toThrow("Difference 2");
    expect(() => pairedMeanTest(Float64Array.of(2), 1)).toThrow("outside of ±1");
    expect(() => pairedMeanTest(Float64Array.of(0), 0)).toThrow(VouchError);
  });
});
