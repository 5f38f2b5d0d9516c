import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { bin, Desk, flowersCsv } from "../vouch.js";

const desk = new Desk();
const hasBash = spawnSync("bash", ["-c", "ulimit -f 4"]).status === 0;
/** Root may read and write everything, unless it gives this right away, for which util-linux has a program. */
const WITHOUT_RIGHTS = ["dac_override", "dac_read_search"].map((right) => `-${right}`).join(",");
const restricted = ["setpriv", `--bounding-set=${WITHOUT_RIGHTS}`, `--inh-caps=${WITHOUT_RIGHTS}`];
const isRoot = process.getuid?.() === 0;
const canBeLockedOut = isRoot
  ? spawnSync(restricted[0], [...restricted.slice(1), "true"]).status === 0
  : process.getuid !== undefined;

beforeAll(async () => {
  desk.file("flowers.csv", flowersCsv(100));
  await desk.print(["train", "flowers.csv", "--learner", "stump", "--out", "flowers.st"]);
});

describe.skipIf(!canBeLockedOut)("no permission", () => {
  const program = [...(isRoot ? restricted : []), process.execPath, bin];

  beforeAll(() => {
    desk.file("secret.csv", flowersCsv(50));
    desk.file("secret.st", desk.bytes("flowers.st"));
    chmodSync(join(desk.path, "secret.csv"), 0);
    chmodSync(join(desk.path, "secret.st"), 0);
    mkdirSync(join(desk.path, "locked"));
    chmodSync(join(desk.path, "locked"), 0o555);
  });

  it("to read the data", async () => {
    const error = await desk.fault(1, ["train", "secret.csv"], { program });
    expect(error).toContain("secret.csv cannot be read: permission denied.");
    expect(error).toContain("Check the permissions");
  });

  it("to read the model", async () => {
    const error = await desk.fault(1, ["predict", "secret.st", "flowers.csv"], { program });
    expect(error).toContain("There is no permission to read secret.st.");
  });

  it("to write the model, which is found before training", async () => {
    const args = ["train", "flowers.csv", "--out", "locked/model.st"];
    const error = await desk.fault(1, args, { program });
    expect(error).toContain("Permission denied: cannot write locked/model.st.");
    expect(readdirSync(join(desk.path, "locked"))).toEqual([]);
  });
});

describe.skipIf(!hasBash)("a full disk", () => {
  /** Files can have no more than 4 blocks: the write fails in the middle. */
  const limit = (blocks: number) => [
    "bash",
    "-c",
    `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`,
    process.execPath,
    bin,
  ];

  it("leaves no part of a model, and the old one as it was", async () => {
    desk.file("old.st", "the old model");
    const before = desk.names();
    const args = ["train", "breastcancer", "--learner", "adaboost", "--json"];
    for (const out of ["old.st", "new.st"]) {
      const error = await desk.fault(1, [...args, "--out", out], { program: limit(4) });
      expect(error).toContain(`Cannot write ${out}: the disk is full or the file too large (EFBIG).`);
    }
    expect(desk.names()).toEqual(before);
    expect(desk.read("old.st")).toBe("the old model");
  });

  it("for temporary files ends a command that reads standard input, even if more is to come", async () => {
    const options = { program: limit(4), stdin: flowersCsv(20_000), endless: true, timeout: 20_000 };
    const error = await desk.fault(
      1,
      ["train", "-", "--learner", "majority", "--out", "spooled.st"],
      options,
    );
    expect(error).toContain("standard input cannot be read: the disk for temporary files is full.");
  });

  it("leaves no part of the predictions", async () => {
    desk.file("many.csv", flowersCsv(2000, 3));
    const args = ["predict", "flowers.st", "many.csv", "--out", "many.txt"];
    const error = await desk.fault(1, args, { program: limit(4) });
    expect(error).toContain("Cannot write many.txt");
    expect(desk.names()).not.toContain("many.txt");
  });

  const full = ["bash", "-c", 'exec "$0" "$@" > /dev/full', process.execPath, bin];

  it.each([
    ["predict flowers.st flowers.csv"],
    ["predict flowers.st flowers.csv --strict"],
    ["compare flowers.csv --learners stump,majority --json"],
    ["inspect flowers.st"],
    ["datasets"],
    ["completion bash"],
  ])("behind the standard output of %s is an error, and nothing stays behind", async (command) => {
    const temporary = join(desk.path, "temporary");
    mkdirSync(temporary, { recursive: true });
    const error = await desk.fault(1, command.split(" "), { program: full, env: { TMPDIR: temporary } });
    expect(error).toContain("Cannot write the output: ENOSPC");
    expect(readdirSync(temporary)).toEqual([]);
  });

  it.each([
    ["train flowers.csv --learner stump --out full.st"],
    ["train flowers.csv --learner stump --json --out full.st"],
    ["select flowers.csv -l stump --out full.st --json"],
  ])("behind the standard output of %s is an error, but the model is saved", async (command) => {
    const error = await desk.fault(1, command.split(" "), { program: full });
    expect(error.match(/Cannot write the output: ENOSPC/g)).toHaveLength(1);
    await desk.print(["inspect", "full.st"]);
    unlinkSync(join(desk.path, "full.st"));
  });

  it.each([
    ["predict", "flowers.st", "many.csv", "--probabilities"],
    ["certify", "flowers.st", "--json"],
    ["help", "train"],
  ])("that takes a part of the standard output of %s is an error", async (...args) => {
    desk.file("many.csv", flowersCsv(2000, 3));
    const program = ["bash", "-c", 'ulimit -f 1; exec "$0" "$@" > part.txt', process.execPath, bin];
    const error = await desk.fault(1, args, { program });
    expect(error).toContain("Cannot write the output: EFBIG");
    expect(desk.bytes("part.txt").length).toBe(1024);
  });

  it.each([
    ["train", "flowers.csv", "--learner", "stump"],
    ["select", "flowers.csv", "-l", "stump"],
  ])(
    "that takes a part of the standard output of %s --json is an error, but the model is saved",
    async (...args) => {
      // Half a block is left in the file of the output, while the model may be as large as a file may.
      const shell = 'ulimit -f 64; head -c 65024 /dev/zero > part.txt; exec "$0" "$@" >> part.txt';
      const program = ["bash", "-c", shell, process.execPath, bin];
      const error = await desk.fault(1, [...args, "--json", "--out", "whole.st"], { program });
      expect(error).toContain("Cannot write the output: EFBIG");
      expect(desk.bytes("part.txt").length).toBe(65_536);
      await desk.print(["inspect", "whole.st"]);
    },
  );
});

describe.skipIf(!hasBash)("a pipe that is closed early", () => {
  it("is not an error", async () => {
    desk.file("rows.csv", flowersCsv(50_000, 4));
    const pipe = 'set -o pipefail; "$0" "$@" | head -n 1';
    const program = ["bash", "-c", pipe, process.execPath, bin];
    const { code, stdout, stderr } = await desk.run(["predict", "flowers.st", "rows.csv"], { program });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "prediction\n", stderr: "" });
  });

  it("does not stop a training", async () => {
    const program = ["bash", "-c", 'set -o pipefail; "$0" "$@" | true', process.execPath, bin];
    const args = ["train", "flowers.csv", "--learner", "stump", "--quiet", "--out", "unread.st"];
    expect(await desk.run(args, { program })).toMatchObject({ code: 0, stdout: "", stderr: "" });
    await desk.print(["inspect", "unread.st"]);
  });
});

describe.skipIf(!hasBash)("too few open files", () => {
  it.each([
    ["train flowers.csv --learner forest --threads 4 --out few.st", 22],
    ["predict flowers.st flowers.csv", 24],
    ["compare flowers.csv --learners stump,majority --threads 3", 28],
    ["studio --quiet", 22],
    ...[20, 22, 24, 26].map((limit): [string, number] => ["serve flowers.st --port 0 --quiet", limit]),
    ["serve flowers.st --port 0 --quiet --workers 2", 30],
  ])("end %s with an error if the limit is %i", async (command, limit) => {
    const program = ["bash", "-c", `ulimit -n ${limit}; exec "$0" "$@"`, process.execPath, bin];
    const { code, stderr } = await desk.run(command.split(" "), { program });
    expect(code).toBe(1);
    expect(stderr.replaceAll(/\s+/g, " ")).toMatch(
      /error: Too many open files: .* Raise the limit with `ulimit -n`/,
    );
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
