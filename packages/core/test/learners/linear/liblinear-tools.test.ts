import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { solveLinearSvm } from "#core/learners/linear/dual-coordinate-descent.js";
import { libsvmLine } from "#core/learners/svm/libsvm-format.js";
import { noisyLabels, problemOn, randomFeatures } from "./random-problem.js";

/** LIBLINEAR's own program (Debian: liblinear-tools); without it these tests are reported as skipped. */
const installed = (() => {
  try {
    execFileSync("sh", ["-c", "command -v liblinear-train"]);
    return true;
  } catch {
    return false;
  }
})();

/** The weights that LIBLINEAR finds, the last that of the bias. */
function liblinearWeights(rows: string, solver: number, C: number, bias: number): number[] {
  const folder = mkdtempSync(join(tmpdir(), "vouch-liblinear-"));
  try {
    const [data, model] = [join(folder, "rows"), join(folder, "model")];
    writeFileSync(data, rows);
    const options = ["-q", "-s", `${solver}`, "-c", `${C}`, "-B", `${bias}`, "-e", "1e-7"];
    execFileSync("liblinear-train", [...options, data, model], { stdio: "pipe" });
    const lines = readFileSync(model, "utf8").trim().split("\n");
    return lines.slice(lines.indexOf("w") + 1).map(Number);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.skipIf(!installed)("LIBLINEAR", () => {
  test.each([
    { loss: "squared-hinge", solver: 1, density: 1 },
    { loss: "squared-hinge", solver: 1, density: 0.2 },
    { loss: "hinge", solver: 3, density: 1 },
    { loss: "hinge", solver: 3, density: 0.2 },
  ] as const)("finds the same machine: %j", async ({ loss, solver, density }) => {
    const features = randomFeatures({ rows: 80, columns: 6, density, seed: 12 });
    const labels = noisyLabels(features, 12);
    const [C, bias] = [0.3, 2];
    const lines = Array.from(labels, (label, i) => libsvmLine(label, features, i));
    const theirs = liblinearWeights(`${lines.join("\n")}\n`, solver, C, bias);
    const problem = problemOn(features, labels, { loss, C, bias });
    const ours = await solveLinearSvm(problem, { tolerance: 1e-9, maxPasses: 100_000, seed: 1 });
    problem.rows.release();
    const expected = [...ours.weights, ours.bias / bias];
    expect(theirs).toEqual(expected.map((weight) => expect.closeTo(weight, 4)));
  });
});
