import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "@vouch/core/internal/runtime/codec/state";
import { mergePartialResults, openPartialResults, PartsLeft } from "@vouch/experiments";
import { describe, expect, it } from "vitest";
import { threadExecutor } from "vouch";
import { completeRun } from "vouch/extend";
import { contendersOn, seedsOf } from "#experiments/margin-forest/contenders.js";
import { marginForestMargins, marginsOn } from "#experiments/margin-forest/margins.js";
import { accuraciesOn, marginForestTable } from "#experiments/margin-forest/table.js";

const run = { ...completeRun({ seed: 3 }), scale: "quick" } as const;
const sizes = { singleTrees: 10, trees: 3, folds: 2, seeds: 2, splits: 2 };

it("scanning learners are for images, variants and learners that are not on the poster for small sets", () => {
  const names = (dataset: string) => contendersOn(dataset).map(({ name }) => name);
  const variants = ["mdDF SF", "mdDF ST", "mdDF NP"];
  const deep = ["gcForest", "mdDF", "mdDF as printed"];
  const small = ["mdDF, more trees", ...variants];
  expect(names("iris")).toEqual(["RF", "random-trees", ...deep, ...small, "MLP", "boosted-trees"]);
  expect(names("mnist")).toEqual(["mdDF, scanning", "RF", ...deep, "MLP"]);
});

it("variants, large sets and deterministic learners have one seed", () => {
  const seeds = (dataset: string, split: "official" | "random") =>
    Object.fromEntries(contendersOn(dataset).map((each) => [each.name, seedsOf(each, dataset, split, 3)]));
  expect(seeds("letter", "official")).toMatchObject({ RF: 3, MLP: 3, "boosted-trees": 1, "mdDF NP": 1 });
  expect(seeds("yeast", "random")).toMatchObject({ RF: 3, "boosted-trees": 3, "mdDF SF": 1 });
  expect(seeds("mnist", "official")).toMatchObject({ RF: 1, MLP: 1, "mdDF, scanning": 3 });
});

describe("accuracies on a data set", () => {
  // Once for all tests: 11 learners, 2 seeds, 2 splits.
  const measured = accuraciesOn(["iris"], sizes, run).then(([iris]) => iris);

  it("exist for every learner and seed, far above chance", async () => {
    const { learners, ...facts } = await measured;
    expect(facts).toEqual({
      dataset: "iris",
      training: 105,
      test: 45,
      features: 4,
      classes: 3,
      split: "random",
      splits: 2,
    });
    expect(learners.map(({ name }) => name)).toEqual(contendersOn("iris").map(({ name }) => name));
    for (const { name, accuracies, layers } of learners) {
      expect(accuracies, name).toHaveLength(/^mdDF (SF|ST|NP)$/.test(name) ? 1 : 2);
      for (const accuracy of accuracies) {
        expect(accuracy, name).toBeGreaterThan(0.8);
        // The mean over two splits of 45 test rows.
        expect(Math.abs(accuracy * 90 - Math.round(accuracy * 90)), name).toBeLessThan(1e-9);
      }
      const isDeep = name === "gcForest" || name.startsWith("mdDF");
      for (const count of layers) expect(count > 0, name).toBe(isDeep);
    }
  });

  it("are the same on two threads", async () => {
    const executor = threadExecutor({ threads: 2 });
    try {
      expect(await accuraciesOn(["iris"], sizes, { ...run, executor })).toEqual([await measured]);
    } finally {
      await executor.close();
    }
  });

  it("can be resumed after an interruption, with the same result", async () => {
    const folder = mkdtempSync(join(tmpdir(), "vouch-table-"));
    try {
      const file = join(folder, "parts.json");
      const origin = { experiment: marginForestTable.name, scale: "quick", seed: 3 } as const;
      const controller = new AbortController();
      const progress = ({ stage }: { stage: string }) => {
        if (stage.startsWith("iris, gcForest, seed 4")) controller.abort();
      };
      const broken = accuraciesOn(["iris"], sizes, {
        ...run,
        progress,
        signal: controller.signal,
        partial: await openPartialResults(file, origin),
      });
      await expect(broken).rejects.toMatchObject({ code: "run/interrupted" });
      const kept: Record<string, Json> = JSON.parse(readFileSync(file, "utf8")).parts;
      // Two learners with four trainings each, and the first seed of the third.
      expect(Object.keys(kept)).toHaveLength(10);
      const stages: string[] = [];
      const resumed = await accuraciesOn(["iris"], sizes, {
        ...run,
        progress: ({ stage }) => stages.push(stage),
        partial: await openPartialResults(file, origin),
      });
      expect(resumed).toEqual([await measured]);
      expect(stages.some((stage) => stage.startsWith("iris, RF"))).toBe(false);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("can be computed in parts", async () => {
    const only = ["iris, RF", "gcForest, seed 4"];
    const [some] = await accuraciesOn(["iris"], sizes, { ...run, only });
    const all = (await measured).learners;
    const [rf, gcForest] = ["RF", "gcForest"].map((name) => all.find((learner) => learner.name === name));
    expect(some.learners).toEqual([
      rf,
      { name: "gcForest", accuracies: [gcForest?.accuracies[1]], layers: [gcForest?.layers[1]] },
    ]);
    const { data } = await marginForestTable.run({ ...run, only: ["iris, MLP"] });
    expect(data).toMatchObject({ sets: [{ dataset: "iris", learners: [{ name: "MLP" }] }] });
  });

  it("can be shared by two processes, and what is finished can be shown before", async () => {
    const folder = mkdtempSync(join(tmpdir(), "vouch-table-"));
    try {
      const origin = { experiment: marginForestTable.name, scale: "quick", seed: 3 } as const;
      const only = ["iris, RF, seed 3", "iris, MLP"];
      const files = [1, 2].map((index) => join(folder, `parts-${index}.json`));
      for (const [i, file] of files.entries()) {
        const share = { index: i + 1, of: 2 };
        const partial = await openPartialResults(file, origin);
        await expect(accuraciesOn(["iris"], sizes, { ...run, only, share, partial })).rejects.toThrow(
          PartsLeft,
        );
      }
      const [first, second] = files.map((file) => Object.keys(JSON.parse(readFileSync(file, "utf8")).parts));
      expect([...first, ...second]).toHaveLength(6);
      expect(first.filter((part) => second.includes(part))).toEqual([]);
      const finished = async (file: string) =>
        accuraciesOn(["iris"], sizes, {
          ...run,
          finishedOnly: true,
          partial: await openPartialResults(file, origin),
        });
      // Each has one of two splits of every seed.
      expect(await finished(files[0])).toEqual([]);
      const merged = join(folder, "parts.json");
      await mergePartialResults(merged, files);
      const all = (await measured).learners;
      const [rf, mlp] = ["RF", "MLP"].map((name) => all.find((learner) => learner.name === name));
      expect((await finished(merged))[0].learners).toEqual([
        { name: "RF", accuracies: rf?.accuracies.slice(0, 1), layers: rf?.layers.slice(0, 1) },
        mlp,
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("are rendered", async () => {
    const page = marginForestTable.render({
      experiment: marginForestTable.name,
      scale: "quick",
      seed: 3,
      vouch: "0",
      data: {
        seeds: 2,
        sizes: { singleTrees: 10, trees: 3, folds: 2 },
        sets: [await measured],
        absent: ["mnist"],
      },
    });
    expect(page).toMatch(/\| iris +\| vouch \| +\d\d\.\d\d ± \d\.\d\d \| +9\d\.\d\d ± \d\.\d\d \|/);
    expect(page).toContain("except for iris: there each seed is the mean over 2 stratified random splits");
  });
});

describe("margins from layer to layer", () => {
  it("are ascending, and agree with the accuracy", async () => {
    const { rows, learners } = await marginsOn("ionosphere", { trees: 10, folds: 3 }, run);
    expect(learners.map(({ name }) => name)).toEqual(["gcForest", "mdDF"]);
    for (const { layers } of learners) {
      for (const { quantiles, outOfFoldAccuracy, mean, variance, ratio, testAccuracy } of layers) {
        expect(quantiles).toEqual(quantiles.toSorted((a, b) => a - b));
        // The share of positive margins is the accuracy, up to one per cent and ties.
        const positive = quantiles.filter((margin) => margin > 0).length / quantiles.length;
        expect(Math.abs(positive - outOfFoldAccuracy)).toBeLessThan(0.05);
        expect(ratio).toBeCloseTo(Math.sqrt(variance) / mean, 9);
        expect(testAccuracy).toBeGreaterThan(0.8);
      }
    }
    const page = marginForestMargins.render({
      experiment: marginForestMargins.name,
      scale: "quick",
      seed: 3,
      vouch: "0",
      data: { sizes: { trees: 10, folds: 3 }, sets: [{ dataset: "ionosphere", rows, learners }], absent: [] },
    });
    expect(page).toContain("### ionosphere, mdDF: 246 training rows");
  });
});
