import { describe, expect, it } from "vitest";
import { binLike, binMatrix } from "#vouch/encode/bins.js";
import { Sample } from "#vouch/encode/sample.js";
import { adaboost } from "#vouch/learners/adaboost/adaboost.js";
import { svm } from "#vouch/learners/svm/svm.js";
import { Matrix } from "#vouch/runtime/matrix.js";
import { Random } from "#vouch/runtime/random.js";
import type { Certificate } from "#vouch/theory/certificate.js";

/**
 * Points are uniform in the unit square; its thirds from left to right are the classes, but for one label in ten, which is one
 * of the two others: a classifier has the error 0.1 + 0.85 · (area where it disagrees with the thirds).
 */
const NOISE = 0.1;
const SAMPLES = 600;
/** At most 5 % of 600, and three standard deviations √(600 · 0.05 · 0.95) ≈ 5.3 of luck. */
const MOST_MISSES = 30 + 16;
const GRID = 24;

const third = (x: number) => Math.min(2, Math.floor(3 * x));

function draw(rows: number, random: Random): Sample {
  const values = Float64Array.from({ length: 2 * rows }, () => random.uniform());
  const labels = Int32Array.from({ length: rows }, (_, i) => {
    const label = third(values[2 * i]);
    return random.uniform() < NOISE ? (label + 1 + random.integer(2)) % 3 : label;
  });
  return new Sample({ features: new Matrix(rows, 2, values), labels, classes: ["left", "middle", "right"] });
}

const cells = new Matrix(
  GRID * GRID,
  2,
  Float64Array.from({ length: 2 * GRID * GRID }, (_, k) => {
    const cell = k >> 1;
    return ((k & 1 ? Math.floor(cell / GRID) : cell % GRID) + 0.5) / GRID;
  }),
);

/** The labels of the cells of the square, and what the training proves. */
interface Judged {
  readonly labels: Int32Array;
  readonly certificates: readonly Certificate[];
}

const confidence = 0.95;
const stumps = adaboost({ rounds: 3 });
const trees = adaboost({ weakLearner: "tree", depth: 2, rounds: 2 });
const machines = svm({ kernel: "linear", C: 1 });

describe.each([
  [
    "adaboost on stumps",
    150,
    async (sample: Sample): Promise<Judged> => {
      const model = await stumps.fit(sample);
      return { labels: model.predict(cells), certificates: model.certificates?.({ confidence }) ?? [] };
    },
    ["growth-function-exact"],
  ],
  [
    "adaboost on trees, binned by the sample",
    150,
    async (sample: Sample): Promise<Judged> => {
      const features = binMatrix(sample.features);
      const model = await trees.fit(new Sample({ ...sample, features }));
      const labels = model.predict(binLike(cells, features.features));
      return { labels, certificates: model.certificates?.({ confidence }) ?? [] };
    },
    ["growth-function-exact"],
  ],
  [
    "svm, three straight machines",
    80,
    async (sample: Sample): Promise<Judged> => {
      const model = await machines.fit(sample);
      return { labels: model.predict(cells), certificates: model.certificates?.({ confidence }) ?? [] };
    },
    ["compression", "growth-function-exact"],
  ],
] as const)("certificates of %s for three classes", (_, rows, train, names) => {
  it("cover the true error in at least 95 % of the samples, and say something in most", async () => {
    const random = new Random(17);
    const misses = new Map<string, number>(names.map((name) => [name, 0]));
    let useful = 0;
    for (let s = 0; s < SAMPLES; s++) {
      const { labels, certificates } = await train(draw(rows, random));
      const wrong = labels.filter((label, cell) => label !== third(((cell % GRID) + 0.5) / GRID)).length;
      const error = NOISE + ((1 - 1.5 * NOISE) * wrong) / GRID ** 2;
      expect(certificates.map(({ name }) => name)).toEqual(names);
      for (const { name, value } of certificates) {
        misses.set(name, (misses.get(name) ?? 0) + Number(value < error));
      }
      useful += Number(certificates.some(({ value }) => value < 1));
    }
    for (const name of names) expect(misses.get(name)).toBeLessThanOrEqual(MOST_MISSES);
    expect(useful).toBeGreaterThan(SAMPLES / 2);
  });
});
