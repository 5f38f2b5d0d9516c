import { describe, expect, it } from "vitest";
import { Matrix } from "#vouch/runtime/matrix.js";
import { Random } from "#vouch/runtime/random.js";
import { logThresholdLabellings, thresholdComplexity } from "#vouch/theory/margins/rademacher-of-families.js";
import { monomialColumns } from "#vouch/theory/vc/vc-dimension.js";

/** All labellings of the rows by thresholds on the columns, in both directions, as text. */
function labellings(columns: Iterable<Float64Array>, into = new Set<string>()): Set<string> {
  for (const column of columns) {
    for (const cut of [...column, Number.NEGATIVE_INFINITY]) {
      const signs = Array.from(column, (value) => (value > cut ? "+" : "-"));
      into.add(signs.join("")).add(signs.map((sign) => (sign === "+" ? "-" : "+")).join(""));
    }
  }
  return into;
}

function shifted({ rows, columns, values }: Matrix, offsets: readonly number[]): Matrix {
  return new Matrix(
    rows,
    columns,
    values.map((value, i) => value - offsets[i % columns]),
  );
}

describe("the number of labellings by thresholds", () => {
  it("is reached by distinct features, and one number covers all offsets", () => {
    const random = new Random(5);
    const features = new Matrix(
      40,
      2,
      Float64Array.from({ length: 80 }, () => random.uniform()),
    );
    const single = labellings(monomialColumns(features, 1));
    expect(logThresholdLabellings(2, 1, 40)).toBeCloseTo(Math.log(4 * 39 + 2), 12);
    expect(single.size).toBe(4 * 39 + 2);
    for (let draw = 0; draw < 200; draw++) {
      labellings(monomialColumns(shifted(features, [random.uniform(), random.uniform()]), 1), single);
    }
    expect(single.size).toBe(4 * 39 + 2);
  });

  it("grows with the offsets for products of features: beyond 2N(m − 1) + 2, within N(em/4)⁴", () => {
    const random = new Random(6);
    const features = new Matrix(
      40,
      2,
      Float64Array.from({ length: 80 }, () => random.uniform()),
    );
    const monomials = 5;
    const found = labellings(monomialColumns(features, 2));
    expect(found.size).toBeLessThanOrEqual(2 * monomials * 39 + 2);
    for (let draw = 0; draw < 200; draw++) {
      labellings(monomialColumns(shifted(features, [random.uniform(), random.uniform()]), 2), found);
    }
    expect(found.size).toBeGreaterThan(2 * monomials * 39 + 2);
    expect(Math.log(found.size)).toBeLessThanOrEqual(logThresholdLabellings(monomials, 2, 40));
    expect(logThresholdLabellings(monomials, 2, 40)).toBeCloseTo(Math.log(5 * (Math.E * 10) ** 4), 12);
  });

  it("is never more than 2^m, nor less than the two constants", () => {
    for (const degree of [1, 2, 3]) {
      for (const rows of [1, 2, 3, 5, 9]) {
        expect(logThresholdLabellings(1000, degree, rows)).toBeLessThanOrEqual(rows * Math.LN2);
        expect(logThresholdLabellings(0, degree, rows)).toBeGreaterThanOrEqual(Math.LN2 - 1e-12);
      }
    }
  });
});

describe("the complexity of thresholds", () => {
  it("is √(2 ln Π/m) by hand, and never above 1", () => {
    expect(thresholdComplexity(9, 1, 600)).toBeCloseTo(Math.sqrt((2 * Math.log(18 * 599 + 2)) / 600), 14);
    expect(thresholdComplexity(54, 2, 600)).toBeCloseTo(
      Math.sqrt((2 * (Math.log(54) + 4 * Math.log(Math.E * 150))) / 600),
      14,
    );
    expect(thresholdComplexity(9, 3, 5)).toBe(1);
  });
});
