import { describe, expect, it } from "vitest";
import type { TiedLayer } from "#core/learners/net/pretrain-layer.js";
import {
  contrastiveDivergence,
  freeEnergies,
  hiddenProbabilities,
  visibleMeans,
} from "#core/learners/net/rbms.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";

/** A machine of three visible and two hidden units. */
const W = [
  [0.8, -1.2, 0.4],
  [-0.5, 0.9, 1.5],
];
const b = [0.3, -0.7];
const c = [-0.2, 0.6, 0.1];
const layer: TiedLayer = {
  weights: Matrix.from(W),
  hiddenBiases: Float64Array.from(b),
  visibleBiases: Float64Array.from(c),
};

const states = (units: number) =>
  Array.from({ length: 2 ** units }, (_, code) => Array.from({ length: units }, (_, i) => (code >> i) & 1));
const visibleStates = states(3);
const hiddenStates = states(2);

/** E(v, h) = −c·v − b·h − Σ v_i h_j w_ji, term by term. */
function energy(v: readonly number[], h: readonly number[]): number {
  let sum = 0;
  v.forEach((vi, i) => {
    sum -= vi * c[i];
  });
  h.forEach((hj, j) => {
    sum -= hj * b[j];
    v.forEach((vi, i) => {
      sum -= vi * hj * W[j][i];
    });
  });
  return sum;
}

const weight = (v: readonly number[], h: readonly number[]) => Math.exp(-energy(v, h));
const total = (values: readonly number[]) => values.reduce((a, x) => a + x, 0);
const overVisible = (h: readonly number[]) => total(visibleStates.map((v) => weight(v, h)));
const overHidden = (v: readonly number[]) => total(hiddenStates.map((h) => weight(v, h)));

describe("the energy of a Boltzmann machine", () => {
  it("gives the conditional probabilities of eqs. 4.17 and 4.18, by enumeration", () => {
    for (const v of visibleStates) {
      const p = hiddenProbabilities(layer, Matrix.from([v]));
      for (const j of [0, 1]) {
        const on = total(hiddenStates.filter((h) => h[j] === 1).map((h) => weight(v, h)));
        expect(p.values[j]).toBeCloseTo(on / overHidden(v), 12);
      }
    }
    for (const h of hiddenStates) {
      const p = visibleMeans("binary", layer, Matrix.from([h]));
      for (const i of [0, 1, 2]) {
        const on = total(visibleStates.filter((v) => v[i] === 1).map((v) => weight(v, h)));
        expect(p.values[i]).toBeCloseTo(on / overVisible(h), 12);
      }
    }
  });

  it("summed over the hidden units is the free energy: e^−F(v) = Σ_h e^−E(v, h)", () => {
    for (const v of visibleStates) {
      const [free] = freeEnergies("binary", layer, Matrix.from([v]));
      expect(free).toBeCloseTo(-Math.log(overHidden(v)), 12);
    }
    // Gaussian units have ½‖v − c‖² in place of −c·v.
    const v = [0.5, -1, 2];
    const shift = total(v.map((vi, i) => 0.5 * (vi - c[i]) ** 2 + vi * c[i]));
    const [gaussian] = freeEnergies("gaussian", layer, Matrix.from([v]));
    expect(gaussian).toBeCloseTo(shift - Math.log(overHidden(v)), 12);
  });

  it("does not overflow in the free energy", () => {
    const [free] = freeEnergies("binary", layer, Matrix.from([[1e6, 0, 0]]));
    expect(free).toBeCloseTo(0.2e6 - (0.8e6 + 0.3), 3);
  });
});

/** Computes E[v_i h_j], E[v_i] and E[h_j] after k steps of Gibbs sampling from v exactly, by enumeration of the chain. */
function chainStatistics(v0: readonly number[], k: number) {
  let distribution: number[] = visibleStates.map((v) => (v.join() === v0.join() ? 1 : 0));
  for (let step = 0; step < k; step++) {
    const hidden = hiddenStates.map((h) =>
      total(visibleStates.map((v, s) => (distribution[s] * weight(v, h)) / overHidden(v))),
    );
    distribution = visibleStates.map((v) =>
      total(hiddenStates.map((h, s) => (hidden[s] * weight(v, h)) / overVisible(h))),
    );
  }
  const hiddenGiven = (v: readonly number[], j: number) =>
    total(hiddenStates.filter((h) => h[j] === 1).map((h) => weight(v, h))) / overHidden(v);
  const expectation = (of: (v: readonly number[]) => number) =>
    total(visibleStates.map((v, s) => distribution[s] * of(v)));
  return {
    weights: [0, 1].flatMap((j) => [0, 1, 2].map((i) => expectation((v) => v[i] * hiddenGiven(v, j)))),
    hiddenBiases: [0, 1].map((j) => expectation((v) => hiddenGiven(v, j))),
    visibleBiases: [0, 1, 2].map((i) => expectation((v) => v[i])),
  };
}

describe("contrastive divergence", () => {
  it.each([1, 3])("with %i steps equals exact enumeration in expectation", (k) => {
    const v0 = [1, 0, 1];
    const draws = 40_000;
    const rows = new Matrix(
      draws,
      3,
      Float64Array.from({ length: 3 * draws }, (_, i) => v0[i % 3]),
    );
    const { ascent } = contrastiveDivergence("binary", layer, rows, k, new Random(11));
    const data = chainStatistics(v0, 0);
    const chain = chainStatistics(v0, k);
    // A mean of 40,000 values in [0, 1] has a standard deviation of at most 0.0025.
    const close = (found: ArrayLike<number>, one: readonly number[], other: readonly number[]) => {
      one.forEach((value, s) => {
        expect(Math.abs(found[s] - (value - other[s]))).toBeLessThan(0.012);
      });
    };
    close(ascent.weights.values, data.weights, chain.weights);
    close(ascent.hiddenBiases, data.hiddenBiases, chain.hiddenBiases);
    close(ascent.visibleBiases, data.visibleBiases, chain.visibleBiases);
    // The chain moves: it reaches states other than v0.
    expect(Math.max(...chain.visibleBiases.map((p, i) => Math.abs(p - v0[i])))).toBeGreaterThan(0.2);
  });

  it("vanishes on average for rows sampled from the machine itself", () => {
    const Z = total(visibleStates.map(overHidden));
    const rows = visibleStates.flatMap((v) =>
      Array.from({ length: Math.round((40_000 * overHidden(v)) / Z) }, () => v),
    );
    const { ascent } = contrastiveDivergence("binary", layer, Matrix.from(rows), 1, new Random(5));
    for (const value of ascent.weights.values) expect(Math.abs(value)).toBeLessThan(0.012);
  });

  it("samples Gaussian units around their means with variance 1", () => {
    const flat: TiedLayer = {
      weights: new Matrix(1, 1),
      hiddenBiases: new Float64Array(1),
      visibleBiases: Float64Array.of(2),
    };
    const rows = new Matrix(40_000, 1);
    const { ascent, distance } = contrastiveDivergence("gaussian", flat, rows, 1, new Random(2));
    // E[v] goes from 0 to 2, with a standard error of 0.005.
    expect(Math.abs(ascent.visibleBiases[0] + 2)).toBeLessThan(0.025);
    expect(distance / 40_000).toBeCloseTo(4, 10);
  });
});
