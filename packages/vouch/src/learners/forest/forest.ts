import { z } from "zod";
import { type BinnedColumns, MISSING_BIN } from "../../encode/binned-columns.js";
import type { BinnedEncoding } from "../../encode/encoder.js";
import type { Sample } from "../../encode/sample.js";
import { completeRun, type Run } from "../../runtime/run.js";
import type { Learner } from "../learner.js";
import type { LearnerDefinition } from "../legacy.js";
import { legacyKind } from "../legacy.js";
import { parseOptions } from "../options.js";
import { checkBinned, trainingSample } from "../training-sample.js";
import { TreeColumns } from "../tree/tree-columns.js";
import type { TreeGrowth } from "../tree/tree-grower.js";
import { ForestModel, type ForestName } from "./forest-model.js";
import { type ForestTarget, type GrownForest, growForestsWithFacts, rowWeights } from "./grow-forest.js";
import { outOfBagErrors, outOfBagLosses, outOfBagVotes } from "./out-of-bag.js";

/** More trees than anybody has needed, few enough to be stored and counted. */
const MOST_TREES = 100_000;

/** What both kinds of forests can be told. */
const ofAllForests = {
  trees: z.int().min(1).max(MOST_TREES).default(100).describe("How many trees are grown."),
  maxDepth: z
    .union([z.int().min(1), z.literal("unlimited")])
    .default("unlimited")
    .describe("How many questions at most lead to a leaf."),
  minLeafRows: z
    .int()
    .min(1)
    .default(1)
    .describe("A leaf has at least so many rows; rows that were drawn twice count twice."),
  minSplitRows: z.int().min(2).default(2).describe("A node with fewer rows becomes a leaf."),
  classWeights: z
    .enum(["none", "balanced"])
    .default("none")
    .describe("With balanced, rows of rare classes count more, so that all classes count the same."),
};

/** Whether trees see rows drawn with replacement; the default differs. */
const bootstrap = (usual: boolean) =>
  z
    .boolean()
    .default(usual)
    .describe("Whether each tree sees as many rows as there are, drawn with replacement, or all of them.");

/** The rows that a tree has not seen tell the error; there are none without bootstrap. */
const outOfBag = z
  .boolean()
  .default(true)
  .describe("Whether to estimate the error from the trees that have not seen a row; needs bootstrap.");

/** The options of `forest`. */
export const forestOptions = z.object({
  ...ofAllForests,
  criterion: z
    .enum(["gini", "entropy"])
    .default("gini")
    .describe("How mixed the classes of a node are; the best question lowers it most."),
  featuresPerSplit: z
    .union([z.int().min(1), z.number().gt(0).lt(1), z.enum(["sqrt", "log2", "all"])])
    .default("sqrt")
    .describe("How many random features compete for each question: a number, a share of all, or a rule."),
  bootstrap: bootstrap(true),
  outOfBag,
});

/** The options of `random-trees`. */
export const randomTreesOptions = z.object({ ...ofAllForests, bootstrap: bootstrap(false), outOfBag });

/** Checked options of `forest`. */
export type ForestOptions = z.output<typeof forestOptions>;

/** Checked options of `random-trees`. */
type RandomTreesOptions = z.output<typeof randomTreesOptions>;

/** How many of so many features compete for each question; at least one, at most all. */
export function featuresPerSplit(rule: ForestOptions["featuresPerSplit"], columns: number): number {
  return Math.max(1, Math.min(columns, Math.floor(wanted(rule, columns))));
}

function wanted(rule: ForestOptions["featuresPerSplit"], columns: number): number {
  switch (rule) {
    case "all":
      return columns;
    case "sqrt":
      return Math.sqrt(columns);
    case "log2":
      return Math.log2(columns);
    default:
      return rule < 1 ? rule * columns : rule;
  }
}

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
  growthOn: (columns: number) => TreeGrowth,
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

/** TRANSITION */
export const forestKind = legacyKind(forestDefinition);

/** TRANSITION */
export const randomTreesKind = legacyKind(randomTreesDefinition);
