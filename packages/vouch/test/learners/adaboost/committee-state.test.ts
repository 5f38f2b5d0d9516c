import { describe, expect, test } from "vitest";
import { adaboost } from "#vouch/learners/adaboost/adaboost.js";
import { AdaBoostModel } from "#vouch/learners/adaboost/stump-committee.js";
import { sampleOf } from "../small-samples.js";
import { noisySample } from "./noisy-sample.js";

describe("the state of a committee", () => {
  test("gives the same scores, bit for bit", async () => {
    for (const classes of [2, 3]) {
      const sample = noisySample(60, 3, classes, 4);
      const model = await adaboost({ rounds: 30 }).fit(sample);
      const again = AdaBoostModel.restore(structuredClone(model.toState()));
      expect(again.scores(sample.features)).toEqual(model.scores(sample.features));
      expect(again.describe()).toEqual(model.describe());
      expect(again.toState()).toEqual(model.toState());
    }
  });

  test("is refused when anything is odd", async () => {
    const sample = sampleOf([[0], [1], [2], [3], [4]], [0, 0, 1, 1, 0]);
    const { json, tensors } = (await adaboost({ rounds: 2 }).fit(sample)).toState();
    const older = {
      classes: ["ant", "bee"],
      featureNames: ["x1"],
      rounds: 2,
      stop: "all rounds done",
      trainingClasses: 2,
    };
    const structure = { ...older, training: { rows: 5, errors: 1 } };
    expect(json).toEqual(structure);
    const numbers = (name: string, ...data: number[]) => ({
      json,
      tensors: { ...tensors, [name]: { shape: [2], data: Float64Array.from(data) } },
    });
    const integers = (name: string, ...data: number[]) => ({
      json,
      tensors: { ...tensors, [name]: { shape: [2], data: Int32Array.from(data) } },
    });
    const { alpha, ...withoutAlpha } = tensors;
    const bad = [
      { json: { ...structure, rounds: 3 }, tensors },
      { json: { ...structure, rounds: 1e15 }, tensors },
      { json: { ...structure, stop: "bored" }, tensors },
      { json: { ...structure, trainingClasses: 3 }, tensors },
      { json: { ...structure, classes: ["ant"] }, tensors },
      { json: { ...structure, featureNames: [] }, tensors },
      { json: { ...structure, training: { rows: 5, errors: 6 } }, tensors },
      { json: older, tensors },
      { json: [], tensors },
      { json, tensors: withoutAlpha },
      { json, tensors: { ...tensors, beta: alpha } },
      { json, tensors: { ...tensors, alpha: { ...alpha, shape: [2, 1] } } },
      numbers("alpha", 1, 0),
      numbers("alpha", 1, -1),
      numbers("alpha", 1, Infinity),
      numbers("alpha", 1, 1e300),
      numbers("threshold", 1, Number.NaN),
      numbers("error", 0.1, 1.1),
      numbers("trainingError", -0.1, 0),
      numbers("feature", 0, 0),
      integers("alpha", 1, 1),
      integers("feature", 0, 1),
      integers("feature", 0, -2),
      integers("feature", -1, -1),
      integers("left", 0, 2),
      integers("right", -1, 0),
    ];
    expect(AdaBoostModel.restore({ json, tensors }).toState()).toEqual({ json, tensors });
    const { margins, ...olderTensors } = tensors;
    expect(margins.data).toHaveLength(101);
    const restored = AdaBoostModel.restore({ json: older, tensors: olderTensors });
    expect(restored.certificates({ confidence: 0.95 })).toEqual([]);
    for (const state of bad) {
      expect(() => AdaBoostModel.restore(state), JSON.stringify(state)).toThrow(
        expect.objectContaining({ code: "model/corrupt" }),
      );
    }
  });
});
