import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type PredictFlags, runPredict } from "#vouch/commands/predict.js";
import type { Terminal } from "#vouch/process/terminal.js";
import { bin, Desk, flowersCsv } from "../vouch.js";

const desk = new Desk();
const ROWS = 120;
const SIZES = [1, 7, 50, 1000];

/** A stream that keeps what is written; it is not a terminal. */
function keeping(): { stream: NodeJS.WriteStream; text(): string } {
  let text = "";
  const stream = Object.create(process.stdout, {
    isTTY: { value: false },
    write: {
      value: (piece: string) => {
        text += piece;
        return true;
      },
    },
  });
  return { stream, text: () => text };
}

interface Said {
  readonly out: string;
  readonly err: string;
}

/** Predicts in parts of `rows` rows; an error counts as the last line of what was said. */
async function predicted(data: string, flags: Partial<PredictFlags>, rows: number): Promise<Said> {
  const [out, err] = [keeping(), keeping()];
  const terminal: Terminal = { out: out.stream, err: err.stream };
  const [model, file] = [flags.threshold === undefined ? "mixed.st" : "flowers.st", data].map((name) =>
    join(desk.path, name),
  );
  let fault = "";
  await runPredict(model, file, { header: true, ...flags }, terminal, rows).catch((error: Error) => {
    fault = error.message.replaceAll(desk.path, "");
  });
  return { out: out.text(), err: err.text() + fault };
}

async function expectSameInParts(data: string, flags: Partial<PredictFlags>): Promise<Said> {
  const whole = await predicted(data, flags, 100_000);
  for (const rows of SIZES) expect(await predicted(data, flags, rows), `${rows} rows`).toEqual(whole);
  return whole;
}

/** Rows with an identifier, a number that is missing at times, a category, a date and the class. */
function mixed(rows: number, seed: number): Record<string, string | number | null>[] {
  const [, ...lines] = flowersCsv(rows, seed).trimEnd().split("\n");
  return lines.map((line, i) => {
    const [length, width, colour, species] = line.split(",");
    const day = new Date(1.7e12 + i * 9e7).toISOString().slice(0, 10);
    return {
      id: i === 90 ? "no. 90" : i,
      length: i % 11 === 0 ? null : Number(length),
      width: Number(width),
      colour: i % 17 === 5 ? "violet" : colour,
      day: i % 29 === 3 ? "soon" : day,
      species,
    };
  });
}

function csv(rows: readonly Record<string, string | number | null>[], delimiter = ","): string {
  const names = Object.keys(rows[0]);
  return [names, ...rows.map((row) => names.map((name) => row[name] ?? ""))]
    .map((cells) => `${cells.join(delimiter)}\n`)
    .join("");
}

beforeAll(async () => {
  const training = mixed(200, 1).map((row, i) => ({
    ...row,
    colour: ["red", "white", "blue"][i % 3],
    day: new Date(1.7e12 + i * 9e7).toISOString().slice(0, 10),
  }));
  desk.file("mixed-training.csv", csv(training));
  desk.file("flowers.csv", flowersCsv(200));
  const rows = mixed(ROWS, 2);
  desk.file("new.csv", csv(rows));
  desk.file("new.tsv", csv(rows, "\t"));
  desk.file("new.json", JSON.stringify(rows));
  desk.file("new.ndjson", rows.map((row) => JSON.stringify(row)).join("\n"));
  const head = "@relation r\n@attribute id string\n@attribute length numeric\n@attribute width numeric\n";
  const strings = "@attribute colour string\n@attribute day string\n@attribute species {rose,daisy}\n@data\n";
  const cells = rows.map((row) =>
    Object.values(row)
      .map((cell) => (cell === null ? "?" : `'${cell}'`))
      .join(","),
  );
  desk.file("new.arff", head + strings + cells.join("\n"));
  await desk.print([
    "train",
    "mixed-training.csv",
    "--ignore",
    "id",
    "--learner",
    "logistic",
    "-o",
    "mixed.st",
  ]);
  await desk.print([
    "train",
    "flowers.csv",
    "--learner",
    "adaboost",
    "--set",
    "rounds=9",
    "-o",
    "flowers.st",
  ]);
});

describe("predict in parts", () => {
  it.each([".csv", ".tsv", ".json", ".ndjson", ".arff"])(
    "gives the same for parts of any size: %s",
    async (ending) => {
      const { out, err } = await expectSameInParts(`new${ending}`, {
        probabilities: true,
        scores: true,
        keep: ["id"],
      });
      expect(out.split("\n")).toHaveLength(ROWS + 2);
      const notes = err.replaceAll(/\s+/g, " ");
      expect(notes).toContain(
        'Column "colour": 7 cells with a category not seen in training, such as "violet".',
      );
      expect(notes).toContain('Column "day": 5 cells are not a date');
      const each = notes.split("note: ").slice(1);
      expect(new Set(each).size).toBe(each.length);
    },
  );

  it.each<[string, Partial<PredictFlags>]>([
    ["--json --keep", { json: true, keep: ["id", "length", "colour"] }],
    ["--reasons", { reasons: 2 }],
    ["--reasons --json", { reasons: 1, json: true, scores: true }],
    ["--safe-csv --keep", { safeCsv: true, keep: ["id", "day"] }],
  ])("gives the same for parts of any size: %s", async (_, flags) => {
    const { out } = await expectSameInParts("new.csv", flags);
    if (flags.json) expect(JSON.parse(out)).toHaveLength(ROWS);
  });

  it("writes kept columns in JSON as texts if one of the first rows is not a number", async () => {
    const { out } = await predicted("new.csv", { json: true, keep: ["id"] }, 7);
    expect(JSON.parse(out)[0].id).toBe("0");
    const typed = await predicted("new.ndjson", { json: true, keep: ["width"] }, 7);
    expect(typeof JSON.parse(typed.out)[0].width).toBe("number");
  });

  it("a column that is of the wrong kind in all parts is an error, and its row is that of the file", async () => {
    const rows = mixed(ROWS, 2).map((row, i) => ({ ...row, colour: i < 9 ? null : 5 }));
    desk.file("numbers.csv", csv(rows));
    const { err } = await predicted("numbers.csv", {}, 1000);
    expect(err).toContain('numbers.csv, row 10, column "colour": 5, but the model expects categories');
    expect((await predicted("numbers.csv", {}, 7)).err).toContain("row 10");
  });

  it("a late error leaves no file; on standard output it says where the output ends", async () => {
    // The first 20,480 rows are looked at before anything is written.
    const lines = csv(mixed(25_000, 2)).trimEnd().split("\n");
    desk.file("late.csv", [...lines, "1,2,3"].join("\n"));
    const flags: PredictFlags = { header: true, quiet: true };
    const { out, err } = await predicted("late.csv", flags, 2000);
    expect(err).toContain("row 25001 (line 25002): 3 cells");
    expect(err).toMatch(/The output is incomplete: it ends after [\d,]+ rows\.$/);
    const written = Number(/after ([\d,]+) rows/.exec(err)?.[1].replace(",", ""));
    expect(out.trimEnd().split("\n")).toHaveLength(written + 1);
    // A file of one part prints nothing.
    const atOnce = await predicted("late.csv", flags, 100_000);
    expect(atOnce).toMatchObject({ out: "", err: expect.not.stringContaining("incomplete") });
    desk.file("kept.csv", "old");
    await predicted("late.csv", { out: join(desk.path, "kept.csv") }, 2000);
    expect(desk.read("kept.csv")).toBe("old");
    await predicted("late.csv", { out: join(desk.path, "fresh.csv") }, 2000);
    expect(desk.names().filter((name) => /fresh|tmp/.test(name))).toEqual([]);
  });

  it("--safe-csv escapes predictions, headers and kept cells that a spreadsheet would run", async () => {
    const rows = flowersCsv(60).replaceAll("rose", "=rose").replaceAll("daisy", "-1");
    desk.file("formulas.csv", rows.replaceAll("red", "@red"));
    await desk.print(["train", "formulas.csv", "--learner", "stump", "-o", "formulas.st"]);
    const args = ["predict", "formulas.st", "formulas.csv", "--probabilities", "--keep", "colour"];
    const plain = await desk.print(args);
    const safe = await desk.print([...args, "--safe-csv"]);
    expect(plain).toMatch(/^@red,=rose,/m);
    expect(safe).toMatch(/^'@red,'=rose,/m);
    expect(safe).toMatch(/,-1,/);
    expect(safe.replaceAll(/'(?=[@=])/g, "")).toBe(plain);
    expect(await desk.fault(2, [...args, "--safe-csv", "--json"])).toContain("--safe-csv");
  });
});

describe("predict on many rows", () => {
  /** Peak memory of a prediction in a process of its own, in megabytes. */
  async function peakMemory(rows: number): Promise<number> {
    const name = `${rows}.csv`;
    const [header, ...lines] = flowersCsv(1000, 3).trimEnd().split("\n");
    desk.file(name, `${header}\n${`${lines.join("\n")}\n`.repeat(rows / 1000)}`);
    const report = "process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS))";
    const program = [process.execPath, "--import", `data:text/javascript,${report}`, bin];
    const args = [
      "predict",
      "flowers.st",
      name,
      "--probabilities",
      "--keep",
      "colour",
      "-q",
      "-o",
      "many.csv",
    ];
    const { code, stderr } = await desk.start(args, { program }).outcome;
    expect(code, stderr).toBe(0);
    expect(desk.read("many.csv").match(/\n/g)).toHaveLength(rows + 1);
    return Math.max(...Array.from(stderr.matchAll(/peak (\d+)/g), ([, peak]) => Number(peak))) / 1024;
  }

  it("takes no more memory for ten times the rows", { timeout: 120_000 }, async () => {
    const few = await peakMemory(50_000);
    const many = await peakMemory(500_000);
    expect(many).toBeLessThan(few + 100);
  });

  it("leaves no file when it is interrupted", async () => {
    const [header, ...lines] = flowersCsv(1000, 3).trimEnd().split("\n");
    desk.file("long.csv", `${header}\n${`${lines.join("\n")}\n`.repeat(2000)}`);
    const running = desk.start(["predict", "flowers.st", "long.csv", "-o", "interrupted.csv", "--scores"]);
    const temporary = () => readdirSync(desk.path).filter((name) => name.startsWith(".interrupted.csv"));
    const begun = () => temporary().some((name) => readFileSync(join(desk.path, name)).length > 0);
    while (!begun()) await new Promise((resolve) => setTimeout(resolve, 20));
    running.child.kill("SIGINT");
    expect((await running.outcome).code).toBe(130);
    expect(readdirSync(desk.path).filter((name) => name.includes("interrupted"))).toEqual([]);
  });
});
