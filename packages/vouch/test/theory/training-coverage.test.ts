import { beforeAll, describe, expect, it } from "vitest";
import type { BinnedColumns } from "#vouch/encode/binned-columns.js";
import { binLike, binMatrix } from "#vouch/encode/bins.js";
import { Sample } from "#vouch/encode/sample.js";
import { adaboost } from "#vouch/learners/adaboost/adaboost.js";
import { forest } from "#vouch/learners/forest/forest.js";
import type { Learner } from "#vouch/learners/learner.js";
import type { Model } from "#vouch/learners/model.js";
import { perceptron } from "#vouch/learners/perceptron/perceptron.js";
import { stump } from "#vouch/learners/stump/stump.js";
import { svm } from "#vouch/learners/svm/svm.js";
import { Matrix } from "#vouch/runtime/matrix.js";
import { Random } from "#vouch/runtime/random.js";
import { mean, standardDeviation } from "#vouch/runtime/statistics.js";
import { forestFirstOrder, forestTandem } from "#vouch/theory/forests/forest-votes.js";
import { heldOutBinomial } from "#vouch/theory/held-out/held-out.js";
import { certify } from "#vouch/train/certify.js";

/**
 * Points are uniform in the unit square. The class is 1 right of x = ½ and 0 left of it, but for one label in ten,
 * which is wrong: the error of a classifier is 0.1 + 0.8 · (area where it disagrees with x > ½).
 */
const NOISE = 0.1;
const SAMPLES = 2000;
/** At most 5 % of 2,000, and three standard deviations √(2000 · 0.05 · 0.95) ≈ 9.7 of luck. */
const MOST_MISSES = 100 + 30;

function draw(rows: number, random: Random): Sample<Matrix> {
  const values = Float64Array.from({ length: 2 * rows }, () => random.uniform());
  const labels = Int32Array.from({ length: rows }, (_, i) => {
    const side = values[2 * i] > 0.5 ? 1 : 0;
    return random.uniform() < NOISE ? 1 - side : side;
  });
  // Learners want both classes: one sample of 40 rows in 10¹¹ has only one.
  if (labels.every((label) => label === labels[0])) return draw(rows, random);
  return new Sample({
    features: new Matrix(rows, 2, values),
    labels,
    classes: ["left", "right"],
    featureNames: ["x", "y"],
  });
}

/** The middles of a grid of cells; the line x = ½ lies between cells. */
const GRID = 30;
const cells = new Matrix(
  GRID * GRID,
  2,
  Float64Array.from({ length: 2 * GRID * GRID }, (_, k) => {
    const cell = k >> 1;
    return ((k & 1 ? Math.floor(cell / GRID) : cell % GRID) + 0.5) / GRID;
  }),
);

/** To within about a tenth of a cell's width, 0.004: the bounds are further away where it matters. */
function trueError(model: Tested): number {
  let disagree = 0;
  model.predict(cells).forEach((label, cell) => {
    if (label !== (cell % GRID >= GRID / 2 ? 1 : 0)) disagree++;
  });
  return NOISE + ((1 - 2 * NOISE) * disagree) / (GRID * GRID);
}

type Tested = Pick<Model<Matrix>, "predict" | "certificates">;

/** What trains models to be tested. */
interface Trainer {
  fit(sample: Sample<Matrix>): Promise<Tested>;
}

/** Trains on features that are scaled by what the sample is like, as the encoder before a kernel does. */
function standardised(learner: Learner<Model<Matrix>, Matrix>): Trainer {
  return {
    async fit({ features, labels, classes, featureNames }) {
      const scales = [0, 1].map((feature) => {
        const column = Float64Array.from({ length: features.rows }, (_, i) => features.row(i)[feature]);
        return { offset: mean(column), scale: standardDeviation(column) };
      });
      const scaled = ({ rows, columns, values }: Matrix) =>
        new Matrix(
          rows,
          columns,
          Float64Array.from(values, (value, k) => (value - scales[k % 2].offset) / scales[k % 2].scale),
        );
      const model = await learner.fit(
        new Sample({ features: scaled(features), labels, classes, featureNames }),
      );
      return {
        predict: (given) => model.predict(scaled(given)),
        certificates: (options) => model.certificates?.(options) ?? [],
      };
    },
  };
}

/** Trains on bins between the values of the sample, as the encoder before a forest does. */
function binned(learner: Learner<Model<BinnedColumns>, BinnedColumns>): Trainer {
  return {
    async fit({ features, ...rest }) {
      const bins = binMatrix(features);
      const model = await learner.fit(new Sample({ ...rest, features: bins }));
      return {
        predict: (given) => model.predict(binLike(given, bins.features)),
        certificates: (options) => model.certificates?.(options) ?? [],
      };
    },
  };
}

/** How often each certificate is below the error, and how often the training error taken for a test error would be. */
async function missesOf(learner: Trainer, rows: number, seed: number, samples = SAMPLES) {
  const random = new Random(seed);
  const misses = new Map<string, number>();
  const useful = new Map<string, number>();
  for (let sample = 0; sample < samples; sample++) {
    const drawn = draw(rows, random);
    const model = await learner.fit(drawn);
    const error = trueError(model);
    const predictions = model.predict(drawn.features);
    const errors = drawn.labels.filter((label, i) => label !== predictions[i]).length;
    const naive = { ...heldOutBinomial({ rows, errors, confidence: 0.95 }), name: "naive" };
    for (const { name, value, holds } of [...certify({ card: {}, model }, { confidence: 0.95 }), naive]) {
      expect(value).not.toBeNaN();
      misses.set(name, (misses.get(name) ?? 0) + Number(holds && value < error));
      useful.set(name, (useful.get(name) ?? 0) + Number(holds && value < 1));
    }
  }
  return { misses, useful };
}

describe.each([
  ["stump", stump(), 40, ["growth-function-exact", "vc"]],
  ["adaboost", adaboost({ rounds: 4 }), 60, ["growth-function-exact", "adaboost-vc", "adaboost-margin"]],
  [
    "perceptron",
    perceptron({ kernel: "linear", passes: 2 }),
    60,
    ["best-of", "compression", "growth-function-exact", "vc"],
  ],
  ["svm, linear", svm({ kernel: "linear" }), 60, ["best-of", "compression", "growth-function-exact", "vc"]],
  ["svm, rbf, scaled by the sample", standardised(svm({ kernel: "rbf", C: 10 })), 60, ["compression"]],
  [
    "forest, binned by the sample",
    binned(forest({ trees: 5, minLeafRows: 10, featuresPerSplit: "all" })),
    150,
    ["best-of", "forest-first-order", "forest-tandem"],
  ],
] as const)("certificates of %s", (_, learner, rows, names) => {
  it("cover the true error in at least 95 % of 2,000 samples", async () => {
    const { misses, useful } = await missesOf(learner, rows, 11);
    expect([...misses.keys()].filter((name) => name !== "naive").sort()).toEqual([...names].sort());
    for (const name of names) expect(misses.get(name)).toBeLessThanOrEqual(MOST_MISSES);
    // The first one says something in most samples: it does not cover by being vacuous.
    const said = ["growth-function-exact", "compression", "forest-first-order"].map((name) =>
      useful.get(name),
    );
    expect(said.find((count) => count !== undefined)).toBeGreaterThan(SAMPLES / 2);
  });
});

it("the training error is no test error: the test above can fail", async () => {
  const { misses } = await missesOf(adaboost({ rounds: 30 }), 60, 12, 400);
  expect(misses.get("naive")).toBeGreaterThan(0.2 * 400);
});

describe("certificates of a forest", () => {
  /** Thresholds on a line, each from the class means of a bag of rows: trees whose vote has a known error. */
  const TREES = 9;
  const ROWS = 100;
  let misses: { first: number; tandem: number; useful: number };

  function vote(random: Random) {
    const x = Float64Array.from({ length: ROWS }, () => random.uniform());
    const labels = x.map((value) => Number(value > 0.5 !== random.uniform() < NOISE));
    const trees = Array.from({ length: TREES }, () => {
      const seen = new Uint8Array(ROWS);
      const sums = [0, 0];
      const counts = [0, 0];
      for (let i = 0; i < ROWS; i++) {
        const row = random.integer(ROWS);
        seen[row] = 1;
        sums[labels[row]] += x[row];
        counts[labels[row]]++;
      }
      const threshold = (sums[0] / counts[0] + sums[1] / counts[1]) / 2;
      return { seen, threshold, wrong: x.map((value, i) => Number(Number(value > threshold) !== labels[i])) };
    });
    const middle = trees.map(({ threshold }) => threshold).sort((a, b) => a - b)[(TREES - 1) / 2];
    return { trees, error: NOISE + (1 - 2 * NOISE) * Math.abs(middle - 0.5) };
  }

  /** The mean over pairs of trees, or single ones, of the loss on the rows that none of them saw, and how many these are. */
  function outOfBag(trees: ReturnType<typeof vote>["trees"], pairs: boolean) {
    let [losses, sets, inverseRows] = [0, 0, 0];
    trees.forEach((a, i) => {
      for (const b of pairs ? trees : [trees[i]]) {
        let [rows, wrong] = [0, 0];
        for (let row = 0; row < ROWS; row++) {
          if (a.seen[row] || b.seen[row]) continue;
          rows++;
          wrong += a.wrong[row] * b.wrong[row];
        }
        losses += wrong / rows;
        sets++;
        inverseRows += 1 / rows;
      }
    });
    return { loss: losses / sets, outOfBagRows: sets / inverseRows };
  }

  beforeAll(() => {
    misses = { first: 0, tandem: 0, useful: 0 };
    const random = new Random(21);
    for (let sample = 0; sample < SAMPLES; sample++) {
      const { trees, error } = vote(random);
      const [single, pair] = [outOfBag(trees, false), outOfBag(trees, true)];
      const evidence = { rows: ROWS, confidence: 0.95, divergence: 0 };
      const first = forestFirstOrder({ ...evidence, ...single, gibbsLoss: single.loss });
      const tandem = forestTandem({ ...evidence, ...pair, tandemLoss: pair.loss });
      if (first.value < error) misses.first++;
      if (tandem.value < error) misses.tandem++;
      if (first.value < 1) misses.useful++;
    }
  });

  it("cover the true error of the vote in at least 95 % of 2,000 samples, and say something in most", () => {
    expect(misses.first).toBeLessThanOrEqual(MOST_MISSES);
    expect(misses.tandem).toBeLessThanOrEqual(MOST_MISSES);
    expect(misses.useful).toBeGreaterThan(SAMPLES / 2);
  });
});
