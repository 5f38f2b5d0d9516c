import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { binaryDivergence, pacBayesLoss } from "#core/theory/pac-bayes/pac-bayes.js";
import { posteriorDraw } from "#core/theory/pac-bayes/posterior-draw.js";
import { fault } from "../fault.js";

const evidence = { rows: 1000, confidence: 0.95 };
const draw = { rows: 500, errors: 20, logRatio: 6, draws: 4 };

describe("the bound for a classifier drawn from a posterior", () => {
  it("inverts kl at (ln dρ/dπ + ln(2k√n/δ))/n", () => {
    const { value, holds } = posteriorDraw({ ...evidence, draw });
    const slack = (6 + Math.log((2 * 4 * Math.sqrt(500)) / 0.05)) / 500;
    expect(binaryDivergence(20 / 500, value)).toBeCloseTo(slack, 10);
    expect(holds).toBe(true);
  });

  it("grows with the log ratio, the errors and the draws, and falls with the rows", () => {
    const at = (change: Partial<typeof draw>) =>
      posteriorDraw({ ...evidence, draw: { ...draw, ...change } }).value;
    expect(at({ logRatio: 7 })).toBeGreaterThan(at({}));
    expect(at({ errors: 21 })).toBeGreaterThan(at({}));
    expect(at({ draws: 5 })).toBeGreaterThan(at({}));
    expect(at({ rows: 1000, errors: 40 })).toBeLessThan(at({}));
  });

  it("takes a negative log ratio for 0", () => {
    const { value } = posteriorDraw({ ...evidence, draw: { ...draw, logRatio: -3, draws: 1 } });
    expect(value).toBe(pacBayesLoss({ loss: 0.04, divergence: 0, rows: 500 }, 0.05));
  });

  it("rejects impossible counts", () => {
    const call = () => posteriorDraw({ ...evidence, draw: { ...draw, errors: 501 } });
    expect(fault(call).message).toContain("501 errors on 500 rows");
  });
});

/**
 * A finite world: 200 classifiers, whose errors on rows of pure noise are all ½. The prior is uniform. The posterior is the one that
 * overfits most: it draws among the classifiers with the fewest errors on the rows.
 */
describe("coverage of the bound, by simulation", () => {
  const CLASSIFIERS = 200;
  const ROWS = 40;
  const SAMPLES = 2000;

  function failuresOf(logRatioOf: (kept: number) => number): number {
    const random = new Random(4);
    let failures = 0;
    for (let sample = 0; sample < SAMPLES; sample++) {
      const errors = Array.from({ length: CLASSIFIERS }, () =>
        Array.from({ length: ROWS }, () => random.integer(2)).reduce((a, b) => a + b),
      );
      const fewest = Math.min(...errors);
      const kept = errors.filter((count) => count <= fewest + 1);
      const own = kept[random.integer(kept.length)];
      const facts = { rows: ROWS, errors: own, logRatio: logRatioOf(kept.length), draws: 1 };
      if (posteriorDraw({ rows: ROWS, confidence: 0.75, draw: facts }).value < 0.5) failures++;
    }
    return failures;
  }

  it("fails in no more than δ of the samples, but would without the log ratio", () => {
    expect(failuresOf((kept) => Math.log(CLASSIFIERS / kept))).toBeLessThan(0.25 * SAMPLES);
    expect(failuresOf(() => 0)).toBeGreaterThan(0.25 * SAMPLES);
  });
});
