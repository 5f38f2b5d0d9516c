import { beforeAll, describe, expect, it } from "vitest";
import { linearSvm } from "#core/learners/linear/linear-svm.js";
import { stump } from "#core/learners/stump/stump.js";
import { deserialise, serialise } from "#core/train/model-file.js";
import { trainClassifier } from "#core/train/train.js";
import { editContent, withDigest } from "./edited-file.js";
import { plain, THREE } from "./simulated-cases.js";

type Edit = (part: Record<string, unknown>) => Record<string, unknown>;

describe("the decision in a model file", () => {
  let bytes: Uint8Array;
  let three: Uint8Array;
  let bare: Uint8Array;

  beforeAll(async () => {
    const options = { holdout: 0.4, costs: { yes: { no: 5 } }, abstain: 0.2, sets: 0.8 };
    bytes = await serialise((await trainClassifier(plain(200, 1), linearSvm(), options)).classifier);
    const perClass = { holdout: 0.4, metric: "balanced-error", sets: 0.8, setsBy: "class" } as const;
    three = await serialise((await trainClassifier(plain(200, 2, THREE), stump(), perClass)).classifier);
    const without = { calibrate: false } as const;
    bare = await serialise((await trainClassifier(plain(100, 3), linearSvm(), without)).classifier);
  });

  const forged = async (file: Uint8Array, part: string, edit: Edit) =>
    deserialise(
      await withDigest(editContent(file, (content) => ({ ...content, [part]: edit(Object(content[part])) }))),
    );

  it("is the one that was saved", async () => {
    for (const file of [bytes, three, bare]) {
      const restored = await deserialise(file);
      expect(await serialise(restored)).toEqual(file);
    }
    expect((await deserialise(bytes)).decision).toMatchObject({
      rule: { kind: "threshold" },
      abstention: { asked: 0.2 },
      sets: { perClass: false },
    });
    expect((await deserialise(three)).decision).toMatchObject({
      rule: { kind: "weights" },
      sets: { perClass: true, limits: expect.objectContaining({ length: 3 }) },
    });
    expect((await deserialise(bare)).decision).toEqual({ rule: { kind: "model" } });
  });

  const threshold = { kind: "threshold", class: 1, at: 0.5 };
  it.each<[string, Edit]>([
    ["no rule", ({ rule: _, ...rest }) => rest],
    ["an unknown rule", (decision) => ({ ...decision, rule: { kind: "best" } })],
    ["a threshold above 1", (decision) => ({ ...decision, rule: { ...threshold, at: 2 } })],
    ["a threshold of an unknown class", (decision) => ({ ...decision, rule: { ...threshold, class: 2 } })],
    ["a threshold of half a class", (decision) => ({ ...decision, rule: { ...threshold, class: 0.5 } })],
    [
      "weights of other classes",
      (decision) => ({ ...decision, rule: { kind: "weights", weights: [1, 1, 1] } }),
    ],
    ["a negative weight", (decision) => ({ ...decision, rule: { kind: "weights", weights: [1, -1] } })],
    ["ragged costs", (decision) => ({ ...decision, rule: { kind: "costs", costs: [[0, 1], [1]] } })],
    ["more than a rule", (decision) => ({ ...decision, rule: { ...threshold, more: 1 } })],
    ["an unknown part", (decision) => ({ ...decision, oracle: true })],
    ["a calibrator of another kind", (decision) => ({ ...decision, calibrator: "platt" })],
    ["a lost calibrator", (decision) => ({ ...decision, calibrator: null })],
    [
      "an abstention with more errors than answers",
      (decision) => ({
        ...decision,
        abstention: { ...Object(decision.abstention), counts: { rows: 5, answered: 2, errors: 3 } },
      }),
    ],
    [
      "an abstention that keeps more than was asked",
      (decision) => ({ ...decision, abstention: { ...Object(decision.abstention), target: 0.01 } }),
    ],
    [
      "a confidence of 1",
      (decision) => ({ ...decision, abstention: { ...Object(decision.abstention), confidence: 1 } }),
    ],
    ["sets without limits", (decision) => ({ ...decision, sets: { ...Object(decision.sets), limits: [] } })],
    [
      "sets of each class with the limit of one",
      (decision) => ({ ...decision, sets: { ...Object(decision.sets), perClass: true } }),
    ],
  ])("is refused with %s", async (_, edit) => {
    await expect(forged(bytes, "decision", edit)).rejects.toMatchObject({ code: "model/corrupt" });
  });

  it("is refused if it needs probabilities that the model does not have", async () => {
    for (const rule of [threshold, { kind: "weights", weights: [1, 2] }]) {
      await expect(forged(bare, "decision", (decision) => ({ ...decision, rule }))).rejects.toMatchObject({
        code: "model/corrupt",
        message: expect.stringContaining("probabilities"),
      });
    }
  });

  it.each<[string, Edit]>([
    [
      "costs without the metric",
      (card) => ({
        ...card,
        objective: {
          metric: "auc",
          costs: [
            [0, 1],
            [1, 0],
          ],
        },
      }),
    ],
    ["the metric without costs", (card) => ({ ...card, objective: { metric: "cost" } })],
    [
      "costs of three classes",
      (card) => ({
        ...card,
        objective: {
          metric: "cost",
          costs: [
            [0, 1, 1],
            [1, 0, 1],
            [1, 1, 0],
          ],
        },
      }),
    ],
    ["ragged costs", (card) => ({ ...card, objective: { metric: "cost", costs: [[0, 1], [1]] } })],
    ["an unknown metric", (card) => ({ ...card, objective: { metric: "luck" } })],
    ["a third positive class", (card) => ({ ...card, objective: { metric: "f1", positive: 2 } })],
    ["weights of three classes", (card) => ({ ...card, classWeights: [1, 1, 1] })],
    ["counts of three classes", (card) => ({ ...card, data: { ...Object(card.data), counts: [1, 1, 1] } })],
  ])("needs a card without %s", async (_, edit) => {
    await expect(forged(bytes, "card", edit)).rejects.toMatchObject({ code: "model/corrupt" });
  });

  it("has no positive class of three", async () => {
    const edit: Edit = (card) => ({ ...card, objective: { metric: "f1", positive: 1 } });
    await expect(forged(three, "card", edit)).rejects.toMatchObject({ code: "model/corrupt" });
  });

  it("needs a background of the model's columns", async () => {
    const edits: Edit[] = [
      (background) => ({ ...background, more: 1 }),
      () => ({}),
      (background) => Object.fromEntries(Object.keys(background).map((key) => [key, "x"])),
    ];
    for (const edit of edits) {
      await expect(forged(bytes, "background", edit)).rejects.toMatchObject({ code: "model/corrupt" });
    }
  });
});
