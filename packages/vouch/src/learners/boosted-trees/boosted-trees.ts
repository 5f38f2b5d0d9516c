import { z } from "zod";
import { type BinnedColumns, MISSING_BIN } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import { completeRun, type Run } from "../../runtime/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { rowsKeptApart, validationOption } from "../early-stopping.js";
import { rowWeights } from "../forest/grow-forest.js";
import type { Learner, StepwiseGrowth } from "../learner.js";
import type { LearnerDefinition } from "../legacy.js";
import { legacyKind } from "../legacy.js";
import { parseOptions } from "../options.js";
import { checkBinned, type TrainingSample, trainingSample } from "../training-sample.js";
import { boostTrees } from "./boost.js";
import { BoostedTreesModel } from "./boosted-model.js";
import type { LabelledBins } from "./boosted-rows.js";

/** More rounds than anybody has needed, few enough to be stored and counted. */
const MOST_BOOSTING_ROUNDS = 100_000;

/** Deeper trees have a leaf for every row. */
const DEEPEST = 30;

const share = z.number().gt(0).max(1).default(1);

/** The options of `boosted-trees`. */
const boostedTreesOptions = z.object({
  rounds: z
    .int()
    .min(1)
    .max(MOST_BOOSTING_ROUNDS)
    .default(300)
    .describe("How many trees are added at most; with more than two classes, one for each class and round."),
  learningRate: z
    .number()
    .gt(0)
    .max(1)
    .default(0.1)
    .describe("Which part of the step that a tree proposes is taken."),
  maxDepth: z
    .int()
    .min(1)
    .max(DEEPEST)
    .default(6)
    .describe("How many questions at most lead to a leaf of a tree."),
  minChildWeight: z
    .number()
    .min(0)
    .default(1)
    .describe("Each side of a question has at least this sum of second derivatives, weight · p · (1 − p)."),
  lambda: z.number().min(0).default(1).describe("How much large values of leaves are held back (L2)."),
  gamma: z.number().min(0).default(0).describe("A question must gain more than this to be asked."),
  rowsPerTree: share.describe("Share of the rows that each tree sees, drawn without replacement."),
  columnsPerTree: share.describe("Share of the features that each tree may ask for."),
  columnsPerSplit: share.describe("Share of these features that compete for each question."),
  classWeights: z
    .enum(["none", "balanced"])
    .default("none")
    .describe("With balanced, rows of rare classes count more, so that all classes count the same."),
  patience: z
    .int()
    .min(0)
    .max(MOST_BOOSTING_ROUNDS)
    .default(0)
    .describe(
      "Stop when the loss on rows kept apart has not fallen for so many rounds, and keep the rounds up to the best one; 0: never.",
    ),
  validation: validationOption(0.2),
});

/** Checked options of `boosted-trees`. */
export type BoostedTreesOptions = z.output<typeof boostedTreesOptions>;

const NAME = "boosted-trees";

/** A model of few rounds is the beginning of one of many. */
const growth: StepwiseGrowth<BoostedTreesModel> = {
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
  const { trees, gains, best, trainingLosses, validationLosses } = await boostTrees(
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

/** TRANSITION */
export const boostedTreesKind = legacyKind(boostedTreesDefinition);
