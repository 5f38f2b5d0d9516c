import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adaboost } from "#core/learners/adaboost/adaboost.js";
import type { Learner } from "#core/learners/learner.js";
import { majority } from "#core/learners/majority/majority.js";
import { stump } from "#core/learners/stump/stump.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { Classifier } from "#core/train/classifier.js";
import { loadModel, saveModel } from "#core/train/file.js";
import { deserialise, serialise } from "#core/train/model-file.js";
import { writeSafetensors } from "#core/train/safetensors.js";
import { trainClassifier } from "#core/train/train.js";
import { blobs } from "./blobs.js";
import { editContent, headerOf, withDigest, withHeader } from "./edited-file.js";

const LEARNERS: [string, Learner][] = [
  ["majority", majority()],
  ["majority on bins", { ...majority(), encoding: { kind: "binned", maxBins: 16 } }],
  ["stump", stump()],
  ["stump, standardised", { ...stump(), encoding: { kind: "numeric", standardise: true } }],
  ["adaboost", adaboost({ rounds: 15 })],
];

async function trained(learner: Learner, classes?: readonly string[]): Promise<Classifier> {
  const { classifier } = await trainClassifier(blobs(120, 5, classes), learner, { holdout: 0.2 });
  return classifier;
}

describe.each(LEARNERS)("a saved %s model", (_, learner) => {
  it.each([
    ["two classes", ["no", "yes"]],
    ["three classes with odd names", ["", 'a "quoted" one', "ü\n\u0000"]],
  ])("predicts the same after a round trip with %s", async (_, classes) => {
    const classifier = await trained(learner, classes);
    const bytes = await serialise(classifier);
    const restored = await deserialise(bytes);
    const fresh = blobs(500, 6, classes);
    expect(restored.predict(fresh)).toEqual(classifier.predict(fresh));
    expect(restored.scores(fresh)).toEqual(classifier.scores(fresh));
    expect(restored.card).toEqual(classifier.card);
    expect(restored.encoder.schema).toEqual(classifier.encoder.schema);
    expect(restored.model.describe()).toEqual(classifier.model.describe());
    expect(await serialise(restored)).toEqual(bytes);
  });
});

describe("deserialise", () => {
  it("rejects a file that is shorter or longer, at every possible length", async () => {
    const bytes = await serialise(await trained(adaboost({ rounds: 3 })));
    const longer = new Uint8Array(bytes.length + 1);
    longer.set(bytes);
    for (let length = 0; length <= longer.length; length++) {
      if (length === bytes.length) continue;
      const failure = await deserialise(longer.subarray(0, length)).catch((error: unknown) => error);
      if (failure instanceof Error && failure.name === "VouchError" && "code" in failure) {
        expect(failure.code).toBe("model/corrupt");
      } else throw new Error(`length ${length}: ${failure}`);
    }
  });

  it("finds a flipped bit in every byte", async () => {
    const bytes = await serialise(await trained(stump()));
    for (let place = 0; place < bytes.length; place++) {
      bytes[place] ^= 1 << (place % 8);
      const failure = await deserialise(bytes).catch((error: unknown) => error);
      if (!(failure instanceof VouchError)) throw new Error(`byte ${place}: ${failure}`);
      bytes[place] ^= 1 << (place % 8);
    }
    expect((await deserialise(bytes)).card.learner).toBe("stump");
  });

  it("tells a newer format from damage, even with a wrong digest", async () => {
    const bytes = await serialise(await trained(stump()));
    const newer = editContent(bytes, (content) => ({ ...content, format: 3, card: "of another kind" }));
    await expect(deserialise(newer)).rejects.toMatchObject({
      code: "model/newer",
      message: expect.stringContaining("(format 3, this one reads up to 1)"),
      hint: expect.stringContaining("Update"),
    });
  });

  it("names an unknown learner", async () => {
    const bytes = await serialise(await trained(stump()));
    const other = editContent(bytes, (content) => ({
      ...content,
      card: { ...Object(content.card), learner: "quantum" },
    }));
    await expect(deserialise(await withDigest(other))).rejects.toMatchObject({
      code: "model/unknown",
      message: expect.stringContaining("quantum"),
    });
  });

  it("checks the card even if the digest is right", async () => {
    const bytes = await serialise(await trained(stump()));
    const wrong = editContent(bytes, (content) => ({
      ...content,
      card: { ...Object(content.card), heldOut: { rows: 5, errors: 6 } },
    }));
    await expect(deserialise(await withDigest(wrong))).rejects.toMatchObject({
      code: "model/corrupt",
      message: expect.stringContaining("heldOut"),
    });
  });

  it("survives endless nesting", async () => {
    const bytes = await serialise(await trained(stump()));
    const deep = "[".repeat(1e5) + "]".repeat(1e5);
    for (const part of ["card", "encoder", "fingerprint", "model", "decision", "background", "profile"]) {
      const marked = editContent(bytes, (content) => ({ ...content, [part]: "MARK" }));
      const nested = withHeader(marked, JSON.stringify(headerOf(marked)).replace('\\"MARK\\"', deep));
      await expect(deserialise(await withDigest(nested))).rejects.toMatchObject({ code: "model/corrupt" });
    }
    const marked = editContent(bytes, (content) => ({
      ...content,
      card: { ...Object(content.card), options: "MARK" },
    }));
    const options = JSON.stringify(headerOf(marked)).replace('\\"MARK\\"', `{\\"x\\":${deep}}`);
    await expect(deserialise(await withDigest(withHeader(marked, options)))).rejects.toMatchObject({
      code: "model/corrupt",
    });
  });

  it("rejects a model whose encoder has other features or classes", async () => {
    const one = await trained(stump());
    const bytes = await serialise(one);
    const other = await trainClassifier(blobs(100, 1).without(["height"]), stump());
    const narrow = await serialise(new Classifier({ ...one, encoder: other.classifier.encoder }));
    await expect(deserialise(narrow)).rejects.toMatchObject({ message: expect.stringContaining("features") });
    const renamed = editContent(bytes, (content) => ({
      ...content,
      model: { ...Object(content.model), classes: ["no", "maybe"] },
    }));
    await expect(deserialise(await withDigest(renamed))).rejects.toMatchObject({
      message: expect.stringContaining("classes"),
    });
  });

  it("tells safetensors files of other tools from models", async () => {
    const weights = { weight: { shape: [2], data: Float32Array.of(1, 2) } };
    await expect(deserialise(writeSafetensors({ format: "pt" }, weights))).rejects.toMatchObject({
      code: "model/unknown",
      message: expect.stringContaining("not a vouch model"),
    });
    await expect(deserialise(writeSafetensors({ vouch: '{"format":1}' }, {}))).rejects.toMatchObject({
      code: "model/corrupt",
      message: expect.stringContaining("checksum"),
    });
  });
});

describe("saveModel and loadModel", () => {
  it("go through a file, and errors name it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "vouch-save-"));
    try {
      const path = join(folder, "model.safetensors");
      const classifier = await trained(adaboost({ rounds: 5 }));
      await saveModel(path, classifier);
      const table = blobs(50, 8);
      expect((await loadModel(path)).predict(table)).toEqual(classifier.predict(table));
      await writeFile(path, (await serialise(classifier)).subarray(0, 1000));
      await expect(loadModel(path)).rejects.toMatchObject({ message: expect.stringContaining(path) });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
