import { describe, expect, test } from "vitest";
import { svm, svmDefinition } from "#vouch/learners/svm/svm.js";
import { refusalBy, refuseDamagedTensors } from "../../runtime/damaged-states.js";
import { noisyBlobs } from "./noisy-blobs.js";

describe("model files", () => {
  test("a restored model is the model", async () => {
    for (const [classes, probability] of [
      [2, false],
      [3, true],
    ] as const) {
      const sample = noisyBlobs(60, 3, classes, 2);
      const model = await svm({ probability }).fit(sample);
      const restored = svmDefinition.restore(model.toState());
      expect(restored.toState()).toEqual(model.toState());
      expect(restored.scores(sample.features)).toEqual(model.scores(sample.features));
      expect(restored.margins(sample)).toEqual(model.margins(sample));
      expect(restored.describe()).toEqual(model.describe());
    }
  });

  test("a state that no model has is refused", async () => {
    const state = (await svm({ probability: true }).fit(noisyBlobs(30, 2, 3, 1))).toState();
    const { json, tensors } = state;
    if (typeof json !== "object" || json === null || Array.isArray(json)) throw new Error("not an object");
    const refuse = refusalBy(svmDefinition);
    refuseDamagedTensors(state, refuse);
    for (const change of [
      { trained: [0, 1, 3] },
      { trained: [0, 2, 1] },
      { trained: [0, 1] },
      { kernel: { kind: "rbf" } },
      { kernel: { kind: "rbf", gamma: -1 } },
      { kernel: { kind: "sigmoid" } },
      { supportVectors: 1e9 },
      { squaredRadius: -1 },
      { probability: false },
      { tolerance: null },
      { extra: 1 },
    ]) {
      refuse({ json: { ...json, ...change }, tensors });
    }
    refuse({ json, tensors: { ...tensors, more: tensors.biases } });
    // Five billion pairs, which nobody must try to list.
    const many = Array.from({ length: 100_000 }, (_, k) => k);
    refuse({ json: { ...json, classes: many.map(String), trained: many }, tensors });
    const counts = { ...tensors.counts, data: Int32Array.of(-1, 1, 30) };
    refuse({ json, tensors: { ...tensors, counts } });
  });
});
