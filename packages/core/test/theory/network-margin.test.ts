import { describe, expect, it } from "vitest";
import { layerNorms } from "#core/learners/net/network-weights.js";
import { Random } from "#core/runtime/maths/random.js";
import {
  type NetworkMarginEvidence,
  networkComplexity,
  networkMargin,
} from "#core/theory/networks/network-margin.js";

const facts: NetworkMarginEvidence = {
  rows: 10_000,
  errors: 10,
  confidence: 0.95,
  activation: "tanh",
  layers: [
    { weights: 2, biases: 1 },
    { weights: 4, biases: 0.5 },
  ],
  meanSquaredNorm: 9,
  classes: 2,
  singleOutput: true,
  margins: Array.from({ length: 101 }, (_, percent) => percent / 10),
};

describe("complexity of a network by its norms", () => {
  it("is the recursion over the layers by hand", () => {
    // tanh: R₁ = 2·√(9/10000) + 1/100 = 0.07, R₂ = 4·0.07 + 0.5/100 = 0.285.
    expect(networkComplexity(facts.layers, "tanh", 9, 10_000)).toBeCloseTo(0.285, 12);
    expect(networkComplexity(facts.layers, "relu", 9, 10_000)).toBeCloseTo(0.565, 12);
    expect(networkComplexity(facts.layers, "sigmoid", 9, 10_000)).toBeCloseTo(0.075, 12);
  });

  it("is above what random networks of these norms attain with random signs", () => {
    // E sup Σσf/m over a family is at least the mean of the best of a few of its members.
    const random = new Random(1);
    const rows = 12;
    const x = Array.from({ length: rows }, () => [random.normal(), random.normal()]);
    const meanSquaredNorm = x.reduce((sum, [a, b]) => sum + (a * a + b * b) / rows, 0);
    const layers = [
      { weights: 1, biases: 0.5 },
      { weights: 2, biases: 0.5 },
    ];
    const unit = {
      sigmoid: (z: number) => 1 / (1 + Math.exp(-z)),
      tanh: Math.tanh,
      relu: (z: number) => Math.max(0, z),
    };
    for (const activation of ["sigmoid", "tanh", "relu"] as const) {
      let total = 0;
      const draws = 20;
      for (let draw = 0; draw < draws; draw++) {
        const signs = x.map(() => (random.uniform() < 0.5 ? 1 : -1));
        let best = 0;
        for (let tries = 0; tries < 150; tries++) {
          const angle = 2 * Math.PI * random.uniform();
          const bias = random.uniform() - 0.5;
          const hidden = (row: readonly number[]) =>
            unit[activation](Math.cos(angle) * row[0] + Math.sin(angle) * row[1] + bias);
          // One hidden unit with a weight of ±2; after a sigmoid the bias that the norms allow is ∓1 ± ½.
          const correlation = x.reduce((sum, row, i) => sum + signs[i] * 2 * hidden(row), 0);
          const constant = signs.reduce((sum, sign) => sum + sign, 0);
          const centre = activation === "sigmoid" ? -constant : 0;
          best = Math.max(best, Math.abs(correlation + centre) + 0.5 * Math.abs(constant));
        }
        total += best / rows / draws;
      }
      const bound = networkComplexity(layers, activation, meanSquaredNorm, rows);
      expect(total).toBeLessThan(bound);
      expect(total).toBeGreaterThan(0.1 * bound);
    }
  });
});

describe("margin bound for networks", () => {
  it("is the formula by hand, at the best ρ", () => {
    const { value, terms, holds } = networkMargin(facts);
    // All norms are powers of two: 2^1, 2^0, 2^2, 2^−1, so k = 8, 0, 16, −8.
    const log = (k: number) => Math.log(1.5 * (Math.abs(k) + 1) * (Math.abs(k) + 2));
    const norms = log(8) + log(0) + log(16) + log(-8);
    const at = (k: number) => {
      const rho = 2 ** (k / 8);
      const below = facts.margins.findIndex((margin) => margin > rho);
      const share = Math.floor((below * 9999) / 100) / 10_000;
      return share + (2 * 0.285) / rho + 3 * Math.sqrt((Math.log(2 / 0.05) + norms + log(k)) / 20_000);
    };
    const values = Array.from({ length: 106 }, (_, i) => at(i - 80));
    expect(value).toBeCloseTo(Math.min(...values), 12);
    expect(terms.R).toBeCloseTo(0.285, 12);
    expect(value).toBeCloseTo(terms["P_S(margin ≤ ρ)"] + terms["complexity / ρ"] + terms.confidence, 12);
    expect(holds).toBe(true);
  });

  it("counts each of several outputs: c = 4K", () => {
    const many = networkMargin({ ...facts, singleOutput: false, classes: 3 });
    const { ρ, R } = many.terms;
    expect(many.terms["complexity / ρ"]).toBeCloseTo((12 * R) / ρ, 12);
  });

  it("grows with norms and falls with margins", () => {
    const value = (changes: Partial<NetworkMarginEvidence>) => networkMargin({ ...facts, ...changes }).value;
    const scaled = facts.layers.map(({ weights, biases }) => ({ weights: 2 * weights, biases }));
    expect(value({ layers: scaled })).toBeGreaterThan(value({}));
    expect(value({ margins: facts.margins.map((margin) => 4 * margin) })).toBeLessThan(value({}));
    // Without a positive margin it is vacuous.
    expect(value({ margins: facts.margins.map((margin) => -1 - margin) })).toBeGreaterThan(1);
  });

  it("divides δ into shares that sum to one", () => {
    let sum = 0;
    for (let k = -1e5; k <= 1e5; k++) sum += 1 / (1.5 * (Math.abs(k) + 1) * (Math.abs(k) + 2));
    expect(sum).toBeCloseTo(1, 4);
  });

  it("rejects impossible input", () => {
    for (const changes of [
      { layers: [] },
      { meanSquaredNorm: Number.NaN },
      { margins: [] },
      { errors: 10_001 },
    ]) {
      expect(() => networkMargin({ ...facts, ...changes })).toThrowError(
        expect.objectContaining({ code: "option/invalid" }),
      );
    }
  });
});

it("the norms of a layer are the largest over its units", () => {
  const network = {
    sizes: [2, 2, 1],
    weights: [Float32Array.of(3, 4, 0, 1), Float32Array.of(-2, 4)],
    biases: [Float32Array.of(0.5, -0.75), Float32Array.of(0.5)],
  };
  expect(layerNorms(network, "tanh")).toEqual([
    { weights: 5, biases: 0.75 },
    { weights: 6, biases: 0.5 },
  ]);
  // After sigmoids |b + ½ Σ w| = 0.5 + 1.
  expect(layerNorms(network, "sigmoid")[1]).toEqual({ weights: 6, biases: 1.5 });
});
