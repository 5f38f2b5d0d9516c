import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { defineLearner } from "#core/learners/define-learner.js";
import { float64 } from "#core/runtime/codec/tensor-parts.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { limitMemory } from "#core/runtime/memory-limit.js";
import type { Classifier } from "#core/train/classifier.js";
import { loadLibsvmModel, loadModel, saveModel } from "#core/train/file.js";
import { deserialise, serialise } from "#core/train/model-file.js";
import { withFileReader } from "#core/train/read-file.js";
import { trainClassifier } from "#core/train/train.js";
import { blobs } from "./blobs.js";

/** A learner whose models have any size: numbers that say nothing about the data. */
const bulky = defineLearner({
  name: "bulky",
  summary: "Makes large models.",
  options: z.object({ size: z.number() }),
  features: "any",
  encoding: { kind: "numeric", standardise: false },
  parts: { numbers: float64(["numbers"]) },
  async fit(_, { size }) {
    const numbers = new Float64Array(size);
    for (let i = 0; i < size; i++) numbers[i] = i;
    return { numbers };
  },
  scores({ classes, numbers }, { rows }) {
    return new Matrix(rows, classes.length, new Float64Array(rows * classes.length).fill(numbers.length));
  },
  complexity: () => ({ counts: {} }),
  describe: () => ({ facts: [], sections: [] }),
});

async function bulkyModel(size: number): Promise<Classifier> {
  const { classifier } = await trainClassifier(blobs(40, 1), bulky({ size }), { calibrate: false });
  return classifier;
}

function numbersOf({ model }: Classifier): Float64Array {
  if (!bulky.made(model)) throw new Error("The model is not of the learner bulky.");
  return model.numbers;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vouch-large-"));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => limitMemory(undefined));

describe("a model of many blocks", () => {
  const SIZE = 2_621_443;
  let classifier: Classifier;
  let path: string;
  beforeAll(async () => {
    classifier = await bulkyModel(SIZE);
    path = join(folder, "model.safetensors");
    await saveModel(path, classifier);
  });

  it("has the same bytes in a file as in memory", async () => {
    const bytes = await serialise(classifier);
    expect(Buffer.compare(bytes, await readFile(path))).toBe(0);
    const restored = await loadModel(path, { learners: [bulky] });
    expect(numbersOf(restored)[SIZE - 1]).toBe(SIZE - 1);
    expect(Buffer.compare(bytes, await serialise(restored))).toBe(0);
    expect(numbersOf(await deserialise(bytes, { learners: [bulky] })).length).toBe(SIZE);
  });

  it("is refused if a byte of any block is damaged", async () => {
    const bytes = await readFile(path);
    const damaged = join(folder, "damaged");
    for (let place = 2 ** 20; place < bytes.length; place += 2 ** 22) {
      bytes[place] ^= 1;
      await writeFile(damaged, bytes);
      await expect(loadModel(damaged, { learners: [bulky] })).rejects.toMatchObject({
        code: "model/corrupt",
        message: `${damaged}: The checksum of the file does not match its content.`,
      });
      bytes[place] ^= 1;
    }
  });

  it("is refused before it is read if it needs more memory than allowed", async () => {
    limitMemory(2 ** 24);
    await expect(loadModel(path, { learners: [bulky] })).rejects.toMatchObject({
      code: "memory/limit",
      message: expect.stringMatching(/model\.safetensors: The model file needs 20 MB/),
    });
  });
});

describe("a file that cannot be a model", () => {
  it.each(["/dev/zero", "/dev/null"])("%s is a device", async (device) => {
    for (const load of [loadModel, loadLibsvmModel]) {
      await expect(load(device)).rejects.toMatchObject({
        code: "file/format",
        message: `${device} is a device, not a file.`,
      });
    }
  });

  it("may be a pipe that nobody writes to", async () => {
    const pipe = join(folder, "pipe");
    await promisify(execFile)("mkfifo", [pipe]);
    await expect(loadModel(pipe)).rejects.toMatchObject({ message: `${pipe} is a pipe, not a file.` });
  });

  it.each([
    ["shorter", (path: string) => truncate(path, 5_000_000)],
    ["longer", (path: string) => appendFile(path, "x")],
  ])("became %s while it was being read", async (how, change) => {
    const path = join(folder, how);
    await writeFile(path, new Uint8Array(10_000_000));
    const read = withFileReader(path, async (reader) => {
      await reader.next(1000);
      await change(path);
      return reader.next(reader.length - 1000);
    });
    await expect(read).rejects.toMatchObject({
      code: "file/read",
      message: `${path} became ${how} while it was being read.`,
    });
  });
});

// It takes 8 GB of memory, 3 GB of disk and about a minute.
describe.runIf(process.env.VOUCH_LARGE_MODELS)("a model of more than 2 GiB", () => {
  it("is saved without a second copy in memory, and loads as it was", { timeout: 600_000 }, async () => {
    const classifier = await bulkyModel(330_000_000);
    const path = join(folder, "large.safetensors");
    const before = process.memoryUsage.rss();
    let peak = 0;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 10);
    await saveModel(path, classifier).finally(() => clearInterval(timer));
    const { size } = await stat(path);
    expect(size).toBeGreaterThan(2 ** 31);
    expect(peak).toBeGreaterThan(0);
    expect(peak - before).toBeLessThan(0.1 * size);
    const restored = await loadModel(path, { learners: [bulky] });
    const digest = ({ buffer }: Float64Array) =>
      createHash("sha256").update(new Uint8Array(buffer, 2_500_000_000)).digest("hex");
    expect(digest(numbersOf(restored))).toBe(digest(numbersOf(classifier)));
  });
});
