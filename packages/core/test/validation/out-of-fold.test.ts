import { describe, expect, it } from "vitest";
import { labelledSample } from "#core/encode/encoder.js";
import { fitEncoder } from "#core/encode/fit-encoder.js";
import type { Features, Sample } from "#core/encode/sample.js";
import { forest } from "#core/learners/forest/forest.js";
import type { Learner } from "#core/learners/learner.js";
import { stump } from "#core/learners/stump/stump.js";
import { Random } from "#core/runtime/maths/random.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { Table } from "#core/table/table.js";
import { type Labelled, labelled } from "#core/table/target.js";
import {
  calibrationFolds,
  outOfFoldFits,
  outOfFoldScores,
  unseenRows,
} from "#core/validation/out-of-fold.js";

/** Rows with their number as a feature. */
function rowsOf(count: number, columns: { group?: boolean; time?: boolean } = {}): Labelled {
  const random = new Random(count);
  const row = Float64Array.from({ length: count }, (_, i) => i);
  const label = Array.from(row, () => (random.uniform() < 0.4 ? "yes" : "no"));
  const more = {
    ...(columns.group && { who: Array.from(row, (i) => `person ${i % Math.ceil(count / 6)}`) }),
    ...(columns.time && { when: row.map((i) => (7 * i) % count) }),
  };
  const split = { ...(columns.group && { group: "who" }), ...(columns.time && { time: "when" }) };
  return labelled(Table.fromColumns("t", { row, ...more, label }), "label", split);
}

/** A learner that remembers the rows it has been fitted to. */
function spy(): { learner: Learner; fits: Set<number>[] } {
  const fits: Set<number>[] = [];
  const inner: Learner = stump();
  const rowsIn = ({ features }: Sample<Features>) =>
    new Set(Array.from({ length: features.rows }, (_, i) => valueAt(features, i)));
  const learner: Learner = {
    ...inner,
    encoding: { kind: "numeric", standardise: false },
    fit: async (sample, run) => {
      fits.push(rowsIn(sample));
      return inner.fit(sample, run);
    },
  };
  return { learner, fits };
}

function valueAt(features: Features, row: number): number {
  return "values" in features ? Number(features.values[row * features.columns]) : Number.NaN;
}

describe("out-of-fold scores", () => {
  it.each([
    ["independent rows", {}],
    ["groups", { group: true }],
    ["time", { time: true }],
  ])("come from models that have not seen the row: %s", async (_, columns) => {
    const data = rowsOf(90, columns);
    const { learner, fits } = spy();
    const run = completeRun({ seed: 3 });
    const found = await outOfFoldScores(learner, data, run);
    const folds = calibrationFolds(data, 5, 3);
    expect(fits).toHaveLength(folds.length);
    folds.forEach(({ train, test }, f) => {
      expect(fits[f]).toEqual(new Set(Array.from(train)));
      const seen = new Set(Array.from(train, (row) => data.groups?.[row]));
      for (const row of test) {
        expect(fits[f].has(row)).toBe(false);
        if (data.groups) expect(seen.has(data.groups[row])).toBe(false);
        const { times } = data;
        if (times) expect(train.every((other) => times[other] < times[row])).toBe(true);
      }
    });
    const tested = folds.flatMap(({ test }) => [...test]);
    expect(Array.from(found?.labels ?? [])).toEqual(tested.map((row) => data.labels[row]));
    expect(found?.scores.rows).toBe(tested.length);
    if (data.groups) expect([...(found?.groups ?? [])]).toEqual(tested.map((row) => data.groups?.[row]));
  });

  it("take all folds of few rows, one of many, and none of a handful", async () => {
    expect([10, 2000, 2500, 5000, 10_000, 1e6].map(outOfFoldFits)).toEqual([5, 5, 4, 2, 1, 1]);
    const { learner, fits } = spy();
    expect(await outOfFoldScores(learner, rowsOf(4), completeRun())).toBeUndefined();
    expect(fits).toHaveLength(0);
    const many = await outOfFoldScores(learner, rowsOf(10_000), completeRun());
    expect(fits).toHaveLength(1);
    expect(many?.labels).toHaveLength(2000);
  });

  it("use the folds that are known, and give the same", async () => {
    const data = rowsOf(200);
    const run = completeRun({ seed: 5 });
    const whole = await outOfFoldScores(stump(), data, run);
    if (!whole) throw new Error("There are no scores.");
    const [{ test }] = calibrationFolds(data, 5, 5);
    const first = {
      labels: whole.labels.slice(0, test.length),
      predictions: whole.predictions.slice(0, test.length),
      scores: Float64Array.from(whole.scores.values.slice(0, 2 * test.length)),
      scoring: whole.scoring,
    };
    const { learner, fits } = spy();
    const again = await outOfFoldScores(learner, data, run, { known: [first] });
    expect(fits).toHaveLength(4);
    expect(again).toEqual(whole);
  });

  it("start threads unless the fits are known to be short, and are the same", async () => {
    const executor = threadExecutor({ threads: 2 });
    try {
      const run = completeRun({ seed: 5, executor });
      const short = await outOfFoldScores(stump(), rowsOf(200), run, { fitSeconds: 0.001 });
      expect(executor.running).toBe(0);
      expect(await outOfFoldScores(stump(), rowsOf(200), run, { fitSeconds: 1 })).toEqual(short);
      expect(executor.running).toBe(2);
    } finally {
      await executor.close();
    }
  });
});

describe("out-of-bag rows", () => {
  it("leave out rows that all trees have seen, and are not used for groups or time", async () => {
    const data = rowsOf(60);
    const learner: Learner = forest({ trees: 4 });
    const encoder = fitEncoder(data.features, data, learner.encoding);
    const model = await learner.fit(labelledSample(encoder, data), completeRun({ seed: 1 }));
    const rows = unseenRows(model, data);
    // A row is in the bag of a tree with probability 1 − 1/e, in all four with 0.16.
    expect(rows?.labels.length).toBeGreaterThan(35);
    expect(rows?.labels.length).toBeLessThan(60);
    for (let i = 0; i < (rows?.labels.length ?? 0); i++) {
      const [one = 0, other = 0] = rows?.scores.row(i) ?? [];
      expect(one + other).toBeCloseTo(1, 6);
    }
    expect(unseenRows(model, { ...data, groups: new Int32Array(60) })).toBeUndefined();
  });
});
