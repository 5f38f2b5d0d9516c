import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { learnerNames } from "vouch";
import { modelDigests, sha256 } from "../../../../scripts/model-digests.mjs";
import { publicApi } from "../../../../scripts/public-api.mjs";
import { Desk } from "../vouch.js";

/**
 * Recorded bytes, texts and names: a change that only moves code leaves them as they are. After a change of what vouch computes,
 * prints or exports, `VOUCH_RECORD_GOLDEN=1 npm test -- golden` records them again; the diff shows what has changed.
 */
const file = fileURLToPath(new URL("golden.json", import.meta.url));
const recording = process.env.VOUCH_RECORD_GOLDEN !== undefined;
const recorded: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(file, "utf8"));
const found: Record<string, unknown> = {};
afterAll(() => {
  if (recording) writeFileSync(file, `${JSON.stringify({ ...recorded, ...found }, undefined, 2)}\n`);
});

/** Compares with the record, or records. */
function expectGolden(section: string, value: unknown): void {
  found[section] = value;
  if (!recording) expect(value).toEqual(recorded[section]);
}

const desk = new Desk();
const race = fileURLToPath(new URL("race.json", import.meta.url));

/** Commands that write a model, a JSON document, or both. The race ends with an ensemble. */
const TRAIN = ["train", "iris", "--replay", race];
const SELECT = ["select", "iris", "-l", "tree", "-g", "maxDepth=1,3", "-l", "logistic", "--folds", "4"];
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  train: ["train", "breastcancer", "--learner", "boosted-trees", "--set", "rounds=20", "--out", "train.st"],
  "train --replay": [...TRAIN, "--out", "race.st"],
  certify: ["certify", "train.st"],
  compare: ["compare", "iris", "--learners", "tree,logistic"],
  select: [...SELECT, "--out", "select.st"],
};

/** Trainings whose output ends with the command that repeats them. */
const REPEATED: readonly (readonly string[])[] = [
  TRAIN,
  [...TRAIN, "--metric", "log-loss", "--categorical", "petal_width", "--missing", "n/a,?"],
  [...TRAIN, "--cost", "setosa:virginica=5", "--class-weights", "balanced", "--confidence", "0.9"],
  [...TRAIN, "--ignore", "petal_width", "--target", "label", "--abstain", "0.1"],
];

/** Leaves out how long the work took. */
function withoutSeconds(document: unknown): string {
  return JSON.stringify(document, (key, value) => (/seconds/i.test(key) ? undefined : value));
}

describe("golden", () => {
  it("model files of all learners, and their predictions", async () => {
    expectGolden("models", await modelDigests());
  }, 120_000);

  it("JSON documents of commands, and the models that they write", async () => {
    const documents: Record<string, string> = {};
    for (const threads of ["1", "3"]) {
      for (const [name, args] of Object.entries(COMMANDS)) {
        const hasThreads = name !== "certify";
        const document = await desk.json([...args, ...(hasThreads ? ["--threads", threads] : [])]);
        documents[`${name}, ${threads} threads`] = sha256(withoutSeconds(document));
      }
      for (const model of ["train.st", "race.st", "select.st"]) {
        documents[`${model}, ${threads} threads`] = sha256(desk.bytes(model));
      }
    }
    for (const [name, digest] of Object.entries(documents)) {
      expect(digest, name).toBe(documents[name.replace(/\d threads/, "1 threads")]);
    }
    const once = Object.entries(documents).filter(([name]) => name.endsWith(", 1 threads"));
    expectGolden("commands", Object.fromEntries(once.map(([name, digest]) => [name.split(",")[0], digest])));
  });

  it("commands that train the same model again", async () => {
    const commands: string[] = [];
    for (const args of REPEATED) {
      const text = await desk.print([...args, "--out", "again.st"]);
      commands.push(/to train the same model again:\n {2}(.*)\n/.exec(text)?.[1] ?? "");
    }
    expectGolden("repeated", commands);
  });

  it("help texts", async () => {
    const general = await desk.print(["help"]);
    const commands = Array.from(
      general.split("\nDATA is")[0].matchAll(/^ {2}([a-z]+) /gm),
      ([, name]) => name,
    );
    const texts: Record<string, string[]> = { vouch: general.trimEnd().split("\n") };
    for (const topic of [...commands, ...learnerNames()]) {
      texts[topic] = (await desk.print(["help", topic])).trimEnd().split("\n");
    }
    expectGolden("help", texts);
  });

  it("public names of each entry", () => {
    const names = publicApi().map(({ name, exports }) => [
      name,
      exports.map((one) => (one.typeOnly ? `type ${one.name}` : one.name)).sort(),
    ]);
    expectGolden("names", Object.fromEntries(names));
  });
});
