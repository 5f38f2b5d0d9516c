import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Desk, flowersCsv } from "../vouch.js";

const desk = new Desk();

/** A command line without the name of the program, as words. */
function words(command: string): string[] {
  expect(command).toMatch(/^vouch train /);
  return command.split(" ").slice(1);
}

describe("train without a learner", () => {
  it("tries many, keeps the best, and gives the command that makes the same model", async () => {
    const args = ["train", "iris", "--budget", "2s", "--holdout", "0.4"];
    const document = await desk.json([...args, "--out", "chosen.st"]);
    expect(document.seconds).toBeLessThan(30);
    const { candidates, learner } = document;
    expect(candidates.length).toBeGreaterThan(3);
    expect(candidates[0]).toMatchObject({ learner, fate: "finished", errors: expect.any(Array) });
    for (const { errors, mean } of candidates) {
      const sum = errors.reduce((total: number, error: number) => total + error, 0);
      expect(mean).toBeCloseTo(sum / errors.length, 12);
    }
    const majority = candidates.find((one: { learner: string }) => one.learner === "majority");
    expect(majority).toMatchObject({ fate: "behind" });
    expect(majority.mean).toBeGreaterThan(0.5);

    const again = await desk.json([...words(document.command), "--out", "again.st"]);
    expect(again).toMatchObject({ learner, options: document.options, error: document.error });
    expect(again).not.toHaveProperty("candidates");
    const [chosen, named] = await Promise.all(
      ["chosen.st", "again.st"].map((model) => desk.json(["inspect", model])),
    );
    // Everything that the search could have tried counts, not only what it has tried.
    expect(chosen.choice.among).toBeGreaterThan(1000);
    // Boosted trees are most of it, and have no certificate from training rows.
    expect(chosen.choice.certifiable).toBeLessThan(1000);
    // The command tells the certificates how many candidates have a share of δ, but not their results.
    expect(named.choice).toEqual({ among: chosen.choice.certifiable, candidates: [] });
    expect({ ...without(named, "choice"), model: "" }).toEqual({ ...without(chosen, "choice"), model: "" });
    const scores = (model: string) => desk.print(["predict", model, "iris", "--scores"]);
    expect(await scores("chosen.st")).toBe(await scores("again.st"));
  });

  it("tells a person what leads, and that the held-out rows had no part in it", async () => {
    const { code, stdout, stderr } = await desk.run([
      "train",
      "ionosphere",
      "--budget",
      "2",
      "-o",
      "told.st",
    ]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("ionosphere: 351 rows, 34 numeric columns");
    expect(stdout).toMatch(/learner +tried +error +tests\n {2}\S.*% /);
    expect(stdout).toMatch(/^ {2}\S.*% .*← chosen$/m);
    expect(stdout.match(/← chosen/g)).toHaveLength(1);
    expect(stdout).toMatch(/and \d+ more candidates: /);
    expect(stdout).toMatch(/error on 70 held-out rows/);
    expect(stdout).toMatch(/to train the same model again:\n {2}vouch train ionosphere --(learner|like) /);
  });

  it("a budget of a second is enough for a model", async () => {
    desk.file("large.csv", flowersCsv(20_000));
    const began = performance.now();
    const document = await desk.json(["train", "large.csv", "--budget", "1s", "--out", "second.st"]);
    expect((performance.now() - began) / 1000).toBeLessThan(40);
    // On a busy machine a second may suffice for no more than the most common class.
    expect(document.error.test).toBeLessThan(0.6);
    expect(document.ended).toBe("by time");
    const rows = document.data.trainingRows;
    if (rows < 16_000) expect(document.command).toContain(`--rows ${rows}`);
  });

  it("Ctrl-C keeps the best so far; again, it gives up", async () => {
    desk.file("flowers.csv", flowersCsv(1500));
    const stopped = desk.start(["train", "flowers.csv", "--budget", "1h", "--json", "-o", "stopped.st"]);
    await stopped.said("best so far");
    stopped.child.kill("SIGINT");
    const { code, stdout, stderr } = await stopped.outcome;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("Stopped: training the best learner so far.");
    const document = JSON.parse(stdout);
    expect(document.ended).toBe("by request");
    expect(document.candidates.length).toBeGreaterThan(0);
    expect(existsSync(join(desk.path, "stopped.st"))).toBe(true);

    const given = desk.start(["train", "flowers.csv", "--budget", "1h", "-o", "given-up.st"]);
    await given.said("best so far");
    given.child.kill("SIGTERM");
    expect(await given.outcome).toMatchObject({ code: 143 });
    expect(existsSync(join(desk.path, "given-up.st"))).toBe(false);
  });

  it("with --folds says that the choice and the folds used the same rows", async () => {
    const document = await desk.json(["train", "iris", "--budget", "1", "--folds", "3", "-o", "folds.st"]);
    expect(document.error.folds.errors).toHaveLength(3);
    expect(document.notices.join()).toContain("The folds tested the learner on the rows that chose it");
  });

  it("--rows trains on a part of the rows", async () => {
    desk.file("many.csv", flowersCsv(500));
    const args = ["train", "many.csv", "-l", "stump", "--rows", "100", "-o", "rows.st"];
    const document = await desk.json(args);
    expect(document.data).toMatchObject({ rows: 500, trainingRows: 100, heldOutRows: 100 });
    expect(document.notices).toEqual(["Trained on 100 of 400 rows."]);
    expect(document.command).toBe("vouch train many.csv --learner stump --rows 100 --seed 1");
  });
});

describe.concurrent("bad input to train without a learner", () => {
  it.each([
    [["--budget", "soon"], '--budget must be a duration such as 10s, 90 (seconds), 2m or 1h, not "soon".'],
    [["--budget", "0"], "not 0."],
    [["--budget", "-5s"], 'not "-5s".'],
    [["--budget", "5s", "--learner", "stump"], "--budget is about the search for a learner"],
    [["--unlabelled", "iris"], "--unlabelled needs a learner that pre-trains."],
    [["--rows", "1"], "--rows must be a whole number ≥ 2, not 1."],
  ])("%j", async (flags, message) => {
    expect(await desk.fault(2, ["train", "iris", ...flags])).toContain(message);
  });

  it("one row, and a file that is not data", async () => {
    desk.file("one.csv", "a,label\n1,x\n");
    expect(await desk.fault(1, ["train", "one.csv"])).toContain('all rows have the same class "x"');
    desk.file(
      "picture.csv",
      Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256),
    );
    expect(await desk.fault(1, ["train", "picture.csv"])).toMatch(/picture\.csv/);
  });

  it("a target of 1,000 different numbers", async () => {
    const lines = Array.from({ length: 6000 }, (_, i) => `${i % 7},${(i * 37) % 1000}`);
    desk.file("prices.csv", `rooms,price\n${lines.join("\n")}\n`);
    const error = await desk.fault(1, ["train", "prices.csv"]);
    expect(error).toContain(
      'column "price" looks like a quantity (1,000 different values in 6,000 rows), but vouch predicts classes.',
    );
  });

  it("an identifier, which is left out unless the user wants it", async () => {
    const lines = flowersCsv(80).trimEnd().split("\n");
    const numbered = lines.map((line, i) => (i === 0 ? `id,${line}` : `${1000 + i},${line}`)).join("\n");
    desk.file("numbered.csv", `${numbered}\n`);
    const args = ["train", "numbered.csv", "-l", "stump", "-o", "numbered.st"];
    const { stdout, stderr } = await desk.run(args);
    const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");
    expect(oneLine(stdout)).toContain("2 numeric columns, 1 categorical column, 1 identifier column");
    expect(oneLine(stderr)).toContain(
      'note: 1 identifier column dropped, with a different value in every row: "id".',
    );
    const { schema } = await desk.json(["inspect", "numbered.st"]);
    expect(schema.columns.map(({ name }: { name: string }) => name)).not.toContain("id");
    expect(await desk.print(["predict", "numbered.st", "numbered.csv"])).toContain("prediction");
    const kept = await desk.json([...args, "--numeric", "id"]);
    expect(kept.data.features).toBe(4);
    expect(kept.notices).toEqual([]);
  });
});

function without(object: Record<string, unknown>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}
