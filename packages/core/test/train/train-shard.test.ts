import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { boostedTrees } from "#core/learners/boosted-trees/boosted-trees.js";
import { forest } from "#core/learners/forest/forest.js";
import { Random } from "#core/runtime/maths/random.js";
import { memoryExchange } from "#core/runtime/shards/exchange.js";
import { ShardGroup } from "#core/runtime/shards/shard-group.js";
import { Table } from "#core/table/table.js";
import type { Classifier } from "#core/train/classifier.js";
import { serialise } from "#core/train/model-file.js";
import { trainClassifier } from "#core/train/train.js";
import { type ShardTrainingOptions, trainShard } from "#core/train/train-shard.js";

/** Rows with numbers, missing cells, categories and rows without a label; some levels and classes occur in few places. */
function rowsOf(rows: number): Table {
  const random = new Random(5);
  const [number, count, colour, place, label]: [number[], number[], string[], string[], (string | null)[]] = [
    [],
    [],
    [],
    [],
    [],
  ];
  for (let i = 0; i < rows; i++) {
    number.push(random.uniform() < 0.1 ? Number.NaN : random.normal());
    count.push(random.integer(30));
    colour.push(["red", "green", "blue"][random.integer(3)]);
    place.push(`place ${Math.floor((20 * i) / rows)}`);
    const score =
      (Number.isNaN(number[i]) ? 0 : number[i]) + (colour[i] === "red" ? 1 : 0) + 0.5 * random.normal();
    label.push(
      i % 97 === 5 ? null : score > 0.8 ? "high" : score > 0 ? "middle" : i > rows / 2 ? "low" : "middle",
    );
  }
  return Table.fromColumns("rows", { number, count, colour, place, constant: number.map(() => 1), label });
}

async function trainOnShards(table: Table, ends: readonly number[], options: ShardTrainingOptions) {
  const exchange = memoryExchange();
  return Promise.all(
    ends.map((end, s) =>
      trainShard(
        table.slice(s === 0 ? 0 : ends[s - 1], end),
        new ShardGroup(exchange, s, ends.length),
        options,
      ),
    ),
  );
}

const hex = async (classifier: Classifier) =>
  createHash("sha256")
    .update(await serialise(classifier))
    .digest("hex");

describe("training on shards", () => {
  const table = rowsOf(1500);
  const learner = boostedTrees({ rounds: 12, maxDepth: 4 });

  it("gives the model file of one machine, with its certificate", async () => {
    const alone = await trainClassifier(table, learner, {
      holdout: 0.25,
      calibrate: false,
      run: { seed: 3 },
    });
    const options = { holdout: 0.25, learner, run: { seed: 3 } };
    for (const ends of [[1500], [500, 1500], [0, 10, 700, 700, 1200, 1490, 1500]]) {
      for (const training of await trainOnShards(table, ends, options)) {
        expect(training.certificates).toEqual(alone.certificates);
        expect(training.verdict).toEqual(alone.verdict);
        expect(training.classifier.card).toEqual(alone.classifier.card);
        expect(await hex(training.classifier)).toBe(await hex(alone.classifier));
      }
    }
  });

  it("keeps a sample of many rows, and draws no more held-out rows", async () => {
    const options = { holdout: 0.25, learner, sharedRows: 100, run: { seed: 3 } };
    const [one, other] = await trainOnShards(table, [700, 1500], options);
    const [alone] = await trainOnShards(table, [1500], options);
    expect(one.assessment?.predictions.length).toBe(100);
    expect(one.classifier.card.notices.join(" ")).toContain("a sample of 100 of");
    expect(await hex(one.classifier)).toBe(await hex(other.classifier));
    expect(await hex(alone.classifier)).toBe(await hex(one.classifier));
  });

  it("refuses learners that cannot be trained on shards", async () => {
    await expect(trainOnShards(table, [1500], { learner: forest() })).rejects.toMatchObject({
      message: "forest cannot be trained on shards.",
      hint: expect.stringContaining("forest on a subsample of the rows"),
    });
  });

  it("refuses shards with different targets and rows of one class", async () => {
    const exchange = memoryExchange();
    const fits = ["label", "colour"].map((target, s) =>
      trainShard(table.slice(0, 100), new ShardGroup(exchange, s, 2), { target }),
    );
    await expect(Promise.all(fits)).rejects.toMatchObject({ code: "data/no-target" });
    const same = Table.fromColumns("rows", { x: [1, 2, 3, 4], label: ["a", "a", "a", "a"] });
    await expect(trainOnShards(same, [2, 4], {})).rejects.toMatchObject({ code: "data/one-class" });
  });
});
