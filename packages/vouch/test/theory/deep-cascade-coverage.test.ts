import { describe, expect, it } from "vitest";
import { Random } from "#vouch/runtime/random.js";
import {
  type CascadeEvidence,
  deepCascadeDirect,
  deepCascadeTheorem1,
} from "#vouch/theory/cascades/theorem-1.js";
import { monteCarloRademacher, oneByOne } from "#vouch/theory/margins/rademacher.js";

/**
 * A problem of which everything is known: x is uniform on six places, y is +1 with probability CHANCE[x]. Cascades have
 * two leaves: a gate x < θ, and a labelling of the places by −1 and +1 that is a threshold function on each side.
 */
const PLACES = 6;
const CHANCE = [0.95, 0.9, 0.2, 0.15, 0.8, 0.5];
const ROWS = 1500;
const SAMPLES = 40;

const gates = Array.from({ length: PLACES + 1 }, (_, cut) => places((x) => (x < cut ? 1 : 0)));
const thresholds = Array.from({ length: PLACES }, (_, cut) => places((x) => (x < cut ? 1 : -1)));
const classifiers = [...thresholds, ...thresholds.map((h) => h.map((value) => -value))];

function places(value: (x: number) => number): number[] {
  return Array.from({ length: PLACES }, (_, x) => value(x));
}

/** How often each place was drawn with label +1 and −1. */
interface Counts {
  readonly right: readonly number[];
  readonly left: readonly number[];
}

function draw(random: Random): Counts {
  const right = places(() => 0);
  const left = places(() => 0);
  for (let i = 0; i < ROWS; i++) {
    const x = random.integer(PLACES);
    if (random.uniform() < CHANCE[x]) right[x]++;
    else left[x]++;
  }
  return { right, left };
}

/** What a leaf does on the places where its selector is 1: true error, and rows that are right and wrong. */
function atLeaf(selector: readonly number[], h: readonly number[], { right, left }: Counts) {
  let error = 0;
  let correct = 0;
  let wrong = 0;
  for (let x = 0; x < PLACES; x++) {
    if (selector[x] === 0) continue;
    error += (h[x] > 0 ? 1 - CHANCE[x] : CHANCE[x]) / PLACES;
    correct += h[x] > 0 ? right[x] : left[x];
    wrong += h[x] > 0 ? left[x] : right[x];
  }
  return { error, correct, wrong };
}

/** R̂_S of all products of a gate (or its complement) and a classifier, from few draws: not an upper bound. */
function productComplexity(counts: Counts, random: Random): number {
  const at = counts.right.map((count, x) => count + counts.left[x]);
  const family = [...gates, ...gates.map((q) => q.map((value) => 1 - value))].flatMap((q) =>
    classifiers.map((h) => h.map((value, x) => value * q[x])),
  );
  const supremum = (signs: Int8Array): number => {
    let row = 0;
    const sums = at.map((count) => {
      let sum = 0;
      for (const end = row + count; row < end; row++) sum += signs[row];
      return sum;
    });
    return Math.max(...family.map((f) => f.reduce((total, value, x) => total + value * sums[x], 0)));
  };
  return monteCarloRademacher(ROWS, oneByOne(supremum), { draws: 30, random, confidence: 0.9 }).mean;
}

/** Calls back with the true error and the evidence of every cascade. */
function eachCascade(
  counts: Counts,
  r: number,
  visit: (error: number, evidence: CascadeEvidence) => void,
): void {
  for (const gate of gates) {
    const rest = gate.map((value) => 1 - value);
    for (const first of classifiers.map((h) => atLeaf(gate, h, counts))) {
      for (const second of classifiers.map((h) => atLeaf(rest, h, counts))) {
        const leaves = [first, second].map(({ correct, wrong }) => ({ correct, wrong, complexity: r }));
        const facts = { families: 1, gatesChosen: false, mostLeaves: 2, confidence: 0.9 };
        visit(first.error + second.error, { rows: ROWS, leaves, ...facts });
      }
    }
  }
}

describe.each([
  ["Theorem 1", deepCascadeTheorem1],
  ["the direct bound", deepCascadeDirect],
])("%s", (_, bound) => {
  it("is above the true error of all cascades at once, in at least 90 % of the samples, and says something", () => {
    const random = new Random(3);
    let failed = 0;
    let trainingErrorFailed = 0;
    let smallest = 1;
    for (let sample = 0; sample < SAMPLES; sample++) {
      const counts = draw(random);
      const r = productComplexity(counts, random);
      let covered = true;
      let coveredByTrainingError = true;
      eachCascade(counts, r, (error, evidence) => {
        const { value, terms } = bound(evidence);
        smallest = Math.min(smallest, value);
        if (value < error) covered = false;
        if (terms["training error"] < error) coveredByTrainingError = false;
      });
      if (!covered) failed++;
      if (!coveredByTrainingError) trainingErrorFailed++;
    }
    expect(failed).toBeLessThanOrEqual(0.1 * SAMPLES);
    expect(smallest).toBeLessThan(0.7);
    expect(trainingErrorFailed).toBeGreaterThan(0.9 * SAMPLES);
  });
});
