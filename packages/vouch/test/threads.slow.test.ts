import { hardwareThreads } from "@vouch/core/internal/runtime/platform";
import { loadDataset } from "@vouch/datasets";
import { describe, expect, it } from "vitest";
import {
  byRacing,
  forest,
  learnerNames,
  serialise,
  stump,
  svm,
  threadExecutor,
  trainClassifier,
} from "vouch";
import { Desk } from "./vouch.js";

const desk = new Desk();

/** Smaller searches for the cascades, whose full grid takes seconds, smaller deep forests, and a few epochs. */
const settings: Readonly<Record<string, readonly string[]>> = {
  mlp: ["epochs=3"],
  sae: ["epochs=3", "pretrainEpochs=2"],
  dbn: ["epochs=3", "pretrainEpochs=2"],
  "cascade-forest": ["trees=5", "folds=3", "layers=2"],
  gcforest: ["trees=5", "folds=3", "layers=2", "shape=9", "scanTrees=3"],
  mddf: ["trees=5", "folds=3", "layers=3"],
  ensemble: ["members=linear-svm,logistic,tree", "folds=2"],
  "deep-cascade": ["maxDepth=2", "fractions=0.3,0.6"],
  "deep-cascade-perceptron": ["maxDepth=3", "fractions=0.3,0.6"],
  "deep-cascade-svm": ["maxDepth=3", "fractions=0.3,0.6", "degrees=1,2,3", "cGrid=0.1,1"],
};

/** A learner of each kind: the library's own test trains them all on several numbers of threads. */
const SOME = [
  "tree",
  "adaboost",
  "svm",
  "forest",
  "boosted-trees",
  "mlp",
  "dbn",
  "deep-cascade-svm",
  "mddf",
  "ensemble",
];

describe.concurrent("the number of threads changes no byte of the model file", () => {
  it.each(process.env.VOUCH_NIGHTLY ? learnerNames() : SOME)("%s", async (name) => {
    const set = (settings[name] ?? []).flatMap((setting) => ["--set", setting]);
    const args = ["breastcancer", "--learner", name, ...set, "--no-calibrate"];
    const files = await trained(args, name, ["1", "3"]);
    expect(files[1].equals(files[0])).toBe(true);
  });

  it.each([
    ["out-of-fold", "linear-svm"],
    ["out-of-bag", "forest"],
  ])("nor does calibration on %s rows", async (_, name) => {
    const files = await trained(["breastcancer", "--learner", name], `calibrated-${name}`, ["1", "3"]);
    expect(files[1].equals(files[0])).toBe(true);
  });
});

it("a race chooses the same learner and model with any number of threads", async () => {
  const { train } = await loadDataset("iris");
  const models = [1, 3].map(async (threads) => {
    const executor = threadExecutor({ threads });
    try {
      // Time enough for all rounds: then the choice does not depend on it.
      const choice = byRacing([stump(), svm(), forest({ trees: 10 })], { seconds: 600 });
      const { classifier } = await trainClassifier(train, choice, { run: { seed: 1, executor } });
      return await serialise(classifier);
    } finally {
      await executor.close();
    }
  });
  const [one, three] = await Promise.all(models);
  expect(three).toEqual(one);
});

it("far more threads than the machine has are reduced, with a notice, and change no byte", async () => {
  const args = ["train", "iris", "--learner", "forest", "--set", "trees=20"];
  await desk.print([...args, "--threads", "1", "--out", "one-thread.st"]);
  const { code, stderr } = await desk.run([...args, "--threads", "1024", "--out", "many-threads.st"]);
  expect(code).toBe(0);
  const used = Math.min(256, Math.max(16, 4 * hardwareThreads()));
  expect(stderr.replaceAll(/\s+/g, " ")).toContain(`--threads is 1,024, but this machine has`);
  expect(stderr.replaceAll(/\s+/g, " ")).toContain(`${used} threads are used.`);
  expect(desk.bytes("many-threads.st").equals(desk.bytes("one-thread.st"))).toBe(true);
});

/** Trains with these arguments on different numbers of threads; returns the model files. */
async function trained(args: readonly string[], name: string, threads: readonly string[]): Promise<Buffer[]> {
  const outs = threads.map((count) => `${name}-${count}.st`);
  for (const [k, count] of threads.entries()) {
    await desk.print(["train", ...args, "--threads", count, "--out", outs[k], "--quiet"]);
  }
  return outs.map((out) => desk.bytes(out));
}
