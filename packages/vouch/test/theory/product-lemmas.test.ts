import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  lemma1Product,
  lemma2Product,
  lemma3SignedProduct,
  lemma3UnitProduct,
} from "#vouch/theory/cascades/leaf-complexity.js";
import { exactRademacher } from "#vouch/theory/margins/rademacher.js";

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
const runs = { numRuns: 150, seed: 11 };

describe("the product rules on random finite families, over all signs", () => {
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

  it("have the constants of the paper, and the sum is attained: one side may be a single function", () => {
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
});
