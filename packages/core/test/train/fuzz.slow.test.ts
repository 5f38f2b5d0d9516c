import { beforeAll, describe, expect, it } from "vitest";
import { learnerNames } from "#core/learners/index.js";
import { Random } from "#core/runtime/maths/random.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import type { Classifier } from "#core/train/classifier.js";
import { importLibsvm } from "#core/train/libsvm.js";
import { deserialise, serialise } from "#core/train/model-file.js";
import { fileParts, headerOf, withDigest, withHeader } from "./edited-file.js";
import { useForged } from "./forged-use.js";
import { Forger, forgeLibsvm } from "./forgeries.js";
import { LIBSVM_MODEL, type OriginalModel, originalModels } from "./original-models.js";

/** `npm run nightly` tries far more, with fresh seeds. */
const TRIES = Number(process.env.VOUCH_FUZZ_TRIES ?? 800);
const SEED =
  process.env.VOUCH_FUZZ_SEED === "random"
    ? Math.floor(Math.random() * 2 ** 31)
    : Number(process.env.VOUCH_FUZZ_SEED ?? 1);

/** CPU time that a try may take. `scripts/fuzz-models.mjs` has a tighter limit, and ends a try that does not end by itself. */
const MAX_SECONDS = 10;

let originals: OriginalModel[];

beforeAll(async () => {
  originals = await originalModels();
});

type Damage = (bytes: Uint8Array, random: Random) => Uint8Array;

const flipBit: Damage = (bytes, random) => {
  const changed = Uint8Array.from(bytes);
  changed[random.integer(bytes.length)] ^= 1 << random.integer(8);
  return changed;
};

const changeBytes: Damage = (bytes, random) => {
  const changed = Uint8Array.from(bytes);
  for (let n = random.integer(8); n >= 0; n--) changed[random.integer(bytes.length)] = random.integer(256);
  return changed;
};

const deleteBytes: Damage = (bytes, random) => {
  const start = random.integer(bytes.length);
  const end = Math.min(bytes.length, start + 1 + random.integer(64));
  return Uint8Array.from([...bytes.subarray(0, start), ...bytes.subarray(end)]);
};

const insertBytes: Damage = (bytes, random) => {
  const start = random.integer(bytes.length + 1);
  const inserted = Array.from({ length: 1 + random.integer(64) }, () => random.integer(256));
  return Uint8Array.from([...bytes.subarray(0, start), ...inserted, ...bytes.subarray(start)]);
};

const truncate: Damage = (bytes, random) => bytes.slice(0, random.integer(bytes.length));

/** Adds a key that could change the prototype of what is read. */
const addPrototype: Damage = (bytes) =>
  withHeader(bytes, JSON.stringify(headerOf(bytes)).replace("{", '{"__proto__":{},'));

const DAMAGES = [flipBit, changeBytes, deleteBytes, insertBytes, truncate, addPrototype];

/** Damages a file; retries what leaves it as it is. */
function damaged(bytes: Uint8Array, random: Random): Uint8Array {
  for (;;) {
    const changed = DAMAGES[random.integer(DAMAGES.length)](bytes, random);
    if (Buffer.compare(changed, bytes) !== 0) return changed;
  }
}

describe("damaged model files", () => {
  it("never load, and always give a clear error", async () => {
    const random = new Random(SEED);
    for (let n = 0; n < TRIES / 4; n++) {
      const { bytes, name } = originals[n % originals.length];
      const error = await deserialise(damaged(bytes, random)).catch((thrown: unknown) => thrown);
      expect(error, `${n}: ${name}`).toBeInstanceOf(VouchError);
    }
  });

  it("with the digest of the damaged bytes are refused, or work like a model", async () => {
    const random = new Random(SEED + 1);
    for (let n = 0; n < TRIES / 4; n++) {
      const { bytes, name } = originals[n % originals.length];
      const changed = await withDigest(damaged(bytes, random));
      await useForged(changed, { savedAlike: false }).catch((cause: unknown) => {
        throw new Error(`${n}: ${name}`, { cause });
      });
    }
  });
});

describe("forged model files", () => {
  it("are of every learner", () => {
    const learners = originals.map(({ bytes }) => Object(fileParts(bytes).content.card).learner);
    expect(new Set(learners)).toEqual(new Set(learnerNames()));
  });

  it("are refused, or work like a model in bounded time", async () => {
    const forger = new Forger(originals, SEED);
    const counts = { refused: 0, worked: 0, "failed clearly": 0 };
    for (let n = 0; n < TRIES; n++) {
      const { what, bytes } = await forger.forge(n, TRIES);
      const start = process.cpuUsage();
      const outcome = await useForged(bytes).catch((cause: unknown) => {
        throw new Error(`${n} with seed ${SEED}: ${what}`, { cause });
      });
      const { user, system } = process.cpuUsage(start);
      expect((user + system) / 1e6, what).toBeLessThan(MAX_SECONDS);
      counts[outcome]++;
    }
    // Both happen often, so both are tested.
    expect(counts.worked).toBeGreaterThan(TRIES / 20);
    expect(counts.refused).toBeGreaterThan(TRIES / 20);
  });
});

describe("forged LIBSVM models", () => {
  it("are refused with a clear error, or work like a model in bounded time", async () => {
    const counts = { refused: 0, imported: 0 };
    for (let n = 0; n < TRIES / 10; n++) {
      const text = forgeLibsvm(LIBSVM_MODEL, SEED * 1e6 + n);
      const start = process.cpuUsage();
      const classifier = imported(text);
      if (classifier) await useForged(await serialise(classifier));
      const { user, system } = process.cpuUsage(start);
      expect((user + system) / 1e6, text.slice(0, 1000)).toBeLessThan(MAX_SECONDS);
      counts[classifier ? "imported" : "refused"]++;
    }
    expect(counts.imported).toBeGreaterThan(TRIES / 100);
    expect(counts.refused).toBeGreaterThan(TRIES / 100);
  });
});

/** Imports a model; undefined if that fails with a clear error. */
function imported(text: string): Classifier | undefined {
  try {
    return importLibsvm(text, { name: "forged.model" });
  } catch (error) {
    expect(error, text.slice(0, 1000)).toBeInstanceOf(VouchError);
    return undefined;
  }
}
