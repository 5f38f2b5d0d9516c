import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { bin, Desk, flowersCsv, noiseCsv } from "./vouch.js";

const desk = new Desk();

/** A command that answers a signal while it computes takes a fraction of a second, even on a busy machine; the work itself takes longer. */
const PROMPTLY = 2000;

/** Gaussian kernels with some thousand support vectors: to evaluate 400,000 rows takes much longer than `PROMPTLY`. */
beforeAll(async () => {
  desk.file("noise.csv", noiseCsv(6000));
  desk.file("many.csv", noiseCsv(400_000));
  const train = ["train", "noise.csv", "--learner", "svm", "--set", "kernel=rbf", "--set", "gamma=100"];
  await desk.print([...train, "--no-calibrate", "--out", "slow.st"]);
});

describe("a signal", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s is heard while rows are scored, and gives the exit code %i", async (signal, code) => {
    const { child, outcome } = desk.start(["evaluate", "slow.st", "-"], { stdin: desk.read("many.csv") });
    // The command has read all rows: from now on it scores them.
    await once(child.stdin ?? child, "finish");
    await new Promise((resolve) => setTimeout(resolve, 500));
    const sent = performance.now();
    child.kill(signal);
    expect(await outcome).toMatchObject({ code, stdout: "" });
    expect((await outcome).stderr).toMatch(/^error: The run was interrupted\.$/m);
    expect(performance.now() - sent).toBeLessThan(PROMPTLY);
  });

  it("ends a training, which leaves nothing behind", async () => {
    desk.file("long.csv", flowersCsv(20_000, 5));
    const before = desk.names();
    const args = ["train", "long.csv", "--learner", "adaboost", "--set", "rounds=100000", "--out", "long.st"];
    const { child, outcome, said } = desk.start(args);
    await said("boosting");
    const sent = performance.now();
    child.kill("SIGINT");
    const { code, stderr } = await outcome;
    expect(performance.now() - sent).toBeLessThan(PROMPTLY);
    expect(code).toBe(130);
    expect(stderr.match(/^error: The run was interrupted\.$/gm)).toHaveLength(1);
    expect(desk.names()).toEqual(before);
  });

  it("ends the reading of rows that do not end, and removes what was read", async () => {
    const temporary = join(desk.path, "temporary");
    mkdirSync(temporary);
    const { child, outcome } = desk.start(["train", "-", "--learner", "majority", "--out", "endless.st"], {
      stdin: flowersCsv(1000),
      endless: true,
      env: { TMPDIR: temporary },
    });
    await expect.poll(() => readdirSync(temporary), { timeout: 10_000 }).toHaveLength(1);
    const sent = performance.now();
    child.kill("SIGINT");
    expect(await outcome).toMatchObject({
      code: 130,
      stdout: "",
      stderr: "error: The run was interrupted.\n",
    });
    expect(performance.now() - sent).toBeLessThan(PROMPTLY);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it
    .skipIf(process.platform === "win32")
    .each([
      ["train noise.csv --replay pipe --out never.st"],
      ["serve slow.st --token-file pipe --port 0"],
      ["predict slow.st pipe"],
    ])("ends %s, which waits for somebody to write to a pipe", async (command) => {
    spawnSync("mkfifo", ["pipe"], { cwd: desk.path });
    const runs = (["SIGTERM", "SIGINT"] as const).map(async (signal) => {
      const { child, outcome } = desk.start(command.split(" "));
      await new Promise((resolve) => setTimeout(resolve, 1500));
      child.kill(signal);
      const sent = performance.now();
      await outcome;
      expect(performance.now() - sent, signal).toBeLessThan(PROMPTLY);
    });
    await Promise.all(runs);
  });

  it("at any time leaves a whole file or none", async () => {
    desk.file("rows.csv", flowersCsv(3000, 6));
    const before = desk.names();
    const args = ["train", "rows.csv", "--learner", "forest", "--set", "trees=40", "--out", "torn.st"];
    for (const wait of [0, 50, 120, 250, 400, 550, 700, 850, 1000, 1200]) {
      const { child, outcome } = desk.start(args);
      await new Promise((resolve) => setTimeout(resolve, wait));
      child.kill("SIGTERM");
      const { code } = await outcome;
      // Before the command listens, the system ends it; afterwards it may have been done already.
      expect([undefined, 143, 0]).toContain(code);
      const names = desk.names().filter((name) => !before.includes(name));
      if (code === 0) expect(names).toEqual(["torn.st"]);
      else expect([[], ["torn.st"]]).toContainEqual(names);
      if (names.includes("torn.st")) await desk.print(["inspect", "torn.st"]);
    }
  });

  it("ends the process at once if it is the second", async () => {
    const { child, outcome, said } = desk.start([
      "train",
      "rows.csv",
      "--budget",
      "30s",
      "--out",
      "second.st",
    ]);
    await said("trying learners");
    child.kill("SIGINT");
    await said("Stopped");
    const sent = performance.now();
    child.kill("SIGINT");
    expect(await outcome).toMatchObject({ code: 130 });
    expect(performance.now() - sent).toBeLessThan(PROMPTLY);
    expect(desk.names()).not.toContain("second.st");
  });
});

describe("a command that needs too much memory", () => {
  it("says what needs how much", async () => {
    const args = ["train", "many.csv", "--learner", "svm", "--memory", "250MB", "--out", "large.st"];
    const said = await desk.fault(1, args, {});
    expect(said).toMatch(/needs \d+ MB, \d+ MB are in use, and the limit is 250 MB\. .*--memory/);
  });

  it("refuses a limit that is none", async () => {
    for (const size of ["lots", "10MB", "-1GB", "4", ""]) {
      expect(await desk.fault(2, ["evaluate", "slow.st", "noise.csv", "--memory", size])).toContain(
        "--memory",
      );
    }
  });

  it("ends with an error, not a crash, if its heap is full", async () => {
    const names = Array.from({ length: 200_000 }, (_, i) => `a customer with the number ${i},${i % 2}`);
    desk.file("names.csv", `name,class\n${names.join("\n")}\n`);
    const program = [process.execPath, "--max-old-space-size=16", bin];
    const said = await desk.fault(1, ["train", "names.csv", "--learner", "majority"], { program });
    expect(said).toContain("needs more memory than JavaScript may use");
  });
});
