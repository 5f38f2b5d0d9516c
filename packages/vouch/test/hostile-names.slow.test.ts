import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { shellQuoted } from "@vouch/core/internal/runtime/text/shell";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Desk, type Outcome } from "./vouch.js";

const desk = new Desk();

/** Whatever moves the cursor, colours, hides or reverses text: control characters except line ends, and marks of direction. */
const HOSTILE = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Escape sequences, a C1 control, an override and an isolate of the direction, a line separator. */
const hostile = (name: string) => `${name}\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e\u2066\u2028\u007f`;

const [age, income, target] = ["age", "income", "label"].map(hostile);
const [yes, no] = [hostile("yes"), hostile("no")];
const rows = Array.from({ length: 120 }, (_, i) => `${i % 50},${(i * 37) % 91},${i % 50 < 25 ? yes : no}`);
const data = desk.file(`${hostile("data")}.csv`, `${age},${income},${target}\n${rows.join("\n")}\n`);
const model = `${hostile("model")}.st`;

function expectHarmless({ stdout, stderr }: Outcome): void {
  for (const text of [stdout, stderr]) {
    const at = text.search(HOSTILE);
    expect(at, JSON.stringify(text.slice(Math.max(0, at - 40), at + 40))).toBe(-1);
  }
}

async function harmless(args: readonly string[], code = 0): Promise<Outcome> {
  const outcome = await desk.run(args);
  expect(outcome.code, outcome.stderr).toBe(code);
  expectHarmless(outcome);
  return outcome;
}

describe("names from files and arguments do nothing to the terminal", () => {
  it("in what train, evaluate, certify and inspect print", async () => {
    const { stdout } = await harmless(["train", data, "--learner", "tree", "--target", target, "-o", model]);
    expect(stdout).toContain("data␛[2J␛]0;owned␇\\u{9b}31m\\u{202e}\\u{2066}");
    await harmless(["evaluate", model, data]);
    await harmless(["certify", model, data]);
    await harmless(["inspect", model]);
    await harmless(["inspect", model, "--json"]);
    const json = JSON.parse((await harmless(["evaluate", model, data, "--json"])).stdout);
    expect(JSON.stringify(json)).toContain(JSON.stringify(yes).slice(1, -1));
  });

  it("in what a race, compare and select print", async () => {
    const { stdout } = await harmless([
      "train",
      data,
      "--target",
      target,
      "--budget",
      "2s",
      "-o",
      "raced.st",
    ]);
    expect(stdout).toContain("--target $'label\\u001b[2J");
    await harmless(["compare", data, "--target", target, "--learners", "tree,stump", "--folds", "2"]);
    await harmless(["select", data, "--target", target, "--learner", "tree", "-o", "selected.st"]);
  });

  it("in errors, their hints and notices", async () => {
    const other = desk.file("other.csv", `${hostile("x")},y\n1,2\n`);
    await harmless(["predict", model, other], 1);
    await harmless(["predict", model, `${hostile("absent")}.csv`], 1);
    await harmless(["train", data, "--target", hostile("nothing")], 1);
    await harmless(["train", data, "--target", target, "--positive", hostile("maybe")], 2);
    await harmless(["train", data, "--target", target, "--learner", hostile("tree")], 2);
    await harmless(["train", data, `--${hostile("flag")}`], 2);
    await harmless([hostile("command")], 2);
    await harmless(["inspect", data], 1);
    await harmless(["train", data, "--target", target, "--numeric", target], 2);
  });

  it("even if they forge the marks of colours", async () => {
    const run = await desk.start(["evaluate", model, data], {
      env: { FORCE_COLOR: "1", NO_COLOR: undefined },
    }).outcome;
    const ownStyles = new RegExp(`${"\u001b"}\\[(1|2|22|31|32|33|39)m`, "g");
    const { stdout, stderr } = run;
    expect(stdout).toMatch(ownStyles);
    expectHarmless({ ...run, stdout: stdout.replace(ownStyles, ""), stderr: stderr.replace(ownStyles, "") });
  });

  it("while predictions keep them as they are", async () => {
    const { stdout } = await desk.run(["predict", model, data, "--keep", income]);
    expect(stdout.split("\n")[0]).toContain(income);
    expect(stdout).toContain(yes);
  });
});

describe("a command that is printed to be copied", () => {
  it.skipIf(process.platform === "win32")("means the same argument to a shell", () => {
    const property = fc.property(
      fc.string({ unit: "binary-ascii", minLength: 1 }),
      fc.constantFrom("", "\u202e", "\u009b"),
      (text, mark) => {
        const argument = `${text.replaceAll("\0", "")}${mark}`;
        const written = shellQuoted(argument);
        expect(written).not.toMatch(HOSTILE);
        expect(written).not.toContain("\n");
        const echoed = execFileSync("bash", ["--norc", "-c", `printf %s ${written}`], {
          env: { LC_ALL: "C.UTF-8" },
        });
        expect(echoed.toString()).toBe(argument);
      },
    );
    fc.assert(property, { numRuns: 30 });
  });
});

describe("the source of the command", () => {
  const source = fileURLToPath(new URL("../src/", import.meta.url));
  /** Streams are written to here only: text by `writeText`, the bar of progress, words without a name, documents for programs. */
  const writers = [
    "commands/completion.ts",
    "options/command-line.ts",
    "process/command-thread.ts",
    "process/output-pieces.ts",
    "process/progress-display.ts",
    "process/supervise.ts",
    "process/terminal.ts",
  ];

  it("writes text for people through one function", () => {
    const names = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    const found = names.filter((name) =>
      /\b(out|err|stdout|stderr|stream)\.write\(/.test(readFileSync(join(source, name), "utf8")),
    );
    expect(found.filter((name) => !writers.includes(name.replaceAll("\\", "/")))).toEqual([]);
  });
});

describe("errors and notices about long names and many of them", () => {
  const classes = Array.from({ length: 3000 }, (_, k) => `class ${k} ${"x".repeat(500)}`);
  const columns = Array.from({ length: 500 }, (_, j) => `column ${j} ${"y".repeat(500)}`);

  it("have at most a screen", async () => {
    desk.file(
      "classes.csv",
      `x,label\n${classes.flatMap((name) => [`1,${name}`, `2,${name}`]).join("\n")}\n`,
    );
    desk.file("columns.csv", `${columns.join(",")},label\n${columns.map(() => 1).join(",")},a\n`);
    const cell = `${"z".repeat(100_000)}`;
    desk.file("cell.csv", `x,label\n1,a\n${cell},b\n`);
    for (const [code, ...args] of [
      [2, "train", "classes.csv", "--positive", "unknown"],
      [2, "train", "classes.csv", "--class-weights", "unknown=5"],
      [1, "train", "columns.csv", "--target", "unknown"],
      [1, "train", "columns.csv"],
      [1, "train", "cell.csv", "--numeric", "x"],
      [1, "train", `${"f".repeat(200)}/`.repeat(18)],
    ] as const) {
      const { code: actual, stderr } = await desk.run(args);
      expect([args, actual, stderr.length < 3000]).toEqual([args, code, true]);
      expect(stderr.split("\n").length, stderr).toBeLessThan(25);
    }
  });
});
