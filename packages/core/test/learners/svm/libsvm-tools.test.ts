import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Sample } from "#core/encode/sample.js";
import { libsvmLine, readLibsvmModel, writeLibsvmModel } from "#core/learners/svm/libsvm-format.js";
import { svm } from "#core/learners/svm/svm.js";
import { Table } from "#core/table/table.js";
import { importLibsvm } from "#core/train/libsvm.js";
import { noisyBlobs } from "./noisy-blobs.js";

/** LIBSVM's own programs (Debian: libsvm-tools); without them these tests are reported as skipped. */
const installed = ["svm-train", "svm-predict"].every((tool) => {
  try {
    execFileSync("sh", ["-c", `command -v ${tool}`]);
    return true;
  } catch {
    return false;
  }
});

const folder = mkdtempSync(join(tmpdir(), "vouch-libsvm-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string) => join(folder, name);

/** Classes are labelled 1, 2, … in files. */
function writeRows(name: string, { features, labels }: Sample): void {
  const lines = Array.from(labels, (label, i) => libsvmLine(label + 1, features, i));
  writeFileSync(path(name), `${lines.join("\n")}\n`);
}

/** What svm-predict writes: a label per row, and with −b 1 the probabilities under a header. */
function svmPredict(rows: string, model: string, ...flags: string[]): number[][] {
  execFileSync("svm-predict", [...flags, path(rows), path(model), path("out")], { stdio: "pipe" });
  const lines = readFileSync(path("out"), "utf8").trim().split("\n");
  return lines.filter((line) => !line.startsWith("labels")).map((line) => line.split(" ").map(Number));
}

function asTable({ features }: Sample): Table {
  const columns = Array.from({ length: features.columns }, (_, j) => ({
    kind: "numeric" as const,
    name: `f${j + 1}`,
    values: Float64Array.from({ length: features.rows }, (_, i) => features.row(i)[j]),
  }));
  return new Table("rows", features.rows, columns);
}

/** Before 3.25, LIBSVM takes two classes for equally likely where a probability is within 0.005 of ½. */
const isToss = (probability: number) => Math.abs(probability - 0.5) <= 0.005;

describe.skipIf(!installed)("LIBSVM", () => {
  for (const classes of [2, 3, 6]) {
    const training = noisyBlobs(150, 5, classes, 40 + classes);
    const fresh = noisyBlobs(700, 5, classes, 40 + classes);

    test.each([
      { kernel: "linear", C: 0.3 },
      { kernel: "polynomial", degree: 2, scale: 0.5 },
      { kernel: "polynomial" },
      { kernel: "rbf", C: 10 },
    ] as const)(
      `predicts what a model of $kernel trained here predicts, ${classes} classes`,
      async (options) => {
        const model = await svm(options).fit(training);
        const labels = training.classes.map((_, k) => k + 1);
        writeFileSync(path("ours.model"), writeLibsvmModel({ ...model.machines, labels }));
        writeRows("fresh", fresh);
        const theirs = svmPredict("fresh", "ours.model").map(([label]) => label - 1);
        expect([...model.predict(fresh.features)]).toEqual(theirs);
        expect(new Set(theirs).size).toBe(classes);
      },
    );

    test(`gives the probabilities of a model trained here, ${classes} classes`, async () => {
      const model = await svm({ probability: true }).fit(training);
      const labels = training.classes.map((_, k) => k + 1);
      writeFileSync(path("ours.model"), writeLibsvmModel({ ...model.machines, labels }));
      writeRows("fresh", fresh);
      const theirs = svmPredict("fresh", "ours.model", "-b", "1");
      const scores = model.scores(fresh.features);
      model.predict(fresh.features).forEach((prediction, i) => {
        const [label, ...probabilities] = theirs[i];
        if (classes > 2 || !isToss(scores.row(i)[0])) expect(prediction).toBe(label - 1);
        probabilities.forEach((probability, k) => {
          // svm-predict prints six digits; two classes it couples only to 0.0025.
          expect(Math.abs(scores.row(i)[k] - probability)).toBeLessThan(classes > 2 ? 1e-5 : 0.01);
        });
      });
    });

    test.each([
      ["linear", "-t 0"],
      ["polynomial with coef0 = 1", "-t 1 -d 3 -g 0.2 -r 1"],
      ["polynomial with coef0 = 0", "-t 1 -d 3 -g 0.5"],
      ["polynomial with coef0 = −0.5", "-t 1 -d 2 -g 0.5 -r -0.5"],
      ["rbf", "-c 5 -g 0.3"],
      ["rbf of type nu_svc", "-s 1 -n 0.05 -g 0.1"],
    ])(`trains a model of %s that predicts the same here, ${classes} classes`, (_, flags) => {
      writeRows("training", training);
      writeRows("fresh", fresh);
      execFileSync("svm-train", ["-q", ...flags.split(" "), path("training"), path("theirs.model")]);
      const classifier = importLibsvm(readFileSync(path("theirs.model"), "utf8"), { name: "theirs.model" });
      const theirs = svmPredict("fresh", "theirs.model").map(([label]) => String(label));
      // LIBSVM reads the cells from text that gives them exactly, so both see the same numbers.
      expect(classifier.predict(asTable(fresh))).toEqual(theirs);
      expect(new Set(theirs).size).toBe(classes);
    });

    test(`trains a model with probabilities that predicts the same here, ${classes} classes`, () => {
      writeRows("training", training);
      writeRows("fresh", fresh);
      execFileSync("svm-train", ["-q", "-b", "1", path("training"), path("theirs.model")]);
      const classifier = importLibsvm(readFileSync(path("theirs.model"), "utf8"), { name: "theirs.model" });
      expect(classifier.model.scoring).toBe("probability");
      const theirs = svmPredict("fresh", "theirs.model", "-b", "1");
      const scores = classifier.scores(asTable(fresh));
      classifier.predict(asTable(fresh)).forEach((prediction, i) => {
        if (classes > 2 || !isToss(scores.row(i)[0])) expect(prediction).toBe(String(theirs[i][0]));
      });
    });
  }

  test("writes files that are read and written again to the same numbers", () => {
    const training = noisyBlobs(100, 4, 3, 9);
    writeRows("training", training);
    execFileSync("svm-train", ["-q", "-b", "1", path("training"), path("theirs.model")]);
    const model = readLibsvmModel(readFileSync(path("theirs.model"), "utf8"), "theirs.model");
    expect(readLibsvmModel(writeLibsvmModel(model), "again")).toEqual(model);
  });
});
