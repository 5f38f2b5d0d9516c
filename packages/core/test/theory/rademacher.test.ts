import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import {
  exactRademacher,
  monteCarloRademacher,
  oneByOne,
  type Supremum,
} from "#core/theory/margins/rademacher.js";
import {
  constantSupremum,
  kernelBallComplexity,
  kernelBallMagnitude,
  kernelBallSupremum,
  logThresholdGrowth,
  monomialColumns,
  thresholdComplexity,
  thresholdSuprema,
} from "#core/theory/margins/rademacher-of-families.js";

/** The supremum over functions that are listed by their values on the sample. */
function listed(family: readonly (readonly number[])[]): Supremum {
  return (signs) =>
    Math.max(...family.map((values) => values.reduce((sum, value, i) => sum + signs[i] * value, 0)));
}

/** All ±sgn(x − θ) on a column by their values, including the constants. */
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

describe("complexity by enumeration", () => {
  it("is 0 for one function, and 1 for all sign vectors", () => {
    expect(exactRademacher(5, listed([[1, -1, 1, 1, -1]]))).toBe(0);
    expect(exactRademacher(6, (signs) => signs.length)).toBe(1);
  });

  it("of the two constants is E|Σσ|/m: 1, 1/2, 1/2, 3/8 for 1 to 4 rows", () => {
    expect([1, 2, 3, 4].map((rows) => exactRademacher(rows, constantSupremum))).toEqual([1, 0.5, 0.5, 0.375]);
  });

  it("rejects samples that are too large to enumerate", () => {
    for (const rows of [0, 21, 2.5, Number.NaN]) {
      expect(() => exactRademacher(rows, constantSupremum)).toThrowError(VouchError);
    }
  });
});

describe("suprema of thresholds", () => {
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
      { numRuns: 30, seed: 1 },
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
      { numRuns: 20, seed: 2 },
    );
  });

  it("are twice those of gates with values 0 and 1", () => {
    const column = [3, 1, 4, 1, 5, 9, 2];
    const leaves = thresholdFunctions(column);
    const gates = leaves.map((values) => values.map((value) => (1 + value) / 2));
    expect(exactRademacher(7, listed(gates))).toBeCloseTo(exactRademacher(7, listed(leaves)) / 2, 14);
  });

  it("reject columns with missing values", () => {
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

describe("growth function and complexity of thresholds on monomials", () => {
  const ROWS = 20;

  function uniformPoints(random: Random): Matrix {
    return new Matrix(
      ROWS,
      2,
      Float64Array.from({ length: 2 * ROWS }, () => random.uniform()),
    );
  }

  /** Adds all labellings of the rows by thresholds on the columns, in both directions, as bits. */
  function addLabellings(columns: Iterable<Float64Array>, found: Set<number>): void {
    for (const column of columns) {
      for (const cut of [...column, Number.NEGATIVE_INFINITY]) {
        const bits = column.reduce((sum, value, i) => sum + (value > cut ? 2 ** i : 0), 0);
        found.add(bits).add(2 ** column.length - 1 - bits);
      }
    }
  }

  /** The labellings for the features as they are, and with random offsets too. */
  function labellings(degree: number, random: Random): { plain: number; shifted: number } {
    const features = uniformPoints(random);
    const found = new Set<number>();
    addLabellings(monomialColumns(features, degree), found);
    const plain = found.size;
    for (let draw = 0; draw < 100; draw++) {
      const offsets = [random.uniform(), random.uniform()];
      const values = features.values.map((value, i) => value - offsets[i % 2]);
      addLabellings(monomialColumns(new Matrix(ROWS, 2, values), degree), found);
    }
    return { plain, shifted: found.size };
  }

  it("is attained for single features, whatever the offsets", () => {
    const most = 4 * (ROWS - 1) + 2;
    expect(logThresholdGrowth(2, 1, ROWS)).toBeCloseTo(Math.log(most), 12);
    expect(labellings(1, new Random(5))).toEqual({ plain: most, shifted: most });
  });

  it("grows with the offsets for products of features: beyond 2N(m − 1) + 2, within N(em/4)⁴", () => {
    const monomials = 5;
    const { plain, shifted } = labellings(2, new Random(6));
    expect(plain).toBeLessThanOrEqual(2 * monomials * (ROWS - 1) + 2);
    expect(shifted).toBeGreaterThan(2 * monomials * (ROWS - 1) + 2);
    expect(Math.log(shifted)).toBeLessThanOrEqual(logThresholdGrowth(monomials, 2, ROWS));
    expect(logThresholdGrowth(monomials, 2, 40)).toBeCloseTo(Math.log(5 * (Math.E * 10) ** 4), 12);
  });

  it("is never more than 2^m, nor less than the two constants", () => {
    for (const degree of [1, 2, 3]) {
      for (const rows of [1, 2, 3, 5, 9]) {
        expect(logThresholdGrowth(1000, degree, rows)).toBeLessThanOrEqual(rows * Math.LN2);
        expect(logThresholdGrowth(0, degree, rows)).toBeGreaterThanOrEqual(Math.LN2 - 1e-12);
      }
    }
  });

  it("gives the complexity √(2 ln Π/m) by hand, never above 1", () => {
    expect(thresholdComplexity(9, 1, 600)).toBeCloseTo(Math.sqrt((2 * Math.log(18 * 599 + 2)) / 600), 14);
    expect(thresholdComplexity(54, 2, 600)).toBeCloseTo(
      Math.sqrt((2 * (Math.log(54) + 4 * Math.log(Math.E * 150))) / 600),
      14,
    );
    expect(thresholdComplexity(9, 3, 5)).toBe(1);
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

  it("attain the closed form if the images of the points are orthogonal", () => {
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
      { numRuns: 40, seed: 3 },
    );
  });

  it("reject an impossible radius or kernel", () => {
    expect(() => kernelBallComplexity([1], -1)).toThrowError("-1");
    expect(() => kernelBallComplexity([1], Number.NaN)).toThrowError(VouchError);
    expect(() => kernelBallComplexity([], 1)).toThrowError(VouchError);
    expect(() => kernelBallComplexity([-1], 1)).toThrowError(VouchError);
  });
});

describe("Monte Carlo estimate", () => {
  const ROWS = 10;
  const points = Array.from({ length: ROWS }, (_, i) => [Math.sin(3 * i), Math.cos(i * i)]);
  const gram = gramOf(points);
  const column = points.map(([x]) => x);
  const thresholds = thresholdSuprema(() => [column]);
  const families = [
    { suprema: thresholds, exact: exactRademacher(ROWS, (s) => thresholds([s])[0]), magnitude: 1 },
    {
      suprema: oneByOne(kernelBallSupremum(gram, 2)),
      exact: exactRademacher(ROWS, kernelBallSupremum(gram, 2)),
      magnitude: kernelBallMagnitude(diagonalOf(gram), 2),
    },
    { suprema: oneByOne(constantSupremum), exact: exactRademacher(ROWS, constantSupremum), magnitude: 1 },
  ];

  it("converges to the enumeration", () => {
    for (const { suprema, exact, magnitude } of families) {
      const options = { draws: 20000, random: new Random(5), confidence: 0.999, magnitude };
      const { mean, deviation, upper } = monteCarloRademacher(ROWS, suprema, options);
      expect(Math.abs(mean - exact)).toBeLessThan(deviation);
      expect(deviation).toBeCloseTo(magnitude * Math.sqrt((2 * Math.log(1000)) / (20000 * ROWS)), 12);
      expect(upper).toBe(mean + deviation);
    }
  });

  it("has an upper end that is rarely too low, and a mean that often is", () => {
    for (const { suprema, exact, magnitude } of families) {
      let tooLow = 0;
      let meanTooLow = 0;
      for (let trial = 0; trial < 500; trial++) {
        const options = { draws: 5, random: new Random(trial), confidence: 0.8, magnitude };
        const { upper, mean } = monteCarloRademacher(ROWS, suprema, options);
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

  it("rejects an empty sample, no draws and an impossible confidence", () => {
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
