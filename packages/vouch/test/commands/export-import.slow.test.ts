import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { Desk, flowersCsv } from "../vouch.js";

const desk = new Desk();

/** LIBSVM's own programs (Debian: libsvm-tools); without them these tests are reported as skipped. */
const installed = ["svm-train", "svm-predict"].every((tool) => {
  try {
    execFileSync("sh", ["-c", `command -v ${tool}`]);
    return true;
  } catch {
    return false;
  }
});

const lib = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: desk.path, stdio: "pipe" }).toString();
const lines = (text: string) => text.trim().split("\n");

/** Rows x, y with label +1 inside a circle and −1 outside; features that are 0 are left out, as usual. */
function circle(rows: number, seed: number): string {
  let state = seed;
  const random = () => {
    state = (state * 48271) % 2147483647;
    return (2 * state) / 2147483647 - 1;
  };
  const written = Array.from({ length: rows }, () => {
    const [x, y] = [random(), random()];
    const label = x * x + y * y < 0.5 ? "+1" : "-1";
    return `${label} 1:${x.toFixed(3)} 2:${y.toFixed(3)}${random() > 0.8 ? " 5:1" : ""}`;
  });
  return `${written.join("\n")}\n`;
}

test.skipIf(!installed)("svm-predict predicts what the exported model predicts here", async () => {
  desk.file("flowers.csv", flowersCsv(200));
  desk.file("fresh.csv", flowersCsv(150, 9));
  await desk.print([
    "train",
    "flowers.csv",
    "--learner",
    "svm",
    "--set",
    "kernel=polynomial",
    "--out",
    "flowers.vouch",
  ]);
  const printed = await desk.print(
    "export flowers.vouch --format libsvm --out svm.model --data fresh.csv --data-out fresh.libsvm".split(
      " ",
    ),
  );
  expect(printed).toContain("model written to svm.model, with 2 classes");
  expect(printed).toContain("labels: 0 is daisy, 1 is rose");
  const accuracy = lib("svm-predict", "fresh.libsvm", "svm.model", "out");
  const theirs = lines(desk.read("out")).map((label) => ["daisy", "rose"][Number(label)]);
  const ours = lines(await desk.print(["predict", "flowers.vouch", "fresh.csv"])).slice(1);
  expect(ours).toEqual(theirs);
  const evaluation = await desk.json(["evaluate", "flowers.vouch", "fresh.csv"]);
  expect(accuracy).toContain(`(${Math.round(150 * evaluation.accuracy)}/150)`);
});

test.skipIf(!installed)(
  "an imported model predicts, is evaluated and inspected, and exported again",
  async () => {
    desk.file("train.libsvm", circle(300, 5));
    // No row of it has feature 5.
    desk.file("new.libsvm", circle(200, 11).replaceAll(" 5:1", ""));
    lib("svm-train", "-q", "-c", "10", "train.libsvm", "theirs.model");
    const { features, classes } = await desk.json(
      "import theirs.model --format libsvm --out theirs.vouch".split(" "),
    );
    expect([features, classes.toSorted()]).toEqual([5, ["-1", "1"]]);
    const accuracy = lib("svm-predict", "new.libsvm", "theirs.model", "out");
    const theirs = lines(desk.read("out"));
    expect(lines(await desk.print(["predict", "theirs.vouch", "new.libsvm"])).slice(1)).toEqual(theirs);
    const evaluation = await desk.json(["evaluate", "theirs.vouch", "new.libsvm"]);
    expect(accuracy).toContain(`(${Math.round(200 * evaluation.accuracy)}/200)`);
    const inspected = await desk.print(["inspect", "theirs.vouch"]);
    expect(inspected).toContain("unknown rows");
    expect(inspected).not.toContain("training error");
    const certified = await desk.json(["certify", "theirs.vouch", "new.libsvm"]);
    expect(certified.certificates.length).toBeGreaterThan(0);
    await desk.print("export theirs.vouch --format libsvm --out again.model".split(" "));
    lib("svm-predict", "new.libsvm", "again.model", "out");
    expect(lines(desk.read("out"))).toEqual(theirs);
  },
);

test("wrong uses are explained", async () => {
  desk.file("some.csv", flowersCsv(40));
  await desk.print("train some.csv --learner stump --out stump.vouch".split(" "));
  const toLibsvm = "--format libsvm --out new".split(" ");
  const fault = (code: 1 | 2, command: string) => desk.fault(code, [...command.split(" "), ...toLibsvm]);
  expect(await fault(1, "export stump.vouch")).toContain(
    "Models of the learner stump cannot be exported to LIBSVM.",
  );
  expect(await fault(2, "export stump.vouch --data some.csv")).toContain(
    "--data and --data-out go together.",
  );
  expect(await fault(2, "export stump.vouch --data some.csv --data-out new")).toContain("two");
  expect(await fault(1, "import some.csv")).toContain("some.csv is not a LIBSVM model file.");
  expect(await fault(1, "import absent.model")).toContain("absent.model");
  expect(await desk.fault(2, ["export", "stump.vouch", "--out", "new"])).toContain(
    "The name new does not say which format to write. Write to a file that ends in .onnx, or choose with --format",
  );
  expect(await desk.fault(2, ["import", "some.csv", "--out", "new", "--format", "onnx"])).toContain("libsvm");
});
