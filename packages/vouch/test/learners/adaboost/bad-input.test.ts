import { describe, expect, test } from "vitest";
import type { Sample } from "#vouch/encode/sample.js";
import { adaboost } from "#vouch/learners/adaboost/adaboost.js";
import { sampleOf } from "../small-samples.js";
import { noisySample } from "./noisy-sample.js";

describe("bad input", () => {
  test("options outside their range are refused by name", () => {
    for (const rounds of [0, -1, 1.5, 1e9, Number.NaN, Infinity]) {
      expect(() => adaboost({ rounds })).toThrow(
        expect.objectContaining({
          code: "option/invalid",
          message: `Option rounds of adaboost is ${rounds}.`,
        }),
      );
    }
  });

  test("data that cannot be learned from are refused", async () => {
    const refused = (sample: Sample, code: string) =>
      expect(adaboost().fit(sample)).rejects.toMatchObject({ code });
    await refused(sampleOf([], []), "data/no-rows");
    await refused(sampleOf([[1], [2]], [0, 0]), "data/one-class");
    await refused(sampleOf([[1], [2]], [0, -1]), "data/missing-target");
    await refused(sampleOf([[1], [Infinity]], [0, 1]), "data/not-finite");
  });

  test("no columns and constant columns give a constant model", async () => {
    for (const rows of [
      [[], [], []],
      [
        [3, 1],
        [3, 1],
        [3, 1],
      ],
    ]) {
      const sample = sampleOf(rows, [0, 1, 1]);
      expect([...(await adaboost().fit(sample)).predict(sample.features)]).toEqual([1, 1, 1]);
    }
  });

  test("a model cannot be cut to rounds that it does not have", async () => {
    const model = await adaboost({ rounds: 3 }).fit(noisySample(50, 3, 2, 1));
    for (const rounds of [0, 4, 1.5]) expect(() => model.after(rounds)).toThrow(/rounds 1 to 3/);
  });
});
