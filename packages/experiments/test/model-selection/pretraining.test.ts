import type { Json } from "@vouch/core/internal/runtime/codec/state";
import { describe, expect, it } from "vitest";
import { completeRun } from "vouch/extend";
import { pretraining, pretrainingTrials } from "#experiments/model-selection/pretraining.js";
import { smallImages } from "./small-images.js";

const training = smallImages(120, 1);
const test = smallImages(60, 2);
const sizes = { seeds: 2, labelled: 12, pretrained: 90, layers: [8, 4], pretrainEpochs: 3, epochs: 200 };
const run = { ...completeRun({ seed: 7 }), scale: "quick" } as const;

/** Partial results in memory. */
function memory() {
  const parts = new Map<string, Json>();
  return {
    parts,
    get: (part: string) => parts.get(part),
    async add(part: string, value: Json) {
      parts.set(part, value);
    },
    commits: () => [],
  };
}

describe("the trials", () => {
  it("have an accuracy for each network and seed, better than guessing", async () => {
    const trials = await pretrainingTrials(training, test, sizes, run);
    expect(trials.map(({ seed }) => seed)).toEqual([7, 8]);
    for (const { accuracies } of trials) {
      expect(accuracies).toHaveLength(5);
      // Of 60 rows a third would be guessed; the patterns are easy to tell apart.
      for (const accuracy of accuracies) expect(accuracy).toBeGreaterThan(0.5);
    }
  });

  it("can be resumed after an interruption, with the same result", async () => {
    const whole = await pretrainingTrials(training, test, sizes, run);
    const partial = memory();
    const controller = new AbortController();
    const interrupted = pretrainingTrials(training, test, sizes, {
      ...run,
      partial,
      signal: controller.signal,
      progress: ({ stage }) => {
        if (stage.startsWith("seed 7, sae: training")) controller.abort();
      },
    });
    await expect(interrupted).rejects.toMatchObject({ code: "run/interrupted" });
    expect([...partial.parts.keys()]).toEqual([
      "seed 7, mlp",
      "seed 7, not pre-trained",
      "seed 7, ReLU, not pre-trained",
    ]);
    expect(await pretrainingTrials(training, test, sizes, { ...run, partial })).toEqual(whole);
    expect(partial.parts.size).toBe(10);
  });

  it("use rows without a label for pre-training only", async () => {
    const stages = new Set<string>();
    const progress = ({ stage }: { readonly stage: string }) => stages.add(stage.replace(/ \d of \d$/, ""));
    const few = await pretrainingTrials(training, test, { ...sizes, seeds: 1 }, { ...run, progress });
    expect([...stages].filter((stage) => stage.includes("pre-training layer"))).toEqual([
      "seed 7, sae: pre-training layer",
      "seed 7, dbn: pre-training layer",
    ]);
    const more = await pretrainingTrials(training, test, { ...sizes, seeds: 1, pretrained: 20 }, run);
    expect(more[0].accuracies.slice(0, 3)).toEqual(few[0].accuracies.slice(0, 3));
  });
});

it("the experiment renders means, standard errors and paired differences", () => {
  const page = pretraining.render({
    experiment: pretraining.name,
    scale: "paper",
    seed: 1,
    vouch: "0.1.0",
    data: {
      sizes: { ...sizes, labelled: 1000, pretrained: 60_000 },
      testRows: 10_000,
      trials: [
        { seed: 1, accuracies: [0.88, 0.89, 0.9, 0.91, 0.93] },
        { seed: 2, accuracies: [0.9, 0.89, 0.9, 0.93, 0.93] },
      ],
    },
  });
  expect(page).toMatch(/^\| mlp +\| +89\.00 ± 1\.00 \|/m);
  // The differences of sae are 3 and 3, 2 and 4, 1 and 3; those of dbn 5 and 3, 4 and 4, 3 and 3.
  expect(page).toMatch(
    /^\| sae +\| +92\.00 ± 1\.00 \| +\+3\.00 ± 0\.00 \| +\+3\.00 ± 1\.00 \| +\+2\.00 ± 1\.00 \|/m,
  );
  expect(page).toMatch(
    /^\| dbn +\| +93\.00 ± 0\.00 \| +\+4\.00 ± 1\.00 \| +\+4\.00 ± 0\.00 \| +\+3\.00 ± 0\.00 \|/m,
  );
  expect(page).toContain("pre-trained on 60,000 images");
});
