import { describe, expect, it } from "vitest";
import type { Encoder } from "#core/encode/encoder.js";
import { fitEncoder } from "#core/encode/fit-encoder.js";
import { Sample } from "#core/encode/sample.js";
import { type PartialEffect, partialEffects } from "#core/explain/effects.js";
import { adaboost } from "#core/learners/adaboost/adaboost.js";
import { boostedTrees } from "#core/learners/boosted-trees/boosted-trees.js";
import type { Learner } from "#core/learners/learner.js";
import { linearSvm } from "#core/learners/linear/linear-svm.js";
import type { Model } from "#core/learners/model.js";
import { Random } from "#core/runtime/maths/random.js";
import { Table } from "#core/table/table.js";

const random = new Random(4);
const records = Array.from({ length: 700 }, (_, i) => ({
  size: i % 11 === 0 ? null : random.normal(),
  colour: i % 13 === 0 ? null : ["red", "red", "green", "blue"][random.integer(4)],
  count: random.integer(5),
}));
const table = Table.fromRecords("boxes", records);
const classes = ["no", "yes"];
const labels = Int32Array.from(records, ({ size, colour, count }) =>
  Number((size ?? 0) + (colour === "red" ? 1 : 0) + 0.3 * count + 0.3 * random.normal() > 1),
);

async function fitted(learner: Learner): Promise<{ readonly model: Model; readonly encoder: Encoder }> {
  const encoder = fitEncoder(table, { target: "kind", classes }, learner.encoding);
  const sample = new Sample({ features: encoder.encode(table), labels, classes });
  return { model: await learner.fit(sample), encoder };
}

function scoresFor({ points }: PartialEffect, k: number): number[] {
  return points.map(({ scores }) => scores[k]);
}

describe("partial effects", () => {
  it("of a linear model are straight lines, the same for every row", async () => {
    const { model, encoder } = await fitted(linearSvm());
    const [size, count] = await partialEffects(model, encoder, table, { columns: ["size", "count"] });
    expect(size.points).toHaveLength(20);
    expect(count.points.map(({ value }) => value)).toEqual([0, 1, 2, 3, 4]);
    for (const { points } of [size, count]) {
      const at = (p: number) => ({ x: Number(points[p].value), y: points[p].scores[1] });
      const [first, last] = [at(0), at(points.length - 1)];
      const slope = (last.y - first.y) / (last.x - first.x);
      expect(slope).toBeGreaterThan(0.1);
      points.forEach(({ se }, p) => {
        expect(at(p).y).toBeCloseTo(first.y + slope * (at(p).x - first.x), 9);
        expect(se[0]).toBeCloseTo(0, 9);
      });
    }
  });

  it("cover the tail of a column that is mostly 0", async () => {
    const { model, encoder } = await fitted(linearSvm());
    const tail = Float64Array.from({ length: 700 }, (_, i) => (i % 10 === 0 ? i : 0));
    const skewed = table.withColumn({ kind: "numeric", name: "size", values: tail });
    const [size] = await partialEffects(model, encoder, skewed, { columns: ["size"] });
    expect(size.points.length).toBeGreaterThan(14);
    expect(size.points.length).toBeLessThanOrEqual(20);
    const numbers = size.points.map(({ value }) => Number(value));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.at(-1)).toBeGreaterThan(600);
  });

  it("of boosted stumps are the sums of their steps, up to a constant", async () => {
    const { model, encoder } = await fitted(adaboost({ rounds: 30 }));
    if (!adaboost.made(model) || model.voters.kind !== "stumps") throw new Error("not stumps");
    const [size] = await partialEffects(model, encoder, table, { columns: ["size"] });
    const total = model.rounds.reduce((sum, { alpha }) => sum + alpha, 0);
    const { stumps } = model.voters;
    const steps = (x: number) =>
      stumps.reduce((sum, { split, left, right }, t) => {
        if (!split || encoder.featureNames[split.feature] !== "size") return sum;
        return sum + ((x <= split.threshold ? left : right) * model.rounds[t].alpha) / total;
      }, 0);
    const shift = size.points[0].scores[1] - steps(Number(size.points[0].value));
    expect(new Set(scoresFor(size, 1)).size).toBeGreaterThan(3);
    for (const { value, scores, se } of size.points) {
      expect(scores[1]).toBeCloseTo(shift + steps(Number(value)), 9);
      expect(se[1]).toBeCloseTo(0, 9);
    }
  });

  it("of categories list the most frequent first, with the mean over the rows at each", async () => {
    const { model, encoder } = await fitted(boostedTrees({ rounds: 20 }));
    const some = table.select(Array.from({ length: 300 }, (_, i) => i));
    const [colour] = await partialEffects(model, encoder, some, { columns: ["colour"] });
    expect(colour.kind).toBe("categorical");
    expect(colour.points[0].value).toBe("red");
    expect(colour.points.map(({ value }) => value).sort()).toEqual(["blue", "green", "red"]);
    const red = records.slice(0, 300).map((record) => ({ ...record, colour: "red" }));
    const values = Array.from(model.scores(encoder.encode(Table.fromRecords("red", red))).values);
    const mean = values.filter((_, k) => k % 2 === 1).reduce((sum, p) => sum + p, 0) / 300;
    expect(colour.points[0].scores[1]).toBeCloseTo(mean, 9);
    expect(Math.max(...scoresFor(colour, 1))).toBe(colour.points[0].scores[1]);
    expect(colour.points[0].se[1]).toBeGreaterThan(0);
    for (const { scores } of colour.points) expect(scores[0] + scores[1]).toBeCloseTo(1, 9);
  });

  it("rise where the class becomes more likely", async () => {
    const { model, encoder } = await fitted(boostedTrees({ rounds: 40, maxDepth: 2 }));
    const [size] = await partialEffects(model, encoder, table, { columns: ["size"] });
    const curve = scoresFor(size, 1);
    expect(curve[0]).toBeLessThan(0.2);
    expect(curve[curve.length - 1]).toBeGreaterThan(0.7);
    expect(curve.filter((score, p) => p > 0 && score < curve[p - 1] - 0.02)).toHaveLength(0);
  });

  it("are those of all columns by default, on a subsample that depends on the seed alone", async () => {
    const { model, encoder } = await fitted(boostedTrees({ rounds: 5 }));
    const all = await partialEffects(model, encoder, table, {}, { seed: 1 });
    expect(all.map(({ column }) => column)).toEqual(["size", "colour", "count"]);
    expect(await partialEffects(model, encoder, table, {}, { seed: 1 })).toEqual(all);
    expect(await partialEffects(model, encoder, table, {}, { seed: 2 })).not.toEqual(all);
    await expect(partialEffects(model, encoder, table, { columns: ["weight"] })).rejects.toMatchObject({
      code: "option/invalid",
    });
    await expect(partialEffects(model, encoder, table.select([]))).rejects.toMatchObject({
      code: "data/no-rows",
    });
    const empty = table.withColumn({
      kind: "numeric",
      name: "size",
      values: new Float64Array(700).fill(NaN),
    });
    const [none] = await partialEffects(model, encoder, empty, { columns: ["size"] });
    expect(none.points).toEqual([]);
  });
});
