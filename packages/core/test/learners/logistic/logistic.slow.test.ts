import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { threadExecutor } from "vouch";
import { labelledSample } from "#core/encode/encoder.js";
import { fitEncoder } from "#core/encode/fit-encoder.js";
import { Sample } from "#core/encode/sample.js";
import { type LogisticModel, logistic } from "#core/learners/logistic/logistic.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { SparseRows } from "#core/runtime/maths/sparse-rows.js";
import { selectRows } from "#core/table/target.js";
import { shippedRows } from "../../table/shipped-table.js";
import { noisySample } from "../adaboost/noisy-sample.js";
import { sampleOf } from "../small-samples.js";

const executor = threadExecutor({ threads: 3 });
afterAll(() => executor.close());

const exact = { tolerance: 1e-13 };

interface Penalty {
  readonly penalty?: "none";
  readonly C?: number;
  readonly l1Ratio?: number;
}

/** Computes C Σ log-losses + penalty from the scores of the model. */
function objectiveOf(model: LogisticModel, sample: Sample, { penalty, C = 1, l1Ratio = 0 }: Penalty): number {
  const scores = model.scores(sample.features);
  let loss = 0;
  for (let i = 0; i < sample.rows; i++) {
    loss -= (sample.weights?.[i] ?? 1) * Math.log(scores.values[i * scores.columns + sample.labels[i]]);
  }
  if (penalty === "none") return loss;
  const weights = Array.from(model.outputs.weights.values);
  const squares = weights.reduce((sum, w) => sum + w * w, 0);
  const sizes = weights.reduce((sum, w) => sum + Math.abs(w), 0);
  return C * loss + ((1 - l1Ratio) / 2) * squares + l1Ratio * sizes;
}

/** Returns the largest violation of the optimality conditions: slopes of 0, and within ±l1 for weights at 0. */
function violationOf(model: LogisticModel, sample: Sample<Matrix>, { C = 1, l1Ratio = 0 }: Penalty): number {
  const scores = model.scores(sample.features);
  const { weights, biases } = model.outputs;
  let largest = 0;
  for (let k = 0; k < biases.length; k++) {
    const own = biases.length === 1 ? 1 : k;
    for (let j = 0; j <= weights.columns; j++) {
      let slope = 0;
      for (let i = 0; i < sample.rows; i++) {
        const residual = scores.row(i)[own] - (sample.labels[i] === own ? 1 : 0);
        slope += C * residual * (j < weights.columns ? sample.features.row(i)[j] : 1);
      }
      if (j === weights.columns) {
        largest = Math.max(largest, Math.abs(slope));
        continue;
      }
      const weight = weights.row(k)[j];
      slope += (1 - l1Ratio) * weight;
      const violation =
        weight === 0 ? Math.max(0, Math.abs(slope) - l1Ratio) : Math.abs(slope + l1Ratio * Math.sign(weight));
      largest = Math.max(largest, violation);
    }
  }
  return largest;
}

/** The cells of a data set that ships with the library, as they are. */
function rawSample(name: "iris" | "breastcancer", isKept = (_label: number): boolean => true): Sample {
  const all = shippedRows(name);
  const kept = selectRows(
    all,
    Int32Array.from(all.labels.keys()).filter((i) => isKept(all.labels[i])),
  );
  const encoder = fitEncoder(kept.features, all, { kind: "numeric", standardise: false });
  const { features, labels, classes } = labelledSample(encoder, kept);
  if (!(features instanceof Matrix)) throw new Error("The encoding is dense.");
  return new Sample<Matrix>({ features, labels, classes });
}

describe("the minimum", () => {
  it("is that of scikit-learn 1.2.1, at tol=1e-12, on iris", async () => {
    const iris = rawSample("iris");
    const two = rawSample("iris", (label) => label > 0);
    const penalties: [Penalty, three: number, two: number][] = [
      [{ C: 1 }, 28.8863166040925, 24.054662340169926],
      [{ C: 0.1, l1Ratio: 1 }, 7.885267482829887, 5.207175990654335],
      [{ C: 0.5, l1Ratio: 0.4 }, 19.432751132019348, 14.76079935647602],
      [{ penalty: "none" }, 5.949273395884774, 5.949273395754415],
    ];
    for (const [penalty, ofThree, ofTwo] of penalties) {
      for (const [sample, expected] of [
        [iris, ofThree],
        [two, ofTwo],
      ] as const) {
        const model = await logistic(penalty).fit(sample);
        expect(model.converged).toBe(true);
        expect(objectiveOf(model, sample, penalty) / expected).toBeLessThan(1 + 1e-6);
        expect(objectiveOf(model, sample, penalty) / expected).toBeGreaterThan(1 - 1e-6);
      }
    }
  });

  it("fulfils the optimality conditions, with weights at zero under an L1 penalty", async () => {
    for (const classes of [2, 3, 4]) {
      const sample = noisySample(120, 6, classes, 5);
      for (const penalty of [{ C: 1 }, { C: 100 }, { C: 0.1, l1Ratio: 1 }, { C: 0.3, l1Ratio: 0.5 }]) {
        const model = await logistic({ ...penalty, ...exact }).fit(sample);
        expect(violationOf(model, sample, penalty)).toBeLessThan(2e-5 * penalty.C * sample.rows);
      }
      const sparse = await logistic({ C: 0.05, l1Ratio: 1 }).fit(sample);
      expect(sparse.complexity().counts.nonZeroWeights).toBeLessThan(sparse.complexity().counts.weights);
    }
  });

  it("is the log odds of a table: one binary feature", async () => {
    const counts = [30, 10, 5, 15]; // feature 0: 30 and 10 rows of the two classes; feature 1: 5 and 15.
    const cells = counts.flatMap((count, cell) => Array.from({ length: count }, () => cell));
    const sample = sampleOf(
      cells.map((cell) => [cell >> 1]),
      cells.map((cell) => cell & 1),
    );
    const { outputs } = await logistic({ penalty: "none", ...exact }).fit(sample);
    expect(outputs.biases[0]).toBeCloseTo(Math.log(10 / 30), 6);
    expect(outputs.weights.values[0]).toBeCloseTo(Math.log(15 / 5) - Math.log(10 / 30), 6);
  });

  it("without features is the frequencies of the classes", async () => {
    const sample = sampleOf(
      Array.from({ length: 10 }, () => []),
      [0, 0, 0, 0, 0, 1, 1, 1, 2, 2],
    );
    const scores = (await logistic({ ...exact }).fit(sample)).scores(new Matrix(1, 0));
    expect(Array.from(scores.values)).toEqual([0.5, 0.3, 0.2].map((p) => expect.closeTo(p, 6)));
  });

  it("of three classes, one without rows, is that of the two others", async () => {
    const two = noisySample(80, 3, 2, 9);
    const three = new Sample({ ...two, labels: two.labels.map((k) => 2 * k), classes: ["a", "b", "c"] });
    const [own, other] = [await logistic().fit(two), await logistic().fit(three)];
    expect(other.outputs).toEqual(own.outputs);
    const scores = other.scores(three.features);
    for (let i = 0; i < 80; i++) expect(scores.row(i)[1]).toBe(0);
  });

  it("of the softmax with two classes is that of two classes: twice the weights at half the penalty", async () => {
    const two = noisySample(100, 3, 2, 4);
    // A third class of one row with a tiny weight makes the softmax.
    const features = new Matrix(101, 3, Float64Array.from([...two.features.values, 0, 0, 0]));
    const weights = new Float64Array(101).fill(1).fill(1e-9, 100);
    const labels = Int32Array.from([...two.labels, 2]);
    const three = new Sample({ features, labels, weights, classes: ["a", "b", "c"] });
    const softmax = await logistic({ C: 1, ...exact }).fit(three);
    const binary = await logistic({ C: 2, ...exact }).fit(two);
    const [first, second] = [softmax.outputs.weights.row(0), softmax.outputs.weights.row(1)];
    for (let j = 0; j < 3; j++) {
      expect(second[j] - first[j]).toBeCloseTo(binary.outputs.weights.values[j], 4);
    }
  });
});

it("gives the same weights for sparse rows, weights as for repeats, and bits on any number of threads", async () => {
  const shapes = fc.record({
    classes: fc.constantFrom(2, 3, 4),
    seed: fc.nat(50),
    l1Ratio: fc.constantFrom(0, 0.7),
  });
  await fc.assert(
    fc.asyncProperty(shapes, async ({ classes, seed, l1Ratio }) => {
      const random = new Random(seed);
      const dense = noisySample(60, 4, classes, seed);
      const values = dense.features.values.map((value) => (random.uniform() < 0.6 ? 0 : value));
      const features = new Matrix(60, 4, values);
      const counts = Float64Array.from({ length: 60 }, () => 1 + random.integer(3));
      const sample = new Sample({ ...dense, features, weights: counts });
      const learner = logistic({ l1Ratio, ...exact });
      const model = await learner.fit(sample);
      const close = Array.from(model.outputs.weights.values, (weight) => expect.closeTo(weight, 5));

      const sparse = new Sample({ ...sample, features: SparseRows.fromMatrix(features) });
      expect(Array.from((await learner.fit(sparse)).outputs.weights.values)).toEqual(close);

      const repeated = Array.from(counts).flatMap((count, i) => Array.from({ length: count }, () => i));
      const repeats = new Sample({ features, labels: dense.labels, classes: dense.classes }).select(repeated);
      expect(Array.from((await learner.fit(repeats)).outputs.weights.values)).toEqual(close);

      expect((await learner.fit(sample, { executor })).toState()).toEqual(model.toState());
    }),
    { numRuns: 12, seed: 7 },
  );
});

it("uses threads on many rows with the same bits, and reports its progress", async () => {
  const sample = noisySample(20_000, 40, 4, 2);
  const learner = logistic({ C: 0.1 });
  const stages: string[] = [];
  const model = await learner.fit(sample, { executor, progress: ({ stage }) => stages.push(stage) });
  expect((await learner.fit(sample)).toState()).toEqual(model.toState());
  expect(stages.length).toBe(model.convergence.iterations);
});

describe("free parameters", () => {
  it("without a penalty are those that the data determine: (K − 1)(d + 1), less for dependent features", async () => {
    for (const classes of [2, 3]) {
      const sample = noisySample(200, 4, classes, 1);
      const model = await logistic({ penalty: "none" }).fit(sample);
      expect(model.complexity().freeParameters).toBe(5 * (classes - 1));
      const doubled = new Sample({
        ...sample,
        features: Matrix.from(
          Array.from({ length: 200 }, (_, i) => [
            ...sample.features.row(i),
            3 * sample.features.row(i)[0] - 1,
          ]),
        ),
        featureNames: ["a", "b", "c", "d", "e"],
      });
      const dependent = await logistic({ penalty: "none" }).fit(doubled);
      expect(dependent.complexity().freeParameters).toBe(5 * (classes - 1));
      expect(objectiveOf(dependent, doubled, { penalty: "none" })).toBeCloseTo(
        objectiveOf(model, sample, { penalty: "none" }),
        4,
      );
    }
  });

  it("with an L2 penalty fall from all of them to those of the intercepts; with L1 they are counted", async () => {
    for (const classes of [2, 3]) {
      const sample = noisySample(200, 4, classes, 1);
      const count = async (options: Penalty) =>
        (await logistic(options).fit(sample)).complexity().freeParameters;
      expect(await count({ C: 1e7 })).toBeCloseTo(5 * (classes - 1), 2);
      expect(await count({ C: 1e-7 })).toBeCloseTo(classes - 1, 2);
      const lasso = await logistic({ C: 0.05, l1Ratio: 1 }).fit(sample);
      const nonZero = lasso.outputs.weights.values.filter((weight) => weight !== 0).length;
      expect(lasso.complexity().freeParameters).toBe(nonZero + classes - 1);
      const { complexity } = await logistic({ classWeights: "balanced" }).fit(sample);
      expect(complexity()).not.toHaveProperty("freeParameters");
    }
  });

  it("with an L2 penalty are the trace of H(H + I)⁻¹: one standardised feature", async () => {
    const sample = noisySample(300, 1, 2, 3);
    const C = 0.02;
    const model = await logistic({ C, ...exact }).fit(sample);
    const p = Array.from({ length: 300 }, (_, i) => model.scores(sample.features).row(i)[1]);
    let [aa, ab, bb] = [0, 0, 0];
    p.forEach((share, i) => {
      const x = sample.features.values[i];
      const h = C * share * (1 - share);
      aa += h * x * x;
      ab += h * x;
      bb += h;
    });
    // tr[H (H + diag(1, 0))⁻¹] = 2 − [(H + diag(1, 0))⁻¹]₁₁.
    expect(model.complexity().freeParameters).toBeCloseTo(2 - bb / ((aa + 1) * bb - ab * ab), 6);
  });
});

describe("difficult rows", () => {
  const separated = sampleOf([[0], [1], [2], [3]], [0, 0, 1, 1]);

  it("that can be separated have no maximum of the likelihood: it stops with a notice", async () => {
    const model = await logistic({ penalty: "none" }).fit(separated);
    expect(model.converged).toBe(false);
    expect(model.notices).toEqual([expect.stringContaining("separate ant and bee")]);
    expect(Array.from(model.predict(separated.features))).toEqual([0, 0, 1, 1]);
    expect((await logistic().fit(separated)).converged).toBe(true);
  });

  it("with huge, tiny, constant and duplicated features are fitted or refused", async () => {
    const random = new Random(1);
    const rows = Array.from({ length: 50 }, () => {
      const x = random.normal();
      return [x, 1e6 * x, 1e-6 * random.normal(), 7, x];
    });
    const sample = sampleOf(
      rows,
      rows.map(([x]) => (x + random.normal() > 0 ? 1 : 0)),
    );
    for (const options of [{}, { penalty: "none" }, { l1Ratio: 1 }] as const) {
      expect((await logistic(options).fit(sample)).converged).toBe(true);
    }
    const huge = sampleOf([[1e200], [-1e200], [0]], [0, 1, 0]);
    await expect(logistic().fit(huge)).rejects.toMatchObject({ code: "data/too-large" });
  });

  it("more features than rows, and rows that contradict each other", async () => {
    const wide = new Sample({
      features: new Matrix(
        20,
        500,
        Float64Array.from({ length: 10_000 }, (_, e) => Math.sin(e * e)),
      ),
      labels: Int32Array.from({ length: 20 }, (_, i) => i % 4),
      classes: ["a", "b", "c", "d"],
    });
    for (const l1Ratio of [0, 1]) expect((await logistic({ l1Ratio }).fit(wide)).converged).toBe(true);
    const contradictory = sampleOf([[1], [1], [2], [2]], [0, 1, 0, 1]);
    const model = await logistic({ penalty: "none" }).fit(contradictory);
    expect(model.converged).toBe(true);
    expect(model.outputs.weights.values[0]).toBeCloseTo(0, 6);
  });
});

it("certifies its error by the number of labellings, for any number of classes", async () => {
  for (const classes of [2, 3]) {
    const sample = noisySample(2000, 2, classes, 3);
    const model = await logistic().fit(sample);
    const errors = model.predict(sample.features).filter((label, i) => label !== sample.labels[i]).length;
    expect(model.facts).toEqual({ rows: 2000, errors });
    const certificates = model.certificates?.({ confidence: 0.95 }) ?? [];
    expect(certificates[0].name).toBe("growth-function-exact");
    expect(certificates[0].value).toBeGreaterThan(errors / 2000);
    expect(certificates[0].value).toBeLessThan(errors / 2000 + 0.15);
  }
});

it("shows its strongest weights with odds ratios", async () => {
  const sample = noisySample(200, 3, 2, 1);
  const model = await logistic().fit(sample);
  const [table] = model.describe().sections;
  if (table.kind !== "table") throw new Error("It has a table.");
  expect(table.rows).toHaveLength(4);
  for (const [name, , weight, ratio] of table.rows) {
    expect(name).toBe("bee");
    expect(ratio).toBeCloseTo(Math.exp(Number(weight)), 12);
  }
});
