import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Certificate } from "vouch";
import {
  adaBoostFinite,
  adaBoostVc,
  finiteClass,
  forestFirstOrder,
  forestTandem,
  growthFunction,
  growthFunctionExact,
  heldOutBinomial,
  heldOutHoeffding,
  marginFinite,
  marginVc,
  mddfMargin,
  networkMargin,
  relaxedHierarchyBound,
  sampleCompression,
  vcBound,
} from "vouch/theory";
import { VouchError } from "#core/runtime/vouch-error.js";
import { deepCascadeCertificates } from "#core/theory/cascades/theorem-1.js";
import { chooseBest } from "#core/theory/certificate.js";

interface Evidence {
  readonly rows: number;
  readonly errors: number;
  readonly confidence: number;
}

const evidence: fc.Arbitrary<Evidence> = fc
  .record({
    rows: fc.integer({ min: 2, max: 2000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    confidence: fc.constantFrom(0.1, 0.5, 0.9, 0.95, 0.999),
  })
  .map(({ rows, share, confidence }) => ({ rows, errors: Math.round(share * rows), confidence }));

const margins = Array.from({ length: 101 }, (_, i) => i / 50 - 1);

/** Bounds from the training error, each with further facts that are as good as any. */
const fromTrainingError: Readonly<Record<string, (evidence: Evidence) => Certificate>> = {
  vc: (facts) => vcBound({ ...facts, vcDimension: 5 }),
  "growth function": (facts) => growthFunction({ ...facts, logGrowth: () => 3 }),
  "exact growth function": (facts) => growthFunctionExact({ ...facts, logGrowth: (m) => 2 * Math.log(m) }),
  "finite class": (facts) => finiteClass({ ...facts, logSize: 4 }),
  "adaboost, vc": (facts) => adaBoostVc({ ...facts, rounds: 2, vcDimension: 3 }),
  "adaboost, finite": (facts) => adaBoostFinite({ ...facts, rounds: 2, logSize: 4 }),
  "margins, vc": (facts) => marginVc({ ...facts, margins, vcDimension: 2 }),
  "margins, finite": (facts) => marginFinite({ ...facts, margins, logSize: 2 }, 0.9),
};

const bounds: Readonly<Record<string, (evidence: Evidence) => Certificate>> = {
  ...fromTrainingError,
  binomial: heldOutBinomial,
  hoeffding: heldOutHoeffding,
  mddf: ({ rows, confidence }) =>
    mddfMargin({
      margins: Float64Array.from({ length: rows }, (_, i) => Math.cos(i)),
      layers: [{ alpha: 1, logFamilySize: 10 }],
      classes: 2,
      outOfFold: true,
      confidence,
    }),
  "first-order forest": ({ rows, errors, confidence }) =>
    forestFirstOrder({ rows, confidence, gibbsLoss: errors / rows, outOfBagRows: rows / 3, divergence: 0.5 }),
  "tandem forest": ({ rows, errors, confidence }) =>
    forestTandem({ rows, confidence, tandemLoss: errors / rows, outOfBagRows: rows / 9, divergence: 0.5 }),
  compression: ({ rows, errors, confidence }) =>
    sampleCompression({ rows, errors: Math.min(errors, rows - 1), confidence, kept: 1, premises: [] }),
};

function expectToAddUp({ name, value, parts }: Certificate): void {
  if (!parts) throw new Error(`${name} has no parts.`);
  const values = Object.values(parts);
  for (const part of values) expect(part, name).toBeGreaterThanOrEqual(0);
  const sum = values.reduce((a, b) => a + b, 0);
  if (Number.isFinite(value)) expect(Math.abs(sum - value), name).toBeLessThan(1e-9 * Math.max(1, value));
  else expect(sum, name).toBe(value);
}

/** The certificates of a cascade of two leaves, one for each half of the rows. */
function cascadeOf({ rows, errors, confidence }: Evidence): Certificate[] {
  const half = Math.floor(rows / 2);
  const wrong = Math.min(errors, half);
  const leaf = { level: 1, depth: 1, degree: 1, gateComplexities: [0.01] };
  const leaves = [
    { ...leaf, complexity: 0.02, points: half, correct: half - wrong, wrong },
    { ...leaf, complexity: 0.3, points: rows - half, correct: rows - half, wrong: 0 },
  ];
  const choices = { families: 3, gatesChosen: false, mostLeaves: 2 };
  return deepCascadeCertificates({
    rows,
    confidence,
    leaves,
    ...choices,
    objective: { leaves, gamma: 0.1 },
  });
}

describe("the parts of a certificate", () => {
  it.each(Object.entries(bounds))("add up to its value: %s", (_, bound) => {
    fc.assert(
      fc.property(evidence, (facts) => expectToAddUp(bound(facts))),
      { numRuns: 30 },
    );
  });

  it("add up for cascades", () => {
    fc.assert(
      fc.property(evidence, (facts) => cascadeOf(facts).forEach(expectToAddUp)),
      { numRuns: 30 },
    );
  });

  it("add up for networks and hierarchies", () => {
    const network = networkMargin({
      rows: 500,
      errors: 5,
      confidence: 0.95,
      activation: "tanh",
      layers: [{ weights: 2, biases: 0.5 }],
      meanSquaredNorm: 4,
      classes: 3,
      singleOutput: false,
      margins,
    });
    expectToAddUp(network);
    const hierarchy = { rows: 5000, confidence: 0.9, squaredRadius: 1, bounded: true };
    const node = { margin: 0.5, errors: 0, classes: 3 };
    expectToAddUp(relaxedHierarchyBound({ ...hierarchy, nodes: [node, node] }));
    expect(relaxedHierarchyBound({ ...hierarchy, nodes: [{ ...node, errors: 1 }] }).parts).toBeUndefined();
  });

  it("are those of the smallest bound for the best of several", () => {
    const facts = { rows: 100, errors: 3, confidence: 0.95 };
    const best = chooseBest([heldOutHoeffding(facts), heldOutBinomial(facts)], 0.9);
    expectToAddUp(best);
    expect(best.parts).toHaveProperty("error on held-out rows", 0.03);
  });
});

it.each(Object.entries(fromTrainingError))(
  "a bound from the training error rejects a confidence outside (0, 1) and impossible counts: %s",
  (_, bound) => {
    const usual = { rows: 600, errors: 30, confidence: 0.95 };
    for (const confidence of [0, 1, Number.NaN]) {
      expect(() => bound({ ...usual, confidence })).toThrowError(`${confidence}`);
    }
    for (const counts of [
      { rows: 0, errors: 0 },
      { rows: 5, errors: 6 },
      { rows: 5.5, errors: 1 },
    ]) {
      expect(() => bound({ ...usual, ...counts })).toThrowError(VouchError);
    }
  },
);
