import { expect, it } from "vitest";
import { networkError, smallSplits } from "#bench/small-networks.js";

/**
 * Mean errors of scikit-learn 1.2.1's MLPClassifier with its defaults on the same splits, in percent: the lower of the errors with
 * and without standardised features. `npm run bench -- small-networks` measures them again.
 */
const scikitLearn = { circles: 1.11, moons: 10.54, xor: 4.6, spirals: 8.88, iris: 2.75 };

it.for(Object.entries(scikitLearn))(
  "mlp with its defaults on %s is at most 2 points worse than %s% errors",
  { timeout: 60_000 },
  async ([name, percent]) => {
    expect(100 * (await networkError(await smallSplits(name)))).toBeLessThan(percent + 2);
  },
);
