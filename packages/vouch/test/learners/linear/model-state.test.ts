import { describe, expect, test } from "vitest";
import { linearSvm, linearSvmDefinition } from "#vouch/learners/linear/linear-svm.js";
import { refusalBy, refuseDamagedTensors } from "../../runtime/damaged-states.js";
import { noisyBlobs } from "../svm/noisy-blobs.js";

describe("model files", () => {
  test("a restored model is the model", async () => {
    for (const classes of [2, 4]) {
      const sample = noisyBlobs(80, 3, classes, 2);
      const model = await linearSvm().fit(sample);
      const restored = linearSvmDefinition.restore(model.toState());
      expect(restored.toState()).toEqual(model.toState());
      expect(restored.scores(sample.features)).toEqual(model.scores(sample.features));
      expect(restored.margins(sample)).toEqual(model.margins(sample));
      expect(restored.describe()).toEqual(model.describe());
      expect(restored.complexity()).toEqual(model.complexity());
    }
  });

  test("a state that no model has is refused", async () => {
    const state = (await linearSvm().fit(noisyBlobs(40, 2, 2, 1))).toState();
    const { json, tensors } = state;
    if (typeof json !== "object" || json === null || Array.isArray(json)) throw new Error("not an object");
    const refuse = refusalBy(linearSvmDefinition);
    refuseDamagedTensors(state, refuse);
    for (const change of [
      { trained: [0, 2] },
      { trained: [1, 0] },
      { trained: [0] },
      { classes: ["a", "b", "c"], trained: [0, 1, 2] },
      { featureNames: ["x"] },
      { loss: "logistic" },
      { biasFeature: -1 },
      { squaredRadius: -1 },
      { tolerance: 0 },
      { training: { rows: 3, errors: 1, otherErrors: 1, messages: 1 } },
      { extra: 1 },
    ]) {
      refuse({ json: { ...json, ...change }, tensors });
    }
    refuse({ json, tensors: { ...tensors, more: tensors.biases } });
    refuse({ json, tensors: { ...tensors, supportVectors: { shape: [1], data: Int32Array.of(-1) } } });
  });
});
