import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { criteria } from "vouch";
import { Desk, flowersCsv } from "../vouch.js";

const desk = new Desk();
desk.file("flowers.csv", flowersCsv(120, 1));

/** A criterion in JSON. */
interface CriterionJson {
  readonly name: string;
  readonly choice: string;
  readonly scores: readonly {
    readonly candidate: string;
    readonly value: number | null;
    readonly rank: number;
  }[];
  readonly refused: readonly { readonly candidate: string; readonly reason: string }[];
}

const example = [
  "select",
  "breastcancer",
  "--learner",
  "adaboost",
  "--grid",
  "rounds=5,10,20,40,80",
  "--by",
  "cv,srm,adjusted-srm,margin",
];

describe.concurrent("select", () => {
  it("shows every candidate under every criterion and says where these disagree", async () => {
    const text = await desk.print(example);
    expect(text).toMatch(/^ +candidate +cv +srm +adjusted-srm +margin$/m);
    for (const rounds of [5, 10, 20, 40, 80]) {
      expect(text).toMatch(new RegExp(`^ +adaboost rounds=${rounds}( +[\\d.∞]+%? \\(\\d\\)){4}$`, "m"));
    }
    expect(text).toMatch(/The criteria disagree: cv/);
    expect(text.replaceAll(/\s+/g, " ")).toContain("The bounds of srm are above 1");
    expect(text).toMatch(/^chosen by cv among 5 candidates in .*: adaboost rounds=\d+$/m);
  });

  it("--json gives the same numbers, whatever the number of threads", async () => {
    const [one, two] = await Promise.all(
      ["1", "2"].map((threads) => desk.json([...example, "--threads", threads])),
    );
    expect({ ...two, seconds: 0 }).toEqual({ ...one, seconds: 0 });
    expect(one).toMatchObject({
      data: { name: "breastcancer", rows: 699 },
      settings: { folds: 10, holdout: 0.2, confidence: 0.95 },
      chosen: { by: "cv", learner: "adaboost" },
    });
    const criteria: CriterionJson[] = one.criteria;
    expect(criteria.map(({ name }) => name)).toEqual(["cv", "srm", "adjusted-srm", "margin"]);
    for (const { scores, choice } of criteria) {
      expect(scores).toHaveLength(5);
      expect(scores[0]).toMatchObject({ candidate: choice, rank: 1 });
    }
    // What `train --folds` finds for the same learner, seed and folds; there folds of unequal size count the same.
    const candidate = "adaboost rounds=20";
    const cv = criteria[0].scores.find((score) => score.candidate === candidate);
    const args = [
      "train",
      "breastcancer",
      "-l",
      "adaboost",
      "-s",
      "rounds=20",
      "--folds",
      "10",
      "-o",
      "folds.st",
    ];
    const { error } = await desk.json(args);
    expect(cv?.value).toBeCloseTo(error.folds.mean, 3);
    // Eq. 3.11 prefers fewer rounds, at so few rows always.
    expect(criteria[1].choice).toBe("adaboost rounds=5");
  });

  it("takes several learners, each with the grid that follows it", async () => {
    const args = ["select", "flowers.csv", "-l", "svm", "-g", "C=0.1,1", "kernel=linear,rbf", "-l", "stump"];
    const { candidates, criteria } = await desk.json([...args, "--folds", "3", "--by", "cv,srm"]);
    expect(candidates.map(({ name }: { name: string }) => name)).toEqual([
      "svm kernel=linear C=0.1",
      "svm kernel=rbf C=0.1",
      "svm kernel=linear C=1",
      "svm kernel=rbf C=1",
      "stump",
    ]);
    const srm: CriterionJson = criteria[1];
    expect(srm.refused.map(({ candidate }) => candidate)).toEqual([
      "svm kernel=rbf C=0.1",
      "svm kernel=rbf C=1",
    ]);
    const text = await desk.print([...args, "--folds", "3", "--by", "cv,srm"]);
    expect(text).toMatch(/^ +svm kernel=rbf C=1 .* –$/m);
    expect(text.replaceAll(/\s+/g, " ")).toContain("the VC dimension of the family is infinite");
  });

  it("--out trains the chosen candidate on all rows", async () => {
    const args = ["select", "flowers.csv", "-l", "adaboost", "-g", "rounds=1,30", "-o", "chosen.st"];
    const { chosen, model, error } = await desk.json(args);
    expect(model).toBe("chosen.st");
    const card = await desk.json(["inspect", "chosen.st"]);
    expect(card).toMatchObject({ learner: "adaboost", options: chosen.options, data: { rows: 120 } });
    expect((await desk.json(["evaluate", "chosen.st", "flowers.csv"])).error).toBeCloseTo(error.train, 12);
    expect(await desk.print([...args, "--quiet"])).toContain("model saved to chosen.st");
  });

  it("leaves identifiers out, as train does", async () => {
    const numbered = flowersCsv(120)
      .trimEnd()
      .split("\n")
      .map((line, i) => `${i === 0 ? "id" : i},${line}`);
    desk.file("numbered.csv", numbered.join("\n"));
    const args = ["select", "numbered.csv", "-l", "stump", "-l", "majority", "-o", "numbered.st"];
    const { notices } = await desk.json(args);
    expect(notices[0]).toMatch(/^1 identifier column dropped.*"id"/);
    await desk.print(["predict", "numbered.st", "flowers.csv"]);
  });

  it("works for every criterion that needs no likelihood, and for lists as values", async () => {
    const args = ["select", "flowers.csv", "-l", "deep-cascade", "-g", "fractions=0.5;0.3,0.6", "maxDepth=2"];
    const { candidates } = await desk.json([...args, "--by", "holdout"]);
    expect(candidates.map(({ name }: { name: string }) => name)).toEqual([
      "deep-cascade fractions=0.5",
      "deep-cascade fractions=0.3,0.6",
    ]);
  });
});

it("help and docs name every criterion", async () => {
  const help = (await desk.print(["help", "select"])).replaceAll(/\s+/g, " ");
  expect(help).toContain(
    `criteria, separated by commas: ${criteria.map(({ name }) => name).join(", ")} (default: cv)`,
  );
  const docs = readFileSync(new URL("../../../../docs/selection.md", import.meta.url), "utf8");
  for (const { name } of criteria) expect(docs).toContain(`\`${name}\``);
});

describe.concurrent("select, given what it cannot use", () => {
  const select = ["select", "iris"];
  it.each([
    [[...select], "There are no candidates. Name at least one with --learner"],
    [[...select, "-l", "adaboots"], 'Unknown learner "adaboots". Did you mean "adaboost"?'],
    [[...select, "-l", "stump", "--by", "cv,smr"], 'Unknown criterion "smr". Did you mean "srm"?'],
    [[...select, "-l", "stump", "--by", ""], "No criterion to select by."],
    [[...select, "-l", "stump", "--by", "cv,cv"], "The criterion cv is named twice."],
    [[...select, "-l", "stump", "-l", "stump"], "The candidate stump is named twice."],
    [[...select, "-g", "rounds=5", "-l", "adaboost"], "--grid rounds=5 comes before any --learner."],
    [[...select, "-l", "adaboost", "-g", "round=5"], 'adaboost has no option round. Did you mean "rounds"?'],
    [[...select, "-l", "adaboost", "-g", "rounds=5,0"], "adaboost: rounds must be a whole number"],
    [[...select, "-l", "adaboost", "-g", "rounds=5,"], 'not "".'],
    [[...select, "-l", "adaboost", "-g", "rounds"], '"rounds" does not set an option of adaboost.'],
    [[...select, "-l", "adaboost", "-g", "rounds=5", "rounds=6"], "The grid of adaboost sets rounds twice."],
    [[...select, "-l", "adaboost", "-g", "rounds=5,5"], "The candidate adaboost"],
    [[...select, "-l", "stump", "--folds", "1"], "--folds must be a whole number ≥ 2, not 1."],
    [[...select, "-l", "stump", "--holdout", "1"], "--holdout must be between 0 and 1, not 1."],
    [[...select, "-l", "stump", "--out", ""], "--out must be the path of a file, not empty."],
  ])("vouch %j", async (args, message) => {
    expect(await desk.fault(2, args)).toContain(message);
  });

  it("criteria that do not apply", async () => {
    const aic = await desk.fault(1, ["select", "breastcancer", "-l", "adaboost", "--by", "aic"]);
    expect(aic).toContain("aic cannot judge adaboost: such models are not fitted by maximising a likelihood");
    expect(aic).toContain("Use another criterion; cv judges every learner.");
    const margin = await desk.fault(1, ["select", "iris", "-l", "adaboost", "--by", "cv,margin"]);
    expect(margin).toContain("weighted votes between two classes");
  });

  it("too few rows, and too few of a class", async () => {
    desk.file("few.csv", flowersCsv(8));
    const few = await desk.fault(1, ["select", "few.csv", "-l", "stump"]);
    expect(few).toContain("few.csv: It takes at least 10 rows to make 10 folds, but there are only 8.");
    expect(few).toContain("use fewer --folds");
    const rare = flowersCsv(40)
      .trimEnd()
      .split("\n")
      .map((line, i) => line.replace(/[^,]+$/, i === 0 ? "species" : i < 3 ? "rose" : "daisy"));
    desk.file("rare.csv", `${rare.join("\n")}\n`);
    const { notices } = await desk.json(["select", "rare.csv", "-l", "stump", "--folds", "5"]);
    expect(notices).toEqual(['Class "rose" has fewer rows than there are folds: some folds do not test it.']);
  });
});
