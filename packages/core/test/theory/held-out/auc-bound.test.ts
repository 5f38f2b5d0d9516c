import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { binomialAtMost } from "#core/theory/distributions.js";
import { aucBounds } from "#core/theory/held-out/auc-bound.js";
import { binaryDivergence } from "#core/theory/pac-bayes/pac-bayes.js";

/** Fraction of the pairs in which the first is larger; ties count one half. */
function areaOf(positives: number[], negatives: number[]): number {
  let sum = 0;
  for (const x of positives) for (const y of negatives) sum += x > y ? 1 : x === y ? 0.5 : 0;
  return sum / (positives.length * negatives.length);
}

/** min over t > x of E[(t − B)₊]/(t − x), term by term and for a fine grid of t. */
function hingeByHand(x: number, k: number, p: number): number {
  const probability = (j: number) => binomialAtMost(j, k, p) - binomialAtMost(j - 1, k, p);
  let least = 1;
  for (let t = x + 0.01; t <= k + 5; t += 0.01) {
    let sum = 0;
    for (let j = 0; j < t && j <= k; j++) sum += (t - j) * probability(j);
    least = Math.min(least, sum / (t - x));
  }
  return least;
}

describe("bounds on an AUC", () => {
  it("have the closed form δ^(1/k) if all pairs are in order", () => {
    for (const [positives, negatives] of [
      [1, 1],
      [12, 900],
      [5000, 300],
    ]) {
      const { lower, upper } = aucBounds({ auc: 1, positives, negatives }, 0.05);
      expect(lower).toBeCloseTo(0.05 ** (1 / Math.min(positives, negatives)), 12);
      expect(upper).toBe(1);
    }
  });

  it("invert the tail of the best hinge", () => {
    for (const [auc, k] of [
      [0.9, 12],
      [0.77, 20],
      [0.55, 7],
    ]) {
      const { lower } = aucBounds({ auc, positives: k, negatives: 100 }, 0.05);
      const tail = hingeByHand(k * (1 - auc), k, 1 - lower);
      expect(tail).toBeGreaterThan(0.0499);
      expect(tail).toBeLessThan(0.0503);
    }
  });

  it("are closer than Chernoff's kl(U‖A) ≤ ln(1/δ)/k and Hoeffding's, and tend to the AUC", () => {
    for (const delta of [0.25, 0.05, 1e-6]) {
      for (const auc of [0.03, 0.5, 0.8, 0.995]) {
        for (const k of [3, 50, 4000]) {
          const { lower, upper } = aucBounds({ auc, positives: k, negatives: 2 * k }, delta);
          expect(lower).toBeLessThan(auc);
          expect(upper).toBeGreaterThan(auc);
          if (lower > 0)
            expect(binaryDivergence(auc, lower)).toBeLessThanOrEqual(-Math.log(delta) / k + 1e-9);
          expect(upper - auc).toBeLessThanOrEqual(Math.sqrt(-Math.log(delta) / (2 * k)) + 1e-12);
        }
      }
    }
    const { lower, upper } = aucBounds({ auc: 0.9, positives: 500_000, negatives: 500_000 }, 0.05);
    expect(upper - lower).toBeLessThan(0.002);
  });

  it("mirror each other", () => {
    const { lower } = aucBounds({ auc: 0.8, positives: 40, negatives: 30 }, 0.05);
    const { upper } = aucBounds({ auc: 1 - 0.8, positives: 40, negatives: 30 }, 0.05);
    expect(lower).toBeCloseTo(1 - upper, 12);
  });

  it("cover the AUC with ties and with unbalanced classes", () => {
    const random = new Random(11);
    const runs = 500;
    // Scores of integers 0 … levels − 1; the positive ones are the larger of two draws. Area by the exact probabilities.
    for (const [levels, positives, negatives] of [
      [2, 25, 25],
      [4, 10, 120],
      [1000, 60, 15],
    ]) {
      let truth = 0;
      for (let i = 0; i < levels; i++) truth += ((2 * i + 1) / levels ** 2) * ((i + 0.5) / levels);
      const failures = { lower: 0, upper: 0 };
      for (let run = 0; run < runs; run++) {
        const draw = () => random.integer(levels);
        const x = Array.from({ length: positives }, () => Math.max(draw(), draw()));
        const y = Array.from({ length: negatives }, draw);
        const { lower, upper } = aucBounds({ auc: areaOf(x, y), positives, negatives }, 0.25);
        if (lower > truth) failures.lower++;
        if (upper < truth) failures.upper++;
      }
      const most = 0.25 + 2 * Math.sqrt(0.1875 / runs);
      expect(failures.lower / runs).toBeLessThanOrEqual(most);
      expect(failures.upper / runs).toBeLessThanOrEqual(most);
    }
  });

  it("say nothing without one of the classes, and refuse what is not an AUC", () => {
    expect(aucBounds({ auc: 0.5, positives: 0, negatives: 9 }, 0.05)).toEqual({ lower: 0, upper: 1 });
    for (const auc of [Number.NaN, -0.1, 1.1])
      expect(() => aucBounds({ auc, positives: 3, negatives: 3 }, 0.05)).toThrow(VouchError);
    expect(() => aucBounds({ auc: 0.5, positives: 1.5, negatives: 3 }, 0.05)).toThrow(VouchError);
    expect(() => aucBounds({ auc: 0.5, positives: 3, negatives: 3 }, 1)).toThrow(VouchError);
  });
});
