import { createHash } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { BinnedColumns } from "#core/encode/binned-columns.js";
import { fitEncoder, fitEncoderInSteps } from "#core/encode/fit-encoder.js";
import { JointFeatures } from "#core/encode/joint-features.js";
import type { Features } from "#core/encode/sample.js";
import { boostedTrees } from "#core/learners/boosted-trees/boosted-trees.js";
import { Random } from "#core/runtime/maths/random.js";
import type { Executor } from "#core/runtime/parallel/executor.js";
import { runNow, runOnThreads } from "#core/runtime/parallel/pausable.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { Fingerprint } from "#core/table/fingerprint.js";
import { repeatedRows, repeatsOfHashes } from "#core/table/repeated-rows.js";
import { rowHashes, rowHashesInSteps } from "#core/table/row-hashes.js";
import { Table } from "#core/table/table.js";
import { labelled } from "#core/table/target.js";
import { TrainingProfile } from "#core/table/training-profile.js";
import { serialise } from "#core/train/model-file.js";
import { trainClassifier } from "#core/train/train.js";

const ROWS = 60_000;
const THREADS = [1, 2, 3, 7, 16];

/** Numbers of every type, categories and missing cells; enough of them that every stage is worth threads. */
function longTable(seed: number): Table {
  const random = new Random(seed);
  const column = <Cell>(cell: () => Cell) => Array.from({ length: ROWS }, cell);
  const numbers = Array.from({ length: 9 }, (_, j): [string, Float64Array] => [
    `x${j}`,
    Float64Array.from(column(() => (random.uniform() < 0.1 ? Number.NaN : random.normal() * 10 ** j))),
  ]);
  const first = numbers[0][1];
  return Table.fromColumns("long", {
    ...Object.fromEntries(numbers),
    bytes: Uint8Array.from(column(() => random.integer(200))),
    single: Float32Array.from(column(() => random.uniform())),
    kind: column(() => (random.uniform() < 0.1 ? null : `kind ${random.integer(5)}`)),
    label: Array.from(first, (x) => (x + random.normal() > 0 ? "yes" : "no")),
  });
}

const pools = THREADS.map((threads) => threadExecutor({ threads }));
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

/** Sends all work to threads, however little it is. */
function eager(pool: Executor): Executor {
  return { ...pool, threads: pool.threads, map: (task, inputs) => pool.map(task, inputs), close: pool.close };
}

/** Digests arrays, which are too long for the comparisons of a test library. */
function digestOf(...arrays: readonly ArrayBufferView[]): string {
  const hash = createHash("sha256");
  for (const { buffer, byteOffset, byteLength } of arrays)
    hash.update(new Uint8Array(buffer, byteOffset, byteLength));
  return hash.digest("hex");
}

function digestOfFeatures(features: Features): string {
  if (features instanceof JointFeatures) return features.parts.map(digestOfFeatures).join();
  return digestOf(features instanceof BinnedColumns ? features.bins : features.values);
}

describe("stages of a training on threads", () => {
  const data = labelled(longTable(1), "label");
  const every = Int32Array.from({ length: ROWS }, (_, row) => row);
  // Rows in another order are not copied, so that threads gather them.
  const rows = {
    ...data,
    features: data.features.select(every.toReversed()),
    labels: data.labels.toReversed(),
  };
  const others = { features: data.features.select(every.filter((row) => row % 3 > 0)) };
  const encodings = [
    { kind: "binned", maxBins: 255 },
    { kind: "numeric", standardise: true },
  ] as const;

  it.each(encodings)("fit the same encoder and give the same features, $kind", async (encoding) => {
    const encoder = fitEncoder(rows.features, data, encoding);
    const digest = digestOfFeatures(encoder.encode(others.features));
    for (const pool of pools) {
      const run = { executor: eager(pool) };
      const fitted = await runOnThreads(fitEncoderInSteps(rows.features, data, encoding), run);
      expect(fitted.toState()).toEqual(encoder.toState());
      expect(digestOfFeatures(await runOnThreads(fitted.encodeInSteps(others.features), run))).toBe(digest);
    }
  });

  it("give the same hashes, fingerprints, repeated rows and profiles", async () => {
    const { schema } = fitEncoder(rows.features, data, encodings[0]);
    const hashes = digestOf(rowHashes(rows, schema));
    const fingerprint = Fingerprint.of(rows, schema).toState();
    const { repeated, firstOfKind, repeatedInTraining } = repeatedRows(
      rows.features,
      others.features,
      schema,
    );
    const repeats = digestOf(repeated, firstOfKind);
    const profile = runNow(TrainingProfile.of(rows.features, schema));
    expect(repeated.every((own) => own === 1)).toBe(true);
    for (const pool of pools) {
      const run = { executor: eager(pool) };
      const own = await runOnThreads(rowHashesInSteps(rows, schema), run);
      expect(digestOf(own.labelled)).toBe(hashes);
      expect((await runOnThreads(Fingerprint.inSteps(rows, schema), run)).toState()).toEqual(fingerprint);
      const tested = await runOnThreads(rowHashesInSteps(others, schema), run);
      const found = await runOnThreads(repeatsOfHashes(own.cells, tested.cells), run);
      expect(digestOf(found.repeated, found.firstOfKind)).toBe(repeats);
      expect(found.repeatedInTraining).toBe(repeatedInTraining);
      expect(await runOnThreads(TrainingProfile.of(rows.features, schema), run)).toEqual(profile);
    }
  });
});

describe("trainClassifier", () => {
  it("writes the same model and card for any number of threads", async () => {
    const table = longTable(2);
    const train = async (executor: Executor) => {
      const run = { executor, seed: 3 };
      const { classifier } = await trainClassifier(table, boostedTrees({ rounds: 2 }), { holdout: 0.2, run });
      return { card: classifier.card, bytes: digestOf(await serialise(classifier)) };
    };
    const [one, ...several] = pools;
    const expected = await train(one);
    for (const pool of several) expect(await train(pool)).toEqual(expected);
  });
});
