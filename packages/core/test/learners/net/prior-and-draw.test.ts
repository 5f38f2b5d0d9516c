import { afterAll, describe, expect, it } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { mlp } from "#core/learners/net/mlp.js";
import { randomWeights } from "#core/learners/net/network-weights.js";
import { drawNetwork } from "#core/learners/net/prior-and-draw.js";
import { sae } from "#core/learners/net/sae.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";

const executors = [2, 3, 7].map((threads) => threadExecutor({ threads }));
afterAll(() => Promise.all(executors.map((executor) => executor.close())));

/** Points of the plane; the class is the side of a line, one label in ten is wrong unless the class is pure noise. */
function points(rows: number, seed: number, noise = 0.1): Sample<Matrix> {
  const random = new Random(seed);
  const values = Float64Array.from({ length: 2 * rows }, () => random.normal());
  const labels = Int32Array.from({ length: rows }, (_, i) =>
    Number(values[2 * i] + values[2 * i + 1] > 0 !== random.uniform() < noise),
  );
  return new Sample({ features: new Matrix(rows, 2, values), labels, classes: ["no", "yes"] });
}

describe("a draw from a posterior", () => {
  const prior = randomWeights([3, 4, 2], "tanh", new Random(1));
  const other = randomWeights([3, 4, 2], "tanh", new Random(2));

  it("has the mean log ratio KL(ρ‖π), and changes the measure: the mean of dπ/dρ is 1", async () => {
    const [step, noise] = [0.3, 0.6];
    const deviations = prior.weights.map(
      (layer) => noise * Math.sqrt(layer.reduce((sum, w) => sum + w * w, 0) / layer.length),
    );
    const squares = (from: readonly Float32Array[], to: readonly Float32Array[]) =>
      from.reduce(
        (sum, layer, l) =>
          sum + layer.reduce((s, w, i) => s + ((step * (to[l][i] - w)) / deviations[l]) ** 2, 0),
        0,
      );
    const divergence = (squares(prior.weights, other.weights) + squares(prior.biases, other.biases)) / 2;
    const random = new Random(3);
    const ratios: number[] = [];
    for (let k = 0; k < 20_000; k++) {
      ratios.push((await drawNetwork(prior, other, step, noise, random, {})).logRatio);
    }
    const mean = (values: readonly number[]) => values.reduce((a, b) => a + b) / values.length;
    const error = Math.sqrt((2 * divergence) / ratios.length);
    expect(Math.abs(mean(ratios) - divergence)).toBeLessThan(4 * error);
    const inverse = ratios.map((ratio) => Math.exp(-ratio));
    const spread = Math.sqrt(Math.expm1(2 * divergence) / ratios.length);
    expect(Math.abs(mean(inverse) - 1)).toBeLessThan(4 * spread);
  });

  it("is the prior with noise if the other network is the prior", async () => {
    const { weights, logRatio } = await drawNetwork(prior, prior, 1, 0.1, new Random(5), {});
    expect(logRatio).toBe(0);
    expect(weights.weights).not.toEqual(prior.weights);
  });
});

describe("networks with a prior", () => {
  const options = { layers: [16], epochs: 30, patience: 0 };

  it("have an informative certificate, above their error", async () => {
    const sample = points(600, 1);
    const test = points(5000, 2);
    const model = await mlp({ ...options, prior: 0.5 }).fit(sample);
    const [certificate] = model.certificates?.({ confidence: 0.95 }) ?? [];
    const wrong = model.predict(test.features).filter((label, i) => label !== test.labels[i]).length / 5000;
    expect(certificate.name).toBe("posterior-draw");
    expect(certificate.value).toBeLessThan(0.3);
    expect(certificate.value).toBeGreaterThan(wrong);
    expect(wrong).toBeLessThan(0.15);
  });

  it("are certified on rows that the prior has not seen", async () => {
    // A network that knew the rows by heart would have few errors on them.
    const model = await mlp({ layers: [64], epochs: 200, learningRate: 0.01, patience: 0, prior: 0.5 }).fit(
      points(200, 3, 0.5),
    );
    const { rows = 0, errors = 0 } = model.draw ?? {};
    expect(rows).toBe(100);
    expect(Math.abs(errors - 50)).toBeLessThan(20);
  });

  it("are the same for any number of threads, pre-trained or not", async () => {
    const sample = points(400, 4);
    for (const learner of [
      mlp({ layers: [64, 32], epochs: 3, prior: 0.6 }),
      sae({ layers: [8], epochs: 3, pretrainEpochs: 2, prior: 0.6 }),
    ]) {
      const alone = await learner.fit(sample, { seed: 2 });
      expect(alone.draw?.rows).toBe(160);
      for (const executor of executors) {
        const model = await learner.fit(sample, { seed: 2, executor });
        expect(model.draw).toEqual(alone.draw);
        expect(model.scores(sample.features)).toEqual(alone.scores(sample.features));
      }
    }
  });

  it("have no draw without a prior, nor one of weighted rows", async () => {
    const sample = points(100, 5);
    expect((await mlp(options).fit(sample)).draw).toBeUndefined();
    const weights = Float64Array.from({ length: 100 }, (_, i) => 1 + (i % 2));
    const weighted = new Sample({ ...sample, featureNames: sample.featureNames, weights });
    expect((await mlp({ ...options, prior: 0.5 }).fit(weighted)).draw).toBeUndefined();
  });

  it("need rows apart from those of the prior", async () => {
    const fitting = mlp({ ...options, prior: 0.99 }).fit(points(20, 6));
    await expect(fitting).rejects.toMatchObject({ code: "data/too-few-rows" });
  });
});
