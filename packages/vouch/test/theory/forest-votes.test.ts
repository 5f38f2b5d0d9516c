import { describe, expect, it } from "vitest";
import { Random } from "#vouch/runtime/random.js";
import { VouchError } from "#vouch/runtime/vouch-error.js";
import { forestFirstOrder, forestTandem, voteDivergence } from "#vouch/theory/forests/forest-votes.js";
import { binaryDivergence, pacBayesLoss } from "#vouch/theory/pac-bayes/pac-bayes.js";

const evidence = { rows: 600, confidence: 0.95, divergence: 0 };

describe("the PAC-Bayes inequality", () => {
  it("is met with equality by what it returns", () => {
    const most = pacBayesLoss({ loss: 0.12, divergence: 1.5, rows: 200 }, 0.05);
    expect(most).toBeGreaterThan(0.12);
    expect(200 * binaryDivergence(0.12, most)).toBeCloseTo(1.5 + Math.log((2 * Math.sqrt(200)) / 0.05), 9);
  });

  it("says nothing without rows and refuses the impossible", () => {
    expect(pacBayesLoss({ loss: 0, divergence: 0, rows: 0 }, 0.05)).toBe(1);
    expect(pacBayesLoss({ loss: 0, divergence: 0, rows: 0.9 }, 0.05)).toBe(1);
    expect(() => pacBayesLoss({ loss: 0, divergence: 0, rows: Number.NaN }, 0.05)).toThrowError(VouchError);
    expect(() => pacBayesLoss({ loss: 1.1, divergence: 0, rows: 9 }, 0.05)).toThrowError(VouchError);
    expect(() => pacBayesLoss({ loss: 0.1, divergence: -1, rows: 9 }, 0.05)).toThrowError(VouchError);
  });

  it("rests on E[e^{n kl}] ≤ 2√n, which is so from one row to a thousand", () => {
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
});

describe("the PAC-Bayes inequality for different numbers of rows", () => {
  it("rests on E[Σ π_h e^{n_h kl}] ≤ 2√H for π_h ∝ 1/n_h, H being the harmonic mean", () => {
    const rows = [4, 9, 30, 7];
    const H = rows.length / rows.reduce((sum, n) => sum + 1 / n, 0);
    const random = new Random(5);
    const draws = 20_000;
    let sum = 0;
    for (let draw = 0; draw < draws; draw++) {
      for (const n of rows) {
        let wrong = 0;
        for (let i = 0; i < n; i++) wrong += Number(random.uniform() < 0.3);
        sum += (H / rows.length / n) * Math.exp(n * binaryDivergence(wrong / n, 0.3));
      }
    }
    expect(sum / draws).toBeLessThan(2 * Math.sqrt(H));
    // Not by far: E[e^{n kl}] is near √(πn/2).
    expect(sum / draws).toBeGreaterThan(Math.sqrt(H));
  });
});

describe("bounds for forests from out-of-bag rows", () => {
  it("are twice the loss of a tree, and four times the tandem loss, at most", () => {
    const first = forestFirstOrder({ ...evidence, gibbsLoss: 0.1, outOfBagRows: 200 });
    expect(first.value).toBe(2 * pacBayesLoss({ loss: 0.1, divergence: 0, rows: 200 }, 0.05));
    const tandem = forestTandem({ ...evidence, divergence: 0.4, tandemLoss: 0.03, outOfBagRows: 70 });
    expect(tandem.value).toBe(4 * pacBayesLoss({ loss: 0.03, divergence: 0.8, rows: 70 }, 0.05));
    expect(tandem.holds).toBe(true);
  });

  it("say something at m = 600, the tandem bound more where trees err on different rows", () => {
    const first = forestFirstOrder({ ...evidence, gibbsLoss: 0.08, outOfBagRows: 200 });
    expect(first.value).toBeLessThan(0.4);
    const independent = forestTandem({ ...evidence, tandemLoss: 0.2 ** 2, outOfBagRows: 400 });
    expect(independent.value).toBeLessThan(
      forestFirstOrder({ ...evidence, gibbsLoss: 0.2, outOfBagRows: 400 }).value,
    );
  });

  it("say nothing, and why, for trees that share no out-of-bag row", () => {
    const certificate = forestTandem({ ...evidence, tandemLoss: 0, outOfBagRows: 0 });
    expect(certificate.value).toBe(4);
    expect(certificate.reason).toContain("not below 1");
  });

  it("take the divergence of the weights from equal ones", () => {
    expect(voteDivergence([0.25, 0.25, 0.25, 0.25])).toBe(0);
    expect(voteDivergence([1, 0])).toBeCloseTo(Math.LN2, 14);
    expect(voteDivergence([0.75, 0.25])).toBeCloseTo(0.75 * Math.log(1.5) + 0.25 * Math.log(0.5), 14);
  });
});
