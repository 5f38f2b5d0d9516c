import type { z } from "zod";
import { type BinnedColumns, MISSING_BIN } from "../data/binned-columns.js";
import type { Sample } from "../data/sample.js";
import { VouchError } from "../error.js";
import { rowWeights } from "../forest/index.js";
import { checkBinned } from "../learning/check-binned.js";
import type { Growth, Learner, LearnerDefinition } from "../learning/learner.js";
import { parseOptions } from "../learning/options.js";
import { rowsKeptApart } from "../learning/rows-kept-apart.js";
import { completeRun, type Run } from "../learning/run.js";
import { type TrainingSample, trainingSample } from "../learning/training-sample.js";
import { boost } from "./boost.js";
import type { LabelledBins } from "./boosted-rows.js";
import { BoostedTreesModel } from "./model.js";
import { type BoostedTreesOptions, boostedTreesOptions } from "./options.js";

const NAME = "boosted-trees";

/** A model of few rounds is the beginning of one of many. */
const growth: Growth<BoostedTreesModel> = {
  option: "rounds",
  upTo: (model, rounds) => model.after(Math.min(rounds, model.rounds)),
};

/** Gradient-boosted trees: logistic loss for two classes, softmax for more. */
export function boostedTrees(
  options?: z.input<typeof boostedTreesOptions>,
): Learner<BoostedTreesModel, BinnedColumns> {
  const parsed = parseOptions(NAME, boostedTreesOptions, options);
  return {
    name: NAME,
    options: parsed,
    encoding: { kind: "binned", maxBins: MISSING_BIN },
    fit: (sample, run) => fit(sample, parsed, completeRun(run)),
    // With a patience the best of few rounds is not the beginning of the best of many.
    ...(parsed.patience === 0 && { growth }),
  };
}

/** What the rest of the system knows of `boosted-trees`. */
export const boostedTreesDefinition: LearnerDefinition<
  typeof boostedTreesOptions,
  BoostedTreesModel,
  BinnedColumns
> = {
  name: NAME,
  summary: "Gradient-boosted trees: each small tree corrects what the sum of those before it gets wrong.",
  options: boostedTreesOptions,
  multiclass: true,
  create: boostedTrees,
  restore: BoostedTreesModel.restore,
};

async function fit(
  given: Sample<BinnedColumns>,
  options: BoostedTreesOptions,
  run: Run,
): Promise<BoostedTreesModel> {
  checkBinned(NAME, given.features);
  const training = trainingSample(NAME, given);
  const { sample } = training;
  const weights = weightsOf(training, options);
  const { train, test } = rowsKeptApart(NAME, sample.labels, options, run.seed);
  const learned = rowsOf(sample, weights, train);
  const { trees, gains, best, trainingLosses, validationLosses } = await boost(
    {
      training: learned,
      held: test && rowsOf(sample, weights, test),
      base: baseOf(learned, sample.classes.length),
      options,
    },
    run,
  );
  return new BoostedTreesModel({
    classes: sample.classes,
    featureNames: sample.featureNames,
    base: baseOf(learned, sample.classes.length),
    trees,
    gains,
    trainingLosses: Float64Array.from(trainingLosses.slice(0, best)),
    ...(test && { validationLosses: Float64Array.from(validationLosses.slice(0, best)) }),
    stop: best < options.rounds ? "validation loss no longer falls" : "all rounds done",
  });
}

/** Sums of weights beyond this overflow when they are squared, or vanish. */
const LARGEST_WEIGHT = 1e100;

/** How much each row counts: a row of weight 2 as much as two rows. */
function weightsOf(
  { sample, distribution }: TrainingSample<BinnedColumns>,
  { classWeights }: BoostedTreesOptions,
): Float64Array {
  const total = sample.weights?.reduce((sum, weight) => sum + weight, 0) ?? sample.rows;
  if (!(total <= LARGEST_WEIGHT && total >= 1 / LARGEST_WEIGHT)) {
    throw new VouchError("data/malformed", `The weights of the rows sum to ${total}.`, {
      hint: "Rows count as their weights say: multiply all weights so that they are 1 on average.",
    });
  }
  const relative = rowWeights(sample, distribution, classWeights) ?? new Float64Array(sample.rows).fill(1);
  return relative.map((weight) => (weight * total) / sample.rows);
}

/** Some of the rows, or all of them. */
function rowsOf(
  { features, labels }: Sample<BinnedColumns>,
  weights: Float64Array,
  rows: Int32Array | undefined,
): LabelledBins {
  if (!rows) return { features, labels, weights };
  return {
    features: features.select(rows),
    labels: rows.map((row) => labels[row]),
    weights: Float64Array.from(rows, (row) => weights[row]),
  };
}

/** A class without rows counts as one with this share of the weight. */
const SMALLEST_SHARE = 1e-9;

/** The margins that give each class its share of the weight: log(p₁ / p₀) for two classes, otherwise log(p_k). */
function baseOf({ labels, weights }: LabelledBins, classes: number): Float64Array {
  const shares = new Float64Array(classes);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  for (let i = 0; i < labels.length; i++) shares[labels[i]] += weights[i] / total;
  const logarithms = shares.map((share) => Math.log(Math.max(share, SMALLEST_SHARE)));
  return classes === 2 ? Float64Array.of(logarithms[1] - logarithms[0]) : logarithms;
}
