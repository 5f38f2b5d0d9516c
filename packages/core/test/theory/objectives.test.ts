import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { productLeaf, realValuedProductLeaf } from "#core/theory/cascades/leaf-complexity.js";
import {
  cascadeObjective,
  deepCascadeEquation2,
  deepCascadeEquation7,
  deepCascadeEquation8,
  deepCascadeEquation9,
  leafPenalty,
} from "#core/theory/cascades/objectives.js";
import { evidence, leaf, leafList, leaves } from "./cascade-evidence.js";

describe("objectives of cascades (DeSalvo, Mohri and Syed 2015)", () => {
  it("(2) and (8) are R̂ + Σ min(4r, m⁺/m), r from the gates and the leaf", () => {
    expect(deepCascadeEquation2(evidence.leaves, 1000).value).toBeCloseTo(0.07 + 0.31, 12);
    expect(deepCascadeEquation8(leaves, 1000).value).toBeCloseTo(0.07 + 0.31, 12);
    expect(deepCascadeEquation8(leaves, 1000).name).toBe("deep-cascade-equation-8");
  });

  it("(7) divides by the smallest margin, with twice the complexity for real values", () => {
    const real = leaves.map((each, k) =>
      realValuedProductLeaf({ ...each, smallestMargin: [0.5, 0.25, 1][k] }),
    );
    // r: 0.04, 0.1, 0.2, so 4r/ρ: 0.32, 1.6, 0.8 against 0.6, 0.3, 0.03.
    const { value, terms } = deepCascadeEquation7(real, 1000);
    expect(value).toBeCloseTo(0.07 + 0.32 + 0.3 + 0.03, 12);
    expect(terms["Σ 1/ρ of the leaves with cost 4r/ρ"]).toBe(2);
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
    expect(() => deepCascadeEquation9(leaves, 1000, 0)).toThrowError("γ must be above 0, not 0.");
  });

  it("(9) is exactly 1 if all leaves are at their caps, so such cascades tie", () => {
    fc.assert(
      fc.property(leafList, (list) => {
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
      expect(certificate).toMatchObject({ holds: false, confidence: 0, role: "comparison" });
      expect(certificate.reason).toContain("Õ");
      expect([certificate.value, ...Object.values(certificate.terms)]).not.toContain(Number.NaN);
    }
  });
});
