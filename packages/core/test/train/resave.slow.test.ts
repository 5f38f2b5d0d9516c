import { describe, expect, it } from "vitest";
import { createLearner, learnerNames } from "#core/learners/index.js";
import { deserialise, serialise } from "#core/train/model-file.js";
import { trainClassifier } from "#core/train/train.js";
import { blobs } from "./blobs.js";
import { originalModels } from "./original-models.js";

type Options = Readonly<Record<string, unknown>>;

const SEARCH = { maxDepth: 3, fractions: [0.4, 0.8], gammas: [1e-6] };

/** Cascades with all kinds of gates, leaves and kernels, and with several γ. */
const CASCADES: [string, Options][] = [
  ...[["constant"], ["threshold-2", "kernel-1"], ["rbf"]].map((leaves): [string, Options] => [
    "deep-cascade",
    { ...SEARCH, leaves, gates: ["threshold-2"], cGrid: [1] },
  ]),
  ["deep-cascade-svm", { ...SEARCH, kernel: "rbf", cGrid: [1, 10], cFolds: 2, gate: "strict" }],
  ["deep-cascade-svm", { ...SEARCH, gammas: [1e-6, 0.1], degrees: [1, 2], cGrid: [1], folds: 2 }],
  ["deep-cascade-perceptron", { ...SEARCH, gammas: [1e-6, 0.1], degrees: [1, 3], standardise: false }],
  ["deep-cascade-perceptron", { ...SEARCH, minDepth: 3, kernel: "rbf", nonDecreasing: true }],
];

async function resaved(bytes: Uint8Array): Promise<Uint8Array> {
  return serialise(await deserialise(bytes));
}

describe("a model that is loaded and saved again keeps its bytes", () => {
  it("for every learner, encoder and decision", async () => {
    const originals = await originalModels();
    const names = originals.map(({ name }) => name).join(", ");
    for (const learner of learnerNames()) expect(names).toContain(learner);
    for (const { name, bytes } of originals) {
      expect(Buffer.compare(bytes, await resaved(bytes)), name).toBe(0);
    }
  });

  it.each(CASCADES)("for %s %j", async (name, options) => {
    const learner = await createLearner(name, options);
    const { classifier } = await trainClassifier(blobs(60, 5), learner, { calibrate: false });
    const bytes = await serialise(classifier);
    expect(Buffer.compare(bytes, await resaved(bytes))).toBe(0);
  });
});
