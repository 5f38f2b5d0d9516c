import { describe, expect, it } from "vitest";
import { Desk } from "../vouch.js";

const desk = new Desk();

/** Forty patients, 001 to 040, with five nearly equal visits each; the class of a patient is arbitrary. */
function visitsCsv(): string {
  const lines = ["patient,pressure,pulse,visited,well"];
  let state = 7;
  const random = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  for (let patient = 1; patient <= 40; patient++) {
    const [pressure, pulse, well] = [100 + 50 * random(), 50 + 40 * random(), random() < 0.5 ? "yes" : "no"];
    for (let visit = 0; visit < 5; visit++) {
      const measured = [pressure, pulse].map((value) => (value + 0.01 * random()).toFixed(3));
      const month = String(1 + ((patient + 2 * visit) % 12)).padStart(2, "0");
      lines.push([String(patient).padStart(3, "0"), ...measured, `2024-${month}-01`, well].join(","));
    }
  }
  return `${lines.join("\n")}\n`;
}

const data = desk.file("visits.csv", visitsCsv());
const forest = ["--learner", "forest", "--set", "trees=20"];
const train = (...args: string[]) => ["train", data, ...forest, "--out", "visits.st", ...args];

describe("splits on the command line", () => {
  it("the default hold-out is a random draw, whose certificate does not assume class proportions", async () => {
    const random = await desk.json(train("--ignore", "patient"));
    expect(random.data).toMatchObject({ heldOutRows: 40, trainingRows: 160, split: { drawn: "random" } });
    expect(JSON.stringify(random.certificates)).not.toContain("class proportions");
    const stratified = await desk.json(train("--ignore", "patient", "--stratify"));
    expect(stratified.data.split).toEqual({ drawn: "stratified" });
    expect(stratified.certificates[0].premises.at(-1).text).toContain("class proportions");
    expect(stratified.command).toContain(" --stratify ");
  });

  it("--group tests on patients that the model does not know", async () => {
    const rows = await desk.json(train("--ignore", "patient"));
    expect(rows.error.test).toBeLessThan(0.1);
    const grouped = await desk.json(train("--group", "patient"));
    expect(grouped.error.test).toBeGreaterThan(0.2);
    expect(grouped.data).toMatchObject({
      features: 3,
      heldOutRows: 40,
      split: { drawn: "groups", column: "patient" },
    });
    expect(grouped.notices).toContain('Column "patient" is not used as a feature: it groups the rows.');
    expect(grouped.command).toContain(" --group patient ");
    const first = desk.bytes("visits.st");
    await desk.print(["train", ...grouped.command.split(" ").slice(2), "--out", "visits.st"]);
    expect(desk.bytes("visits.st")).toEqual(first);
    const folds = await desk.json(train("--group", "patient", "--folds", "4"));
    expect(folds.error.folds.mean).toBeGreaterThan(0.25);
    expect(folds.data.split).toEqual({ column: "patient" });
  });

  it("--time tests on later rows, and dates need no advice", async () => {
    const { code, stdout, stderr } = await desk.run(train("--time", "visited"));
    expect(code).toBe(0);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      '3 numeric columns, time column "visited", target "well"',
    );
    expect(stderr).toContain('Column "visited" is not used as a feature: it orders the rows by time.');
    expect(stderr).not.toContain("contains dates");
    const timed = await desk.json(train("--time", "visited"));
    // Months of 16 or 17 visits: the last two have 33, three 50, so two are nearer to 40.
    expect(timed.data).toMatchObject({ heldOutRows: 33, split: { drawn: "time", column: "visited" } });
  });

  it("--test reads the groups of its rows, and says if they are known", async () => {
    const some = visitsCsv().split("\n");
    desk.file("known.csv", [some[0], ...some.slice(1, 11)].join("\n"));
    const { notices, data } = await desk.json(train("--group", "patient", "--test", "known.csv"));
    expect(data.split).toEqual({ drawn: "separate", column: "patient" });
    expect(notices).toContain(
      "2 groups of 2 in known.csv also have training rows and do not count as evidence.",
    );
  });

  it("compare and select keep groups together and respect time", async () => {
    const learners = ["--learners", "forest:trees=20,stump", "--folds", "4"];
    const compared = await desk.json(["compare", data, ...learners, "--group", "patient"]);
    expect(compared.data.split).toEqual({ drawn: "groups", column: "patient" });
    for (const { mean } of compared.learners) expect(mean).toBeGreaterThan(0.25);
    const late = await desk.json(["compare", data, ...learners, "--time", "visited"]);
    expect(late.data).toMatchObject({ heldOutRows: 33, split: { drawn: "time", column: "visited" } });
    const by = ["-l", "forest", "-g", "trees=20", "--by", "cv,holdout", "--folds", "4", "--out", "chosen.st"];
    const selected = await desk.json(["select", data, ...by, "--group", "patient"]);
    expect(selected.settings).toMatchObject({ group: "patient" });
    for (const { scores } of selected.criteria) expect(scores[0].value).toBeGreaterThan(0.2);
    expect(await desk.print(["inspect", "chosen.st"])).not.toContain("patient");
  });

  it.each([
    [["--group", "patient", "--time", "visited"], "Use only one of --group and --time."],
    [["--stratify", "--time", "visited"], "--stratify cannot be combined with --time."],
    [["--stratify", "--folds", "3"], "--stratify cannot be combined with --folds."],
    [["--group", "well", "--target", "well"], 'Column "well" is the target, so it cannot be the group.'],
  ])("refuses the flags %s", async (flags, message) => {
    expect(await desk.fault(2, train(...flags))).toContain(message);
  });

  it.each([
    [["--group", "patients"], 'visits.csv has no group column "patients". Did you mean "patient"?'],
    [["--time", "well", "--target", "pulse"], 'row 1, column "well": "'],
  ])("finds fault with the data for %s", async (flags, message) => {
    expect(await desk.fault(1, train(...flags))).toContain(message);
  });
});
