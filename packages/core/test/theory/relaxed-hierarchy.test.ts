import { describe, expect, it } from "vitest";
import { VouchError } from "#core/runtime/vouch-error.js";
import {
  type HierarchyEvidence,
  relaxedHierarchyBound,
  relaxedHierarchyClassBound,
} from "#core/theory/hierarchies/relaxed-hierarchy.js";

const evidence: HierarchyEvidence = {
  rows: 1000,
  confidence: 0.95,
  squaredRadius: 4,
  bounded: false,
  nodes: [
    { margin: 2, errors: 0, classes: 3 },
    { margin: 0.5, errors: 0, classes: 2 },
  ],
};

/** The formula for given D′ and N_G; the graph has Σ|S_j| = 5. */
function byHand(inverseMargins: number, nodes: number, rows: number): number {
  const log = Math.log2;
  const margins = 4 * inverseMargins * log(4 * Math.E * rows) * log(4 * rows);
  return (130 / rows) * (margins + nodes * log(2 * rows) + log(2 / 0.05) + 5 * log(3));
}

describe("Theorems 3.1 and 3.2 (Gao and Koller 2011, supplement)", () => {
  it("are the formula by hand, over all nodes and over those of a class", () => {
    const whole = relaxedHierarchyBound(evidence);
    expect(whole.value).toBeCloseTo(byHand(1 / 4 + 1 / 0.25, 2, 1000), 9);
    expect(whole).toMatchObject({ holds: true, terms: { N_G: 2, "R²": 4, "D′": 4.25 } });
    const ofClass = relaxedHierarchyClassBound(evidence, "cat", (node) => node === 0);
    expect(ofClass.value).toBeCloseTo(byHand(1 / 4, 1, 1000), 9);
    expect(ofClass.terms.N_G).toBe(1);
  });

  it("become informative for millions of rows, and say what is bounded", () => {
    const large = { ...evidence, rows: 1e7 };
    expect(relaxedHierarchyBound(large).statement).toMatch(
      /^With 95% confidence at most \S+% of new cases like these are misclassified/,
    );
    expect(relaxedHierarchyClassBound(large, "cat", () => true).statement).toMatch(
      /are of class cat and classified as another, or the other way round\.$/,
    );
  });

  it("need more than 46,300 rows for a value below 1, even with two classes and R²D′ = 1", () => {
    const best = { ...evidence, squaredRadius: 1, nodes: [{ margin: 1, errors: 0, classes: 2 }] };
    expect(relaxedHierarchyBound({ ...best, rows: 46_300 }).value).toBeGreaterThan(1);
    expect(relaxedHierarchyBound({ ...best, rows: 46_400 }).value).toBeLessThan(1);
  });

  it("do not depend on the unit of the features: R and γ scale together", () => {
    const scaled = {
      ...evidence,
      squaredRadius: 4 * 9,
      nodes: evidence.nodes.map((node) => ({ ...node, margin: 3 * node.margin })),
    };
    expect(relaxedHierarchyBound(scaled).value).toBeCloseTo(relaxedHierarchyBound(evidence).value, 9);
  });

  it("do not hold if a training row is on the wrong side", () => {
    const nodes = [evidence.nodes[0], { ...evidence.nodes[1], errors: 1 }];
    expect(relaxedHierarchyBound({ ...evidence, nodes })).toMatchObject({
      holds: false,
      value: Number.POSITIVE_INFINITY,
      reason:
        "The theorem is for hierarchies without training errors, but 1 of 2 nodes has training rows on the wrong side.",
    });
    // Theorem 3.2 needs only the nodes in which the class takes part.
    expect(relaxedHierarchyClassBound({ ...evidence, nodes }, "cat", (node) => node === 0).holds).toBe(true);
  });

  it("assume that new rows are in the ball, unless the kernel ensures it", () => {
    const assumed = (bounded: boolean) =>
      relaxedHierarchyBound({ ...evidence, bounded }).premises.filter(({ status }) => status === "assumed")
        .length;
    expect(assumed(false)).toBe(assumed(true) + 1);
  });

  it("reject impossible input", () => {
    for (const change of [{ rows: 0 }, { nodes: [] }, { squaredRadius: Number.POSITIVE_INFINITY }]) {
      expect(() => relaxedHierarchyBound({ ...evidence, ...change })).toThrowError(VouchError);
    }
  });
});
