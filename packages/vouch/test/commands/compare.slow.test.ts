import { describe, expect, it } from "vitest";
import { Desk, flowersCsv } from "../vouch.js";

const desk = new Desk();

describe.concurrent("compare", () => {
  it("gives errors, tests, times, sizes and certificates of all learners as JSON, the best first", async () => {
    const args = ["compare", "iris", "--learners", "majority,stump,forest,svm:C=10", "--folds", "4"];
    const document = await desk.json([...args, "--set", "forest.trees=20"]);
    expect(document).toMatchObject({
      seed: 1,
      folds: 4,
      confidence: 0.95,
      data: { name: "iris", rows: 150, features: 4, classes: 3, trainingRows: 120, heldOutRows: 30 },
      failed: [],
      outOfTime: [],
      verdict: { better: "yes", warnings: [] },
      // Of 50 rows of each class, 6 of virginica are held out.
      baseline: { class: "virginica", mean: expect.closeTo(1 - 44 / 120, 2) },
    });
    const { learners, verdict, baseline } = document;
    expect(verdict).toMatchObject({ gain: learners[0].gain, p: learners[0].pBaseline });
    expect(verdict.gain).toBeCloseTo(baseline.mean - learners[0].mean, 12);
    const names = learners.map(({ name }: { name: string }) => name);
    expect([...names].sort()).toEqual(["forest trees=20", "majority", "stump", "svm C=10"]);
    const means = learners.map(({ mean }: { mean: number }) => mean);
    expect(means).toEqual([...means].sort((a, b) => a - b));
    expect(learners[0]).not.toHaveProperty("p");
    for (const { errors, mean, bytes, heldOut, bound } of learners) {
      expect(errors).toHaveLength(4);
      expect(mean).toBeCloseTo(errors.reduce((sum: number, error: number) => sum + error, 0) / 4, 12);
      expect(bytes).toBeGreaterThan(0);
      expect(heldOut.rows).toBe(30);
      expect(bound).toBeGreaterThan(heldOut.errors / 30);
    }
    const majority = learners.at(-1);
    expect(majority.name).toBe("majority");
    expect(majority.p).toBeLessThan(0.05);
    expect(majority).toMatchObject({ gain: 0, pBaseline: 1, heldOut: { gain: 0, p: 1 } });
  });

  it("tells a person what the numbers are", async () => {
    const text = await desk.print(["compare", "iris", "--learners", "stump,svm", "--report", "iris.html"]);
    expect(text).toMatch(/learner +error % +p best +p base +fit +per row +size +certified\n {2}svm .* best /);
    expect(text).toMatch(/^ {2}baseline +63\.3 ± 1\.9\n/m);
    expect(text.replaceAll(/\s+/g, " ")).toContain(
      'p: paired t-tests against the best learner and against the baseline, always answering "virginica", corrected for overlapping training sets (Nadeau and Bengio) and for multiple comparisons (Holm).',
    );
    expect(text.replaceAll(/\s+/g, " ")).toMatch(
      /^svm has the smallest error, 1\.7%: better than always answering "virginica" \(63\.3%, p < 0\.001\)\. All others are significantly worse than svm\./,
    );
    const page = desk.read("iris.html");
    expect(page).toMatch(/^<!doctype html>/i);
    expect(page).toContain("2 learners on iris");
    expect(page).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
    const [, command] = /<code>(.*?)<\/code>/s.exec(page) ?? [];
    const again = command.replaceAll(/<[^>]*>/g, "").trim();
    expect(again).toBe("vouch compare iris --learners stump,svm --folds 5 --seed 1");
  });

  it("says of a learner why it cannot take part, and compares the others", async () => {
    const args = ["compare", "iris", "--learners", "perceptron,stump"];
    const { stdout } = await desk.run(args);
    expect(stdout).toMatch(/perceptron: .*two classes/);
    expect(stdout).toMatch(/^ {2}stump /m);
    const { failed, learners } = await desk.json(args);
    expect(failed).toMatchObject([{ name: "perceptron" }]);
    expect(learners).toHaveLength(1);
  });

  it("does not call a learner better than the baseline on noise", async () => {
    const noise = Array.from({ length: 200 }, (_, i) => `${(i * 7919) % 211},${i % 5 === 0 ? "Yes" : "No"}`);
    desk.file("noise.csv", ["x,churned", ...noise].join("\n"));
    const args = ["compare", "noise.csv", "--learners", "majority,stump,forest"];
    const text = (await desk.print(args)).replaceAll(/\s+/g, " ");
    // 32 of the 160 rows that are not held out are "Yes".
    expect(text).toMatch(
      /^No learner is shown to be better than always answering "No" \(20\.0%\): the best, majority, has 20\.0% \(p = 1\.00\)\./,
    );
    expect((await desk.json(args)).verdict).toMatchObject({ better: "no", p: 1, warnings: [] });
  });

  it("uses the budget, and names the learners that it does not suffice for next to the winner", {
    retry: 3,
  }, async () => {
    desk.file("long.csv", flowersCsv(3000));
    const args = ["compare", "long.csv", "--learners", "stump,adaboost", "--set", "adaboost.rounds=100000"];
    const { failed, outOfTime, learners, verdict, seconds } = await desk.json([...args, "--budget", "3s"]);
    expect(learners).toMatchObject([{ name: "stump" }]);
    expect(failed).toEqual([]);
    expect(outOfTime).toEqual([{ name: "adaboost rounds=100000", folds: 0 }]);
    expect(verdict.warnings).toEqual([
      {
        code: "out-of-time",
        message: "1 learner ran out of time and may be better: adaboost rounds=100000.",
      },
    ]);
    expect(seconds).toBeGreaterThan(2.4);
    const text = (await desk.print([...args, "--budget", "3s"])).split("\n\n")[0].replaceAll(/\s+/g, " ");
    expect(text).toMatch(
      /^stump has .* ran out of time .*: adaboost rounds=100000\. Give a longer --budget\.$/,
    );
  });

  it("gives the same errors for any number of threads", async () => {
    const errors = async (threads: string) => {
      const args = ["compare", "ionosphere", "--learners", "forest,adaboost", "--threads", threads];
      const { learners } = await desk.json(args);
      return learners.map(({ name, errors, p, bound }: Record<string, unknown>) => [name, errors, p, bound]);
    };
    expect(await errors("1")).toEqual(await errors("2"));
  });

  it("stops on Ctrl-C", async () => {
    desk.file("endless.csv", flowersCsv(5000));
    const args = ["compare", "endless.csv", "--learners", "adaboost", "--set", "adaboost.rounds=100000"];
    const { child, outcome, said } = desk.start(args);
    await said("comparing");
    child.kill("SIGINT");
    expect(await outcome).toMatchObject({ code: 130, stdout: "" });
  });

  it.each([
    [2, ["--learners", "stump,forrest"], 'Unknown learner "forrest". Did you mean "forest"?'],
    [2, ["--learners", ""], "--learners needs at least one name."],
    [2, ["--learners", "stump,stump"], "The candidate stump is named twice."],
    [
      2,
      ["--learners", "stump", "--set", "rounds=5"],
      '--set must be LEARNER.OPTION=VALUE with one of the compared learners, not "rounds=5".',
    ],
    [2, ["--learners", "stump", "--set", "forest.trees=5"], 'not "forest.trees=5".'],
    [2, ["--learners", "forest", "--set", "forest.trees=0"], "forest: trees must be a whole number"],
    [2, ["--learners", "forest:tree=5"], "tree"],
    [2, ["--folds", "1"], "--folds must be a whole number ≥ 2, not 1."],
    [1, ["--folds", "200"], "iris: It takes at least 200 rows to make 200 folds, but there are only 120."],
    [1, ["--report", "nowhere/page.html"], "Cannot write nowhere/page.html: there is no folder nowhere."],
    [1, ["--learners", "perceptron"], "No learner can be compared; perceptron:"],
    [1, ["--target", "spezies"], 'iris has no target column "spezies".'],
  ] as const)("fails with %d: %j", async (code, flags, message) => {
    expect(await desk.fault(code, ["compare", "iris", ...flags])).toContain(message);
  });
});
