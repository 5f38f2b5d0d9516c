import { describe, expect, it } from "vitest";
import type { BinnedColumns } from "#core/encode/binned-columns.js";
import type { Sample } from "#core/encode/sample.js";
import { type BlockMember, fitBlock, fitFolds, memberScores } from "#core/learners/deep-forest/block.js";
import { LayerInput } from "#core/learners/deep-forest/layer-input.js";
import { accuracyOf } from "#core/learners/deep-forest/layer-sum.js";
import type { ForestMember } from "#core/learners/deep-forest/members.js";
import { FULL_GROWTH } from "#core/learners/tree/growth-options.js";
import { TreeColumns } from "#core/learners/tree/tree-columns.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { kFold, type Split } from "#core/table/splits.js";
import { binnedSample, noiseRows } from "../forest/binned-samples.js";

const forest: ForestMember = {
  kind: "forest",
  name: "forest",
  trees: 10,
  bootstrap: false,
  growth: () => ({ ...FULL_GROWTH, featuresPerSplit: 2 }),
};
const randomTrees: ForestMember = {
  ...forest,
  name: "random-trees",
  growth: () => ({ ...FULL_GROWTH, splits: "random" }),
};
/** One tree with one split: the best cut of the only feature. */
const stump: ForestMember = { ...forest, trees: 1, growth: () => ({ ...FULL_GROWTH, maxDepth: 1 }) };

async function withRows(
  { features, labels, classes }: Sample<BinnedColumns>,
  fit: (rows: Parameters<typeof fitBlock>[0]) => Promise<BlockMember[]>,
): Promise<BlockMember[]> {
  const columns = TreeColumns.of(features);
  try {
    return await fit({ input: LayerInput.first(features), columns, labels, classes });
  } finally {
    columns.release();
  }
}

const uniform = (rows: number) => new Float64Array(rows).fill(1 / rows);

describe("the random forests block", () => {
  // Labels are noise: a forest that has seen a row knows its label from the leaf, any other can only guess.
  const noise = noiseRows(400, 4, (_, random) => random.integer(2));
  const { folds } = kFold(noise.labels, 5, 1);

  it("predicts training rows by forests that did not see them", async () => {
    const block = await withRows(noise, (rows) =>
      fitBlock(rows, [forest, randomTrees], folds, completeRun()),
    );
    for (const { outOfFold } of block) {
      expect(accuracyOf(outOfFold, noise.labels, uniform(400))).toBeLessThan(0.62);
    }
  });

  it("shows a planted leak, and refuses it", async () => {
    const everything = Int32Array.from(noise.labels, (_, row) => row);
    const leaking = folds.map(({ test }): Split => ({ train: everything, test }));
    const block = await withRows(noise, (rows) =>
      fitFolds(rows, [forest, randomTrees], leaking, completeRun()),
    );
    for (const { outOfFold } of block) {
      expect(accuracyOf(outOfFold, noise.labels, uniform(400))).toBeGreaterThan(0.95);
    }
    await expect(withRows(noise, (rows) => fitBlock(rows, [forest], leaking, completeRun()))).rejects.toThrow(
      "tested by a fold that trains on it",
    );
  });

  it("needs each row to be tested by one fold", async () => {
    const [first, second, ...others] = folds;
    const fitWith = (wrong: readonly Split[]) =>
      withRows(noise, (rows) => fitBlock(rows, [stump], wrong, completeRun()));
    await expect(fitWith([first, first, ...others])).rejects.toThrow("more than one fold");
    await expect(fitWith([second, ...others])).rejects.toThrow("no fold");
  });

  it("is what one computes by hand with one split per tree", async () => {
    // Classes 0 0 0 1 0 1 1 1 at 0 … 7.
    const labels = [0, 0, 0, 1, 0, 1, 1, 1];
    const sample = binnedSample(
      labels.map((_, x) => [x]),
      labels,
    );
    const even = Int32Array.of(0, 2, 4, 6);
    const odd = Int32Array.of(1, 3, 5, 7);
    const parts = [
      { train: odd, test: even },
      { train: even, test: odd },
    ];
    const [{ member, outOfFold }] = await withRows(sample, (rows) =>
      fitBlock(rows, [stump], parts, completeRun()),
    );
    // Trained on 1:0 3:1 5:1 7:1 the first tree says 0 at 1 and below, and 1 from 3 on.
    expect([...outOfFold.row(0)]).toEqual([1, 0]);
    expect([...outOfFold.row(4)]).toEqual([0, 1]);
    expect([...outOfFold.row(6)]).toEqual([0, 1]);
    // Trained on 0:0 2:0 4:0 6:1 the second says 0 up to 4, and 1 at 6 and above.
    expect([...outOfFold.row(1)]).toEqual([1, 0]);
    expect([...outOfFold.row(3)]).toEqual([1, 0]);
    expect([...outOfFold.row(7)]).toEqual([0, 1]);
    // Another row gets the mean of both: at 3 they disagree, at 0 and 7 they do not.
    const scores = runNow(memberScores(member, LayerInput.first(sample.features)));
    expect([...scores.row(0)]).toEqual([1, 0]);
    expect([...scores.row(3)]).toEqual([0.5, 0.5]);
    expect([...scores.row(7)]).toEqual([0, 1]);
  });

  it("handles folds without a class, and classes with one row", async () => {
    const labels = Array.from({ length: 30 }, (_, i) => (i === 29 ? 2 : i % 2));
    const sample = binnedSample(
      labels.map((_, i) => [i % 2, i]),
      labels,
      undefined,
      4,
    );
    const { folds: five, sparse } = kFold(sample.labels, 5, 3);
    expect(sparse).toEqual([2]);
    const [{ outOfFold }] = await withRows(sample, (rows) => fitBlock(rows, [forest], five, completeRun()));
    // A forest that has not seen the only row of class 2 does not know the class.
    expect(outOfFold.row(29)[2]).toBe(0);
    for (let i = 0; i < 30; i++) {
      const vector = outOfFold.row(i);
      expect(vector[0] + vector[1] + vector[2]).toBeCloseTo(1, 6);
      expect(vector[3]).toBe(0);
    }
  });
});
