import { describe, expect, it } from "vitest";
import { Desk } from "../vouch.js";

const desk = new Desk();

/** Orders with a date, a note, a code that looks like a number, and a class that depends on the first two. */
function ordersCsv(rows = 240): string {
  const lines = ["placed,note,code,returned"];
  for (let i = 0; i < rows; i++) {
    const placed = new Date(Date.UTC(2023, 0, 1 + ((i * 37) % 700))).toISOString().slice(0, 10);
    const broken = (i * 7) % 3 === 0;
    const note = `the parcel number ${i} was ${broken ? "broken when it came" : "fine and in time"}`;
    lines.push(`${placed},${note},${i % 4},${broken || placed < "2023-06" ? "yes" : "no"}`);
  }
  return `${lines.join("\n")}\n`;
}

const data = desk.file("orders.csv", ordersCsv());
const train = (...args: string[]) => ["train", data, "--learner", "forest", "--set", "trees=20", ...args];

describe("columns of dates and prose", () => {
  it("become features, with a notice, in every command", async () => {
    const { stdout, stderr } = await desk.run(train("-o", "m.st"));
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      '240 rows, 1 numeric column, 1 date column, 1 text column, target "returned"',
    );
    expect(stderr).toContain('Column "placed" is a date: used as days, year, month and weekday.');
    expect(stderr.replaceAll(/\s+/g, " ")).toContain('Column "note" is text: used as its length and');
    const evaluated = await desk.json(["evaluate", "m.st", data]);
    expect(evaluated.error).toBeLessThan(0.1);
    const predicted = await desk.print(["predict", "m.st", data, "--keep", "placed", "-q"]);
    expect(predicted.split("\n")[1]).toMatch(/^2023-01-01,(yes|no)$/);
    expect((await desk.json(["certify", "m.st"])).certificates.length).toBeGreaterThan(0);
    const inspected = await desk.json(["inspect", "m.st"]);
    expect(inspected.schema.columns).toMatchObject([
      { kind: "date", name: "placed", form: "iso" },
      { kind: "text", name: "note" },
      { kind: "numeric", name: "code" },
    ]);
  });

  it("work in compare, select and a report, also as sparse rows", async () => {
    const compared = await desk.json(["compare", data, "--learners", "linear-svm,forest", "--folds", "2"]);
    expect(compared.learners.map(({ name }: { name: string }) => name).sort()).toEqual([
      "forest",
      "linear-svm",
    ]);
    const args = ["select", data, "-l", "linear-svm", "-l", "stump", "--folds", "2", "-o", "s.st"];
    expect(await desk.json(args)).toHaveProperty("chosen");
    await desk.print(["train", data, "--learner", "linear-svm", "--report", "r.html", "-o", "l.st"]);
    expect(desk.read("r.html")).toContain("placed");
  });

  it("are read from JSON and NDJSON as from CSV", async () => {
    const [header, ...lines] = ordersCsv().trimEnd().split("\n");
    const names = header.split(",");
    const records = lines.map((line) =>
      Object.fromEntries(line.split(",").map((cell, j) => [names[j], cell])),
    );
    const ndjson = records
      .map((record) => JSON.stringify({ ...record, code: Number(record.code) }))
      .join("\n");
    const options = ["--learner", "forest", "--set", "trees=20", "-o", "j.st"];
    const fromJson = await desk.json([
      "train",
      desk.file("orders.ndjson", ndjson),
      "-t",
      "returned",
      ...options,
    ]);
    expect(fromJson.error).toEqual((await desk.json(train("-o", "m.st"))).error);
  });

  it("report cells that are not dates when they predict", async () => {
    await desk.run(train("-o", "m.st"));
    const fresh = desk.file("fresh.csv", "placed,note,code\n2024-02-29,fine,1\nsoon,,2\n");
    const { code, stderr } = await desk.run(["predict", "m.st", fresh]);
    expect(code).toBe(0);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(
      'Column "placed": 1 cell is not a date and counted as missing, such as "soon".',
    );
    const wrong = desk.file("wrong.csv", "placed,note,code\n7,fine,1\n");
    expect(await desk.fault(1, ["predict", "m.st", wrong])).toContain(
      'row 1, column "placed": "7", but the model expects dates such as 2024-12-31',
    );
    const lacking = desk.file("lacking.csv", "plced,note,code\n7,fine,1\n");
    expect(await desk.fault(1, ["predict", "m.st", lacking])).toMatch(/needs: "placed"(.|\n)*"plced"/);
  });
});

describe("flags that say what a column is", () => {
  it("override the kinds, and are part of the command that trains again", async () => {
    const flags = ["--categorical", "code", "--text", "placed", "--ignore", "note", "-o", "o.st"];
    const { command, data: facts } = await desk.json(train(...flags));
    expect(command).toContain("--categorical code --ignore note --text placed");
    expect(facts.features).toBe(2);
    const { schema } = await desk.json(["inspect", "o.st"]);
    expect(schema.columns.map(({ kind }: { kind: string }) => kind)).toEqual(["text", "categorical"]);
  });

  it("read eight digits as dates, and predict from a file where they are numbers", async () => {
    const compact = ordersCsv().replaceAll(/^(\d{4})-(\d\d)-(\d\d)/gm, "$1$2$3");
    const file = desk.file("compact.csv", compact);
    const args = [
      "train",
      file,
      "--learner",
      "forest",
      "--set",
      "trees=20",
      "--date",
      "placed",
      "-o",
      "c.st",
    ];
    const { notices, command } = await desk.json(args);
    expect(notices).toContain('Column "placed" is a date: used as days, year, month and weekday.');
    expect(command).toContain("--date placed");
    expect((await desk.json(["evaluate", "c.st", file])).error).toBeLessThan(0.1);
  });

  it.each([
    [1, ["--date", "plced"], 'has no column "plced" (option date)', '"placed"'],
    [1, ["--date", "code"], 'row 1, column "code": "0" is not a date.', "2024-03-31"],
    [
      1,
      ["--numeric", "note"],
      'column "note": "the parcel number 0 was broken when it …" is not a number',
      "--categorical",
    ],
    [
      2,
      ["--date", "placed", "--text", "placed"],
      'Column "placed" cannot be both a date and text.',
      "one option",
    ],
    [2, ["--text", "returned"], 'Column "returned" is the target: it cannot be text.', "target"],
    [
      2,
      ["--time", "placed", "--date", "placed"],
      'Column "placed" is in both --time and --date.',
      "not a feature",
    ],
    [
      2,
      ["--group", "code", "--ignore", "code"],
      'Column "code" is in both --group and --ignore.',
      "not a feature",
    ],
  ] as const)("refuse them with code %i: %j", async (code, flags, message, hint) => {
    for (const command of [train("-o", "x.st"), ["compare", data], ["select", data, "-l", "stump"]]) {
      const said = await desk.fault(code, [...command, ...flags]);
      expect(said.replaceAll(/\s+/g, " ")).toContain(message);
      expect(said).toContain(hint);
    }
  });
});

describe("columns whose names have commas and quotes", () => {
  it("are named in double quotes, also in the command that trains the same model", async () => {
    const header = '"income, yearly","""age""",city,y';
    const lines = Array.from({ length: 60 }, (_, i) => `${i % 7},${i % 11},${i % 3},${i % 2 ? "a" : "b"}`);
    const file = desk.file("commas.csv", `${header}\n${lines.join("\n")}\n`);
    const flags = ["--ignore", '"income, yearly",city', "--categorical", '"""age"""'];
    const trained = await desk.json(["train", file, "--learner", "tree", ...flags, "-o", "commas.st"]);
    expect(trained.command).toContain(`--categorical '"""age"""' --ignore '"income, yearly",city'`);
    const { schema } = await desk.json(["inspect", "commas.st"]);
    expect(schema.columns).toMatchObject([{ name: '"age"', kind: "categorical" }]);
  });
});
