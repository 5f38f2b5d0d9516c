import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Matrix } from "#vouch/runtime/matrix.js";
import { Random } from "#vouch/runtime/random.js";
import { VouchError } from "#vouch/runtime/vouch-error.js";
import {
  constantSupremum,
  exactRademacher,
  monteCarloRademacher,
  oneByOne,
  type Supremum,
} from "#vouch/theory/margins/rademacher.js";
import {
  kernelBallComplexity,
  kernelBallMagnitude,
  kernelBallSupremum,
  thresholdSuprema,
} from "#vouch/theory/margins/rademacher-of-families.js";
import { monomialColumns } from "#vouch/theory/vc/vc-dimension.js";

/** The supremum over functions that are listed by their values on the sample. */
function listed(family: readonly (readonly number[])[]): Supremum {
  return (signs) =>
    Math.max(...family.map((values) => values.reduce((sum, value, i) => sum + signs[i] * value, 0)));
}

/** All ±sgn(x − θ) on a column by their values, the constants among them. */
function thresholdFunctions(column: readonly number[]): number[][] {
  const cuts = [...new Set(column), Number.NEGATIVE_INFINITY];
  const functions = cuts.map((cut) => column.map((value) => (value <= cut ? -1 : 1)));
  return [...functions, ...functions.map((values) => values.map((value) => -value))];
}

const columnOf = (length: number) =>
  fc.array(fc.integer({ min: -3, max: 3 }), { minLength: length, maxLength: length });

const sampleOf = (columns: number) =>
  fc
    .integer({ min: 1, max: 7 })
    .chain((rows) => fc.array(columnOf(columns), { minLength: rows, maxLength: rows }));

function gramOf(points: readonly (readonly number[])[]): Matrix {
  return Matrix.from(
    points.map((x) => points.map((y) => x.reduce((sum, value, j) => sum + value * y[j], 0))),
  );
}

function diagonalOf(gram: Matrix): Float64Array {
  return Float64Array.from({ length: gram.rows }, (_, i) => gram.row(i)[i]);
}

describe("the complexity by enumeration", () => {
  it("is 0 for one function, and 1 for all sign vectors", () => {
    expect(exactRademacher(5, listed([[1, -1, 1, 1, -1]]))).toBe(0);
    expect(exactRademacher(6, (signs) => signs.length)).toBe(1);
  });

  it("of the two constants is E|Σσ|/m: 1, 1/2, 1/2, 3/8 for 1 to 4 rows", () => {
    expect([1, 2, 3, 4].map((rows) => exactRademacher(rows, constantSupremum))).toEqual([1, 0.5, 0.5, 0.375]);
  });

  it("refuses what cannot be enumerated", () => {
    for (const rows of [0, 21, 2.5, Number.NaN]) {
      expect(() => exactRademacher(rows, constantSupremum)).toThrowError(VouchError);
    }
  });
});

describe("thresholds", () => {
  it("on one column are the best of all threshold functions, for every vector of signs", () => {
    fc.assert(
      fc.property(sampleOf(1), (points) => {
        const column = points.map(([value]) => value);
        const supremum = thresholdSuprema(() => [column]);
        const brute = listed(thresholdFunctions(column));
        for (let bits = 0; bits < 2 ** column.length; bits++) {
          const signs = Int8Array.from(column, (_, i) => ((bits >> i) & 1 ? 1 : -1));
          expect(supremum([signs])[0]).toBe(brute(signs));
        }
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it("on monomials are the best over all products of features", () => {
    fc.assert(
      fc.property(sampleOf(2), (points) => {
        const matrix = Matrix.from(points);
        const products = [
          ...[points.map(([a]) => a), points.map(([, b]) => b)],
          ...[points.map(([a]) => a * a), points.map(([a, b]) => a * b), points.map(([, b]) => b * b)],
        ];
        const supremum = thresholdSuprema(() => monomialColumns(matrix, 2));
        const exact = exactRademacher(points.length, (signs) => supremum([signs])[0]);
        expect(exact).toBe(exactRademacher(points.length, listed(products.flatMap(thresholdFunctions))));
      }),
      { numRuns: 40, seed: 2 },
    );
  });

  it("as gates with values 0 and 1 have exactly half the complexity", () => {
    const column = [3, 1, 4, 1, 5, 9, 2];
    const leaves = thresholdFunctions(column);
    const gates = leaves.map((values) => values.map((value) => (1 + value) / 2));
    expect(exactRademacher(7, listed(gates))).toBeCloseTo(exactRademacher(7, listed(leaves)) / 2, 14);
  });

  it("cannot be put on a column with missing values", () => {
    const suprema = thresholdSuprema(() => [[1, Number.NaN]]);
    expect(() => suprema([Int8Array.of(1, -1)])).toThrowError("Row 2");
  });
});

describe("monomials", () => {
  it("are C(n+k, k) − 1 columns, each the product it stands for", () => {
    const matrix = Matrix.from([
      [2, 3, 5],
      [1, -1, 0.5],
    ]);
    const found = Array.from(monomialColumns(matrix, 3), (column) => column[0]).sort((a, b) => a - b);
    const expected: number[] = [];
    for (let a = 0; a <= 3; a++) {
      for (let b = 0; a + b <= 3; b++) {
        for (let c = a + b === 0 ? 1 : 0; a + b + c <= 3; c++) expected.push(2 ** a * 3 ** b * 5 ** c);
      }
    }
    expect(found).toEqual(expected.sort((a, b) => a - b));
    expect(found).toHaveLength(19);
    expect(() => [...monomialColumns(matrix, 0)]).toThrowError(VouchError);
  });
});

describe("kernel balls", () => {
  it("have the supremum Λ‖Σσφ(x)‖, here in the plane", () => {
    const points = [
      [1, 2],
      [-3, 0.5],
      [0.25, 4],
    ];
    const signs = Int8Array.of(1, -1, 1);
    const sum = [0, 1].map((j) => points.reduce((total, point, i) => total + signs[i] * point[j], 0));
    expect(kernelBallSupremum(gramOf(points), 3)(signs)).toBeCloseTo(3 * Math.hypot(...sum), 12);
  });

  it("reach the closed form where the images of the points are orthogonal", () => {
    const gram = gramOf([
      [2, 0, 0],
      [0, 1, 0],
      [0, 0, 5],
    ]);
    const closed = kernelBallComplexity(diagonalOf(gram), 0.7);
    expect(closed).toBeCloseTo((0.7 * Math.sqrt(4 + 1 + 25)) / 3, 14);
    expect(exactRademacher(3, kernelBallSupremum(gram, 0.7))).toBeCloseTo(closed, 14);
  });

  it("lie between 1/√2 of the closed form (Khintchine) and the closed form (Jensen)", () => {
    fc.assert(
      fc.property(sampleOf(3), (points) => {
        const gram = gramOf(points);
        const exact = exactRademacher(gram.rows, kernelBallSupremum(gram, 2));
        const closed = kernelBallComplexity(diagonalOf(gram), 2);
        expect(exact).toBeLessThanOrEqual(closed + 1e-12);
        expect(exact).toBeGreaterThanOrEqual(closed / Math.SQRT2 - 1e-12);
      }),
      { numRuns: 60, seed: 3 },
    );
  });

  it("refuse a radius or a kernel that cannot be", () => {
    expect(() => kernelBallComplexity([1], -1)).toThrowError("-1");
    expect(() => kernelBallComplexity([1], Number.NaN)).toThrowError(VouchError);
    expect(() => kernelBallComplexity([], 1)).toThrowError(VouchError);
    expect(() => kernelBallComplexity([-1], 1)).toThrowError(VouchError);
  });
});

describe("the Monte-Carlo estimate", () => {
  const points = Array.from({ length: 12 }, (_, i) => [Math.sin(3 * i), Math.cos(i * i)]);
  const gram = gramOf(points);
  const column = points.map(([x]) => x);
  const thresholds = thresholdSuprema(() => [column]);
  const families = [
    { suprema: thresholds, exact: exactRademacher(12, (s) => thresholds([s])[0]), magnitude: 1 },
    {
      suprema: oneByOne(kernelBallSupremum(gram, 2)),
      exact: exactRademacher(12, kernelBallSupremum(gram, 2)),
      magnitude: kernelBallMagnitude(diagonalOf(gram), 2),
    },
    { suprema: oneByOne(constantSupremum), exact: exactRademacher(12, constantSupremum), magnitude: 1 },
  ];

  it("converges to the enumeration", () => {
    for (const { suprema, exact, magnitude } of families) {
      const options = { draws: 20000, random: new Random(5), confidence: 0.999, magnitude };
      const { mean, deviation, upper } = monteCarloRademacher(12, suprema, options);
      expect(Math.abs(mean - exact)).toBeLessThan(deviation);
      expect(deviation).toBeCloseTo(magnitude * Math.sqrt((2 * Math.log(1000)) / (20000 * 12)), 12);
      expect(upper).toBe(mean + deviation);
    }
  });

  it("has an upper end that is rarely too low, and a mean that often is", () => {
    for (const { suprema, exact, magnitude } of families) {
      let tooLow = 0;
      let meanTooLow = 0;
      for (let trial = 0; trial < 500; trial++) {
        const options = { draws: 5, random: new Random(trial), confidence: 0.8, magnitude };
        const { upper, mean } = monteCarloRademacher(12, suprema, options);
        if (upper < exact) tooLow++;
        if (mean < exact) meanTooLow++;
      }
      expect(tooLow).toBeLessThanOrEqual(100);
      expect(meanTooLow).toBeGreaterThan(100);
    }
  });

  it("is the same for the same seed", () => {
    const estimate = () =>
      monteCarloRademacher(40, oneByOne(constantSupremum), {
        draws: 7,
        random: new Random(9),
        confidence: 0.9,
      });
    expect(estimate()).toEqual(estimate());
  });

  it("refuses to estimate from nothing", () => {
    const options = { draws: 0, random: new Random(1), confidence: 0.9 };
    expect(() => monteCarloRademacher(3, oneByOne(constantSupremum), options)).toThrowError("draws");
    expect(() => monteCarloRademacher(0, oneByOne(constantSupremum), { ...options, draws: 1 })).toThrowError(
      "rows",
    );
    expect(() =>
      monteCarloRademacher(3, oneByOne(constantSupremum), { ...options, draws: 1, confidence: 1 }),
    ).toThrowError("confidence");
  });
});
