import { loadDataset } from "@vouch/datasets";
import { describe, expect, it } from "vitest";
import { createLearner, type Table, trainClassifier } from "vouch";
import { OpenModels } from "#studio/engine/open-models.js";
import { MOST_MODELS } from "#studio/engine/protocol.js";

describe("the models of the engine", () => {
  const trained = async (table: Table) =>
    (await trainClassifier(table, await createLearner("majority"), { holdout: 0.2 })).classifier;

  it("are asked by number: the newest ones, and no other in their place", async () => {
    const { train } = await loadDataset("iris");
    const models = new OpenModels();
    const all = await Promise.all(Array.from({ length: MOST_MODELS + 2 }, () => trained(train)));
    const numbers = all.map((each) => models.add(each));
    expect(new Set(numbers).size).toBe(all.length);
    for (const i of all.keys()) if (i > 0) expect(models.numbered(numbers[i])).toBe(all[i]);
    expect(() => models.numbered(numbers[0])).toThrow("not open any more");
    expect(() => models.numbered(99)).toThrow("not open any more");
  });
});
