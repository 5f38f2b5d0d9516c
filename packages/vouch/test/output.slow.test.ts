import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { bin, Desk, flowersCsv, type Outcome, type RunOptions } from "./vouch.js";

const desk = new Desk();
const ESCAPE = "\u001b";

beforeAll(async () => {
  desk.file("flowers.csv", flowersCsv(150));
  desk.file("long.csv", flowersCsv(20_000));
  await desk.print(["train", "flowers.csv", "--learner", "adaboost", "--out", "flowers.st"]);
});

describe.concurrent("output that is not a terminal", () => {
  it.each([
    ["train", "flowers.csv", "--budget", "1s", "--out", "trained.st"],
    ["inspect", "flowers.st"],
    ["certify", "flowers.st"],
    ["evaluate", "flowers.st", "flowers.csv"],
    ["help", "adaboost"],
    ["train", "nothing.csv"],
  ])("has no escape sequences: vouch %s %s", async (...args) => {
    const { stdout, stderr } = await desk.run(args);
    expect(stdout + stderr).not.toBe("");
    expect(stdout + stderr).not.toContain(ESCAPE);
  });

  it("has colours where the user forces them, unless NO_COLOR", async () => {
    const forced = { env: { FORCE_COLOR: "1" } };
    expect(await desk.print(["inspect", "flowers.st"], forced)).toContain(ESCAPE);
    const both = { env: { FORCE_COLOR: "1", NO_COLOR: "1" } };
    expect(await desk.print(["inspect", "flowers.st"], both)).not.toContain(ESCAPE);
  });

  it("cuts nothing off", async () => {
    for (const args of [["datasets"], ["inspect", "flowers.st"], ["help"]]) {
      expect((await desk.print(args)).replaceAll(/… and \d+ more/g, "")).not.toMatch(/…$/m);
    }
  });

  it("takes the data's own control characters for what they are: nothing to obey", async () => {
    const hostile = `a,label\n${"1,\u001b[31mred\n2,\u001b[2Jclear\n".repeat(20)}`;
    desk.file("hostile.csv", hostile);
    const args = ["train", "hostile.csv", "--learner", "stump", "--out", "hostile.st"];
    expect(await desk.print(args)).not.toContain(ESCAPE);
    expect(await desk.print(["evaluate", "hostile.st", "hostile.csv", "-q"])).not.toContain(ESCAPE);
  });
});

describe.concurrent("long work", () => {
  /** A training that is stopped after its first line of progress, or when there would have been some. */
  async function longTraining(...flags: string[]): Promise<Outcome> {
    const args = ["train", "long.csv", "-l", "adaboost", "-s", "rounds=100000", "-o", "no.st", ...flags];
    const { child, outcome, said } = desk.start(args);
    if (flags.includes("--quiet")) {
      // What it found in the data is told when the training begins.
      await said("long.csv");
      await new Promise((resolve) => setTimeout(resolve, 2500));
    } else await said("boosting");
    child.kill("SIGINT");
    return outcome;
  }

  it("prints plain lines on the error stream, and --json leaves standard output alone", async () => {
    const { stdout, stderr } = await longTraining("--json");
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^boosting {2}[\d,]+\/100,000 {2}training error \d+\.\d%/m);
    expect(stderr).not.toContain("\r");
  });

  it("prints nothing with --quiet", async () => {
    const { stderr } = await longTraining("--quiet");
    expect(stderr).toBe("error: The run was interrupted.\n");
  });

  it("prints no progress when it is short", async () => {
    expect((await desk.run(["train", "flowers.csv", "-l", "adaboost", "-o", "short.st"])).stderr).toBe("");
  });
});

describe.skipIf(spawnSync("script", ["--version"]).status !== 0)("a terminal of 40 columns", () => {
  /** Runs a command on a terminal of its own; gives the lines as they are seen, with their colours. */
  async function onTerminal(args: readonly string[], options: RunOptions = {}): Promise<string[]> {
    const command = [process.execPath, bin, ...args].map((word) => `'${word}'`).join(" ");
    const program = ["script", "-qec", `stty cols 40; ${command}`, "/dev/null"];
    const env = { TERM: "xterm", ...options.env };
    const { stdout } = await desk.run([], { ...options, program, env });
    return stdout.replaceAll("\r", "").trimEnd().split("\n");
  }

  /** Without what sets colours. */
  const plain = (line: string) => line.replaceAll(/\p{Cc}\[[\d;]*[mK]/gu, "");

  it.each([
    ["train", "flowers.csv", "--budget", "1s", "--quiet", "--out", "narrow.st"],
    ["inspect", "flowers.st"],
    ["certify", "flowers.st"],
    ["evaluate", "flowers.st", "flowers.csv"],
    ["datasets"],
    ["help", "adaboost"],
    ["--help"],
    ["train", "--help"],
    ["compare", "flowers.csv", "-q", "--learners", "stump,majority", "--folds", "2"],
    ["select", "flowers.csv", "-l", "adaboost", "-g", "rounds=1,2,4", "--by", "cv", "--folds", "2", "-q"],
  ])("keeps its lines short: vouch %s", async (...args) => {
    const lines = (await onTerminal(args)).map(plain);
    expect(lines.length).toBeGreaterThan(3);
    // Commands stay on one line, so that they can be copied.
    const commands = /^Example: |^ {2}vouch /;
    for (const line of lines)
      if (!commands.test(line)) expect([...line].length, line).toBeLessThanOrEqual(40);
  });

  it("shows errors in colour while standard output goes to a file", async () => {
    const args = `'${process.execPath}' '${bin}' train nothing.csv > /dev/null`;
    const program = ["script", "-qec", args, "/dev/null"];
    const { stdout } = await desk.run([], { program, env: { TERM: "xterm" } });
    expect(stdout).toContain(`${ESCAPE}[31merror:`);
  });

  it("shows colours, and none with NO_COLOR", async () => {
    expect((await onTerminal(["inspect", "flowers.st"])).join("\n")).toContain(`${ESCAPE}[1m`);
    const env = { NO_COLOR: "1" };
    expect((await onTerminal(["inspect", "flowers.st"], { env })).join("\n")).not.toContain(ESCAPE);
  });
});
