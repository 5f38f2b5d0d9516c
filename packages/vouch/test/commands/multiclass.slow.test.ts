import { describe, expect, test } from "vitest";
import { Desk } from "../vouch.js";

const desk = new Desk();

describe("a learner made of another one", () => {
  test("options of the base are set by base.NAME, kept and shown", async () => {
    const settings = ["--set", "base=adaboost", "--set", "base.rounds=20"];
    const train = ["train", "iris", "--learner", "one-vs-rest", ...settings, "--out", "m.safetensors"];
    expect(await desk.print(train)).toContain(
      "One-vs-rest, base adaboost, base rounds 20: trained on 120 rows",
    );
    const facts = await desk.json(["inspect", "m.safetensors"]);
    expect(facts).toMatchObject({
      learner: "one-vs-rest",
      options: { base: "adaboost", baseOptions: { rounds: 20, patience: 0 }, maxRows: "auto" },
    });
    const shown = await desk.print(["inspect", "m.safetensors"]);
    expect(shown).toMatch(/ base\.rounds +20\n/);
    expect(shown).toContain("versicolor or not");
    const { error } = await desk.json(["evaluate", "m.safetensors", "iris"]);
    expect(error).toBeLessThan(0.1);
  });

  test("without settings the base is svm", async () => {
    const { options, error } = await desk.json([
      ...["train", "iris", "--learner", "dag-svm", "--set", "base.C=10", "--out", "d.safetensors"],
      "--stratify",
    ]);
    expect(options).toMatchObject({ base: "svm", baseOptions: { C: 10, kernel: "rbf" } });
    expect(error.test).toBeLessThan(0.1);
  });

  test.each([
    [["base.Cc=1"], 'svm has no option Cc. Did you mean "C"?'],
    [["base.C=x"], 'svm: C must be a number > 0, not "x".'],
    [["base.C=-1"], "svm: C must be a number > 0, not -1."],
    [["base=adaboost", "base.C=1"], "adaboost has no option C. Its options are rounds,"],
    [["C=1"], "one-vs-rest has no setting C. Options of its base svm are set as base.C=VALUE."],
    [
      ["baseOptions=1"],
      "one-vs-rest has no setting baseOptions. Options of its base svm are set as base.NAME=VALUE.",
    ],
    [
      ["base=dag-svm"],
      'Option base of one-vs-rest is "dag-svm", which is made of two-class machines itself.',
    ],
    [["base=adabost"], 'Unknown learner "adabost". Did you mean "adaboost"?'],
    [["base.C"], '"C" does not set an option of svm.'],
  ])("%s is wrong", async (settings, message) => {
    const set = settings.flatMap((setting) => ["--set", setting]);
    expect(await desk.fault(2, ["train", "iris", "--learner", "one-vs-rest", ...set])).toContain(message);
  });

  test("a grid tries options of the base, and bases", async () => {
    const { candidates } = await desk.json([
      ...["select", "iris", "--by", "holdout", "--learner", "one-vs-one", "--grid", "base=stump,perceptron"],
      ...["--learner", "dag-svm", "--grid", "base=adaboost", "--grid", "base.rounds=2,3"],
    ]);
    expect(candidates.map(({ name }: { name: string }) => name)).toEqual([
      "one-vs-one base=stump",
      "one-vs-one base=perceptron",
      "dag-svm base.rounds=2",
      "dag-svm base.rounds=3",
    ]);
  });

  test("help says how options of the base are set", async () => {
    const text = await desk.print(["help", "one-vs-rest"]);
    expect(text).toContain("--set base.NAME=…");
    expect(text).toMatch(/base\.kernel,\s+base\.C,/);
    expect(text).not.toContain("baseOptions");
  });
});
