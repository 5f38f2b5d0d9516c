import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VouchError } from "#core/runtime/vouch-error.js";
import { type CascadeEvidence, deepCascadeDirect } from "#core/theory/cascades/direct-bound.js";
import { cascadeObjective } from "#core/theory/cascades/objectives.js";
import {
  deepCascadeCertificates,
  deepCascadeEquation6,
  deepCascadeTheorem1,
} from "#core/theory/cascades/theorem-1.js";
import { anyEvidence, evidence, leafList, leaves } from "./cascade-evidence.js";

const SAMPLING = "C(m, p, ρ): (2/ρ) √(ln(pl)/m)";
const UNION = "C(m, p, ρ): √(ln(pl)/(ρ²m) · ln(ρ²m/ln(pl)))";
const SURPLUS = "min over 𝓛 of Σ [m⁺/m − 4r]";

describe("C(m, p, ρ)", () => {
  /** The two roots for one leaf of so many rows, among 4 families and at most 3 leaves unless said otherwise. */
  function roots(rows: number, margin: number, change: Partial<CascadeEvidence> = {}): [number, number] {
    const one = [{ correct: rows, wrong: 0, complexity: 0 }];
    const { terms } = deepCascadeTheorem1({ ...evidence, rows, leaves: one, margin, ...change });
    return [terms[SAMPLING], terms[UNION]];
  }

  it("is (2/ρ)√(ln(pl)/m) + √(ln(pl)/(ρ²m) · ln(ρ²m/ln(pl))) by hand", () => {
    const [sampling, union] = roots(1000, 0.5);
    expect(sampling).toBeCloseTo(4 * Math.sqrt(Math.log(12) / 1000), 14);
    expect(union).toBeCloseTo(Math.sqrt((Math.log(12) / 250) * Math.log(250 / Math.log(12))), 14);
  });

  it("is 0 if there is nothing to choose, and a number if the logarithm is not positive", () => {
    expect(roots(1000, 0.5, { families: 1, mostLeaves: 1 })).toEqual([0, 0]);
    for (const rows of [1, 2]) {
      const [sampling, union] = roots(rows, 1);
      expect(union).toBe(0);
      expect(sampling).toBeGreaterThanOrEqual(2);
    }
  });

  it("counts pl families, and p^l if the gates are chosen too", () => {
    const logChoices = (change: Partial<CascadeEvidence>) => (roots(1000, 1, change)[0] / 2) ** 2 * 1000;
    expect(logChoices({})).toBeCloseTo(Math.log(12), 12);
    expect(logChoices({ gatesChosen: true })).toBeCloseTo(3 * Math.log(4), 12);
    expect(logChoices({ families: 1, gatesChosen: true })).toBeCloseTo(Math.log(3), 12);
  });
});

describe("Theorem 1 (DeSalvo, Mohri and Syed 2015)", () => {
  it("is the sum of its terms by hand, for a fixed ρ that lets one leaf cost its complexity", () => {
    const { value, terms, role } = deepCascadeTheorem1({ ...evidence, margin: 1 });
    const first = 2 * Math.sqrt(Math.log(12) / 1000);
    const second = Math.sqrt((Math.log(12) / 1000) * Math.log(1000 / Math.log(12)));
    const delta = Math.sqrt(Math.log(4 / 0.05) / 2000);
    // 𝓚 = {1, 2} with excess 0.6 − 0.08 and 0.3 − 0.2: leaf 2 goes to 𝓛 and costs 0.3.
    expect(value).toBeCloseTo(0.07 + 0.08 + 0.3 + 0.03 + first + second + delta, 12);
    const expected: [string, number][] = [
      ["training error", 0.07],
      ["leaf 1: m⁻/m", 0.02],
      ["leaf 1: m⁺/m", 0.6],
      ["leaf 1: 4r", 0.08],
      ["leaf 1: cost 4r (complexity)", 0.08],
      ["leaf 2: m⁻/m", 0.04],
      ["leaf 2: m⁺/m", 0.3],
      ["leaf 2: 4r", 0.2],
      ["leaf 2: cost m⁺/m (cap)", 0.3],
      ["leaf 3: m⁻/m", 0.01],
      ["leaf 3: m⁺/m", 0.03],
      ["leaf 3: 4r", 0.4],
      ["leaf 3: cost m⁺/m (cap)", 0.03],
      ["Σ min(4r, m⁺/m)", 0.31],
      [SURPLUS, 0.1],
      ["ρ", 1],
      [SAMPLING, first],
      [UNION, second],
      ["√(ln(4/δ)/2m)", delta],
      ["price of choosing ρ", 0],
    ];
    expect(Object.keys(terms)).toEqual(expected.map(([name]) => name));
    for (const [name, term] of expected) expect(terms[name]).toBeCloseTo(term, 12);
    expect(role).toBe("comparison");
  });

  it("takes the minimum over 𝓛 that trying all subsets finds", () => {
    fc.assert(
      fc.property(leafList, fc.double({ min: 0.05, max: 1, noNaN: true }), (list, margin) => {
        const given = list.map(([correct, wrong, complexity]) => ({ correct, wrong, complexity }));
        const rows = given.reduce((sum, { correct, wrong }) => sum + correct + wrong, 0);
        fc.pre(rows > 0);
        const excess = given
          .map(({ correct, complexity }) => correct / rows - 4 * complexity)
          .filter((x) => x > 0);
        let best = Number.POSITIVE_INFINITY;
        for (let subset = 0; subset < 2 ** excess.length; subset++) {
          const chosen = excess.filter((_, k) => (subset >> k) & 1);
          if (chosen.length < excess.length - 1 / margin) continue;
          best = Math.min(
            best,
            chosen.reduce((sum, x) => sum + x, 0),
          );
        }
        const { terms } = deepCascadeTheorem1({ ...evidence, rows, leaves: given, mostLeaves: 7, margin });
        expect(terms[SURPLUS]).toBeCloseTo(best, 12);
      }),
      { numRuns: 200, seed: 21 },
    );
  });

  it("lets exactly j leaves cost their complexity at ρ = 1/j, whatever rounding does to 1/(1/j)", () => {
    const many = Array.from({ length: 60 }, () => ({ correct: 1, wrong: 0, complexity: 0 }));
    // The first j with 1/(1/j) < j is 49.
    for (let j = 1; j <= 60; j++) {
      const facts = { ...evidence, rows: 60, leaves: many, mostLeaves: 60, margin: 1 / j };
      // Each leaf at its cap adds 1/60.
      expect(deepCascadeTheorem1(facts).terms[SURPLUS]).toBeCloseTo((60 - j) / 60, 12);
    }
  });

  it("chooses the best ρ of a fine grid, at the price of ln(4l/δ) instead of ln(4/δ)", () => {
    fc.assert(
      fc.property(anyEvidence, (facts) => {
        const chosen = deepCascadeTheorem1(facts);
        const price = Math.sqrt(Math.log((4 * facts.mostLeaves) / 0.1) / (2 * facts.rows));
        const fixed = Math.sqrt(Math.log(4 / 0.1) / (2 * facts.rows));
        for (let step = 1; step <= 30; step++) {
          // Below 1/l no further leaf can cost its complexity.
          const margin = 1 / facts.mostLeaves + (step / 30) * (1 - 1 / facts.mostLeaves);
          const { value } = deepCascadeTheorem1({ ...facts, margin });
          expect(chosen.value).toBeLessThanOrEqual(value - fixed + price + 1e-12);
        }
        expect(chosen.terms["price of choosing ρ"]).toBeCloseTo(price - fixed, 12);
      }),
      { numRuns: 30, seed: 22 },
    );
  });

  it("pays less for choosing ρ than the term √(ln log₂(2/ρ)/m) for all ρ > 0", () => {
    for (let l = 2; l <= 50; l++) {
      for (const rows of [100, 10000]) {
        const one = [{ correct: rows, wrong: 0, complexity: 0.01 }];
        const { terms } = deepCascadeTheorem1({ ...evidence, rows, leaves: one, mostLeaves: l });
        expect(terms["price of choosing ρ"]).toBeLessThan(Math.sqrt(Math.log(Math.log2(2 * l)) / rows));
      }
    }
  });

  it("is never above equation (6), and equal if ρ = 1/|𝓚| is best", () => {
    fc.assert(
      fc.property(anyEvidence, (facts) => {
        expect(deepCascadeTheorem1(facts).value).toBeLessThanOrEqual(
          deepCascadeEquation6(facts).value + 1e-12,
        );
      }),
      { numRuns: 100, seed: 23 },
    );
    const half = { correct: 5e7, wrong: 0, complexity: 0.01 };
    const large = { ...evidence, rows: 1e8, leaves: [half, half] };
    expect(deepCascadeTheorem1(large).terms.ρ).toBe(0.5);
    expect(deepCascadeTheorem1(large).value).toBeCloseTo(deepCascadeEquation6(large).value, 12);
  });

  it("does not hold, and says so, if the printed value is below the direct bound", () => {
    const one = [{ correct: 1000, wrong: 0, complexity: 0 }];
    const facts = { ...evidence, leaves: one, families: 1, mostLeaves: 1 };
    const printed = deepCascadeTheorem1(facts);
    expect(printed.value).toBeLessThan(deepCascadeDirect(facts).value);
    expect(printed.holds).toBe(false);
    expect(printed.statement).toMatch(/^No guarantee: The printed constants/);
    expect(deepCascadeTheorem1(evidence).value).toBeGreaterThan(deepCascadeDirect(evidence).value);
    expect(deepCascadeTheorem1(evidence).holds).toBe(true);
  });

  it("rejects an impossible ρ", () => {
    for (const margin of [0, -1, 1.5, Number.NaN]) {
      expect(() => deepCascadeTheorem1({ ...evidence, margin })).toThrowError(`${margin}`);
    }
  });
});

describe("equation (6)", () => {
  it("is the sum of its terms by hand, with ρ = 1/|𝓚| = 1/2", () => {
    const { value, terms } = deepCascadeEquation6(evidence);
    const share = Math.log(12) / 250;
    const capacity = 2 * Math.sqrt(share) + Math.sqrt(share * Math.log(1 / share));
    expect(terms.ρ).toBe(0.5);
    expect(value).toBeCloseTo(0.07 + 0.31 + capacity + Math.sqrt(Math.log((4 * 3) / 0.05) / 2000), 12);
  });

  it("takes ρ = 1 if all leaves are at their caps", () => {
    const facts = { ...evidence, leaves: evidence.leaves.map((each) => ({ ...each, complexity: 1 })) };
    expect(deepCascadeEquation6(facts).terms.ρ).toBe(1);
  });
});

describe("every bound for cascades", () => {
  const bounds = [deepCascadeTheorem1, deepCascadeEquation6, deepCascadeDirect];

  it("is vacuous, and says why, for too few rows", () => {
    const one = [{ correct: 1, wrong: 0, complexity: 1 }];
    for (const bound of bounds) {
      const certificate = bound({ ...evidence, rows: 1, leaves: one, mostLeaves: 9 });
      expect(certificate.value).toBeGreaterThanOrEqual(1);
      expect(certificate.statement).toMatch(
        /^No guarantee: The bound is vacuous .* 1 training row is too few/,
      );
    }
  });

  it("does not hold if the complexities are not upper bounds", () => {
    for (const bound of bounds) {
      const certificate = bound({ ...evidence, complexityFault: "The radius is that of the trained node." });
      expect(certificate.holds).toBe(false);
      expect(certificate.reason).toBe("The radius is that of the trained node.");
      expect(certificate.premises.filter(({ status }) => status === "violated")).toHaveLength(1);
    }
  });

  it("is a number for all evidence, including infinite complexities", () => {
    fc.assert(
      fc.property(anyEvidence, fc.boolean(), (facts, infinite) => {
        const complexity = Number.POSITIVE_INFINITY;
        const list = infinite ? facts.leaves.map((each) => ({ ...each, complexity })) : facts.leaves;
        for (const bound of bounds) {
          const { value, terms } = bound({ ...facts, leaves: list });
          expect([value, ...Object.values(terms)]).not.toContain(Number.NaN);
        }
      }),
      { numRuns: 100, seed: 24 },
    );
  });

  it("rejects evidence that no cascade can have", () => {
    const impossible: Partial<CascadeEvidence>[] = [
      { rows: 999 },
      { rows: 0, leaves: [] },
      { families: 0 },
      { mostLeaves: 2 },
      { confidence: 1 },
      { leaves: [{ correct: 1000, wrong: 0, complexity: Number.NaN }] },
      { leaves: [{ correct: 1000, wrong: 0, complexity: -0.1 }] },
      { leaves: [{ correct: 1000.5, wrong: -0.5, complexity: 0.1 }] },
    ];
    for (const facts of impossible) {
      for (const bound of bounds) expect(() => bound({ ...evidence, ...facts })).toThrowError(VouchError);
    }
  });

  it("is listed for a trained cascade, with the objective that the search minimised", () => {
    const certificates = deepCascadeCertificates({ ...evidence, leaves, objective: { leaves, gamma: 0.1 } });
    expect(certificates.map(({ name, role }) => [name, role])).toEqual([
      ["deep-cascade-theorem-1", "comparison"],
      ["deep-cascade-equation-6", "comparison"],
      ["deep-cascade-direct", undefined],
      ["deep-cascade-equation-9", "comparison"],
    ]);
    expect(certificates[0].value).toBeCloseTo(deepCascadeTheorem1(evidence).value, 12);
    expect(certificates[3].value).toBe(cascadeObjective(leaves, 1000, 0.1));
  });
});
