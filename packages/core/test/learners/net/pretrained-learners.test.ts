import { describe, expect, it } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { dbn } from "#core/learners/net/dbn.js";
import type { NetworkModel } from "#core/learners/net/network.js";
import { networkSums } from "#core/learners/net/network-sums.js";
import { randomWeights } from "#core/learners/net/network-weights.js";
import { onFeatures, pretrainInputs, scaledSample } from "#core/learners/net/pretrain-inputs.js";
import { sae } from "#core/learners/net/sae.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import type { Progress } from "#core/runtime/parallel/run.js";

/** Makes noisy copies of six patterns of 10 bits, scaled and shifted; each class has three of the patterns. */
function patterns(rows: number, seed: number): Sample {
  const prototypes = Array.from({ length: 6 }, (_, p) => {
    const random = new Random(100 + p);
    return Array.from({ length: 10 }, () => random.integer(2));
  });
  const random = new Random(seed);
  const labels = new Int32Array(rows);
  const values = Float64Array.from({ length: rows * 10 }, (_, k) => {
    const i = Math.floor(k / 10);
    labels[i] = i % 2;
    const bit = prototypes[i % 6][k % 10];
    return 5 + 3 * (random.uniform() < 0.05 ? 1 - bit : bit);
  });
  return new Sample({ features: new Matrix(rows, 10, values), labels, classes: ["even", "odd"] });
}

const labelled = patterns(90, 1);
const fresh = patterns(300, 2);
const errorsOn = (model: NetworkModel, sample: Sample) =>
  model.predict(sample.features).reduce((wrong, label, i) => wrong + Number(label !== sample.labels[i]), 0);

const quick = {
  layers: [12, 6],
  epochs: 60,
  patience: 0,
  batchSize: 10,
  pretrainEpochs: 20,
  pretrainBatch: 10,
};
const learners = {
  sae: (options = {}) => sae({ ...quick, learningRate: 0.01, pretrainRate: 0.01, ...options }),
  dbn: (options = {}) => dbn({ ...quick, learningRate: 0.01, ...options }),
};

describe.each(["sae", "dbn"] as const)("%s", (name) => {
  const make = learners[name];

  it("learns patterns, and describes how its layers were pre-trained", async () => {
    const model = await make().fit(labelled, { seed: 3 });
    expect(errorsOn(model, fresh)).toBeLessThan(45);
    expect(model.learner).toBe(name);
    expect(model.weights.sizes).toEqual([10, 12, 6, 1]);
    expect(model.reconstruction?.map(({ units }) => units)).toEqual([12, 6]);
    for (const { error, epochs } of model.pretraining ?? []) {
      expect(epochs).toHaveLength(20);
      expect(error).toBeLessThan(epochs[0]);
    }
    const series = [1, 2].map((layer) => ({ role: "layer", name: `layer ${layer}` }));
    const quantities = name === "dbn" ? ["reconstruction error", "free energy"] : ["reconstruction error"];
    expect(model.describe()).toMatchObject({
      sections: [
        { kind: "curve", quantity: "loss", series: [{ role: "train" }] },
        {
          kind: "table",
          title: "pre-trained layers",
          rows: [
            [1, 12],
            [2, 6],
          ].map((row) => [...row, expect.any(Number)]),
        },
        ...quantities.map((quantity) => ({ kind: "curve", quantity, series })),
      ],
    });
  });

  it("depends on the seed", async () => {
    const once = await make().fit(patterns(90, 1), { seed: 3 });
    const again = await make().fit(patterns(90, 1), { seed: 3 });
    expect(again.weights).toEqual(once.weights);
    expect((await make().fit(labelled, { seed: 4 })).weights).not.toEqual(once.weights);
  });

  it("uses rows without a label", async () => {
    const unlabelled = patterns(400, 5).features;
    const without = await make({ epochs: 1 }).fit(labelled, { seed: 3 });
    const model = await make({ epochs: 1 }).fit(new Sample({ ...labelled, unlabelled }), { seed: 3 });
    expect(model.reconstruction).not.toEqual(without.reconstruction);
    expect(make().pretrains).toBe(true);
    const narrow = new Matrix(3, 9);
    expect(() => new Sample({ ...labelled, unlabelled: narrow })).toThrow(
      "Labelled rows have 10 features, but unlabelled rows have 9.",
    );
  });

  it("refuses rows without a label that are not finite", async () => {
    const unlabelled = new Matrix(2, 10);
    unlabelled.values[13] = Number.NaN;
    const work = make().fit(new Sample({ ...labelled, unlabelled }));
    await expect(work).rejects.toMatchObject({
      code: "data/not-finite",
      message: expect.stringContaining("x4"),
    });
  });

  it("reuses layers that were pre-trained on the same rows", async () => {
    const sample = patterns(90, 1);
    const stages = new Set<string>();
    const run = { seed: 3, progress: ({ stage }: Progress) => stages.add(stage) };
    const shallow = await make({ layers: [12] }).fit(sample, run);
    expect([...stages]).toContain("pre-training layer 1 of 1");
    stages.clear();
    const deep = await make({ layers: [12, 6] }).fit(sample, run);
    expect([...stages]).not.toContain("pre-training layer 1 of 2");
    expect([...stages]).toContain("pre-training layer 2 of 2");
    expect(deep.reconstruction?.[0]).toEqual(shallow.reconstruction?.[0]);
    // The same as without the shallow one.
    expect((await make({ layers: [12, 6] }).fit(patterns(90, 1), { seed: 3 })).weights).toEqual(deep.weights);
  });

  it("works without pre-training, and with batches larger than the sample", async () => {
    const model = await make({ pretrainEpochs: 0, batchSize: 5000 }).fit(labelled);
    expect(model.pretraining).toBeUndefined();
    expect(make({ pretrainEpochs: 0 }).pretrains).toBeUndefined();
    expect(errorsOn(model, labelled)).toBeLessThan(45);
    expect(errorsOn(await make({ pretrainBatch: 5000 }).fit(labelled), labelled)).toBeLessThan(45);
  });

  it.each([{ layers: [] }, { layers: [0] }, { layers: [4, -1] }, { pretrainRate: 0 }, { pretrainBatch: 0 }])(
    "refuses %j",
    (options) => {
      expect(() => make(options)).toThrow(expect.objectContaining({ code: "option/invalid" }));
    },
  );

  it("refuses features that are all constant", async () => {
    const { labels, classes } = labelled;
    const constant = new Sample({ features: new Matrix(90, 3), labels, classes });
    await expect(make().fit(constant)).rejects.toMatchObject({ code: "data/no-features" });
  });

  it("can be interrupted during pre-training", async () => {
    const controller = new AbortController();
    const progress = ({ stage }: Progress) => stage.startsWith("pre-training") && controller.abort();
    const work = make().fit(patterns(90, 9), { progress, signal: controller.signal });
    await expect(work).rejects.toMatchObject({ code: "run/interrupted" });
  });
});

it("sae says if pre-training diverged", async () => {
  const options = { inputs: "standard", activation: "relu", pretrainRate: 1e6, epochs: 1 };
  const model = await learners.sae(options).fit(labelled);
  expect(model.notices?.[0]).toMatch(
    /^Pre-training of layer 1 diverged in epoch \d+, which was undone\. Use a smaller pretrainRate\.$/,
  );
});

describe("the visible units of dbn", () => {
  it("may be binary if each feature has two values, whatever they are", async () => {
    const model = await learners.dbn({ visible: "binary" }).fit(labelled);
    expect(errorsOn(model, fresh)).toBeLessThan(60);
  });

  it("may not be binary if a feature has three values", async () => {
    const values = labelled.features.values.slice();
    values[24] = 6;
    const features = new Matrix(90, 10, values);
    const work = learners.dbn({ visible: "binary" }).fit(new Sample({ ...labelled, features }));
    await expect(work).rejects.toMatchObject({
      code: "data/wrong-kind",
      message: "Feature x5 has more than two values (see row 3), but the visible units are binary.",
      hint: "Use visible=unit for numbers in a range, visible=gaussian for others.",
    });
    await learners.dbn({ visible: "unit", epochs: 1 }).fit(new Sample({ ...labelled, features }));
  });

  it("may be Gaussian for standardised features", async () => {
    const features = new Matrix(
      90,
      10,
      labelled.features.values.map((value: number) => (value - 6.5) / 1.5),
    );
    const sample = new Sample({ ...labelled, features });
    const model = await learners.dbn({ visible: "gaussian" }).fit(sample);
    expect(errorsOn(model, sample)).toBeLessThan(15);
  });
});

describe("scaled inputs", () => {
  it("go from 0 to 1 over labelled and unlabelled rows; constant features are 0", () => {
    const features = Matrix.from([
      [1, 7, 5],
      [3, 7, 6],
    ]);
    const unlabelled = Matrix.from([[5, 7, 4]]);
    const sample = new Sample({ features, unlabelled, labels: Int32Array.of(0, 1), classes: ["a", "b"] });
    const inputs = pretrainInputs(sample, "unit");
    expect(Array.from(inputs.rows.values)).toEqual([0, 0, 0.5, 0.5, 0, 1, 1, 0, 0]);
    expect(Array.from(scaledSample(sample, inputs).features.values)).toEqual([0, 0, 0.5, 0.5, 0, 1]);
    expect(Array.from(pretrainInputs(sample, "standard").rows.values.subarray(0, 3))).toEqual([1, 7, 5]);
  });

  it("become part of the first layer: the network gives the same outputs for the features themselves", () => {
    const inputs = pretrainInputs(labelled, "unit");
    const network = randomWeights([10, 4, 3], "tanh", new Random(6));
    const form = { activation: "tanh", output: "softmax" } as const;
    const onInputs = networkSums(network, form, inputs.rows);
    const direct = networkSums(onFeatures(network, inputs), form, labelled.features);
    onInputs.values.forEach((value: number, k: number) => {
      expect(direct.values[k]).toBeCloseTo(value, 4);
    });
  });
});
