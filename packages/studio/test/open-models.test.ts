import { loadDataset } from "@vouch/datasets";
import { describe, expect, it } from "vitest";
import { type Table, trainClassifier } from "vouch";
import { createLearner } from "vouch/train";
import { OpenModels } from "#studio/engine/open-models.js";

describe("the models of the engine", () => {
  const trained = async (table: Table) =>
    (await trainClassifier(table, await createLearner("majority"), { holdout: 0.2 })).classifier;

  it("are asked by number: the newest and the one before it, and no other in their place", async () => {
    const { train } = await loadDataset("iris");
    const models = new OpenModels();
    const all = [await trained(train), await trained(train), await trained(train)];
    const numbers = all.map((model) => models.add(model));
    expect(new Set(numbers).size).toBe(3);
    expect(models.numbered(numbers[2])).toBe(all[2]);
    expect(models.numbered(numbers[1])).toBe(all[1]);
    expect(() => models.numbered(numbers[0])).toThrow("not open any more");
    expect(() => models.numbered(99)).toThrow("not open any more");
  });
});
