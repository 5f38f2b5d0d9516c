import { describe, expect, it } from "vitest";
import { majority } from "#core/learners/majority/majority.js";
import { sae } from "#core/learners/net/sae.js";
import { Random } from "#core/runtime/maths/random.js";
import { Table } from "#core/table/table.js";
import { trainClassifier } from "#core/train/train.js";

function rowsOf(rows: number, seed: number, target = true): Table {
  const random = new Random(seed);
  const column = (name: string, values: Float64Array) => ({ kind: "numeric" as const, name, values });
  const labels = Float64Array.from({ length: rows }, (_, i) => i % 2);
  const features = Array.from({ length: 4 }, (_, j) =>
    column(
      `x${j + 1}`,
      labels.map((label) => label * (j % 2 ? 1 : -1) + random.normal()),
    ),
  );
  return new Table("rows", rows, target ? [...features, column("label", labels)] : features);
}

const learner = sae({ layers: [3], pretrainEpochs: 3, epochs: 3 });
const run = { seed: 1 };

describe("training with unlabelled rows", () => {
  it("pre-trains on them; a target column among them makes no difference", async () => {
    const test = rowsOf(100, 3);
    const train = (unlabelled?: Table) =>
      trainClassifier(rowsOf(60, 1), learner, { test, run, ...(unlabelled && { unlabelled }) });
    const bare = await train(rowsOf(200, 2, false));
    const withTarget = await train(rowsOf(200, 2));
    expect(withTarget.classifier.model.reconstruction).toEqual(bare.classifier.model.reconstruction);
    expect((await train()).classifier.model.reconstruction).not.toEqual(bare.classifier.model.reconstruction);
    expect(bare.classifier.card.data.rows).toBe(60);
    expect(bare.certificates.find(({ name }) => name.includes("held-out"))?.holds).toBe(true);
  });

  it("gives no held-out certificate for rows that were pre-trained on", async () => {
    const test = rowsOf(100, 3);
    const { certificates } = await trainClassifier(rowsOf(60, 1), learner, { test, run, unlabelled: test });
    for (const certificate of certificates.filter(({ name }) => name.includes("held-out"))) {
      expect(certificate.holds).toBe(false);
    }
    expect(certificates.some(({ name }) => name.includes("held-out"))).toBe(true);
  });

  it("is rejected for learners that do not pre-train, and with folds", async () => {
    const unlabelled = rowsOf(20, 2);
    await expect(trainClassifier(rowsOf(60, 1), majority(), { unlabelled, run })).rejects.toMatchObject({
      code: "learner/unsupported",
      message: "majority does not use unlabelled rows.",
    });
    await expect(
      trainClassifier(rowsOf(60, 1), learner, { unlabelled, folds: 3, run }),
    ).rejects.toMatchObject({
      code: "option/invalid",
    });
  });

  it("needs the features of the labelled rows", async () => {
    const unlabelled = rowsOf(20, 2).without(["x2"]);
    await expect(trainClassifier(rowsOf(60, 1), learner, { unlabelled, run })).rejects.toMatchObject({
      code: "data/missing-column",
    });
  });
});
