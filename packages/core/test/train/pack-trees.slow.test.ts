import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ensemble } from "#core/learners/ensemble/ensemble.js";
import { forest } from "#core/learners/forest/forest.js";
import type { Learner } from "#core/learners/learner.js";
import { logistic } from "#core/learners/logistic/logistic.js";
import { Random } from "#core/runtime/maths/random.js";
import { Table } from "#core/table/table.js";
import { serialise } from "#core/train/model-file.js";
import { packTrees, unpackTrees } from "#core/train/pack-trees.js";
import { writeSafetensors } from "#core/train/safetensors.js";
import { trainClassifier } from "#core/train/train.js";

const random = new Random(4);
const table = Table.fromRecords(
  "shops",
  Array.from({ length: 1500 }, () => {
    const [town, size] = [`town ${random.integer(40)}`, random.normal()];
    const isLarge = size + town.length + random.normal() > 7;
    return { town, size: random.uniform() < 0.1 ? null : size, label: isLarge ? "yes" : "no" };
  }),
);

async function fileOf(learner: Learner): Promise<Uint8Array> {
  const { classifier } = await trainClassifier(table, learner, { target: "label" });
  return serialise(classifier);
}

describe("packing trees", () => {
  const members = [
    { learner: "forest", options: { trees: 20 }, weight: 0.5, temperature: 1 },
    { learner: "logistic", options: {}, weight: 0.5, temperature: 1 },
  ];

  it.for([
    ["splits of numbers and categories", forest({ trees: 20 })],
    ["trees inside an ensemble", ensemble({ members })],
  ] as const)("shrinks %s, without loss", async ([, learner]) => {
    const file = await fileOf(learner);
    const packed = packTrees(file);
    expect(gzipSync(packed).length).toBeLessThan(0.9 * gzipSync(file).length);
    expect(Buffer.from(unpackTrees(packed)).equals(file)).toBe(true);
  });

  it("leaves files without trees as they are", async () => {
    const file = await fileOf(logistic());
    expect(Buffer.from(packTrees(file)).equals(file)).toBe(true);
  });

  it("leaves tensors of other types and trees of another order as they are", () => {
    const words = (...data: number[]) => ({ shape: [data.length], data: Int32Array.from(data) });
    const trees = (nodes: number[]) => ({
      "trees.sets": words(),
      "trees.setStarts": words(0, 0),
      "trees.nodeStarts": words(0, nodes.length / 2),
    });
    // The left child of the root follows its grandchildren.
    const nodes = [3, 0, 0, -1, 1, -1, 1, 0, 0, -1];
    const other = writeSafetensors({}, { "trees.nodes": words(...nodes), ...trees(nodes) });
    expect(packTrees(other)).toEqual(other);
    const bytes = { shape: [3], data: Uint8Array.from([1, 2, 3]) };
    const foreign = writeSafetensors({}, { "trees.nodes": bytes, ...trees([0, -1]) });
    expect(packTrees(foreign)).toEqual(foreign);
  });
});
