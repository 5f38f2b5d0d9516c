import { describe, expect, it } from "vitest";
import { VouchError } from "#core/runtime/vouch-error.js";
import { binomialAtMost } from "#core/theory/distributions.js";
import { binaryDivergence, pacBayesLoss } from "#core/theory/pac-bayes/pac-bayes.js";

describe("binary divergence", () => {
  it("is the formula by hand, 0 for equal probabilities and infinite for impossible outcomes", () => {
    expect(binaryDivergence(0.2, 0.5)).toBeCloseTo(0.2 * Math.log(0.4) + 0.8 * Math.log(1.6), 14);
    expect(binaryDivergence(0.3, 0.3)).toBe(0);
    expect(binaryDivergence(0, 0.25)).toBeCloseTo(-Math.log(0.75), 14);
    expect(binaryDivergence(0.2, 1)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("PAC-Bayes inequality", () => {
  it("holds with equality for the loss it returns", () => {
    const most = pacBayesLoss({ loss: 0.12, divergence: 1.5, rows: 200 }, 0.05);
    expect(most).toBeGreaterThan(0.12);
    expect(200 * binaryDivergence(0.12, most)).toBeCloseTo(1.5 + Math.log((2 * Math.sqrt(200)) / 0.05), 9);
  });

  it("has a closed form for a loss of 0, and is 1 for a loss of 1", () => {
    // kl(0‖p) = −ln(1 − p).
    const slack = Math.log((2 * Math.sqrt(50)) / 0.05) / 50;
    expect(pacBayesLoss({ loss: 0, divergence: 0, rows: 50 }, 0.05)).toBeCloseTo(1 - Math.exp(-slack), 12);
    expect(pacBayesLoss({ loss: 1, divergence: 0, rows: 50 }, 0.05)).toBe(1);
  });

  it("is 1 with less than one row, and rejects impossible input", () => {
    expect(pacBayesLoss({ loss: 0, divergence: 0, rows: 0 }, 0.05)).toBe(1);
    expect(pacBayesLoss({ loss: 0, divergence: 0, rows: 0.9 }, 0.05)).toBe(1);
    for (const change of [{ rows: Number.NaN }, { loss: 1.1 }, { divergence: -1 }]) {
      const evidence = { loss: 0.1, divergence: 0, rows: 9, ...change };
      expect(() => pacBayesLoss(evidence, 0.05)).toThrowError(VouchError);
    }
  });

  it("rests on E[e^{n kl}] ≤ 2√n, checked from one row to a thousand", () => {
    for (const n of [1, 2, 3, 5, 8, 30, 200, 1000]) {
      // For L = ½: Σ C(n, k) 2^−n e^{n kl(k/n‖½)} = Σ C(n, k) (k/n)^k (1 − k/n)^{n−k}, which does not depend on L.
      let logChoose = 0;
      let sum = 0;
      for (let k = 0; k <= n; k++) {
        const q = k / n;
        const power = (k === 0 ? 0 : k * Math.log(q)) + (k === n ? 0 : (n - k) * Math.log(1 - q));
        sum += Math.exp(logChoose + power);
        logChoose += Math.log((n - k) / (k + 1));
      }
      expect(sum).toBeLessThanOrEqual(2 * Math.sqrt(n) + 1e-9);
    }
  });

  it("for different numbers of rows rests on E[Σ π_h e^{n_h kl}] ≤ 2√H for π_h ∝ 1/n_h, H the harmonic mean", () => {
    const rows = [4, 9, 30, 7];
    const H = rows.length / rows.reduce((sum, n) => sum + 1 / n, 0);
    let expected = 0;
    for (const n of rows) {
      for (let wrong = 0; wrong <= n; wrong++) {
        const probability = binomialAtMost(wrong, n, 0.3) - binomialAtMost(wrong - 1, n, 0.3);
        expected += (H / rows.length / n) * probability * Math.exp(n * binaryDivergence(wrong / n, 0.3));
      }
    }
    expect(expected).toBeLessThan(2 * Math.sqrt(H));
    // Not by far: E[e^{n kl}] is near √(πn/2).
    expect(expected).toBeGreaterThan(Math.sqrt(H));
  });
});
