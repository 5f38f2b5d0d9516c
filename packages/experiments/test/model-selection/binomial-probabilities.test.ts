import fc from "fast-check";
import { expect, it } from "vitest";
import { binomialProbabilities } from "#experiments/model-selection/binomial-probabilities.js";

it("binomial probabilities are (1 − p)², 2p(1 − p), p² for two trials", () => {
  const [none, one, two] = binomialProbabilities(2, 0.3);
  expect(none).toBeCloseTo(0.49, 14);
  expect(one).toBeCloseTo(0.42, 14);
  expect(two).toBeCloseTo(0.09, 14);
});

it("binomial probabilities have sum 1, mean np and variance np(1 − p), even if (1 − p)ⁿ underflows", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.double({ min: 0.001, max: 0.999, noNaN: true }),
      (n, p) => {
        const probabilities = binomialProbabilities(n, p);
        const moment = (value: (k: number) => number) =>
          probabilities.reduce((sum, probability, k) => sum + probability * value(k), 0);
        expect(moment(() => 1)).toBeCloseTo(1, 9);
        expect(moment((k) => k) / n).toBeCloseTo(p, 9);
        expect(moment((k) => (k - n * p) ** 2) / n).toBeCloseTo(p * (1 - p), 8);
      },
    ),
    { numRuns: 50 },
  );
});
