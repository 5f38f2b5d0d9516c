import type { z } from "zod";
import { type BinnedColumns, MISSING_BIN } from "../data/binned-columns.js";
import type { BinnedEncoding } from "../data/encoder.js";
import type { Sample } from "../data/sample.js";
import { checkBinned } from "../learning/check-binned.js";
import type { Learner, LearnerDefinition } from "../learning/learner.js";
import { parseOptions } from "../learning/options.js";
import { completeRun, type Run } from "../learning/run.js";
import { trainingSample } from "../learning/training-sample.js";
import { type Growth, TreeColumns } from "../tree/index.js";
import { featuresPerSplit } from "./features-per-split.js";
import { type ForestTarget, type GrownForest, growForestsWithFacts } from "./grow-forest.js";
import { ForestModel, type ForestName } from "./model.js";
import { forestOptions, type RandomTreesOptions, randomTreesOptions } from "./options.js";
import { outOfBagErrors, outOfBagVotes } from "./out-of-bag.js";
import { outOfBagLosses } from "./out-of-bag-losses.js";
import { rowWeights } from "./row-weights.js";

/** As many bins as one byte can tell apart, the one of missing cells besides. */
const ENCODING: BinnedEncoding = { kind: "binned", maxBins: MISSING_BIN };

/** Random forest: trees on drawn rows, each question the best one about a few random features. */
export function forest(options?: z.input<typeof forestOptions>): Learner<ForestModel, BinnedColumns> {
  const parsed = parseOptions("forest", forestOptions, options);
  return {
    name: "forest",
    options: parsed,
    encoding: ENCODING,
    fit: (sample, run) =>
      fitForest("forest", sample, parsed, run, (columns) => ({
        ...limitsOf(parsed),
        splits: "best",
        criterion: parsed.criterion,
        featuresPerSplit: featuresPerSplit(parsed.featuresPerSplit, columns),
      })),
  };
}

/** Completely random trees: each question a random cut of a random feature; only the leaves look at the classes. */
export function randomTrees(
  options?: z.input<typeof randomTreesOptions>,
): Learner<ForestModel, BinnedColumns> {
  const parsed = parseOptions("random-trees", randomTreesOptions, options);
  return {
    name: "random-trees",
    options: parsed,
    encoding: ENCODING,
    fit: (sample, run) =>
      fitForest("random-trees", sample, parsed, run, () => ({
        ...limitsOf(parsed),
        splits: "random",
        criterion: "gini",
        featuresPerSplit: 1,
      })),
  };
}

/** What the rest of the system knows of `forest`. */
export const forestDefinition: LearnerDefinition<typeof forestOptions, ForestModel, BinnedColumns> = {
  name: "forest",
  summary: "Random forest: the mean of many trees, each grown on other rows and other features.",
  options: forestOptions,
  multiclass: true,
  create: forest,
  restore: ForestModel.restorer("forest"),
};

/** What the rest of the system knows of `random-trees`. */
export const randomTreesDefinition: LearnerDefinition<typeof randomTreesOptions, ForestModel, BinnedColumns> =
  {
    name: "random-trees",
    summary: "The mean of completely random trees, which ask random questions until their leaves are pure.",
    options: randomTreesOptions,
    multiclass: true,
    create: randomTrees,
    restore: ForestModel.restorer("random-trees"),
  };

/** What both kinds of forests are told. */
type CommonOptions = RandomTreesOptions;

function limitsOf({ maxDepth, minLeafRows, minSplitRows }: CommonOptions) {
  return { maxDepth: maxDepth === "unlimited" ? Infinity : maxDepth, minLeafRows, minSplitRows };
}

async function fitForest(
  learner: ForestName,
  given: Sample<BinnedColumns>,
  options: CommonOptions,
  partialRun: Partial<Run> | undefined,
  growthOn: (columns: number) => Growth,
): Promise<ForestModel> {
  checkBinned(learner, given.features);
  const run = completeRun(partialRun);
  const { sample, distribution } = trainingSample(learner, given);
  const { features, labels, classes, featureNames, rows } = sample;
  const weights = rowWeights(sample, distribution, options.classWeights);
  const { trees, bootstrap } = options;
  const columns = TreeColumns.of(features);
  try {
    const plan = {
      growth: growthOn(features.columns),
      trees,
      bootstrap,
      seed: run.seed,
      rows: Int32Array.from({ length: rows }, (_, i) => i),
    };
    const target = { labels, classes: classes.length, ...(weights && { weights }) };
    const [grown] = await growForestsWithFacts(columns, target, [plan], run);
    const facts = bootstrap && options.outOfBag ? await judge(grown, columns, target, run) : {};
    const importances = sharesOfAll(grown.decreases);
    return new ForestModel({
      learner,
      classes,
      featureNames,
      trees: grown.trees,
      importances,
      trainingRows: rows,
      ...facts,
    });
  } finally {
    columns.release();
  }
}

/**
 * Lets each row be judged by the trees that have not seen it. Certificates are about trees that depend on nothing but the
 * rows of their bags, which weights, such as those of balanced classes, may not.
 */
async function judge(grown: GrownForest, columns: TreeColumns, { labels, weights }: ForestTarget, run: Run) {
  const { scores, losses } = await outOfBagVotes(grown, columns, labels, run);
  const outOfBag = outOfBagErrors(scores, labels);
  if (!outOfBag) return {};
  const trees = { outOfBag: grown.outOfBag, losses, rows: labels.length };
  return {
    outOfBag,
    outOfBagScores: scores,
    ...(!weights && { outOfBagLosses: await outOfBagLosses(trees, run) }),
  };
}

/** Decreases as shares of their sum; all zero if they are. Rounding may take one of zero below zero. */
function sharesOfAll(decreases: Float64Array): Float64Array {
  const amounts = decreases.map((decrease) => Math.max(0, decrease));
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  return total > 0 ? amounts.map((amount) => amount / total) : amounts;
}
