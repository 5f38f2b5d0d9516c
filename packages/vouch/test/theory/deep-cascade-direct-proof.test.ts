import { describe, expect, it } from "vitest";
import { Random } from "#vouch/runtime/random.js";
import { exactRademacher } from "#vouch/theory/margins/rademacher.js";

/**
 * The steps of the proof of `deepCascadeDirect` on problems so small that all samples and all signs can be enumerated:
 * two places, two labels, three rows, cascades of a gate and two classifiers from random families.
 */
const ROWS = 3;
const PLACES = [0, 1];
const LABELS = [1, -1];
const CASES = PLACES.flatMap((place) => LABELS.map((label) => ({ place, label })));

type Values = readonly number[];

function randomFamily(random: Random, values: Values): Values[] {
  const size = 1 + random.integer(3);
  return Array.from({ length: size }, () => PLACES.map(() => values[random.integer(values.length)]));
}

/** R̂_S of functions that are given by their values on the rows of a sample. */
function complexityOf(functions: readonly Values[]): number {
  return exactRademacher(ROWS, (signs) =>
    Math.max(...functions.map((values) => values.reduce((sum, value, i) => sum + signs[i] * value, 0))),
  );
}

/** All samples, as indices of cases. */
const samples = Array.from({ length: CASES.length ** ROWS }, (_, code) =>
  Array.from({ length: ROWS }, (_, i) => Math.floor(code / CASES.length ** i) % CASES.length),
);

const ramp = (u: number) => Math.min(1, Math.max(0, 1 - u));
const half = (u: number) => (1 - u) / 2;

interface Setting {
  readonly name: string;
  readonly leaves: readonly [boolean, boolean];
  readonly loss: (u: number) => number;
  readonly lipschitz: number;
}
const settings: Setting[] = [
  { name: "all leaves, (1 − u)/2", leaves: [true, true], loss: half, lipschitz: 0.5 },
  { name: "all leaves, Φ", leaves: [true, true], loss: ramp, lipschitz: 1 },
  { name: "the first leaf, Φ", leaves: [true, false], loss: ramp, lipschitz: 1 },
  { name: "the last leaf, Φ", leaves: [false, true], loss: ramp, lipschitz: 1 },
];

describe.each(settings)("the proof of the direct bound, J = $name", ({ leaves, loss, lipschitz }) => {
  it("holds step by step for every sample", () => {
    const random = new Random(11);
    let largestChange = 0;
    for (let problem = 0; problem < 25; problem++) {
      const gates = randomFamily(random, [0, 1]);
      const first = randomFamily(random, [-1, 1]);
      const last = randomFamily(random, [-1, 1]);
      const weights = CASES.map(() => random.uniform());
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const chance = weights.map((weight) => weight / total);
      // y·g of every cascade at every case: 0 where the leaf is not in J.
      const signed = gates.flatMap((gate) =>
        first.flatMap((a) =>
          last.map((b) =>
            CASES.map(({ place, label }) =>
              gate[place] === 1 ? Number(leaves[1]) * label * b[place] : Number(leaves[0]) * label * a[place],
            ),
          ),
        ),
      );
      const products = [
        gates.flatMap((gate) => first.map((h) => CASES.map(({ place }) => (1 - gate[place]) * h[place]))),
        gates.flatMap((gate) => last.map((h) => CASES.map(({ place }) => gate[place] * h[place]))),
      ].filter((_, leaf) => leaves[leaf]);
      const losses = signed.map((values) => values.map(loss));
      const expected = losses.map((values) => values.reduce((sum, value, z) => sum + chance[z] * value, 0));

      const excess = samples.map((sample) => {
        const at = (functions: readonly Values[]) => functions.map((values) => sample.map((z) => values[z]));
        const complexity = complexityOf(at(losses));
        // Contraction, and the complexity of a sum of families.
        const ofProducts = products.reduce((sum, family) => sum + complexityOf(at(family)), 0);
        expect(complexity).toBeLessThanOrEqual(lipschitz * ofProducts + 1e-12);
        const gaps = at(losses).map((values, g) => expected[g] - values.reduce((a, b) => a + b, 0) / ROWS);
        return Math.max(...gaps) - 2 * complexity;
      });
      // Symmetrisation.
      const mean = samples.reduce(
        (sum, sample, s) => sum + sample.reduce((product, z) => product * chance[z], 1) * excess[s],
        0,
      );
      expect(mean).toBeLessThanOrEqual(1e-12);
      // Bounded differences: samples that differ in row i alone.
      for (let i = 0; i < ROWS; i++) {
        const step = CASES.length ** i;
        samples.forEach((sample, s) => {
          const others = CASES.map((_, z) => excess[s + (z - sample[i]) * step]);
          largestChange = Math.max(largestChange, Math.max(...others) - Math.min(...others));
        });
      }
    }
    expect(largestChange).toBeLessThanOrEqual(2 / ROWS + 1e-12);
    // A smaller constant than 2/m would not do.
    expect(largestChange).toBeGreaterThan(1.9 / ROWS);
  });
});
