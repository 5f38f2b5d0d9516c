import { beforeAll, describe, expect, it } from "vitest";
import { Desk } from "../vouch.js";

const desk = new Desk();

/** A fraction in [0, 1) that follows from two whole numbers (a hash of Bob Jenkins's kind). */
function fraction(row: number, draw: number): number {
  let h = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(draw + 7, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return ((h ^ (h >>> 15)) >>> 0) / 2 ** 32;
}

const CLASSES = ["No", "Yes", "Maybe"];

/** Rows of which a fifth are "Yes", or equally many of three classes, that overlap. */
function casesCsv(rows: number, from: number, classes = 2): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const row = from + i;
    const u = fraction(row, 0);
    const k = classes === 2 ? Number(u < 0.2) : Math.floor(3 * u);
    const noise = fraction(row, 1) + fraction(row, 2) + fraction(row, 3) - 1.5;
    return `${(k + 1.6 * noise).toFixed(4)},${fraction(row, 4).toFixed(3)},${CLASSES[k]}`;
  });
  return `x,noise,label\n${lines.join("\n")}\n`;
}

const cells = (csv: string) =>
  csv
    .trimEnd()
    .split("\n")
    .map((line) => line.replaceAll('"', "").split(","));

const train = (out: string, ...flags: string[]) =>
  desk.json(["train", "cases.csv", "--learner", "logistic", "--out", out, ...flags]);

beforeAll(async () => {
  desk.file("cases.csv", casesCsv(600, 0));
  desk.file("new.csv", casesCsv(400, 1000));
  desk.file("three.csv", casesCsv(400, 5000, 3));
  await train("cost.st", "--cost", "Yes:No=5");
  await train("answers.st", "--abstain", "15%", "--sets", "90%", "--holdout", "0.4");
  await desk.json([
    "train",
    "three.csv",
    "--learner",
    "logistic",
    "--sets",
    "80%",
    "--sets-by",
    "class",
    "--out",
    "three.st",
  ]);
});

describe("train for a metric", () => {
  it.each(["error", "balanced-error", "auc", "log-loss", "brier", "f1"])("--metric %s", async (metric) => {
    const trained = await train("metric.st", "--metric", metric);
    expect(trained.objective).toEqual({ metric, positive: "Yes" });
    expect(trained.calibration).toMatchObject({ rows: 480, from: "folds" });
    expect(trained.rule.kind).toBe(metric === "f1" || metric === "balanced-error" ? "threshold" : "model");
    if (metric === "error") expect(trained.verdict).not.toHaveProperty("objective");
    else expect(trained.verdict.objective).toMatchObject({ metric, gain: trained.verdict.gain });
    expect(trained.certificates[0].measure).toBe(metric === "f1" ? "error" : metric);
    expect(trained.command).toContain(metric === "error" ? "--learner logistic" : `--metric ${metric}`);
  });

  it("--cost predicts the dear class more often, and quotes the mean cost", async () => {
    const trained = await train("again.st", "--cost", "Yes:No=5", "--positive", "Yes");
    expect(trained.objective).toEqual({
      metric: "cost",
      costs: [
        [0, 1],
        [5, 0],
      ],
      positive: "Yes",
    });
    expect(trained.rule).toMatchObject({ kind: "threshold", class: "Yes" });
    expect(trained.rule.at).toBeLessThan(0.4);
    expect(trained.certificates[0]).toMatchObject({ name: "cost", measure: "cost" });
    const text = await desk.print([
      "train",
      "cases.csv",
      "--learner",
      "logistic",
      "--cost",
      "Yes:No=5",
      "--out",
      "c.st",
    ]);
    expect(text).toMatch(/It predicts "Yes" if its probability is at least 0\.\d+/);
    expect(text).toContain("mean cost");
  });

  it("--class-weights are balanced or named", async () => {
    const balanced = await train("weights.st", "--class-weights", "balanced");
    const { No, Yes } = balanced.classWeights;
    expect(No).toBeLessThan(1);
    expect(Yes).toBeGreaterThan(2);
    const named = await train("weights.st", "--class-weights", "Yes=5");
    expect(named.classWeights).toEqual({ No: 1, Yes: 5 });
    expect(named.command).toContain("--class-weights Yes=5");
  });

  it("the printed command trains the same model", async () => {
    const objective = ["--metric", "balanced-error", "--class-weights", "balanced"];
    const answers = ["--abstain", "20%", "--sets", "90%", "--confidence", "0.9"];
    const { command } = await desk.json([
      ...["train", "cases.csv", "--budget", "3s", "--out", "race.st"],
      ...objective,
      ...answers,
    ]);
    await desk.print([...command.split(" ").slice(1), "--out", "named.st"]);
    const [one, other] = await Promise.all(
      ["race.st", "named.st"].map((model) => desk.json(["inspect", model])),
    );
    // The card of the race also lists its candidates.
    expect({ ...other, choice: undefined }).toEqual({ ...one, choice: undefined });
    expect(await desk.print(["predict", "named.st", "new.csv", "--probabilities"])).toBe(
      await desk.print(["predict", "race.st", "new.csv", "--probabilities"]),
    );
  });

  it.each([
    [["--metric", "accuracy"], 'Unknown metric "accuracy"'],
    [["--metric", "f1", "--cost", "Yes:No=5"], "Costs are given, but the metric is f1"],
    [["--metric", "cost"], "no costs are given"],
    [["--cost", "Yes:Maybe=5"], '"Maybe" is not a class'],
    [["--cost", "Yes:No=-1"], "--cost must be"],
    [["--cost", "Yes:No=0", "--cost", "No:Yes=0"], "All costs are 0."],
    [["--positive", "Maybe"], '"Maybe" is not a class'],
    [["--class-weights", "Yes=0"], "--class-weights must be"],
    [["--class-weights", "Maybe=2"], '"Maybe" has a class weight'],
    [["--abstain", "0"], "abstain"],
    [["--sets", "100%"], "sets"],
    [["--abstain", "5%", "--folds", "3"], "needs held-out rows"],
    [["--sets-by", "class"], "--sets-by needs --sets"],
    [["--sets", "90%", "--no-calibrate"], "calibrated probabilities"],
  ])("refuses %j", async (flags, message) => {
    const outcome = await desk.run(["train", "cases.csv", "--learner", "stump", "--out", "no.st", ...flags]);
    expect(outcome.code).not.toBe(0);
    expect(outcome.stderr.replaceAll(/\s+/g, " ")).toContain(message);
    expect(desk.names()).not.toContain("no.st");
  });
});

describe("predict", () => {
  it("--probabilities writes calibrated probabilities that sum to 1", async () => {
    const [header, ...rows] = cells(await desk.print(["predict", "cost.st", "new.csv", "--probabilities"]));
    expect(header).toEqual(["prediction", "probability:No", "probability:Yes"]);
    for (const [, no, yes] of rows) expect(Number(no) + Number(yes)).toBeCloseTo(1, 12);
    const share = rows.reduce((sum, [, , yes]) => sum + Number(yes), 0) / rows.length;
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.25);
  });

  it("leaves the prediction empty where the model abstains, and joins the classes of a set", async () => {
    const [header, ...rows] = cells(await desk.print(["predict", "answers.st", "new.csv"]));
    expect(header).toEqual(["prediction", "set"]);
    expect(new Set(rows.map(([prediction]) => prediction))).toEqual(new Set(["", "No", "Yes"]));
    for (const [, set] of rows) expect(["", "No", "Yes", "No|Yes"]).toContain(set);
    const records = JSON.parse(await desk.print(["predict", "answers.st", "new.csv", "--json"]));
    expect(records.map(({ prediction }: { prediction: string }) => prediction)).toEqual(
      rows.map(([prediction]) => prediction),
    );
  });

  it("--threshold overrides the rule and the abstention", async () => {
    const predicted = async (model: string, threshold: string) =>
      cells(await desk.print(["predict", model, "new.csv", "--threshold", threshold, "-q"]))
        .slice(1)
        .map(([prediction]) => prediction);
    expect(new Set(await predicted("answers.st", "Yes=0"))).toEqual(new Set(["Yes"]));
    expect(new Set(await predicted("answers.st", "Yes=1"))).toEqual(new Set(["No"]));
    const some = await predicted("cost.st", "Yes=0.3");
    const [, ...rows] = cells(await desk.print(["predict", "cost.st", "new.csv", "--probabilities"]));
    expect(some).toEqual(rows.map(([, , yes]) => (Number(yes) >= 0.3 ? "Yes" : "No")));
    const { stderr } = await desk.run(["predict", "answers.st", "new.csv", "--threshold", "Yes=0.3"]);
    expect(stderr).toContain("without its guarantee");
  });

  it.each(["Yes", "Yes=", "Yes=x", "Yes=2", "Yes=-1", "Maybe=0.5", "=0.5"])(
    "refuses --threshold %s",
    async (threshold) => {
      const { code, stderr } = await desk.run(["predict", "cost.st", "new.csv", "--threshold", threshold]);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/threshold|not a class/);
    },
  );
});

describe("evaluate, inspect and certify", () => {
  it("evaluate counts answers and covered sets", async () => {
    const evaluated = await desk.json(["evaluate", "answers.st", "new.csv"]);
    const [, ...rows] = cells(await desk.print(["predict", "answers.st", "new.csv"]));
    const labels = cells(desk.read("new.csv"))
      .slice(1)
      .map(([, , label]) => label);
    const answered = rows.filter(([prediction]) => prediction !== "").length;
    const errors = rows.filter(([prediction], i) => prediction !== "" && prediction !== labels[i]).length;
    expect(evaluated.answers).toEqual({ answered, share: answered / 400, errors, error: errors / answered });
    const covered = rows.filter(([, set], i) => set.split("|").includes(labels[i])).length;
    expect(evaluated.sets).toEqual([{ rows: 400, covered, coverage: covered / 400 }]);
    expect(evaluated).toMatchObject({ positive: "Yes", f1: expect.any(Number) });
    const text = await desk.print(["evaluate", "answers.st", "new.csv"]);
    expect(text).toMatch(/answered +\d/);
    expect(text).toMatch(/error of the answers +\d/);
    expect(text).toMatch(/F1 of "Yes" +0\.\d/);
  });

  it("evaluate reports the sets of each class, and no F1 of three classes", async () => {
    const evaluated = await desk.json(["evaluate", "three.st", "three.csv"]);
    expect(evaluated.sets.map((set: { class: string }) => set.class)).toEqual(["Maybe", "No", "Yes"]);
    expect(evaluated).not.toHaveProperty("f1");
    expect(evaluated).not.toHaveProperty("answers");
  });

  it("inspect shows metric, calibration, rule, abstention and sets", async () => {
    const cost = await desk.print(["inspect", "cost.st"]);
    expect(cost).toMatch(/metric +mean cost/);
    expect(cost).toMatch(/positive class +Yes/);
    expect(cost).toMatch(/calibration +.*480 out-of-fold rows/);
    expect(cost).toMatch(/predicts +"Yes" if its probability is at least/);
    const answers = await desk.print(["inspect", "answers.st"]);
    expect(answers).toMatch(/abstains +\S/);
    expect(answers).toMatch(/sets +\S/);
    expect(await desk.json(["inspect", "answers.st"])).toMatchObject({
      objective: { metric: "error", positive: "Yes" },
      rule: { kind: "model" },
      abstention: { asked: 0.15, confidence: 0.95 },
      sets: { asked: 0.9, perClass: false },
    });
  });

  it("certify proves abstention and sets by the rows of training and by new ones", async () => {
    for (const args of [["answers.st"], ["answers.st", "new.csv"]]) {
      const { certificates } = await desk.json(["certify", ...args]);
      const named = (name: string) =>
        certificates.find((certificate: { name: string }) => certificate.name === name);
      expect(named("answered-error")).toMatchObject({ holds: true });
      expect(named("answer-rate")).toMatchObject({ holds: true, bound: "lower" });
      expect(named("coverage")).toMatchObject({ holds: true, bound: "lower" });
    }
    const { certificates } = await desk.json(["certify", "cost.st"]);
    expect(certificates[0].measure).toBe("cost");
  });

  it("compare and select rank by the metric", async () => {
    const compared = await desk.json([
      "compare",
      "cases.csv",
      "--learners",
      "stump,logistic",
      "--metric",
      "auc",
    ]);
    expect(compared.metric).toBe("auc");
    const values = compared.learners.map(({ metric }: { metric: { mean: number } }) => metric.mean);
    expect(values).toEqual(values.toSorted((a: number, b: number) => b - a));
    const selected = await desk.json([
      ...["select", "cases.csv", "--learner", "logistic", "--grid", "C=0.0001,1"],
      ...["--by", "cv", "--folds", "3", "--metric", "log-loss"],
    ]);
    expect(selected.settings.metric).toBe("log-loss");
    expect(selected.chosen.options.C).toBe(1);
  });
});
