import { describe, expect, it } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { randomWeights } from "#core/learners/net/network-weights.js";
import { trainNetwork } from "#core/learners/net/train-network.js";
import type { TrainingPlan } from "#core/learners/net/training.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { limitMemory } from "#core/runtime/memory-limit.js";
import { completeRun, type Progress } from "#core/runtime/parallel/run.js";

const plan: TrainingPlan = {
  activation: "tanh",
  output: "logistic",
  optimiser: "adam",
  learningRate: 0.02,
  momentum: 0.9,
  weightDecay: 0,
  batchSize: 16,
  epochs: 60,
  patience: 0,
  validation: 0.25,
};

/** Makes two classes that no line separates, inside and outside of a circle; some labels may be wrong. */
function circles(rows: number, wrong = 0, seed = 1): Sample<Matrix> {
  const random = new Random(seed);
  const points = Array.from({ length: rows }, () => [2 * random.normal(), 2 * random.normal()]);
  const labels = points.map(([x, y]) => Number(x * x + y * y > 5) ^ Number(random.uniform() < wrong));
  return new Sample({
    features: Matrix.from(points),
    labels: Int32Array.from(labels),
    classes: ["in", "out"],
  });
}

/** Makes images of 4 by 4 pixels, most of them black, with the brighter half on the left or on the right. */
function sparseImages(): Sample<Matrix> {
  const random = new Random(2);
  const labels = Int32Array.from({ length: 100 }, () => random.integer(2));
  const images = Array.from(labels, (label) =>
    Array.from({ length: 16 }, (_, pixel) =>
      random.uniform() < (pixel % 4 < 2 === (label === 0) ? 0.6 : 0.1) ? random.uniform() : 0,
    ),
  );
  return new Sample({
    features: Matrix.from(images),
    labels,
    classes: ["left", "right"],
    featureNames: images[0].map((_, pixel) => `pixel${pixel}`),
  });
}

const start = (seed = 3) => randomWeights([2, 12, 1], "tanh", new Random(seed));
const train = (sample: Sample<Matrix>, changes: Partial<TrainingPlan> = {}, seed = 5) =>
  trainNetwork(sample, start(), { ...plan, ...changes }, completeRun({ seed }));

describe("trainNetwork", () => {
  it("separates what no line can, with every optimiser", async () => {
    for (const changes of [{}, { optimiser: "sgd", learningRate: 0.2 } as const]) {
      const { curve, best, stop } = await train(circles(300), changes);
      expect(stop).toBe("all epochs done");
      expect([curve.length, best]).toEqual([60, 60]);
      expect(curve[59].trainingLoss).toBeLessThan(0.2 * curve[0].trainingLoss);
    }
  });

  it("gives the same bits for the same seed, and others for another seed", async () => {
    const sample = circles(100);
    const [a, b, c] = [await train(sample), await train(sample), await train(sample, {}, 6)];
    expect(b).toEqual(a);
    expect(c.weights).not.toEqual(a.weights);
  });

  it("stops when the held-out error no longer falls, with the weights of the best epoch", async () => {
    const sample = circles(120, 0.2);
    const { curve, best, stop, weights } = await train(sample, { patience: 6, epochs: 500 });
    expect(stop).toBe("validation error no longer falls");
    expect(curve.length).toBeLessThan(500);
    const fewest = Math.min(...curve.map(({ validationError = 1 }) => validationError));
    expect(curve[best - 1].validationError).toBe(fewest);
    // Training up to the best epoch gives exactly these weights.
    const short = await train(sample, { patience: 1000, epochs: best });
    expect(short.weights).toEqual(weights);
  });

  it("trains for more epochs if few rows would make too few steps", async () => {
    // 100 rows in batches of 16 are 7 steps an epoch.
    const epochs = async (minSteps: number) =>
      (await train(circles(100), { epochs: 3, minSteps })).curve.length;
    expect([await epochs(0), await epochs(21), await epochs(22), await epochs(70)]).toEqual([3, 3, 4, 10]);
  });

  it("trains on mostly zeros in the same way with and without memory for lists of all rows", async () => {
    const sample = sparseImages();
    const initial = randomWeights([16, 5, 1], "tanh", new Random(3));
    const weightsOf = async (changes: Partial<TrainingPlan>) => {
      const few = { ...plan, epochs: 2, ...changes };
      return (await trainNetwork(sample, initial, few, completeRun({ seed: 5 }))).weights;
    };
    const listed = await weightsOf({});
    limitMemory(1000);
    try {
      expect(await weightsOf({})).toEqual(listed);
    } finally {
      limitMemory(undefined);
    }
    // Dropout and shifts change the inputs of each step, for which lists made in advance are of no use.
    expect(await weightsOf({ inputDropout: 0.5 })).not.toEqual(listed);
    expect(await weightsOf({ shift: 1 })).not.toEqual(listed);
  });

  it("decays the learning rate linearly to zero", async () => {
    const sample = circles(64);
    const whole = { optimiser: "sgd", momentum: 0, batchSize: 64, epochs: 1 } as const;
    const decayed = await train(sample, { ...whole, epochs: 4, rateDecay: "linear" });
    let weights = start();
    for (const share of [1, 0.75, 0.5, 0.25]) {
      const step = { ...plan, ...whole, learningRate: plan.learningRate * share };
      // A batch of all rows in another order has the same gradient, but for rounding.
      weights = (await trainNetwork(sample, weights, step, completeRun({ seed: 5 }))).weights;
    }
    decayed.weights.weights.forEach((layer, l) => {
      layer.forEach((weight, k) => {
        expect(weight).toBeCloseTo(weights.weights[l][k], 5);
      });
    });
  });

  it("resumes slower from the best weights before it stops", async () => {
    const sample = circles(120, 0.2);
    const options = { patience: 4, epochs: 500, learningRate: 0.2 };
    const [once, more] = [await train(sample, options), await train(sample, { ...options, rateDrops: 2 })];
    expect(more.curve.length).toBeGreaterThanOrEqual(once.curve.length + 8);
    expect(more.curve.slice(0, once.curve.length)).toEqual(once.curve);
    expect(more.curve[more.best - 1].validationError).toBeLessThanOrEqual(
      once.curve[once.best - 1].validationError ?? 0,
    );
  });

  it("stops a training that diverges, and keeps the best weights", async () => {
    const relu = { activation: "relu", optimiser: "sgd", learningRate: 1e8 } as const;
    const sample = circles(100);
    const { stop, best, weights, curve } = await train(sample, relu);
    expect([stop, best, curve.length]).toEqual(["diverged", 0, 0]);
    expect(weights).toEqual(start());
    const atLast = await train(sample, { ...relu, epochs: 1, batchSize: 100 });
    expect([atLast.stop, atLast.best, atLast.curve.length]).toEqual(["diverged", 0, 0]);
    expect(atLast.weights).toEqual(start());
    // Weights that grow by one per cent in each step diverge late.
    const growing = { ...relu, learningRate: 0.01, weightDecay: -1 };
    const late = await train(sample, { ...growing, epochs: 1000 });
    expect(late.stop).toBe("diverged");
    expect(late.curve.length).toBeGreaterThan(0);
    const losses = late.curve.map(({ trainingLoss }) => trainingLoss);
    // The loss during an epoch is that of the weights at its start.
    expect(losses[late.best]).toBe(Math.min(...losses));
    const short =
      late.best === 0 ? start() : (await train(sample, { ...growing, epochs: late.best })).weights;
    expect(late.weights).toEqual(short);
    expect(late.weights.weights.every((layer) => layer.every(Number.isFinite))).toBe(true);
  });

  it("takes all rows as a batch if there are fewer than batchSize", async () => {
    const sample = circles(40);
    expect(await train(sample, { batchSize: 40 })).toEqual(await train(sample, { batchSize: 100_000 }));
  });

  it("depends on the ratios of row weights only", async () => {
    const sample = circles(60);
    const weights = Float64Array.from({ length: 60 }, (_, i) => (i < 30 ? 1 : 3));
    const [light, heavy] = [
      sample.weighted(weights),
      sample.weighted(weights.map((weight) => 1024 * weight)),
    ];
    const result = await train(light);
    expect(await train(heavy)).toEqual(result);
    expect((await train(sample)).weights).not.toEqual(result.weights);
    // In one batch of all rows, a weight of 3 is three rows.
    const thrice = sample.select([
      ...Array(60).keys(),
      ...Array.from({ length: 60 }, (_, i) => 30 + (i >> 1)),
    ]);
    const whole = { batchSize: 1000, epochs: 3, optimiser: "sgd" } as const;
    const [one, other] = [await train(light, whole), await train(thrice, whole)];
    other.weights.weights[0].forEach((w, k) => {
      expect(w).toBeCloseTo(one.weights.weights[0][k], 5);
    });
  });

  it("reports progress after every epoch, and can be interrupted", async () => {
    const heard: Progress[] = [];
    const sample = circles(50);
    const progress = (event: Progress) => heard.push(event);
    await trainNetwork(sample, start(), { ...plan, epochs: 3, patience: 2 }, completeRun({ progress }));
    expect(heard.map(({ done, total }) => [done, total])).toEqual([1, 2, 3].map((epoch) => [epoch, 3]));
    expect(heard[0].note).toMatch(/^loss [\d.]+, validation error [\d.]+%$/);
    const signal = AbortSignal.timeout(30);
    const endless = trainNetwork(sample, start(), { ...plan, epochs: 1e6 }, completeRun({ signal }));
    await expect(endless).rejects.toMatchObject({ code: "run/interrupted" });
  });

  it("refuses too few rows, and weights that do not fit", async () => {
    const few = circles(50).select([0, 1]);
    const labelled = new Sample({ ...few, labels: Int32Array.of(0, 1) });
    await expect(train(labelled, { patience: 1, validation: 0.5 })).rejects.toMatchObject({
      code: "data/too-few-rows",
    });
    const broken = { ...start(), sizes: [2, 11, 1] };
    await expect(trainNetwork(circles(9), broken, plan, completeRun())).rejects.toMatchObject({
      code: "option/invalid",
    });
  });
});
