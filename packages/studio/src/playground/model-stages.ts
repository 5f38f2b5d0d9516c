import type { Features, Sample } from "@vouch/core/internal/encode/sample";
import {
  cascadeForest,
  type DeepForestModel,
  firstLayers,
  gcForest,
  mddf,
} from "@vouch/core/internal/learners/deep-forest/deep-forests";
import { createLearner } from "@vouch/core/internal/learners/index";
import type { Learner } from "@vouch/core/internal/learners/learner";
import type { Model } from "@vouch/core/internal/learners/model";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { isNetwork } from "./network-sketch.js";

/** A model after some steps: rounds of boosting, layers or epochs. */
export interface ModelStage {
  /** From 1. */
  readonly step: number;
  /** Name of a step, such as "round"; "fit" for models that do not grow in steps. */
  readonly unit: string;
  readonly model: Model;
}

interface Ladder {
  readonly option: string;
  readonly unit: string;
  /** Factor between the numbers of steps of successive models. */
  readonly growth: number;
}

/**
 * Options for which learners are fitted repeatedly: with 1, 2, 3, 5, 8, … steps, so that all fits together take about
 * three times as long as the last one. Networks are fast and their error curves interesting, so their steps are
 * smaller. Each model is what the learner gives for that value.
 */
const ladders: Readonly<Record<string, Ladder>> = {
  tree: { option: "maxDepth", unit: "level", growth: 1.5 },
  forest: { option: "trees", unit: "tree", growth: 1.5 },
  "random-trees": { option: "trees", unit: "tree", growth: 1.5 },
  mlp: { option: "epochs", unit: "epoch", growth: 1.2 },
  sae: { option: "epochs", unit: "epoch", growth: 1.2 },
  dbn: { option: "epochs", unit: "epoch", growth: 1.2 },
};

/** Maximum number of stages of a finished model; nobody would watch more. */
const MOST_STAGES = 40;

/** Fits a learner and yields its models as they grow; the last one is the final model. */
export async function* modelStages(
  learner: Learner,
  sample: Sample<Features>,
  run: Partial<Run>,
): AsyncGenerator<ModelStage, void, undefined> {
  const ladder = Object.hasOwn(ladders, learner.name) ? ladders[learner.name] : undefined;
  if (ladder) {
    yield* ladderStages(learner, ladder, sample, run);
    return;
  }
  const model = await learner.fit(sample, run);
  if (isDeepForest(model)) yield* layerStages(model);
  else if (learner.growth) yield* growthStages(learner.growth, model);
  else yield { step: 1, unit: "fit", model };
}

/**
 * Fits a learner with increasing values of an option. If the option has no limit, the last model determines the number
 * of steps.
 */
async function* ladderStages(
  learner: Learner,
  { option, unit, growth }: Ladder,
  sample: Sample<Features>,
  run: Partial<Run>,
): AsyncGenerator<ModelStage, void, undefined> {
  const limit = learner.options[option];
  const early = typeof limit === "number" ? undefined : await learner.fit(sample, run);
  const most = typeof limit === "number" ? limit : grownSteps(early);
  for (let step = 1; step < most; step = Math.ceil(growth * step)) {
    const smaller = await createLearner(learner.name, { ...learner.options, [option]: step });
    yield { step, unit, model: await smaller.fit(sample, named(run, step, unit)) };
  }
  yield { step: most, unit, model: early ?? (await learner.fit(sample, named(run, most, unit))) };
}

/** Returns the epochs of a network or the depth of a tree. */
function grownSteps(model: Model | undefined): number {
  if (!model) return 1;
  return isNetwork(model) ? model.curve.length : (model.complexity().counts.depth ?? 1);
}

/** Adds the current model to progress reports. */
function named(run: Partial<Run>, step: number, unit: string): Partial<Run> {
  const { progress } = run;
  if (!progress) return run;
  return {
    ...run,
    progress: (report) => progress({ ...report, stage: `model of ${formatCount(step, unit)}` }),
  };
}

function isDeepForest(model: Model): model is DeepForestModel {
  return [cascadeForest, gcForest, mddf].some((kind) => kind.made(model));
}

function* layerStages(model: DeepForestModel): Generator<ModelStage> {
  const last = model.layers.length;
  for (let step = 1; step < last; step++) yield { step, unit: "layer", model: firstLayers(model, step) };
  yield { step: last, unit: "layer", model };
}

/** Yields all rounds if there are few; otherwise increasingly sparse ones, because later rounds differ less. */
function* growthStages(growth: NonNullable<Learner["growth"]>, model: Model): Generator<ModelStage> {
  const last = countSteps(growth, model);
  const unit = growth.option.replace(/s$/, "");
  for (const step of watchedSteps(last)) yield { step, unit, model: growth.upTo(model, step) };
  yield { step: last, unit, model };
}

/** Finds the number of steps of a model: the smallest that leaves it unchanged. */
function countSteps({ upTo }: NonNullable<Learner["growth"]>, model: Model): number {
  let high = 1;
  while (upTo(model, high) !== model) high *= 2;
  let low = Math.floor(high / 2) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (upTo(model, middle) === model) high = middle;
    else low = middle + 1;
  }
  return high;
}

/** Lists steps below the last one: all if there are few, otherwise in geometric progression. */
export function watchedSteps(last: number): number[] {
  if (last <= MOST_STAGES) return Array.from({ length: last - 1 }, (_, i) => i + 1);
  const factor = last ** (1 / (MOST_STAGES - 1));
  const steps = Array.from({ length: MOST_STAGES - 1 }, (_, i) => Math.floor(factor ** i));
  return [...new Set(steps)].filter((step) => step < last);
}
