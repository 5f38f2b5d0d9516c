import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mean, poissonBinomialTail, standardDeviation } from "#core/runtime/maths/statistics.js";
import { binomialAtMost } from "#core/theory/distributions.js";

describe("mean and standard deviation", () => {
  it("agree with calculation by hand", () => {
    expect(mean([2, 4, 4, 4, 5, 5, 7, 9])).toBe(5);
    expect(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(Math.sqrt(32 / 7), 14);
  });

  it("have no spread for one number", () => {
    expect(standardDeviation([3])).toBe(0);
  });
});

describe("tail of the Poisson binomial distribution", () => {
  /** Adds up the probabilities of all outcomes with at least k events. */
  function bruteForce(k: number, probabilities: readonly number[]): number {
    let total = 0;
    for (let outcome = 0; outcome < 2 ** probabilities.length; outcome++) {
      const happened = probabilities.map((_, event) => ((outcome >> event) & 1) === 1);
      if (happened.filter(Boolean).length < k) continue;
      total += probabilities.reduce((product, p, event) => product * (happened[event] ? p : 1 - p), 1);
    }
    return total;
  }

  it("is the sum over all outcomes", () => {
    const probabilities = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
    fc.assert(
      fc.property(probabilities, fc.integer({ min: 0, max: 9 }), (events, k) => {
        expect(poissonBinomialTail(k, events)).toBeCloseTo(bruteForce(k, events), 12);
      }),
    );
  });

  it("is the binomial tail if all events are equally likely, also far out", () => {
    const events = new Float64Array(2000).fill(0.1);
    for (const k of [1, 150, 200, 260]) {
      expect(poissonBinomialTail(k, events)).toBeCloseTo(1 - binomialAtMost(k - 1, 2000, 0.1), 12);
    }
    expect(poissonBinomialTail(2000, new Float64Array(2000).fill(0.9)) / 0.9 ** 2000).toBeCloseTo(1, 10);
  });

  it("is exact for certain and impossible events", () => {
    expect(poissonBinomialTail(0, [])).toBe(1);
    expect(poissonBinomialTail(1, [])).toBe(0);
    expect(poissonBinomialTail(2, [1, 0, 1])).toBe(1);
    expect(poissonBinomialTail(3, [1, 0, 1])).toBe(0);
  });
});
