import { beforeAll, describe, expect, it } from "vitest";
import { adaboost } from "#vouch/learners/adaboost/adaboost.js";
import { boostedTrees } from "#vouch/learners/boosted-trees/boosted-trees.js";
import { forest } from "#vouch/learners/forest/forest.js";
import type { Learner } from "#vouch/learners/learner.js";
import { linearSvm } from "#vouch/learners/linear/linear-svm.js";
import { majority } from "#vouch/learners/majority/majority.js";
import { stump } from "#vouch/learners/stump/stump.js";
import { Random } from "#vouch/runtime/random.js";
import { VouchError } from "#vouch/runtime/vouch-error.js";
import { Table } from "#vouch/table/table.js";
import { certify } from "#vouch/train/certify.js";
import type { Classifier } from "#vouch/train/classifier.js";
import { deserialise, serialise } from "#vouch/train/model-file.js";
import { heldOutTest, judgeOn } from "#vouch/train/test-classifier.js";
import { type TrainOptions, trainClassifier } from "#vouch/train/train.js";
import { blobs } from "./blobs.js";
import { editContent, headerOf, withDigest, withHeader } from "./edited-file.js";

const CORRUPTIONS = 3000;
/** Maximum time to reject a file, or to load and use it. */
const MAX_MILLISECONDS = 5000;
const CLASSES = ["a", "b", "c"];

/** Adds a column of dates and one of prose. */
function withProse(table: Table): Table {
  const days = Array.from({ length: table.rows }, (_, i) => new Date(1e12 + i * 7e7).toISOString());
  const notes = days.map((_, i) => `note ${i % 7} of ${i % 3 === 0 ? "a good cat" : "the bad dog"} ${i}`);
  const { columns } = Table.fromColumns("more", { at: days, note: notes });
  return columns.reduce((all, column) => all.withColumn(column), table);
}

const FRESH = withProse(blobs(40, 77, CLASSES));

/** Metrics with rules of all kinds, abstention and sets. */
const DECISIONS: TrainOptions[] = [
  { costs: { a: { b: 5 } }, abstain: 0.3, holdout: 0.5 },
  { metric: "balanced-error", sets: 0.8, setsBy: "class", holdout: 0.5 },
  { metric: "f1", abstain: 0.5, sets: 0.7, holdout: 0.5, classWeights: "balanced" },
  { metric: "log-loss", sets: 0.6 },
];

interface Original {
  readonly bytes: Uint8Array;
  readonly predictions: string[];
  readonly scores: ReturnType<Classifier["scores"]>;
}

const originals: Original[] = [];

beforeAll(async () => {
  const learners: Learner[] = [
    majority(),
    { ...majority(), encoding: { kind: "binned", maxBins: 8 } },
    stump(),
    { ...stump(), encoding: { kind: "numeric", standardise: true } },
    adaboost({ rounds: 6 }),
    adaboost({ weakLearner: "tree", depth: 2, rounds: 3 }),
    forest({ trees: 3 }),
    boostedTrees({ rounds: 3 }),
  ];
  const plain = blobs(60, 5, CLASSES);
  const trainings: { learner: Learner; table: Table; options?: TrainOptions }[] = [
    ...learners.map((learner) => ({ learner, table: plain })),
    { learner: linearSvm(), table: withProse(plain) },
    { learner: forest({ trees: 3 }), table: withProse(plain) },
    ...DECISIONS.map((options, n) => ({
      learner: n % 2 === 0 ? stump() : linearSvm(),
      table: plain,
      options,
    })),
  ];
  for (const { learner, table, options } of trainings) {
    const given = { target: "label", holdout: 0.2, ...options };
    const { classifier } = await trainClassifier(table, learner, given);
    const bytes = await serialise(classifier);
    originals.push({ bytes, predictions: classifier.predict(FRESH), scores: classifier.scores(FRESH) });
  }
});

type Corruption = (bytes: Uint8Array, random: Random) => Uint8Array;

/** Values that break careless readers. */
const POISON = [
  null,
  true,
  -1,
  0,
  1,
  2.5,
  255,
  2 ** 31,
  2 ** 53,
  1e308,
  -1e308,
  5e-324,
  "",
  "a",
  "__proto__",
  "constructor",
  "numeric",
  [],
  [0],
  ["a", "a"],
  {},
  { length: 1e9 },
];

const flipBit: Corruption = (bytes, random) => {
  const changed = Uint8Array.from(bytes);
  changed[random.integer(bytes.length)] ^= 1 << random.integer(8);
  return changed;
};

const changeBytes: Corruption = (bytes, random) => {
  const changed = Uint8Array.from(bytes);
  for (let n = random.integer(8); n >= 0; n--) changed[random.integer(bytes.length)] = random.integer(256);
  return changed;
};

const deleteBytes: Corruption = (bytes, random) => {
  const start = random.integer(bytes.length);
  const end = Math.min(bytes.length, start + 1 + random.integer(64));
  return Uint8Array.from([...bytes.subarray(0, start), ...bytes.subarray(end)]);
};

const insertBytes: Corruption = (bytes, random) => {
  const start = random.integer(bytes.length + 1);
  const inserted = Array.from({ length: 1 + random.integer(64) }, () => random.integer(256));
  return Uint8Array.from([...bytes.subarray(0, start), ...inserted, ...bytes.subarray(start)]);
};

const swapBlocks: Corruption = (bytes, random) => {
  const size = 1 + random.integer(64);
  const a = random.integer(bytes.length - size);
  const b = random.integer(bytes.length - size);
  const changed = Uint8Array.from(bytes);
  changed.set(bytes.subarray(b, b + size), a);
  changed.set(bytes.subarray(a, a + size), b);
  return changed;
};

const truncate: Corruption = (bytes, random) => bytes.slice(0, random.integer(bytes.length));

/** Eight bytes of a tensor become a special number. */
const poisonTensor: Corruption = (bytes, random) => {
  const changed = Uint8Array.from(bytes);
  const dataStart = 8 + Number(new DataView(changed.buffer).getBigUint64(0, true));
  const special = [Number.NaN, Number.POSITIVE_INFINITY, -0, 1e308, -1e-308, -1, 2, 0.5];
  const view = new DataView(changed.buffer, dataStart);
  const place = 4 * random.integer(Math.floor((view.byteLength - 8) / 4));
  if (random.integer(2) === 0) view.setFloat64(place, special[random.integer(special.length)], true);
  else view.setInt32(place, [-2147483648, -4, -1, 0, 1, 2, 3, 1000, 2147483647][random.integer(9)], true);
  return changed;
};

/** The JSON with one value somewhere in it removed, replaced, repeated or exchanged. */
function poisonJson(json: unknown, random: Random): unknown {
  if (
    typeof json !== "object" ||
    json === null ||
    Object.keys(json).length === 0 ||
    random.integer(5) === 0
  ) {
    return POISON[random.integer(POISON.length)];
  }
  const keys = Object.keys(json);
  const key = keys[random.integer(keys.length)];
  const value: unknown = Reflect.get(json, key);
  const action = random.integer(8);
  if (Array.isArray(json)) {
    const place = Number(key);
    if (action === 0) return json.toSpliced(place, 1);
    if (action === 1) return json.toSpliced(place, 0, value);
    return json.with(place, poisonJson(value, random));
  }
  const { [key]: _, ...others } = Object(json);
  if (action === 0) return others;
  if (action === 1) return { ...others, [`${key}x`]: value };
  return { ...json, [key]: poisonJson(value, random) };
}

const editHeader: Corruption = (bytes, random) => {
  const edited = JSON.stringify(poisonJson(headerOf(bytes), random));
  return withHeader(bytes, random.integer(4) === 0 ? edited.replace("{", '{"__proto__":{},') : edited);
};

const editDescription: Corruption = (bytes, random) =>
  editContent(bytes, (content) => Object(poisonJson(content, random)));

const CORRUPTIONS_BY_HAND = [flipBit, changeBytes, deleteBytes, insertBytes, swapBlocks, truncate];
const CORRUPTIONS_BY_INTENT = [...CORRUPTIONS_BY_HAND, poisonTensor, editHeader, editDescription];

/** Checks that a classifier gives classes and numbers. */
async function checkUsable(classifier: Classifier): Promise<void> {
  expect(await serialise(classifier)).toBeInstanceOf(Uint8Array);
  classifier.model.describe();
  for (const { value } of certify(classifier, { confidence: 0.95 })) expect(value).not.toBeNaN();
  const { predictions, sets = [], probabilities } = classifier.classify(FRESH);
  const answers = classifier.decision.abstention ? ["", ...classifier.classes] : classifier.classes;
  expect(predictions.every((name) => answers.includes(name))).toBe(true);
  expect(sets.flat().every((name) => classifier.classes.includes(name))).toBe(true);
  const { values } = classifier.scores(FRESH);
  expect(values.every(Number.isFinite)).toBe(true);
  if (classifier.decision.calibrator && probabilities) {
    for (let row = 0; row < FRESH.rows; row++) {
      expect(Array.from(probabilities.row(row)).reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 6);
    }
  }
  judgeOn(classifier, FRESH);
  const evaluation = classifier.evaluate(FRESH);
  expect(evaluation.error).toBeGreaterThanOrEqual(0);
  expect(heldOutTest(classifier, FRESH).errors).toBe(Math.round(evaluation.error * FRESH.rows));
}

function isRejection(error: unknown): boolean {
  return error instanceof VouchError && error.message.length > 0;
}

describe("corrupted model files", () => {
  it("with a wrong digest never load, and always give a clear error", async () => {
    const random = new Random(20240601);
    for (let n = 0; n < CORRUPTIONS / 2; n++) {
      const { bytes, predictions, scores } = originals[n % originals.length];
      const corrupt = CORRUPTIONS_BY_HAND[random.integer(CORRUPTIONS_BY_HAND.length)];
      const corrupted = corrupt(bytes, random);
      try {
        const classifier = await deserialise(corrupted);
        // Only a corruption that changes nothing can get here.
        expect(classifier.predict(FRESH)).toEqual(predictions);
        expect(classifier.scores(FRESH)).toEqual(scores);
        expect(corrupted).toEqual(bytes);
      } catch (error) {
        if (!isRejection(error)) throw new Error(`corruption ${n} (${corrupt.name})`, { cause: error });
      }
    }
  });

  it("with a right digest are rejected, or work like a model", async () => {
    const random = new Random(20240602);
    let loaded = 0;
    let rejected = 0;
    for (let n = 0; n < CORRUPTIONS / 2; n++) {
      const { bytes } = originals[n % originals.length];
      const corrupt = CORRUPTIONS_BY_INTENT[random.integer(CORRUPTIONS_BY_INTENT.length)];
      const corrupted = await withDigest(corrupt(bytes, random));
      const start = performance.now();
      try {
        const classifier = await deserialise(corrupted);
        loaded++;
        await checkUsable(classifier);
      } catch (error) {
        rejected++;
        if (!isRejection(error)) throw new Error(`corruption ${n} (${corrupt.name})`, { cause: error });
      }
      expect(performance.now() - start).toBeLessThan(MAX_MILLISECONDS);
    }
    // Both happen often, so both are tested.
    expect(loaded).toBeGreaterThan(CORRUPTIONS / 100);
    expect(rejected).toBeGreaterThan(CORRUPTIONS / 10);
  });
});
