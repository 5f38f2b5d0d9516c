import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitSigmoid, type Sigmoid, sigmoidProbability } from "#core/learners/svm/platt.js";

/** Platt's objective word for word: cross-entropy with the targets (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2). */
function crossEntropy(values: readonly number[], labels: readonly number[], { A, B }: Sigmoid): number {
  const positive = labels.filter((label) => label > 0).length;
  const negative = labels.length - positive;
  return values.reduce((sum, f, i) => {
    const t = labels[i] > 0 ? (positive + 1) / (positive + 2) : 1 / (negative + 2);
    const p = 1 / (1 + Math.exp(A * f + B));
    return sum - t * Math.log(p) - (1 - t) * Math.log(1 - p);
  }, 0);
}

const labelled = fc
  .array(fc.tuple(fc.double({ min: -4, max: 4, noNaN: true }), fc.constantFrom(-1, 1)), {
    minLength: 4,
    maxLength: 30,
  })
  .map((rows) => ({ values: rows.map(([f]) => f), labels: rows.map(([, y]) => y) }));

function fit(values: readonly number[], labels: readonly number[], weights?: readonly number[]): Sigmoid {
  return fitSigmoid(Float64Array.from(values), Int8Array.from(labels), weights && Float64Array.from(weights));
}

describe("the sigmoid", () => {
  test("has the least cross-entropy: no step in any direction improves it", () => {
    fc.assert(
      fc.property(labelled, ({ values, labels }) => {
        const found = fit(values, labels);
        const best = crossEntropy(values, labels, found);
        for (const [dA, dB] of [
          [1, 0],
          [0, 1],
          [1, 1],
          [1, -1],
        ]) {
          for (const step of [-0.1, -0.01, 0.01, 0.1]) {
            const { A, B } = { A: found.A + step * dA, B: found.B + step * dB };
            expect(crossEntropy(values, labels, { A, B })).toBeGreaterThan(best - 1e-5);
          }
        }
      }),
    );
  });

  test("of two separated groups of rows goes through Platt's targets", () => {
    // All positive rows have f = 1, all negative ones f = −1: two equations for A and B, solved exactly.
    const { A, B } = fit([1, 1, 1, -1, -1], [1, 1, 1, -1, -1]);
    expect(1 / (1 + Math.exp(A + B))).toBeCloseTo(4 / 5, 4);
    expect(1 / (1 + Math.exp(-A + B))).toBeCloseTo(1 / 4, 4);
  });

  test("of rows that say nothing is the share of the positive rows", () => {
    const { B } = fit([0, 0, 0, 0, 0, 0], [1, 1, 1, 1, -1, -1]);
    // Targets 5/6 and 1/4: their mean is (4·5/6 + 2/4)/6.
    expect(1 / (1 + Math.exp(B))).toBeCloseTo((4 * (5 / 6) + 2 / 4) / 6, 5);
  });

  test("counts a row of weight w as w rows", () => {
    fc.assert(
      fc.property(labelled, fc.integer({ min: 1, max: 4 }), ({ values, labels }, seed) => {
        const weights = values.map((_, i) => 1 + ((i * seed) % 3));
        const repeated = weights.flatMap((weight, i) => Array<number>(weight).fill(i));
        const weighted = fit(values, labels, weights);
        const again = fit(
          repeated.map((i) => values[i]),
          repeated.map((i) => labels[i]),
        );
        expect(weighted.A).toBeCloseTo(again.A, 6);
        expect(weighted.B).toBeCloseTo(again.B, 6);
      }),
    );
  });

  test("stays finite for decision values of any size", () => {
    for (const size of [1e-300, 1e-8, 1e8, 1e150]) {
      const { A, B } = fit([size, -size, 2 * size, -size / 2], [1, -1, -1, 1]);
      expect(Number.isFinite(A) && Number.isFinite(B)).toBe(true);
    }
  });
});

test("probabilities stay away from 0 and 1, also where exp overflows", () => {
  for (const A of [-1e6, 1e6]) {
    for (const f of [-1e6, 0, 1e6]) {
      const p = sigmoidProbability({ A, B: 0 }, f);
      expect(p).toBeGreaterThanOrEqual(1e-7);
      expect(p).toBeLessThanOrEqual(1 - 1e-7);
    }
  }
  expect(sigmoidProbability({ A: -1, B: 0.5 }, 2)).toBeCloseTo(1 / (1 + Math.exp(-1.5)), 14);
});
