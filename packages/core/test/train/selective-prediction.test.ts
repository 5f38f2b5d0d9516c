import { describe, expect, it } from "vitest";
import { logistic } from "#core/learners/logistic/logistic.js";
import { stump } from "#core/learners/stump/stump.js";
import { Table } from "#core/table/table.js";
import { certify } from "#core/train/certify.js";
import { deserialise, serialise } from "#core/train/model-file.js";
import { trainClassifier } from "#core/train/train.js";
import type { TrainOptions } from "#core/train/train-options.js";
import { plain } from "./simulated-cases.js";

describe("abstention and sets", () => {
  const table = plain(600, 11);

  it("answer what they promise on the held-out rows, and only that", async () => {
    const training = await trainClassifier(table, logistic(), { holdout: 0.5, abstain: 0.1, sets: 0.9 });
    const { classifier, evidence } = training;
    const { abstention } = classifier.decision;
    const heldOut = training.tables.heldOut;
    if (!abstention || !heldOut) throw new Error("There is no abstention.");
    const { predictions, sets, probabilities } = classifier.classify(heldOut);
    expect(predictions.filter((name) => name !== "")).toHaveLength(abstention.counts.answered);
    expect(evidence?.answers?.counts).toEqual(abstention.counts);
    expect(abstention.target).toBe(0.1);
    expect(abstention.counts.errors / abstention.counts.answered).toBeLessThan(0.1);
    // Sets are the classes that are likely enough, so that the likeliest is in each that has any.
    sets?.forEach((set, row) => {
      const likeliest = Number(probabilities && probabilities.row(row)[1] > 0.5);
      if (set.length > 0) expect(set).toContain(classifier.classes[likeliest]);
    });
    const rule = { kind: "threshold", class: 1, at: 0.3 } as const;
    const answered = classifier.classify(heldOut, { rule });
    expect(answered.predictions).not.toContain("");
    expect(await classifier.classifyRows(heldOut, { rule })).toEqual(answered);
  });

  it("say so if the test rows are the training rows, and promise nothing", async () => {
    const { classifier, certificates } = await trainClassifier(table, stump(), {
      test: table,
      abstain: 0.3,
      sets: 0.9,
    });
    expect(classifier.decision).not.toHaveProperty("abstention");
    expect(classifier.decision).not.toHaveProperty("sets");
    expect(classifier.card.notices.join(" ")).toContain("neither abstains nor gives sets");
    expect(certificates.some(({ name, holds }) => name.startsWith("held-out") && holds)).toBe(false);
    const restored = await deserialise(await serialise(classifier));
    expect(certify(restored).some(({ name, holds }) => name.startsWith("held-out") && holds)).toBe(false);
  });

  it("survive test rows of unknown classes alone", async () => {
    const strange = table
      .without(["label"])
      .withColumn(Table.fromColumns("t", { label: new Array<string>(600).fill("other") }).columns[0]);
    const { classifier } = await trainClassifier(plain(200, 1), stump(), {
      test: strange,
      abstain: 0.3,
      sets: 0.9,
    });
    expect(classifier.decision).not.toHaveProperty("abstention");
    expect(classifier.card.notices.join(" ")).toContain("answers every row");
  });

  it.each<[string, TrainOptions, RegExp]>([
    ["abstention without held-out rows", { abstain: 0.1 }, /abstain needs held-out rows/],
    ["abstention with folds", { abstain: 0.1, folds: 3 }, /abstain needs held-out rows/],
    ["sets without held-out rows", { sets: 0.9 }, /sets needs held-out rows/],
    ["abstention without calibration", { holdout: 0.3, abstain: 0.1, calibrate: false }, /calibrated/],
    ["an error of 0", { holdout: 0.3, abstain: 0 }, /abstain must be between 0 and 1, not 0\./],
    ["an error of 2", { holdout: 0.3, abstain: 2 }, /abstain must be between 0 and 1, not 2\./],
    ["coverage of 1", { holdout: 0.3, sets: 1 }, /sets must be between 0 and 1, not 1\./],
    ["NaN", { holdout: 0.3, sets: Number.NaN }, /sets must be between 0 and 1, not NaN\./],
    ["setsBy alone", { holdout: 0.3, setsBy: "class" }, /--sets-by needs --sets/],
    [
      "setsBy of another kind",
      { holdout: 0.3, sets: 0.9, setsBy: JSON.parse('"row"') },
      /setsBy must be "all" or "class", not "row"/,
    ],
  ])("refuse %s", async (_, options, message) => {
    await expect(trainClassifier(table, stump(), options)).rejects.toThrow(message);
  });
});
