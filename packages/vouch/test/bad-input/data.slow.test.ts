import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Desk, flowersCsv } from "../vouch.js";

const desk = new Desk();

/** The error of training on a file with these contents. */
function faultOf(name: string, contents: string | Uint8Array, ...flags: string[]): Promise<string> {
  return desk.fault(1, ["train", desk.file(name, contents), ...flags]);
}

/** What training a stump on a file with these contents tells. */
async function trained(name: string, contents: string | Uint8Array) {
  const args = ["train", desk.file(name, contents), "--learner", "stump", "--out", `${name}.st`];
  const { code, stdout, stderr } = await desk.run([...args, "--json"]);
  expect(code, stderr).toBe(0);
  return { ...JSON.parse(stdout), stderr };
}

const rows = flowersCsv(60);

describe.concurrent("data that cannot be trained on", () => {
  it.each([
    ["empty.csv", "", "empty.csv is empty."],
    ["header.csv", "a,b,label\n", "header.csv has a header but no rows."],
    [
      "one-class.csv",
      "a,label\n1,x\n2,x\n",
      'one-class.csv: all rows have the same class "x" in column "label".',
    ],
    ["no-labels.csv", "a,label\n1,\n2,\n", 'no-labels.csv: no row has a label in column "label".'],
    ["only-labels.csv", "label\nx\ny\n", 'only-labels.csv has no column except the target "label".'],
    [
      "caret.csv",
      "a^label\n1^x\n2^y\n",
      'caret.csv has no column except the target "a^label". If the file contains more columns',
    ],
    [
      "book.csv",
      "PK\x03\x04[Content_Types].xml",
      "book.csv is not a valid Excel workbook: it ends too early.",
    ],
    ["page.csv", "<!doctype html>\n<p>Sorry, no</p>\n", "page.csv is a web page, not data."],
    [
      "title.csv",
      "Sales of May\na,label\ny,x\n",
      "title.csv, row 1 (line 2): more than 1 cell, but there is 1 column.",
    ],
    [
      "all-constant.csv",
      `a,label\n${"1,x\n1,y\n".repeat(10)}`,
      "all-constant.csv has no column to learn from.",
    ],
    ["twins.csv", "a,b,a,label\n1,2,3,x\n", 'twins.csv: columns 1 and 3 are both called "a".'],
    ["ragged.csv", "a,label\n1,x\n2\n", "ragged.csv, row 2 (line 3): 1 cell, but there are 2 columns."],
    ["long.csv", "a,label\n1,x\n2,y,z\n", "long.csv, row 2 (line 3): more than 2 cells"],
    ["infinite.csv", "a,label\n1,x\nInfinity,y\n", 'infinite.csv, row 2 (line 3), column "a": "Infinity"'],
    ["open.csv", 'a,label\n1,"x\n2,y\n', "open.csv, row 1: a quote in the record that starts on line 2"],
  ])("%s", async (name, contents, message) => {
    const error = await faultOf(name, contents);
    expect(error).toContain(`error: ${message}`);
  });

  it("too few rows to choose a learner or to make folds", async () => {
    const few = "a,label\n1,x\n2,y\n3,x\n4,y\n";
    const choice = await faultOf("few.csv", few);
    expect(choice).toContain("few.csv: It takes at least 5 rows to make 5 folds, but there are only 4.");
    expect(choice).toContain("--learner");
    const folds = await faultOf("folds.csv", few, "--learner", "stump", "--folds", "10");
    expect(folds).toContain("folds.csv: It takes at least 10 rows to make 10 folds, but there are only 4.");
    expect(folds).toContain("--folds");
  });

  it("a target that is not there, with the nearest name", async () => {
    const error = await faultOf("target.csv", rows, "--target", "spezies");
    expect(error).toBe('error: target.csv has no target column "spezies". Did you mean "species"?');
    const other = await faultOf("target.csv", rows, "--target", "outcome");
    expect(other).toContain('no target column "outcome". The columns are ');
  });

  it("a target that is a quantity", async () => {
    const lines = Array.from({ length: 200 }, (_, i) => `${i % 7},${(i * 0.37).toFixed(2)}`);
    const error = await faultOf("prices.csv", `rooms,price\n${lines.join("\n")}\n`);
    expect(error).toContain(
      'prices.csv: column "price" looks like a quantity (200 different values in 200 rows',
    );
    expect(error).toContain("vouch predicts classes. Choose another column with --target");
  });

  it("text in no encoding that can be guessed", async () => {
    const bytes = Buffer.from(rows.replaceAll("rose", "ros\x81"), "latin1");
    const error = await faultOf("bytes.csv", bytes);
    expect(error).toMatch(/bytes\.csv, line \d+: the text is not valid UTF-8\. .*--encoding windows-1252/);
  });

  it("a column that an option names and the file does not have", async () => {
    const error = await faultOf("ignored.csv", rows, "--ignore", "hight");
    expect(error).toContain('ignored.csv has no column "hight" (option ignore).');
  });

  it("a target that is to be left out as well", async () => {
    const args = ["train", desk.file("unsaid.csv", rows), "--target", "species", "--ignore", "species"];
    const error = await desk.fault(2, args);
    expect(error).toContain('Column "species" is the target: it cannot be ignored.');
  });

  it("a directory", async () => {
    mkdirSync(join(desk.path, "folder.csv"));
    expect(await desk.fault(1, ["train", "folder.csv"])).toContain("folder.csv is a directory.");
    expect(await desk.fault(1, ["train", "."])).toContain(". is a directory.");
  });

  it("a missing file, with the nearest name", async () => {
    desk.file("tulips.csv", rows);
    const near = await desk.fault(1, ["train", "tulip.csv"]);
    expect(near).toBe('error: tulip.csv does not exist. Did you mean "tulips.csv"?');
    expect(await desk.fault(1, ["train", "no/such.csv"])).toContain("nor does its folder no.");
  });

  it("standard input without anything in it", async () => {
    expect(await desk.fault(1, ["train", "-"], { stdin: "" })).toContain("standard input is empty.");
  });

  it("a test file that does not suit the training file, before the training", async () => {
    desk.file("train.csv", rows);
    desk.file("test.csv", "length,species\n1,rose\n");
    for (const flags of [["--learner", "stump"], []]) {
      const error = await desk.fault(1, ["train", "train.csv", "--test", "test.csv", ...flags]);
      expect(error).toContain('test.csv lacks 2 columns that the model needs: "width", "colour".');
    }
  });
});

describe.concurrent("unusual data that can be trained on", () => {
  it("has missing cells written as NaN, NA or nothing", async () => {
    const lines = rows.trimEnd().split("\n");
    for (const [row, cell] of [
      [3, "NaN"],
      [4, "NA"],
      [5, ""],
    ] as const) {
      lines[row] = lines[row].replace(/^[^,]*/, cell);
    }
    await trained("missing.csv", lines.join("\n"));
    const text = await desk.print(["train", "missing.csv", "--learner", "stump", "--out", "missing.st"]);
    expect(text).toContain("2 numeric columns, 1 categorical column, 3 missing cells");
  });

  it("has constant columns, which are left out with one notice", async () => {
    const constant = rows.replaceAll(/^/gm, "7,").replace(/^7,/, "seven,").replace(/7,$/, "");
    const { notices, stderr } = await trained("constant.csv", constant);
    expect(notices).toEqual(['1 constant column left out: "seven".']);
    expect(stderr).toBe('note: 1 constant column left out: "seven".\n');
  });

  it("has rows without a label, which are left out with a notice", async () => {
    const { notices } = await trained("some-labels.csv", `${rows}1,2,red,\n`);
    expect(notices).toEqual(["1 row without a label left out."]);
  });

  it("has a byte-order mark, CRLF, or no line end at the end, and gives the same model", async () => {
    const plain = await trained("plain.csv", rows);
    for (const [name, contents] of [
      ["bom.csv", `\ufeff${rows}`],
      ["crlf.csv", rows.replaceAll("\n", "\r\n")],
      ["no-end.csv", rows.trimEnd()],
    ]) {
      const { error, certificates } = await trained(name, contents);
      expect({ error, certificates }, name).toEqual({
        error: plain.error,
        certificates: plain.certificates,
      });
    }
  });

  it("has line ends in quoted cells, which are shown on one line", async () => {
    const quoted = rows.replaceAll("rose", '"rose,\na ""flower"""');
    const text = await desk.print([
      "train",
      desk.file("quoted.csv", quoted),
      "--learner",
      "stump",
      "-o",
      "q.st",
    ]);
    expect(text).toContain("60 rows");
    expect(text.replace(/\s+/g, " ")).toContain('rose, a "flower"');
    const predicted = await desk.print(["predict", "q.st", "quoted.csv"]);
    expect(predicted).toContain('"rose,\na ""flower"""\n');
    const confusion = await desk.print(["evaluate", "q.st", "quoted.csv", "-q"]);
    expect(confusion.split("\n").filter((line) => /^ {2}(rose|daisy)/.test(line))).toHaveLength(2);
  });

  it.each([
    ["day", "05/07/2024"],
    ["hour", "5/7/24 08:30"],
  ])("has a column of %s, written %s, which is told", async (column, cell) => {
    const lines = rows.trimEnd().split("\n");
    const text = lines.map((line, i) => `${i === 0 ? column : cell},${line}`).join("\n");
    const { verdict } = await trained(`${column}.csv`, text);
    const told = `Column "${column}" (such as ${cell}) contains dates, which are read as categories.`;
    expect(verdict.warnings[0].message).toContain(told);
  });

  it("has numbers in other notations, which are read and told", async () => {
    const lines = rows.trimEnd().split("\n");
    const cells = (i: number) => `$${i % 9}.50,${i % 7}%,"${1 + (i % 8)},234"`;
    const text = lines.map((line, i) => `${i === 0 ? "price,share,people" : cells(i)},${line}`).join("\n");
    const { notices, verdict } = await trained("written.csv", text);
    expect(notices.slice(0, 3)).toEqual([
      'Column "price" contains amounts of money: "$1.50" is read as 1.5.',
      'Column "share" contains percentages: "1%" is read as 1.',
      'Column "people" contains numbers with thousands separators: "2,234" is read as 2234.',
    ]);
    expect(JSON.stringify(verdict)).not.toContain("doubtful-reading");
  });

  it("has a column that can be read in two ways, which the verdict warns of and an option settles", async () => {
    const lines = Array.from(
      { length: 60 },
      (_, i) => `${1 + (i % 8)},234;${i};${i % 8 > 3 ? "many" : "few"}`,
    );
    const { verdict } = await trained("either.csv", `people;n;label\n${lines.join("\n")}\n`);
    expect(verdict.warnings).toContainEqual({
      code: "doubtful-reading",
      message: expect.stringContaining("--no-decimal-comma"),
    });
    const args = ["train", "either.csv", "--learner", "stump", "--no-decimal-comma", "--out", "either.st"];
    const settled = await desk.json(args);
    expect(settled.command).toContain("--no-decimal-comma");
    expect(JSON.stringify(settled.verdict)).not.toContain("doubtful-reading");
  });

  it("has decimal commas: the model is that of decimal points, and reads both", async () => {
    const semicolons = rows.replaceAll(",", ";").replaceAll(".", ",");
    const { notices, error } = await trained("comma.csv", semicolons);
    expect(notices[0]).toMatch(/^Columns "length", "width".* contain numbers with a decimal comma/);
    const points = await trained("points.csv", rows);
    expect(error).toEqual(points.error);
    const expected = await desk.print(["predict", "points.csv.st", "points.csv"]);
    for (const model of ["comma.csv.st", "points.csv.st"]) {
      for (const data of ["comma.csv", "points.csv"]) {
        expect(await desk.print(["predict", model, data])).toBe(expected);
      }
    }
  });

  it("has words among numbers, early and late, which are missing with their counts", async () => {
    const lines = Array.from({ length: 25_000 }, (_, i) => `${i},${i % 10},${i % 2 ? "x" : "y"}`);
    lines[20_500] = "1,oops,x";
    lines[7] = "none,3,y";
    const { notices } = await trained("late.csv", `a,b,label\n${lines.join("\n")}\n`);
    expect(notices).toEqual(
      expect.arrayContaining([
        'Column "a": 1 value read as missing: "none".',
        'Column "b": 1 value read as missing: "oops" in row 20,501.',
      ]),
    );
    const again = await desk.json([
      "train",
      "late.csv",
      "--learner",
      "stump",
      "--out",
      "m.st",
      "--missing",
      "oops,none",
    ]);
    expect(JSON.stringify(again.notices)).not.toContain("read as missing");
    expect(again.command).toContain("--missing oops,none");
  });

  it("has no header, which shows where a class gives the target its name", async () => {
    const { verdict } = await trained("headless.csv", rows.slice(rows.indexOf("\n") + 1));
    expect(verdict.warnings[0].message).toMatch(
      /^The first line is read as column names, .* "(rose|daisy)" is also a class\. .*--no-header/,
    );
  });

  it("has the target before a last column that is ignored", async () => {
    const wider = rows.replaceAll(/(?<=.)$/gm, ",7").replace(",7", ",extra");
    const args = [
      "train",
      desk.file("wider.csv", wider),
      "--ignore",
      "extra",
      "-l",
      "stump",
      "-o",
      "wider.st",
    ];
    const text = await desk.print(args);
    expect(text).toContain('target "species"');
  });

  it("has 10,000 columns", async () => {
    const columns = 10_000;
    const lines = [`label,${Array.from({ length: columns }, (_, j) => `c${j}`).join(",")}`];
    for (let i = 0; i < 30; i++) {
      const cells = Array.from({ length: columns }, (_, j) => (i * 7919 + j * 104_729) % 1009);
      lines.push(`${i % 2 ? "x" : "y"},${cells.join(",")}`);
    }
    const { data } = await trained("columns.csv", lines.join("\n"));
    expect(data).toMatchObject({ rows: 30, features: columns });
  });
});
