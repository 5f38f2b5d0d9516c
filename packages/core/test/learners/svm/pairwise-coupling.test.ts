import fc from "fast-check";
import { expect, test } from "vitest";
import { PairwiseCoupling } from "#core/learners/svm/pairwise.js";

const distribution = fc
  .array(fc.double({ min: 0.05, max: 1, noNaN: true }), { minLength: 3, maxLength: 7 })
  .map((weights) => {
    const total = weights.reduce((a, b) => a + b);
    return weights.map((weight) => weight / total);
  });

function couple(classes: number, pairs: readonly number[]): number[] {
  const p = new Float64Array(classes);
  new PairwiseCoupling(classes).couple(pairs, p);
  return [...p];
}

/** Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)² */
function objective(r: (i: number, j: number) => number, p: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) {
    for (let j = 0; j < p.length; j++) if (i !== j) sum += (r(j, i) * p[i] - r(i, j) * p[j]) ** 2;
  }
  return sum;
}

test("pairs that agree give back the probabilities they come from", () => {
  fc.assert(
    fc.property(distribution, (p) => {
      const pairs = p.flatMap((a, i) => p.slice(i + 1).map((b) => a / (a + b)));
      couple(p.length, pairs).forEach((coupled, k) => {
        expect(Math.abs(coupled - p[k])).toBeLessThan(0.05);
      });
    }),
  );
});

test("pairs that disagree: a distribution that no move of weight between two classes improves much", () => {
  const pairs = fc.integer({ min: 3, max: 6 }).chain((classes) => {
    const count = (classes * (classes - 1)) / 2;
    const probability = fc.double({ min: 0.1, max: 0.9, noNaN: true });
    return fc.record({
      classes: fc.constant(classes),
      pairs: fc.array(probability, { minLength: count, maxLength: count }),
    });
  });
  fc.assert(
    fc.property(pairs, ({ classes, pairs }) => {
      const table = Array.from({ length: classes }, () => new Array<number>(classes).fill(0));
      let next = 0;
      for (let i = 0; i < classes; i++) {
        for (let j = i + 1; j < classes; j++) {
          table[i][j] = pairs[next++];
          table[j][i] = 1 - table[i][j];
        }
      }
      const r = (i: number, j: number) => table[i][j];
      const p = couple(classes, pairs);
      expect(p.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
      const best = objective(r, p);
      for (let i = 0; i < classes; i++) {
        for (let j = 0; j < classes; j++) {
          if (i === j) continue;
          const moved = p.map((value, k) => value + (k === i ? 0.02 : k === j ? -0.02 : 0));
          expect(objective(r, moved)).toBeGreaterThan(best - 4e-4);
        }
      }
    }),
  );
});

test("two classes need no coupling", () => {
  expect(couple(2, [0.499])).toEqual([0.499, 0.501]);
});
