import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VouchError } from "#core/runtime/vouch-error.js";
import {
  gateVcComplexity,
  leafVcComplexity,
  lemma1Product,
  lemma2Product,
  lemma3SignedProduct,
  lemma3UnitProduct,
  productLeaf,
  realValuedProductLeaf,
  vcComplexity,
  vcLocalComplexity,
} from "#core/theory/cascades/leaf-complexity.js";
import { exactRademacher } from "#core/theory/margins/rademacher.js";

type Family = readonly (readonly number[])[];

/** R̂_S of functions given by their values on the sample, by enumerating all signs. */
function complexity(family: Family): number {
  return exactRademacher(family[0].length, (signs) =>
    Math.max(...family.map((values) => values.reduce((sum, value, i) => sum + signs[i] * value, 0))),
  );
}

function products(first: Family, second: Family): Family {
  return first.flatMap((a) => second.map((b) => a.map((value, i) => value * b[i])));
}

/** Two or three families of up to five functions on the same 1 … 8 points. */
function families(values: readonly fc.Arbitrary<number>[]): fc.Arbitrary<Family[]> {
  return fc.integer({ min: 1, max: 8 }).chain((points) =>
    fc.tuple(
      ...values.map((value) => {
        const each = fc.array(value, { minLength: points, maxLength: points });
        return fc.array(each, { minLength: 1, maxLength: 5 });
      }),
    ),
  );
}

const zeroOne = fc.constantFrom(0, 1);
const signed = fc.constantFrom(-1, 1);
const unit = fc.double({ min: 0, max: 1, noNaN: true });
const real = fc.double({ min: -1, max: 1, noNaN: true });
const runs = { numRuns: 60, seed: 11 };

describe("complexity of products, on random finite families over all signs", () => {
  it("Lemma 1: {0,1} × {−1,+1}", () => {
    fc.assert(
      fc.property(families([zeroOne, signed]), ([g1, g2]) => {
        const bound = lemma1Product(complexity(g1), complexity(g2));
        expect(complexity(products(g1, g2))).toBeLessThanOrEqual(bound + 1e-12);
      }),
      runs,
    );
  });

  it("Lemma 2: {0,1} × {0,1} × {0,1}", () => {
    fc.assert(
      fc.property(families([zeroOne, zeroOne, zeroOne]), ([a, b, c]) => {
        const bound = lemma2Product([a, b, c].map(complexity));
        expect(complexity(products(products(a, b), c))).toBeLessThanOrEqual(bound + 1e-12);
      }),
      runs,
    );
  });

  it("Lemma 3: [0,1] × [0,1] and [−1,1] × [−1,1]", () => {
    fc.assert(
      fc.property(families([unit, unit, real, real]), ([h1, h2, f1, f2]) => {
        const unitBound = lemma3UnitProduct(complexity(h1), complexity(h2));
        expect(complexity(products(h1, h2))).toBeLessThanOrEqual(unitBound + 1e-12);
        const signedBound = lemma3SignedProduct(complexity(f1), complexity(f2));
        expect(complexity(products(f1, f2))).toBeLessThanOrEqual(signedBound + 1e-12);
      }),
      runs,
    );
  });

  it("has the constants of the paper, and the sum is attained if one side is a single function", () => {
    expect(lemma1Product(0.25, 0.5)).toBe(0.75);
    expect(lemma2Product([0.25, 0.5, 0.125])).toBe(0.875);
    expect(lemma2Product([])).toBe(0);
    expect(lemma3UnitProduct(0.25, 0.5)).toBe(1.125);
    expect(lemma3SignedProduct(0.25, 0.5)).toBe(1.5);
    const all = [
      [1, 1],
      [1, -1],
      [-1, 1],
      [-1, -1],
    ];
    expect(complexity(products([[1, 1]], all))).toBe(lemma1Product(0, complexity(all)));
  });

  it("gives r = Σ c(Q) + c(H) for leaves with values ±1, and twice that for values in [−1, 1]", () => {
    const leaf = { level: 1, depth: 2, degree: 1, points: 3, correct: 2, wrong: 1 };
    const given = { ...leaf, complexity: 0.5, gateComplexities: [0.125, 0.25] };
    expect(productLeaf(given).complexity).toBe(0.875);
    expect(realValuedProductLeaf(given).complexity).toBe(1.75);
  });
});

/** The gates |ax + b| ≤ c on a line: 1[low ≤ x ≤ high] on the points 1 … m by their values, and the complements. */
function intervalGates(rows: number): Family {
  const points = Array.from({ length: rows }, (_, i) => i + 1);
  const gates: number[][] = [];
  for (let low = 1; low <= rows + 1; low++) {
    for (let high = low - 1; high <= rows; high++) {
      gates.push(points.map((x) => (x >= low && x <= high ? 1 : 0)));
    }
  }
  return [...gates, ...gates.map((gate) => gate.map((value) => 1 - value))];
}

describe("VC complexity as printed in bound (9)", () => {
  it("is √(d ln(em/d)/m) by hand", () => {
    expect(vcComplexity(25, 600)).toBeCloseTo(Math.sqrt((25 * Math.log((Math.E * 600) / 25)) / 600), 14);
    expect(vcComplexity(25, 600)).toBeCloseTo(0.417236, 6);
  });

  it("rises with d to exactly 1 at d = m, and stays there", () => {
    for (const rows of [1, 7, 61]) {
      let last = 0;
      for (let d = 0; d <= rows; d++) {
        expect(vcComplexity(d, rows)).toBeGreaterThanOrEqual(last);
        last = vcComplexity(d, rows);
      }
      expect(last).toBe(1);
      for (const d of [rows + 1, 73815, Number.POSITIVE_INFINITY]) expect(vcComplexity(d, rows)).toBe(1);
    }
  });

  it("is 0 for a single function, and rejects impossible input", () => {
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

describe("bounds on the complexity by the VC dimension", () => {
  it("are above the exact complexity of ± thresholds on a line, of VC dimension 2", () => {
    for (let rows = 2; rows <= 10; rows++) {
      const thresholds = Array.from({ length: rows + 1 }, (_, cut) =>
        Array.from({ length: rows }, (_, i) => (i < cut ? -1 : 1)),
      );
      const both = [...thresholds, ...thresholds.map((values) => values.map((value) => -value))];
      expect(leafVcComplexity(2, rows)).toBeGreaterThanOrEqual(complexity(both));
      expect(leafVcComplexity(2, rows)).toBe(Math.min(1, Math.SQRT2 * vcComplexity(2, rows)));
    }
  });

  it("are above the exact complexity of the gates |ax + b| ≤ c on a line, where d = 2", () => {
    for (let rows = 2; rows <= 9; rows++) {
      expect(gateVcComplexity(2, rows)).toBeGreaterThanOrEqual(complexity(intervalGates(rows)));
    }
    expect(gateVcComplexity(2, 1000)).toBeCloseTo(
      0.5 * Math.sqrt((2 * (4 * Math.log((Math.E * 1000) / 2) + Math.log(2))) / 1000),
      14,
    );
    expect(gateVcComplexity(Number.POSITIVE_INFINITY, 50)).toBe(0.5);
  });

  it("cannot use the VC dimension of the leaves for gates: strips in the plane shatter four points", () => {
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
