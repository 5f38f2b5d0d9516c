import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { Desk, flowersCsv, shipped } from "../vouch.js";

const desk = new Desk();

/** The lines of a text without the empty one behind the last line end. */
const lines = (text: string) => text.trimEnd().split("\n");

/** The cells of a CSV file without quotes, by column. */
function columns(csv: string): Record<string, string[]> {
  const [header, ...rows] = lines(csv).map((line) => line.split(","));
  return Object.fromEntries(header.map((name, j) => [name, rows.map((row) => row[j])]));
}

/** CSV made of columns, in the order in which they are given. */
function csvOf(table: Record<string, string[]>): string {
  const rows = Object.values(table)[0].map((_, i) => Object.values(table).map((cells) => cells[i]));
  return `${[Object.keys(table), ...rows].map((row) => row.join(",")).join("\n")}\n`;
}

beforeAll(async () => {
  desk.file("flowers.csv", flowersCsv(300, 1));
  desk.file("new.csv", flowersCsv(80, 2));
  await Promise.all([
    desk.print(["train", "iris", "--learner", "adaboost", "--out", "iris.st"]),
    desk.print([
      "train",
      "flowers.csv",
      "--learner",
      "adaboost",
      "--set",
      "rounds=20",
      "--out",
      "flowers.st",
    ]),
    desk.print(["train", "flowers.csv", "--learner", "stump", "--out", "stump.st"]),
  ]);
});

describe.concurrent("predict", () => {
  it("writes one prediction per row, whose error is the one that evaluate measures", async () => {
    const predicted = columns(await desk.print(["predict", "iris.st", "iris"])).prediction;
    const { label } = columns(readFileSync(join(shipped, "iris.csv"), "utf8"));
    expect(predicted).toHaveLength(150);
    const wrong = predicted.filter((prediction, i) => prediction !== label[i]).length;
    const evaluation = await desk.json(["evaluate", "iris.st", "iris"]);
    expect(evaluation).toMatchObject({ rows: 150, error: wrong / 150 });
  });

  it("says what it wrote to a file, and writes no CSV under the name of a workbook", async () => {
    const { stdout, stderr } = await desk.run(["predict", "iris.st", "iris", "--out", "written.csv"]);
    expect(stdout).toBe("");
    const { prediction } = columns(desk.read("written.csv"));
    const count = (name: string) => prediction.filter((one) => one === name).length;
    expect(stderr).toMatch(/^150 rows predicted: .*; written to written\.csv$/m);
    for (const name of ["setosa", "versicolor", "virginica"])
      expect(stderr).toContain(`${name} ${count(name)}`);
    const quiet = await desk.run(["predict", "iris.st", "iris", "--out", "written.csv", "-q"]);
    expect(quiet.stderr).toBe("");
    expect(await desk.fault(2, ["predict", "iris.st", "iris", "--out", "p.xlsx"])).toContain(
      "--out must be a CSV or JSON file, not p.xlsx.",
    );
  });

  it("--keep writes columns of the data as well, first and as they were read", async () => {
    const [header, ...rows] = lines(flowersCsv(3, 2));
    const names = ["id", '"Ann, B."', "Carl", "007"];
    desk.file("named.csv", [header, ...rows].map((line, i) => `${names[i]},${line}`).join("\n"));
    const args = ["predict", "stump.st", "named.csv", "--keep", "id,width"];
    const { stdout, stderr } = await desk.run(args);
    const plain = lines(await desk.print(["predict", "stump.st", "named.csv", "-q"]));
    const widths = rows.map((line) => Number(line.split(",")[1]));
    expect(lines(stdout)).toEqual([
      "id,width,prediction",
      ...names.slice(1).map((name, i) => `${name},${widths[i]},${plain[i + 1]}`),
    ]);
    expect(stderr).toBe("");
    const json = await desk.json([...args, "--scores"]);
    expect(json[0]).toMatchObject({ id: "Ann, B.", width: widths[0], prediction: plain[1] });
    expect(await desk.fault(1, ["predict", "stump.st", "named.csv", "--keep", "idd"])).toContain(
      'named.csv has no column "idd". Did you mean "id"?',
    );
    expect(await desk.fault(2, [...args, "--keep", "id"])).toContain('two columns "id"');
  });

  it("-o - is standard output", async () => {
    const args = ["predict", "stump.st", "new.csv"];
    expect(await desk.print([...args, "-o", "-"])).toBe(await desk.print(args));
    expect(desk.names()).not.toContain("-");
  });

  it("--scores adds a column per class; the largest score is the prediction", async () => {
    const { prediction, ...scores } = columns(
      await desk.print(["predict", "stump.st", "new.csv", "--scores"]),
    );
    expect(Object.keys(scores)).toEqual(["score:daisy", "score:rose"]);
    prediction.forEach((name, i) => {
      const [daisy, rose] = [Number(scores["score:daisy"][i]), Number(scores["score:rose"][i])];
      expect(name).toBe(daisy >= rose ? "daisy" : "rose");
      expect(daisy + rose).toBeCloseTo(1, 12);
    });
  });

  it("--out writes the same to a file and nothing to standard output", async () => {
    const printed = await desk.print(["predict", "flowers.st", "new.csv", "--scores"]);
    expect(await desk.print(["predict", "flowers.st", "new.csv", "--scores", "--out", "predicted.csv"])).toBe(
      "",
    );
    expect(desk.read("predicted.csv")).toBe(printed);
  });

  it("--json gives the same as JSON", async () => {
    const csv = columns(await desk.print(["predict", "flowers.st", "new.csv", "--scores"]));
    const rows: Record<string, string | number>[] = await desk.json([
      "predict",
      "flowers.st",
      "new.csv",
      "--scores",
    ]);
    for (const [name, cells] of Object.entries(csv))
      expect(rows.map((row) => String(row[name]))).toEqual(cells);
  });

  it("reads rows from standard input", async () => {
    const fromFile = await desk.print(["predict", "flowers.st", "new.csv"]);
    const stdin = flowersCsv(80, 2);
    expect(await desk.print(["predict", "flowers.st", "-"], { stdin })).toBe(fromFile);
  });

  it("takes columns in any order, without the target, and with others among them", async () => {
    const expected = await desk.print(["predict", "flowers.st", "new.csv"]);
    const { length, width, colour } = columns(flowersCsv(80, 2));
    const id = length.map((_, i) => `flower ${i}`);
    desk.file("shuffled.csv", csvOf({ colour, id, width, length }));
    const { code, stdout, stderr } = await desk.run(["predict", "flowers.st", "shuffled.csv"]);
    expect(code).toBe(0);
    expect(stdout).toBe(expected);
    expect(stderr).toContain('note: 1 column not used by the model: "id".');
  });

  it("predicts rows with categories that training did not have, and says so", async () => {
    const { colour, ...rest } = columns(flowersCsv(80, 2));
    desk.file("violet.csv", csvOf({ ...rest, colour: colour.with(3, "violet").with(7, "violet") }));
    const { code, stdout, stderr } = await desk.run(["predict", "flowers.st", "violet.csv"]);
    expect(code).toBe(0);
    expect(lines(stdout)).toHaveLength(81);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(
      'Column "colour": 2 cells with a category not seen in training, such as "violet".',
    );
    const quiet = await desk.run(["predict", "flowers.st", "violet.csv", "--quiet"]);
    expect(quiet).toMatchObject({ code: 0, stdout, stderr: "" });
  });

  it("predicts rows with missing cells", async () => {
    const { length, ...rest } = columns(flowersCsv(80, 2));
    desk.file("gaps.csv", csvOf({ ...rest, length: length.map((cell, i) => (i % 3 ? cell : "")) }));
    const text = await desk.print(["predict", "flowers.st", "gaps.csv"]);
    expect(
      lines(text)
        .slice(1)
        .every((name) => name === "rose" || name === "daisy"),
    ).toBe(true);
  });

  it("refuses rows that lack a column, with the nearest name", async () => {
    const { length, ...rest } = columns(flowersCsv(80, 2));
    desk.file("lengths.csv", csvOf({ lenght: length, ...rest }));
    const error = await desk.fault(1, ["predict", "flowers.st", "lengths.csv"]);
    expect(error).toContain('lengths.csv lacks 1 column that the model needs: "length".');
    expect(error).toContain('Did you mean "lenght"?');
  });

  it("reads a word among numbers as missing and says so", async () => {
    const { width, ...rest } = columns(flowersCsv(80, 2));
    desk.file("wide.csv", csvOf({ ...rest, width: width.with(41, "wide") }));
    const { code, stderr } = await desk.run(["predict", "flowers.st", "wide.csv"]);
    expect(code).toBe(0);
    expect(stderr.replaceAll(/\s+/g, " ")).toMatch(/"width".*"wide"/);
  });

  it("refuses text where the model expects numbers, naming row and column", async () => {
    const { width, ...rest } = columns(flowersCsv(80, 2));
    desk.file("words.csv", csvOf({ ...rest, width: width.map(() => "wide") }));
    const error = await desk.fault(1, ["predict", "flowers.st", "words.csv"]);
    expect(error).toMatch(/words\.csv, row 1\b.*column "width": "wide"/);
  });
});

describe.concurrent("evaluate", () => {
  it("prints the JSON document of the contract, whose measures fit together", async () => {
    const evaluation = await desk.json(["evaluate", "flowers.st", "new.csv"]);
    const { rows, error, accuracy, balancedAccuracy, macroF1, auc, confusion } = evaluation;
    expect(rows).toBe(80);
    expect(confusion.classes).toEqual(["daisy", "rose"]);
    const [[daisies, lostDaisies], [lostRoses, roses]] = confusion.matrix;
    expect(daisies + lostDaisies + lostRoses + roses).toBe(80);
    expect(error).toBeCloseTo((lostDaisies + lostRoses) / 80, 12);
    expect(accuracy).toBeCloseTo(1 - error, 12);
    const recalls = [daisies / (daisies + lostDaisies), roses / (roses + lostRoses)];
    expect(balancedAccuracy).toBeCloseTo((recalls[0] + recalls[1]) / 2, 12);
    const f1 = (right: number, lost: number, taken: number) => (2 * right) / (2 * right + lost + taken);
    expect(macroF1).toBeCloseTo(
      (f1(daisies, lostDaisies, lostRoses) + f1(roses, lostRoses, lostDaisies)) / 2,
      12,
    );
    expect(auc).toBeGreaterThan(0.5);
    expect(auc).toBeLessThanOrEqual(1);
  });

  it("has a log-loss for models that give probabilities", async () => {
    expect((await desk.json(["evaluate", "stump.st", "new.csv"])).logLoss).toBeGreaterThan(0);
  });

  it("shows measures and confusions, and says when it sees rows of the training", async () => {
    const fresh = await desk.run(["evaluate", "flowers.st", "new.csv"]);
    expect(fresh).toMatchObject({ code: 0, stderr: "" });
    expect(fresh.stdout).toContain("new.csv: 80 labelled rows");
    expect(fresh.stdout).toMatch(/true ↓ {2}predicted → +daisy +rose\n/);
    const seen = await desk.run(["evaluate", "flowers.st", "flowers.csv"]);
    expect(seen.stdout.replaceAll(/\s+/g, " ")).toMatch(
      /! About 80% of the rows \w+ rows that the model was trained on/,
    );
  });

  it("refuses rows without labels", async () => {
    const { species, ...rest } = columns(flowersCsv(80, 2));
    expect(species).toHaveLength(80);
    desk.file("unlabelled.csv", csvOf(rest));
    const error = await desk.fault(1, ["evaluate", "flowers.st", "unlabelled.csv"]);
    expect(error).toContain('unlabelled.csv has no target column "species".');
  });
});

describe.concurrent("categories that look like numbers", () => {
  /** Codes that differ in their spelling alone, among others that are not numbers; each has its class. */
  const classOf: Record<string, string> = { "1": "A", "01": "B", "1.10": "A", "1.1": "B", x: "A" };
  const rows = Array.from({ length: 200 }, (_, i) => {
    const code = Object.keys(classOf)[i % 5];
    return `${code},${(i * 37) % 101},${classOf[code]}\n`;
  });
  const header = "code,size,y\n";

  beforeAll(async () => {
    desk.file("codes.csv", header + rows.join(""));
    await desk.print(["train", "codes.csv", "--learner", "forest", "--out", "codes.st"]);
  });

  it("are the same in a file that has no other ones, and row by row", async () => {
    const look = Object.keys(classOf).filter((code) => code !== "x");
    desk.file("numbers.csv", `code,size\n${look.map((code) => `${code},50\n`).join("")}`);
    const { prediction } = columns(await desk.print(["predict", "codes.st", "numbers.csv"]));
    expect(prediction).toEqual(look.map((code) => classOf[code]));
    for (const code of look) {
      const alone = await desk.print(["predict", "codes.st", "-"], { stdin: `code,size\n${code},50\n` });
      expect(lines(alone)).toEqual(["prediction", classOf[code]]);
    }
  });

  it("are the same in the rows of --test, whatever the order of their columns", async () => {
    const numbers = rows
      .filter((row) => !row.startsWith("x"))
      .map((row) => row.trim().split(",").reverse().join(","));
    desk.file("other.csv", `y,size,code\n${numbers.join("\n")}\n`);
    const args = ["train", "codes.csv", "--learner", "forest", "--test", "other.csv", "--out", "tested.st"];
    expect(await desk.json(args)).toMatchObject({
      error: { test: 0 },
      data: { heldOutRows: numbers.length },
    });
  });

  it("are kept as they are written", async () => {
    const ids = ["007", "7", "12345678901234567891", "12345678901234567892"];
    desk.file("ids.csv", `id,code,size\n${ids.map((id) => `${id},1,50\n`).join("")}`);
    expect(columns(await desk.print(["predict", "codes.st", "ids.csv", "--keep", "id,code"]))).toEqual({
      id: ids,
      code: ["1", "1", "1", "1"],
      prediction: ["A", "A", "A", "A"],
    });
  });
});
