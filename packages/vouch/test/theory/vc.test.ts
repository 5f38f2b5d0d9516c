import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VouchError } from "#vouch/runtime/vouch-error.js";
import {
  gateVcComplexity,
  leafVcComplexity,
  vcComplexity,
  vcLocalComplexity,
} from "#vouch/theory/cascades/leaf-complexity.js";
import { exactRademacher } from "#vouch/theory/margins/rademacher.js";
import { polynomialVcDimension } from "#vouch/theory/vc/vc-dimension.js";

/** 1[low ≤ x ≤ high] on the points 1 … m by their values, and the complements: the gates |ax + b| ≤ c on a line. */
function intervalGates(rows: number): number[][] {
  const points = Array.from({ length: rows }, (_, i) => i + 1);
  const gates: number[][] = [];
  for (let low = 1; low <= rows + 1; low++) {
    for (let high = low - 1; high <= rows; high++) {
      gates.push(points.map((x) => (x >= low && x <= high ? 1 : 0)));
    }
  }
  return [...gates, ...gates.map((gate) => gate.map((value) => 1 - value))];
}

function complexityOf(family: readonly number[][], rows: number): number {
  return exactRademacher(rows, (signs) =>
    Math.max(...family.map((values) => values.reduce((sum, value, i) => sum + signs[i] * value, 0))),
  );
}

describe("the VC complexity as printed", () => {
  it("is √(d ln(em/d)/m) by hand", () => {
    expect(vcComplexity(25, 600)).toBeCloseTo(Math.sqrt((25 * Math.log((Math.E * 600) / 25)) / 600), 14);
    expect(vcComplexity(25, 600)).toBeCloseTo(0.417236, 6);
  });

  it("rises with d up to exactly 1 at d = m, and stays there", () => {
    for (const rows of [1, 7, 351]) {
      let last = 0;
      for (let d = 0; d <= rows; d++) {
        expect(vcComplexity(d, rows)).toBeGreaterThanOrEqual(last);
        last = vcComplexity(d, rows);
      }
      expect(last).toBe(1);
      for (const d of [rows + 1, 73815, Number.POSITIVE_INFINITY]) expect(vcComplexity(d, rows)).toBe(1);
    }
  });

  it("is 0 for a single function, and refuses nonsense", () => {
    expect(vcComplexity(0, 10)).toBe(0);
    for (const [d, m] of [
      [-1, 10],
      [Number.NaN, 10],
      [3, 0],
      [3, Number.NaN],
    ]) {
      expect(() => vcComplexity(d, m)).toThrowError(VouchError);
    }
  });
});

describe("vc-local", () => {
  it("is √(2d ln(e m_k/d)/m_k), and √(2 ln 2) with fewer points than dimensions", () => {
    expect(vcLocalComplexity(10, 80)).toBeCloseTo(Math.sqrt((20 * Math.log((Math.E * 80) / 10)) / 80), 14);
    expect(vcLocalComplexity(80, 80)).toBeCloseTo(Math.SQRT2, 14);
    expect(vcLocalComplexity(81, 80)).toBe(Math.sqrt(2 * Math.LN2));
    expect(vcLocalComplexity(Number.POSITIVE_INFINITY, 80)).toBe(Math.sqrt(2 * Math.LN2));
  });
});

describe("bounds of the complexity by the VC dimension", () => {
  it("are above the exact complexity of ± thresholds on a line, of VC dimension 2", () => {
    for (let rows = 2; rows <= 12; rows++) {
      const thresholds = Array.from({ length: rows + 1 }, (_, cut) =>
        Array.from({ length: rows }, (_, i) => (i < cut ? -1 : 1)),
      );
      const both = [...thresholds, ...thresholds.map((values) => values.map((value) => -value))];
      expect(leafVcComplexity(2, rows)).toBeGreaterThanOrEqual(complexityOf(both, rows));
      expect(leafVcComplexity(2, rows)).toBe(Math.min(1, Math.SQRT2 * vcComplexity(2, rows)));
    }
  });

  it("are above the exact complexity of the gates |ax + b| ≤ c on a line, where d = 2", () => {
    for (let rows = 2; rows <= 11; rows++) {
      expect(gateVcComplexity(2, rows)).toBeGreaterThanOrEqual(complexityOf(intervalGates(rows), rows));
    }
    expect(gateVcComplexity(2, 1000)).toBeCloseTo(
      0.5 * Math.sqrt((2 * (4 * Math.log((Math.E * 1000) / 2) + Math.log(2))) / 1000),
      14,
    );
    expect(gateVcComplexity(Number.POSITIVE_INFINITY, 50)).toBe(0.5);
  });

  it("do not take the VC dimension of gates for that of the leaves: strips in the plane shatter four points", () => {
    const corners = [
      [1, 1],
      [1, -1],
      [-1, 1],
      [-1, -1],
    ];
    const cutOut = new Set<string>();
    for (let angle = 0; angle < 180; angle += 15) {
      const [u, v] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
      for (let b = -2; b <= 2; b += 0.25) {
        for (let c = 0.1; c <= 3; c += 0.2) {
          cutOut.add(corners.map(([x, y]) => (Math.abs(u * x + v * y + b) <= c ? 1 : 0)).join(""));
        }
      }
    }
    expect(cutOut.size).toBe(16);
  });
});

describe("the VC dimension of polynomial kernels", () => {
  it("is C(n + δ, δ), exactly", () => {
    expect(polynomialVcDimension(34, 4)).toBe(73815);
    expect(polynomialVcDimension(24, 1)).toBe(25);
    expect(polynomialVcDimension(0, 3)).toBe(1);
    expect(polynomialVcDimension(28, 28)).toBe(7648690600760440);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 25 }), fc.integer({ min: 1, max: 25 }), (n, degree) => {
        const pascal = polynomialVcDimension(n - 1, degree) + polynomialVcDimension(n, degree - 1);
        expect(polynomialVcDimension(n, degree)).toBe(pascal);
        expect(polynomialVcDimension(degree, n)).toBe(pascal);
      }),
      { seed: 4 },
    );
  });

  it("goes on past 2⁵³, and ends in Infinity without taking long", () => {
    expect(polynomialVcDimension(1000, 10)).toBe(Number(291098519807782284023426n)); // Python: math.comb(1010, 10)
    expect(polynomialVcDimension(1e6, 1000)).toBe(Number.POSITIVE_INFINITY);
    expect(polynomialVcDimension(1e9, 1e9)).toBe(Number.POSITIVE_INFINITY);
    expect(polynomialVcDimension(1e9, 2)).toBe(Number(500000001500000001n));
  });

  it("refuses what is not a count", () => {
    for (const degree of [-1, 1.5, Number.NaN]) {
      expect(() => polynomialVcDimension(3, degree)).toThrowError(`${degree}`);
    }
  });
});
