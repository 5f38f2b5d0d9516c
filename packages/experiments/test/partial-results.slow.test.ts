import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  addPartsOf,
  experimentNamed,
  mergePartialResults,
  openPartialResults,
  parseResult,
} from "@vouch/experiments";
import { afterAll, describe, expect, it } from "vitest";
import { VERSION } from "vouch";
import { completeRun } from "vouch/extend";
import { z } from "zod";
import { eachWithParts, PartsLeft, partOf, partsOf } from "#experiments/experiment.js";
import { madeUpTrial } from "./model-selection/made-up-trial.js";

const folder = mkdtempSync(join(tmpdir(), "vouch-parts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const origin = { experiment: "toy/answer", scale: "paper", seed: 7 } as const;

/** Counts how often it is computed. */
function counted(value: number) {
  const calls = { count: 0 };
  const compute = async () => {
    calls.count++;
    return value;
  };
  return { calls, compute };
}

describe("partial results", () => {
  it("are computed once, even if the run is interrupted and resumed", async () => {
    const file = join(folder, "parts.json");
    const { calls, compute } = counted(42);
    const first = await openPartialResults(file, origin);
    expect(await partOf({ partial: first }, "a", z.number(), compute)).toBe(42);
    const again = await openPartialResults(file, origin);
    expect(await partOf({ partial: again }, "a", z.number(), compute)).toBe(42);
    expect(calls.count).toBe(1);
    await partOf({ partial: again }, "b", z.number(), compute);
    expect(calls.count).toBe(2);
  });

  it("have a part for each split, and a run that has them all computes nothing", async () => {
    const file = join(folder, "table.json");
    const name = "deep-cascades-perceptron/table-4-1";
    const { run } = experimentNamed(name);
    const ofTable = { experiment: name, scale: "quick", seed: 7 } as const;
    const started = { ...completeRun({ seed: 7 }), scale: "quick" } as const;
    const first = await run({ ...started, partial: await openPartialResults(file, ofTable) });
    expect(Object.keys(JSON.parse(readFileSync(file, "utf8")).parts)).toEqual([
      "breastcancer, split 1",
      "ionosphere, split 1",
    ]);
    const executor = { ...started.executor, map: () => Promise.reject(new Error("computed again")) };
    const again = await run({ ...started, executor, partial: await openPartialResults(file, ofTable) });
    expect(again).toEqual(first);
    await expect(run({ ...started, executor })).rejects.toThrow("computed again");
  });

  it("are computed in shares by several processes, and merged", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const merged = join(folder, "merged.json");
    const found: string[][] = [];
    for (const index of [1, 2]) {
      const own: string[] = [];
      const partial = await openPartialResults(join(folder, `share-${index}.json`), origin);
      const run = { partial, share: { index, of: 2 } };
      const shared = partsOf(run, names, z.string(), async (name) => {
        own.push(name);
        return name.toUpperCase();
      });
      await expect(shared).rejects.toThrow(PartsLeft);
      found.push(own);
    }
    expect(found).toEqual([
      ["a", "c", "e"],
      ["b", "d"],
    ]);
    await mergePartialResults(
      merged,
      [1, 2].map((index) => join(folder, `share-${index}.json`)),
    );
    const partial = await openPartialResults(merged, origin);
    const failing = () => Promise.reject(new Error("computed again"));
    const run = { partial, finishedOnly: true };
    expect(await partsOf(run, names, z.string(), failing)).toEqual(["A", "B", "C", "D", "E"]);
    await expect(partsOf(run, [...names, "f"], z.string(), failing)).rejects.toMatchObject({
      code: "option/invalid",
      message: expect.stringContaining('"f" is not finished'),
    });
    const other = join(folder, "other-seed.json");
    await openPartialResults(other, { ...origin, seed: 8 });
    await expect(mergePartialResults(merged, [other])).rejects.toMatchObject({ code: "option/invalid" });
  });

  it("of several items keep all processes at work", async () => {
    const items = ["x", "y", "z"];
    const computed: string[][] = [];
    for (const index of [1, 2]) {
      const own: string[] = [];
      const partial = await openPartialResults(join(folder, `items-${index}.json`), origin);
      const run = { ...completeRun(), scale: "paper", partial, share: { index, of: 2 } } as const;
      // One part each: without a change of turns, the first process would do all the work.
      const all = eachWithParts(run, items, (item, run) =>
        partsOf(run, [item], z.string(), async (name) => {
          own.push(name);
          return name;
        }),
      );
      await expect(all).rejects.toMatchObject({ name: "PartsLeft", count: index === 1 ? 1 : 2 });
      computed.push(own);
    }
    expect(computed).toEqual([["x", "z"], ["y"]]);
    const whole = { ...completeRun(), scale: "paper" } as const;
    expect(await eachWithParts(whole, items, async (item) => item.toUpperCase())).toEqual(["X", "Y", "Z"]);
    const failing = eachWithParts(whole, items, () => Promise.reject(new Error("out of memory")));
    await expect(failing).rejects.toThrow("out of memory");
  });

  it("begin with those of an earlier result", async () => {
    const file = join(folder, "networks.json");
    const name = "model-selection/networks";
    const ofNetworks = { experiment: name, scale: "quick", seed: 7 } as const;
    const trial = madeUpTrial(5, 4);
    const sizes = { problems: 4, rows: 600, folds: 5, pretrainEpochs: 8, epochs: 15 };
    const earlier = {
      ...ofNetworks,
      vouch: VERSION,
      commits: ["1234abcd"],
      data: { sizes, trials: [trial] },
    };
    await addPartsOf(earlier, file);
    await expect(addPartsOf({ ...earlier, seed: 9 }, file)).rejects.toMatchObject({ code: "option/invalid" });
    const partial = await openPartialResults(file, ofNetworks);
    expect(partial.get("digits 3 and 8")).toEqual(trial);
    expect(partial.commits()).toEqual(["1234abcd"]);
  });

  it("do not begin with those of a result of other sizes, or of one without parts", async () => {
    const file = join(folder, "nothing-to-add.json");
    const sizes = { problems: 4, rows: 600, folds: 5, pretrainEpochs: 8, epochs: 16 };
    const common = { scale: "quick", seed: 7, vouch: VERSION, commits: ["1234abcd"] } as const;
    const others = { sizes, trials: [madeUpTrial(5, 4)] };
    await addPartsOf({ ...common, experiment: "model-selection/networks", data: others }, file);
    const whole = new URL("../results/model-selection/held-out-coverage.json", import.meta.url);
    await addPartsOf(parseResult(readFileSync(whole, "utf8"), "whole"), file);
    expect(existsSync(file)).toBe(false);
  });

  it("are computed every time without a file", async () => {
    const { calls, compute } = counted(42);
    await partOf({}, "a", z.number(), compute);
    await partOf({}, "a", z.number(), compute);
    expect(calls.count).toBe(2);
  });

  it("have no part for a computation that failed", async () => {
    const file = join(folder, "failed.json");
    const partial = await openPartialResults(file, origin);
    const failing = () => Promise.reject(new Error("out of memory"));
    await expect(partOf({ partial }, "a", z.number(), failing)).rejects.toThrow("out of memory");
    expect((await openPartialResults(file, origin)).get("a")).toBeUndefined();
  });

  it("of another run or with another schema are refused", async () => {
    const file = join(folder, "other.json");
    const partial = await openPartialResults(file, origin);
    await partial.add("a", "text");
    await expect(openPartialResults(file, { ...origin, seed: 8 })).rejects.toMatchObject({
      code: "option/invalid",
      message: expect.stringContaining("with seed 7"),
    });
    await expect(partOf({ partial }, "a", z.number(), async () => 1)).rejects.toMatchObject({
      code: "file/format",
      message: expect.stringContaining('The part "a" of an earlier run'),
    });
  });

  it("never overwrite a file of another kind", async () => {
    const file = join(folder, "data.csv");
    writeFileSync(file, "x,y\n");
    await expect(openPartialResults(file, origin)).rejects.toMatchObject({ code: "file/format" });
    expect(readFileSync(file, "utf8")).toBe("x,y\n");
    await expect(openPartialResults(folder, origin)).rejects.toMatchObject({ code: "file/read" });
    await expect(openPartialResults(join(folder, "none", "parts.json"), origin)).rejects.toMatchObject({
      code: expect.stringMatching(/^file\//),
    });
  });
});
