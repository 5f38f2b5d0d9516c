import fc from "fast-check";
import type { CascadeEvidence } from "#core/theory/cascades/direct-bound.js";
import type { CascadeLeaf } from "#core/theory/cascades/leaf-complexity.js";

/** Three leaves of 1,000 rows. In Theorem 1 the first two cost their complexity (0.08 and 0.2), the third its 30 rows. */
export const evidence: CascadeEvidence = {
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

/** A leaf with given facts, empty and without complexity by default. */
export function leaf(facts: Partial<CascadeLeaf>): CascadeLeaf {
  const { correct = 0, wrong = 0 } = facts;
  const rest = { level: 1, depth: 1, degree: 1, complexity: 0, gateComplexities: [] };
  return { ...rest, correct, wrong, points: correct + wrong, ...facts };
}

/** The same three leaves with r_k divided into gates and leaf. */
export const leaves = [
  leaf({ level: 1, depth: 1, correct: 600, wrong: 20, complexity: 0.0125, gateComplexities: [0.0075] }),
  leaf({ level: 2, depth: 2, correct: 300, wrong: 40, complexity: 0.0325, gateComplexities: [0.0075, 0.01] }),
  leaf({ level: 3, depth: 2, correct: 30, wrong: 10, complexity: 0.0825, gateComplexities: [0.0075, 0.01] }),
];

/** Correct rows, wrong rows and complexity of some leaves. */
export const leafList = fc.array(
  fc.tuple(
    fc.integer({ min: 0, max: 40 }),
    fc.integer({ min: 0, max: 10 }),
    fc.double({ min: 0, max: 0.3, noNaN: true }),
  ),
  { minLength: 1, maxLength: 7 },
);

/** Any evidence whose leaves share out the rows. */
export const anyEvidence = fc
  .record({
    list: leafList.filter((list) => list.some(([correct, wrong]) => correct + wrong > 0)),
    families: fc.integer({ min: 1, max: 5 }),
    gatesChosen: fc.boolean(),
    more: fc.integer({ min: 0, max: 3 }),
    scale: fc.constantFrom(1, 10, 1000),
  })
  .map(({ list, families, gatesChosen, more, scale }): CascadeEvidence => {
    const scaled = list.map(([c, w, complexity]) => ({ correct: c * scale, wrong: w * scale, complexity }));
    const rows = scaled.reduce((sum, { correct, wrong }) => sum + correct + wrong, 0);
    const mostLeaves = scaled.length + more;
    return { rows, leaves: scaled, families, gatesChosen, mostLeaves, confidence: 0.9 };
  });
