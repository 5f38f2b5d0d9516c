import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VouchError } from "#vouch/runtime/vouch-error.js";
import {
  cascadeObjective,
  deepCascadeCertificates,
  leafPenalty,
} from "#vouch/theory/cascades/cascade-certificates.js";
import {
  deepCascadeEquation2,
  deepCascadeEquation6,
  deepCascadeEquation7,
  deepCascadeEquation8,
  deepCascadeEquation9,
} from "#vouch/theory/cascades/equations.js";
import {
  type CascadeLeaf,
  leafShares,
  productLeaf,
  realValuedProductLeaf,
} from "#vouch/theory/cascades/leaf-complexity.js";
import {
  type CascadeEvidence,
  capacity,
  cheapestSubset,
  deepCascadeDirect,
  deepCascadeTheorem1,
  logFamilies,
} from "#vouch/theory/cascades/theorem-1.js";
import type { Certificate } from "#vouch/theory/certificate.js";

/** Three leaves of 1,000 rows: the first two pay for their complexity (0.08 and 0.2), the third for its 30 rows. */
const evidence: CascadeEvidence = {
  rows: 1000,
  leaves: [
    { correct: 600, wrong: 20, complexity: 0.02 },
    { correct: 300, wrong: 40, complexity: 0.05 },
    { correct: 30, wrong: 10, complexity: 0.1 },
  ],
  families: 4,
  gatesChosen: false,
  mostLeaves: 3,
  confidence: 0.95,
};

const leaf = (facts: Partial<CascadeLeaf>): CascadeLeaf => {
  const { correct = 0, wrong = 0 } = facts;
  const rest = { level: 1, depth: 1, degree: 1, complexity: 0, gateComplexities: [] };
  return { ...rest, correct, wrong, points: correct + wrong, ...facts };
};

/** The same three leaves with r_k split into gates and leaf. */
const leaves = [
  leaf({ level: 1, depth: 1, correct: 600, wrong: 20, complexity: 0.0125, gateComplexities: [0.0075] }),
  leaf({ level: 2, depth: 2, correct: 300, wrong: 40, complexity: 0.0325, gateComplexities: [0.0075, 0.01] }),
  leaf({ level: 3, depth: 2, correct: 30, wrong: 10, complexity: 0.0825, gateComplexities: [0.0075, 0.01] }),
];

const fraction = fc.double({ min: 0, max: 0.3, noNaN: true });
const shareList = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 10 }), fraction),
  { minLength: 1, maxLength: 7 },
);

/** Random evidence: any leaves that share out their rows. */
const anyEvidence = fc
  .record({
    shares: shareList.filter((shares) => shares.some(([correct, wrong]) => correct + wrong > 0)),
    families: fc.integer({ min: 1, max: 5 }),
    gatesChosen: fc.boolean(),
    more: fc.integer({ min: 0, max: 3 }),
    scale: fc.constantFrom(1, 10, 1000),
  })
  .map(({ shares, families, gatesChosen, more, scale }): CascadeEvidence => {
    const list = shares.map(([c, w, complexity]) => ({ correct: c * scale, wrong: w * scale, complexity }));
    const rows = list.reduce((sum, { correct, wrong }) => sum + correct + wrong, 0);
    return { rows, leaves: list, families, gatesChosen, mostLeaves: list.length + more, confidence: 0.9 };
  });

function expectNumbers(certificate: Certificate): void {
  expect([certificate.value, ...Object.values(certificate.terms)]).not.toContain(Number.NaN);
}

describe("C(m, p, ρ)", () => {
  it("is (2/ρ)√(ln(pl)/m) + √(ln(pl)/(ρ²m) · ln(ρ²m/ln(pl))) by hand", () => {
    const { sampling, union } = capacity(1000, Math.log(12), 0.5);
    expect(sampling).toBeCloseTo(4 * Math.sqrt(Math.log(12) / 1000), 14);
    expect(union).toBeCloseTo(Math.sqrt((Math.log(12) / 250) * Math.log(250 / Math.log(12))), 14);
  });

  it("is 0 where there is nothing to choose, and a number where the logarithm is not positive", () => {
    expect(capacity(1000, 0, 0.5)).toEqual({ sampling: 0, union: 0 });
    for (const rows of [1, 2, 3]) {
      const { sampling, union } = capacity(rows, 3, 1);
      expect(union).toBe(0);
      expect(sampling).toBeGreaterThanOrEqual(2);
    }
  });

  it("counts pl families, and p^l where the gates are chosen, too", () => {
    expect(logFamilies(evidence)).toBeCloseTo(Math.log(12), 14);
    expect(logFamilies({ ...evidence, gatesChosen: true })).toBeCloseTo(3 * Math.log(4), 14);
    expect(logFamilies({ ...evidence, families: 1, gatesChosen: true })).toBeCloseTo(Math.log(3), 14);
  });
});

describe("Theorem 1", () => {
  it("is the sum of its terms by hand, for a fixed ρ that lets one leaf pay for its complexity", () => {
    const { value, terms } = deepCascadeTheorem1({ ...evidence, margin: 1 });
    const first = 2 * Math.sqrt(Math.log(12) / 1000);
    const second = Math.sqrt((Math.log(12) / 1000) * Math.log(1000 / Math.log(12)));
    const delta = Math.sqrt(Math.log(4 / 0.05) / 2000);
    // 𝓚 = {1, 2} with excess 0.6 − 0.08 and 0.3 − 0.2: leaf 2 goes to 𝓛 and pays 0.3.
    expect(value).toBeCloseTo(0.07 + 0.08 + 0.3 + 0.03 + first + second + delta, 12);
    const expected: [string, number][] = [
      ["training error", 0.07],
      ["leaf 1: m⁻/m", 0.02],
      ["leaf 1: m⁺/m", 0.6],
      ["leaf 1: 4r", 0.08],
      ["leaf 1: pays 4r (complexity)", 0.08],
      ["leaf 2: m⁻/m", 0.04],
      ["leaf 2: m⁺/m", 0.3],
      ["leaf 2: 4r", 0.2],
      ["leaf 2: pays m⁺/m (fraction)", 0.3],
      ["leaf 3: m⁻/m", 0.01],
      ["leaf 3: m⁺/m", 0.03],
      ["leaf 3: 4r", 0.4],
      ["leaf 3: pays m⁺/m (fraction)", 0.03],
      ["Σ min(4r, m⁺/m)", 0.31],
      ["min over 𝓛 of Σ [m⁺/m − 4r]", 0.1],
      ["ρ", 1],
      ["C(m, p, ρ): (2/ρ) √(ln(pl)/m)", first],
      ["C(m, p, ρ): √(ln(pl)/(ρ²m) · ln(ρ²m/ln(pl)))", second],
      ["√(ln(4/δ)/2m)", delta],
      ["price of choosing ρ", 0],
    ];
    expect(Object.keys(terms)).toEqual(expected.map(([name]) => name));
    for (const [name, term] of expected) expect(terms[name]).toBeCloseTo(term, 12);
  });

  it("takes the minimum over 𝓛 that trying all subsets finds", () => {
    fc.assert(
      fc.property(shareList, fc.double({ min: 0.05, max: 1, noNaN: true }), (list, margin) => {
        const shares = leafShares(
          list.map(([correct, wrong, complexity]) => ({ correct, wrong, complexity })),
          50,
          ({ complexity }) => 4 * complexity,
        );
        const excess = shares.map((share) => share.fraction - share.penalty).filter((x) => x > 0);
        let best = Number.POSITIVE_INFINITY;
        for (let subset = 0; subset < 2 ** excess.length; subset++) {
          const chosen = excess.filter((_, k) => (subset >> k) & 1);
          if (chosen.length < excess.length - 1 / margin) continue;
          best = Math.min(
            best,
            chosen.reduce((sum, x) => sum + x, 0),
          );
        }
        expect(cheapestSubset(shares, margin).surplus).toBeCloseTo(best, 12);
      }),
      { numRuns: 500, seed: 21 },
    );
  });

  it("lets exactly j leaves pay for their complexity at ρ = 1/j, whatever rounding does to 1/(1/j)", () => {
    const shares = leafShares(
      Array.from({ length: 120 }, () => ({ correct: 1, wrong: 0 })),
      120,
      () => 0,
    );
    for (let j = 1; j <= 120; j++) {
      const { paying } = cheapestSubset(shares, 1 / j);
      expect(paying.filter(({ active }) => active === "complexity")).toHaveLength(j);
    }
  });

  it("chooses the best ρ of a fine grid, for the price of ln(4l/δ) instead of ln(4/δ)", () => {
    fc.assert(
      fc.property(anyEvidence, (facts) => {
        const chosen = deepCascadeTheorem1(facts);
        const price = Math.sqrt(Math.log((4 * facts.mostLeaves) / 0.1) / (2 * facts.rows));
        const fixed = Math.sqrt(Math.log(4 / 0.1) / (2 * facts.rows));
        for (let step = 1; step <= 30; step++) {
          // Below 1/l no leaf more can pay for its complexity.
          const margin = 1 / facts.mostLeaves + (step / 30) * (1 - 1 / facts.mostLeaves);
          const { value } = deepCascadeTheorem1({ ...facts, margin });
          expect(chosen.value).toBeLessThanOrEqual(value - fixed + price + 1e-12);
        }
        expect(chosen.terms["price of choosing ρ"]).toBeCloseTo(price - fixed, 12);
      }),
      { numRuns: 50, seed: 22 },
    );
  });

  it("pays less for choosing ρ than the term √(ln log₂(2/ρ)/m) for all ρ > 0 would be", () => {
    for (let l = 2; l <= 50; l++) {
      for (const rows of [100, 10000]) {
        const one = [{ correct: rows, wrong: 0, complexity: 0.01 }];
        const { terms } = deepCascadeTheorem1({ ...evidence, rows, leaves: one, mostLeaves: l });
        expect(terms["price of choosing ρ"]).toBeLessThan(Math.sqrt(Math.log(Math.log2(2 * l)) / rows));
      }
    }
  });

  it("is never above equation (6), which is the same where ρ = 1/|𝓚| is best", () => {
    fc.assert(
      fc.property(anyEvidence, (facts) => {
        expect(deepCascadeTheorem1(facts).value).toBeLessThanOrEqual(
          deepCascadeEquation6(facts).value + 1e-12,
        );
      }),
      { numRuns: 200, seed: 23 },
    );
    const large = {
      ...evidence,
      rows: 1e8,
      leaves: [
        { correct: 5e7, wrong: 0, complexity: 0.01 },
        { correct: 5e7, wrong: 0, complexity: 0.01 },
      ],
    };
    expect(deepCascadeTheorem1(large).terms.ρ).toBe(0.5);
    expect(deepCascadeTheorem1(large).value).toBeCloseTo(deepCascadeEquation6(large).value, 12);
  });
});

describe("equation (6)", () => {
  it("is the sum of its terms by hand, with ρ = 1/|𝓚| = 1/2", () => {
    const { value, terms } = deepCascadeEquation6(evidence);
    const share = Math.log(12) / 250;
    const capacityTerm = 2 * Math.sqrt(share) + Math.sqrt(share * Math.log(1 / share));
    expect(terms.ρ).toBe(0.5);
    expect(value).toBeCloseTo(0.07 + 0.31 + capacityTerm + Math.sqrt(Math.log((4 * 3) / 0.05) / 2000), 12);
  });

  it("takes ρ = 1 where no leaf pays for its complexity", () => {
    const facts = { ...evidence, leaves: evidence.leaves.map((each) => ({ ...each, complexity: 1 })) };
    expect(deepCascadeEquation6(facts).terms.ρ).toBe(1);
  });
});

describe("the direct bound", () => {
  it("is the sum of its terms by hand", () => {
    const deviation = 2 * Math.sqrt((Math.log(3) + 3 * Math.log(4) + Math.log(7) + Math.log(20)) / 2000);
    // Σ r = 0.12 against Σ min(2r, m⁺/m) = 0.04 + 0.1 + 0.03, and 0.57 against the same.
    for (const [third, complexity] of [
      [0.05, 0.12],
      [0.5, 0.17],
    ]) {
      const [first, second, last] = evidence.leaves;
      const facts = { ...evidence, leaves: [first, second, { ...last, complexity: third }] };
      const { value, terms } = deepCascadeDirect(facts);
      expect(value).toBeCloseTo(0.07 + complexity + deviation, 12);
      expect(terms.deviation).toBeCloseTo(deviation, 12);
      expect(
        terms[third === 0.5 ? "leaf 3: pays m⁺/m (fraction)" : "leaf 3: pays r (complexity)"],
      ).toBeDefined();
    }
  });

  it("for one leaf and one family is the Rademacher bound R̂ + r + 2√(ln(1/δ)/2m) of any family", () => {
    const facts = {
      ...evidence,
      leaves: [{ correct: 900, wrong: 100, complexity: 0.05 }],
      families: 1,
      mostLeaves: 1,
    };
    const { value, terms } = deepCascadeDirect(facts);
    expect(value).toBeCloseTo(0.1 + 0.05 + 2 * Math.sqrt(Math.log(20) / 2000), 12);
    expect(terms["leaf 1: pays r (complexity)"]).toBe(0.05);
  });

  it("carries Theorem 1: where the printed value is lower, that one does not hold and says so", () => {
    const facts = {
      ...evidence,
      leaves: [{ correct: 1000, wrong: 0, complexity: 0 }],
      families: 1,
      mostLeaves: 1,
    };
    const printed = deepCascadeTheorem1(facts);
    expect(printed.value).toBeLessThan(deepCascadeDirect(facts).value);
    expect(printed.holds).toBe(false);
    expect(printed.reason).toContain("printed constants");
    expect(printed.statement).toContain("No guarantee");
    expect(deepCascadeTheorem1(evidence).value).toBeGreaterThan(deepCascadeDirect(evidence).value);
    expect(deepCascadeTheorem1(evidence).holds).toBe(true);
  });
});

describe("certificates of cascades", () => {
  const bounds = [deepCascadeTheorem1, deepCascadeEquation6, deepCascadeDirect];

  it("say what they mean, and when they say nothing", () => {
    const direct = deepCascadeDirect(evidence);
    expect(direct.holds).toBe(true);
    expect(direct.statement).toMatch(
      /^With 95 % confidence at most \d\d\.\d % of new cases like these are misclassified, from the 1,000 training rows alone\.$/,
    );
    for (const bound of bounds) {
      const small = {
        ...evidence,
        rows: 1,
        leaves: [{ correct: 1, wrong: 0, complexity: 1 }],
        mostLeaves: 9,
      };
      const certificate = bound(small);
      expect(certificate.value).toBeGreaterThanOrEqual(1);
      expect(certificate.reason).toContain("not below 1");
      expect(certificate.statement).toContain("No guarantee");
    }
  });

  it("do not hold where the complexities are no bounds", () => {
    for (const bound of bounds) {
      const certificate = bound({ ...evidence, complexityFault: "The radius is that of the trained node." });
      expect(certificate.holds).toBe(false);
      expect(certificate.reason).toBe("The radius is that of the trained node.");
      expect(certificate.premises.filter(({ holds }) => !holds)).toHaveLength(1);
    }
  });

  it("are numbers for all evidence, infinite complexities too", () => {
    fc.assert(
      fc.property(anyEvidence, fc.boolean(), (facts, infinite) => {
        const complexity = Number.POSITIVE_INFINITY;
        const list = infinite ? facts.leaves.map((each) => ({ ...each, complexity })) : facts.leaves;
        for (const bound of bounds) expectNumbers(bound({ ...facts, leaves: list }));
      }),
      { numRuns: 200, seed: 24 },
    );
  });

  it("refuse facts that no cascade has", () => {
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
    for (const margin of [0, -1, 1.5, Number.NaN]) {
      expect(() => deepCascadeTheorem1({ ...evidence, margin })).toThrowError(`${margin}`);
    }
  });

  it("come all together from the facts of a cascade", () => {
    const certificates = deepCascadeCertificates({ ...evidence, leaves, objective: { leaves, gamma: 0.1 } });
    expect(certificates.map(({ name }) => name)).toEqual([
      "deep-cascade-theorem-1",
      "deep-cascade-equation-6",
      "deep-cascade-direct",
      "deep-cascade-equation-9",
    ]);
    expect(certificates[0].value).toBeCloseTo(deepCascadeTheorem1(evidence).value, 12);
    expect(certificates[3].value).toBe(cascadeObjective(leaves, 1000, 0.1));
  });
});

describe("objectives", () => {
  it("(2) and (8) are R̂ + Σ min(4r, m⁺/m), r from the gates and the leaf", () => {
    expect(deepCascadeEquation2(evidence.leaves, 1000).value).toBeCloseTo(0.07 + 0.31, 12);
    expect(deepCascadeEquation8(leaves, 1000).value).toBeCloseTo(0.07 + 0.31, 12);
    expect(deepCascadeEquation8(leaves, 1000).name).toBe("deep-cascade-equation-8");
  });

  it("(7) divides by the smallest margin, and twice the complexity for real values", () => {
    const real = leaves.map((each, k) =>
      realValuedProductLeaf({ ...each, smallestMargin: [0.5, 0.25, 1][k] }),
    );
    expect(real.map(({ complexity }) => complexity)).toEqual(
      [0.04, 0.1, 0.2].map((r) => expect.closeTo(r, 12)),
    );
    // 4r/ρ: 0.32, 1.6, 0.8 against 0.6, 0.3, 0.03.
    const { value, terms } = deepCascadeEquation7(real, 1000);
    expect(value).toBeCloseTo(0.07 + 0.32 + 0.3 + 0.03, 12);
    expect(terms["Σ 1/ρ of the leaves that pay 4r/ρ"]).toBe(2);
    const empty = [productLeaf(leaf({ wrong: 10, complexity: 0, smallestMargin: 0 }))];
    expect(deepCascadeEquation7(empty, 10).value).toBe(1);
    expect(() => deepCascadeEquation7(evidence.leaves, 1000)).toThrowError("smallest margin");
  });

  it("(9) is Σ [m⁻/m + min(4γ(Σ c(Q) + c(H)), m⁺/m)]", () => {
    const { value, terms } = deepCascadeEquation9(leaves, 1000, 0.5);
    expect(leafPenalty(leaves[1], 0.5)).toBeCloseTo(0.1, 12);
    expect(value).toBeCloseTo(0.07 + 0.04 + 0.1 + 0.03, 12);
    expect(value).toBe(cascadeObjective(leaves, 1000, 0.5));
    expect(terms["leaf 2: P"]).toBeCloseTo(0.1, 12);
    expect(terms.γ).toBe(0.5);
    expect(() => deepCascadeEquation9(leaves, 1000, 0)).toThrowError("γ is 0");
  });

  it("(9) is exactly 1 whenever all leaves pay for their points, so that such cascades tie", () => {
    fc.assert(
      fc.property(shareList, (list) => {
        const saturated = list.map(([correct, wrong]) => leaf({ correct, wrong, complexity: 1 }));
        const rows = saturated.reduce((sum, { points }) => sum + points, 0);
        fc.pre(rows > 0);
        expect(cascadeObjective(saturated, rows, 1)).toBe(1);
      }),
      { seed: 25 },
    );
  });

  it("never claim to be bounds", () => {
    const certificates = [
      deepCascadeEquation2(evidence.leaves, 1000),
      deepCascadeEquation7(
        leaves.map((each) => productLeaf({ ...each, smallestMargin: 1 })),
        1000,
      ),
      deepCascadeEquation8(leaves, 1000),
      deepCascadeEquation9(leaves, 1000, 1),
    ];
    for (const certificate of certificates) {
      expect(certificate.holds).toBe(false);
      expect(certificate.confidence).toBe(0);
      expect(certificate.reason).toContain("Õ");
      expectNumbers(certificate);
    }
  });
});
