import { describe, expect, it } from "vitest";
import { forest, randomTrees } from "#core/learners/forest/forest.js";
import { growForests } from "#core/learners/forest/grow-forest.js";
import { OutOfBagVotes } from "#core/learners/forest/out-of-bag.js";
import { predictionsOf } from "#core/learners/scores.js";
import { FULL_GROWTH } from "#core/learners/tree/growth-options.js";
import { forestScores } from "#core/learners/tree/score-trees.js";
import { TreeColumns } from "#core/learners/tree/tree-columns.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { bagsOf, isOdd, noiseRows } from "./binned-samples.js";

describe("out-of-bag scores", () => {
  it("are the mean over exactly the trees that have not seen a row", async () => {
    const sample = noiseRows(300, 3, (_, random) => random.integer(3));
    using columns = TreeColumns.of(sample.features);
    const rows = Int32Array.from({ length: 300 }, (_, i) => i);
    const growth = { ...FULL_GROWTH, featuresPerSplit: 1, minLeafRows: 2 };
    const plan = { growth, trees: 12, bootstrap: true, seed: 5, rows };
    const target = { labels: sample.labels, classes: 3 };
    using votes = new OutOfBagVotes(columns, 3, 12, true);
    const [trees] = await growForests(columns, target, [{ ...plan, votes: votes.buffers }], completeRun());
    const facts = runNow(votes.facts(sample.labels));

    const outOfBag = bagsOf(columns, target, plan);
    let wrong = 0;
    for (let i = 0; i < 300; i++) {
      const sum = new Float64Array(3);
      const judges = outOfBag.flatMap((unseen, t) => (unseen.includes(i) ? [t] : []));
      for (const t of judges) trees.addLeaf(t, trees.leafOf(t, sample.features, i), sum, 0);
      for (let c = 0; c < 3; c++) {
        expect(facts?.scores.row(i)[c]).toBeCloseTo(judges.length ? sum[c] / judges.length : 0, 6);
      }
      const own = Array.from(facts?.scores.row(i) ?? []);
      if (judges.length > 0 && own.indexOf(Math.max(...own)) !== sample.labels[i]) wrong++;
    }
    expect(facts?.errors).toBe(wrong);
  });

  it("come from trees that have not seen the row", async () => {
    // Labels are noise, and no two rows are equal: a full tree is right on the rows it has seen, and by chance on others.
    const sample = noiseRows(1000, 4, (_, random) => random.integer(2));
    using columns = TreeColumns.of(sample.features);
    const rows = Int32Array.from({ length: 1000 }, (_, i) => i);
    const plan = { growth: FULL_GROWTH, trees: 30, bootstrap: true, seed: 2, rows };
    const target = { labels: sample.labels, classes: 2 };
    using votes = new OutOfBagVotes(columns, 2, 30, false);
    const [trees] = await growForests(columns, target, [{ ...plan, votes: votes.buffers }], completeRun());
    const { rows: judged = 0, errors = 0 } = runNow(votes.facts(sample.labels)) ?? {};
    expect(Math.abs(errors / judged - 0.5)).toBeLessThan(0.06);
    const leaking = predictionsOf(runNow(forestScores(trees, columns)));
    expect(leaking.filter((k, i) => k !== sample.labels[i]).length / 1000).toBeLessThan(0.05);
    for (const [t, unseen] of bagsOf(columns, target, plan).entries()) {
      // A tree has not seen about e⁻¹ of the rows.
      const seen = Array.from(rows).filter((i) => !unseen.includes(i));
      const right = seen.filter((i) => {
        const shares = new Float32Array(2);
        trees.addLeaf(t, trees.leafOf(t, sample.features, i), shares, 0);
        return shares[sample.labels[i]] === 1;
      });
      expect(right).toEqual(seen);
      expect(Math.abs(unseen.length / 1000 - Math.exp(-1))).toBeLessThan(0.06);
    }
  });

  it("are absent if every tree has seen every row", async () => {
    const sample = noiseRows(40, 2, isOdd);
    using columns = TreeColumns.of(sample.features);
    using votes = new OutOfBagVotes(columns, 2, 1, false);
    expect(runNow(votes.facts(sample.labels))).toBeUndefined();
  });
});

describe("the out-of-bag error of a model", () => {
  it("is near the error on new rows, and is reported", async () => {
    const sample = noiseRows(1500, 4, (row, random) =>
      random.uniform() < 0.1 ? 1 - isOdd(row) : isOdd(row),
    );
    const fresh = noiseRows(3000, 4, isOdd, { seed: 77, like: sample });
    const model = await forest({ trees: 60, minLeafRows: 5 }).fit(sample);
    const { rows, errors } = model.outOfBag ?? { rows: 0, errors: 0 };
    expect(rows).toBe(1500);
    const wrong = model.predict(fresh.features).filter((k, i) => k !== fresh.labels[i]).length / 3000;
    // The labels of the training rows are wrong in a tenth of all cases.
    expect(Math.abs(errors / rows - (0.1 + 0.8 * wrong))).toBeLessThan(0.04);
    expect(model.describe().facts).toEqual(
      expect.arrayContaining([
        { name: "out-of-bag error", value: errors / rows, unit: "share" },
        { name: "out-of-bag rows", value: rows },
      ]),
    );
    expect(model.notices).toEqual([expect.stringMatching(/^Out-of-bag error.*1.?500 training rows/)]);
    expect(model.outOfBagScores?.rows).toBe(1500);
  });

  it("is absent without bootstrap or if it is turned off", async () => {
    const sample = noiseRows(50, 2, isOdd);
    for (const learner of [
      forest({ trees: 3, bootstrap: false }),
      forest({ trees: 3, outOfBag: false }),
      randomTrees({ trees: 3 }),
    ]) {
      const model = await learner.fit(sample);
      expect(model.outOfBag).toBeUndefined();
      expect(model.notices).toEqual([]);
      expect(model.describe().facts.map(({ name }) => name)).toEqual(["trees", "leaves", "depth"]);
    }
    expect((await randomTrees({ trees: 30, bootstrap: true }).fit(sample)).outOfBag?.rows).toBe(50);
  });

  it("comes with the number of rows that every tree has seen", async () => {
    const model = await forest({ trees: 2 }).fit(noiseRows(200, 2, isOdd));
    const { rows } = model.outOfBag ?? { rows: 0 };
    // A row is in both bags with probability (1 − e⁻¹)² = 0.4.
    expect(Math.abs(rows / 200 - 0.6)).toBeLessThan(0.12);
    expect(model.notices?.[0]).toContain(`${200 - rows} rows that every tree has seen are left out.`);
  });
});
