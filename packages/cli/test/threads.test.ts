import { describe, expect, it } from "vitest";
import { learners } from "vouch";
import { Desk } from "./vouch.js";

const desk = new Desk();

/** Smaller searches for the cascades, whose full grid takes seconds, and smaller deep forests. */
const settings: Readonly<Record<string, readonly string[]>> = {
  "cascade-forest": ["trees=5", "folds=3", "layers=2"],
  gcforest: ["trees=5", "folds=3", "layers=2", "shape=9", "scanTrees=3"],
  mddf: ["trees=5", "folds=3", "layers=3"],
  "deep-cascade": ["maxDepth=2", "fractions=0.3,0.6"],
  "deep-cascade-perceptron": ["maxDepth=3", "fractions=0.3,0.6"],
  "deep-cascade-svm": ["maxDepth=3", "fractions=0.3,0.6", "degrees=1,2,3", "cGrid=0.1,1"],
};

describe.concurrent("the number of threads changes no byte of the model file", () => {
  it.each(learners.map(({ name }) => name))("%s", async (name) => {
    const files = await Promise.all(
      ["1", "2", "4"].map(async (threads) => {
        const out = `${name}-${threads}.st`;
        const set = (settings[name] ?? []).flatMap((setting) => ["--set", setting]);
        const args = ["train", "breastcancer", "--learner", name, ...set, "--threads", threads, "--out", out];
        await desk.print(args);
        return desk.bytes(out);
      }),
    );
    expect(files[1].equals(files[0])).toBe(true);
    expect(files[2].equals(files[0])).toBe(true);
  });

  it("the choice among all learners", async () => {
    const files = await Promise.all(
      ["1", "2"].map(async (threads) => {
        const out = `choice-${threads}.st`;
        await desk.print(["train", "ionosphere", "--threads", threads, "--out", out]);
        return desk.bytes(out);
      }),
    );
    expect(files[1].equals(files[0])).toBe(true);
  });
});
