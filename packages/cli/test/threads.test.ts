import { describe, expect, it } from "vitest";
import { learnerNames } from "vouch";
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
  "deep-cascade": ["maxDepth=2", "fractions=0.3,0.6"],
  "deep-cascade-perceptron": ["maxDepth=3", "fractions=0.3,0.6"],
  "deep-cascade-svm": ["maxDepth=3", "fractions=0.3,0.6", "degrees=1,2,3", "cGrid=0.1,1"],
};

describe.concurrent("the number of threads changes no byte of the model file", () => {
  it.each(learnerNames())("%s", async (name) => {
    const set = (settings[name] ?? []).flatMap((setting) => ["--set", setting]);
    const files = await trained(["breastcancer", "--learner", name, ...set], name, ["1", "3"]);
    expect(files[1].equals(files[0])).toBe(true);
  });
});

/** Trains with these arguments on different numbers of threads; returns the model files. */
async function trained(args: readonly string[], name: string, threads: readonly string[]): Promise<Buffer[]> {
  const outs = threads.map((count) => `${name}-${count}.st`);
  for (const [k, count] of threads.entries()) {
    await desk.print(["train", ...args, "--threads", count, "--out", outs[k], "--quiet"]);
  }
  return outs.map((out) => desk.bytes(out));
}
