import * as z from "zod";
import { type BinnedColumns, MISSING_BIN } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import { transient } from "../../runtime/codec/parts.js";
import { nonNegativeInteger, positiveInteger } from "../../runtime/codec/schema-numbers.js";
import { float64 } from "../../runtime/codec/tensor-parts.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import type { Pausable } from "../../runtime/parallel/pausable.js";
import { formatCount, formatNumber, formatPercent } from "../../runtime/text/number-format.js";
import type { Certificate } from "../../theory/certificate.js";
import { forestFirstOrder, forestTandem } from "../../theory/forests/forest-votes.js";
import { testedHalves } from "../../theory/forests/tested-halves.js";
import type { AdditiveScore } from "../additive.js";
import { defineLearner } from "../define-learner.js";
import { type Description, importanceSection, type TreeSection } from "../description.js";
import type { Fitted } from "../learner-definition.js";
import type { Complexity } from "../model.js";
import type { TreeGrowth } from "../tree/growth-options.js";
import { forestScores } from "../tree/score-trees.js";
import { treeSet } from "../tree/tree-set-part.js";
import { outOfBagLossesSchema } from "./out-of-bag-losses.js";

const MOST_TREES = 100_000;

/** Trees that are described one by one: all look alike. */
const PICTURED_TREES = 3;

const bootstrapOption = (byDefault: boolean) =>
  z
    .boolean()
    .default(byDefault)
    .describe("Train each tree on a bootstrap sample (rows drawn with replacement) instead of all rows.")
    .meta({ ignoredIf: { halves: ["true"] } });

/** Options of both kinds of forests. */
const commonOptions = {
  trees: z.int().min(1).max(MOST_TREES).default(100).describe("Number of trees."),
  maxDepth: z
    .union([z.int().min(1), z.literal("unlimited")])
    .default("unlimited")
    .describe("Maximum tree depth."),
  minLeafRows: z
    .int()
    .min(1)
    .default(1)
    .describe("Minimum number of rows in a leaf, counting bootstrap duplicates."),
  minSplitRows: z.int().min(2).default(2).describe("Minimum number of rows to split a node."),
  classWeights: z
    .enum(["none", "balanced"])
    .default("none")
    .describe('"balanced" weights rows so that all classes have the same total weight.'),
  rowsPerTree: z
    .number()
    .gt(0)
    .max(1)
    .default(1)
    .describe(
      "Fraction of rows drawn for each tree: with replacement if bootstrap is true, otherwise without.",
    ),
};

const halves = z
  .boolean()
  .default(false)
  .describe(
    "Grow each half of the (even number of) trees on a random half of the rows and test it on the other, for a smaller certificate; ignores bootstrap and outOfBag.",
  );

const outOfBag = z
  .boolean()
  .default(true)
  .describe("Estimate the error on out-of-bag rows. Needs bootstrap, or rowsPerTree below 1.")
  .meta({ ignoredIf: { halves: ["true"] } });

export const forestOptions = z.object({
  ...commonOptions,
  criterion: z
    .enum(["gini", "entropy"])
    .default("gini")
    .describe("Impurity measure that chooses the splits."),
  featuresPerSplit: z
    .union([z.int().min(1), z.number().gt(0).lt(1), z.enum(["sqrt", "log2", "all"])])
    .default("sqrt")
    .describe("Random features considered at each split: a number, a fraction, or a rule (sqrt, log2, all)."),
  bootstrap: bootstrapOption(true),
  outOfBag,
  halves,
});

export const randomTreesOptions = z.object({
  ...commonOptions,
  bootstrap: bootstrapOption(false),
  outOfBag,
  halves,
});

type FeaturesPerSplit = z.output<typeof forestOptions>["featuresPerSplit"];
type CommonOptions = z.output<typeof randomTreesOptions>;

const halfTest = z
  .strictObject({ rows: nonNegativeInteger, errors: nonNegativeInteger })
  .refine(({ rows, errors }) => errors <= rows, "more errors than rows");

const parts = {
  trees: treeSet({ classes: "classes", columns: "features", leaves: "shares" }),
  /** Share of each feature in the total decrease of impurity; zeros if there is no split. */
  importances: float64(["features"], { min: 0, max: 1 }),
  trainingRows: positiveInteger,
  outOfBag: z
    .strictObject({ rows: positiveInteger, errors: nonNegativeInteger })
    .refine(({ rows, errors }) => errors <= rows, "more errors than rows")
    .optional(),
  /** For certificates; absent if rows have weights. */
  outOfBagLosses: outOfBagLossesSchema.optional(),
  /** Present if each half of the trees was grown on one half of the rows; absent if rows have weights. */
  halves: z.strictObject({ first: halfTest, second: halfTest }).optional(),
  /** For each training row of positive weight, the mean over the trees that have not seen it; zeros if all have. */
  outOfBagScores: transient<Matrix>(),
};

type ForestParts = Fitted<typeof parts>;

/** The part of a definition that both kinds of forests share. */
const forestModel = {
  features: "binned",
  encoding: { kind: "binned", maxBins: MISSING_BIN },
  parts,
  fault({ outOfBag, outOfBagLosses, halves, trainingRows }: ForestParts): string | undefined {
    const counts = [outOfBag, outOfBagLosses?.single, outOfBagLosses?.pairs, halves?.first, halves?.second];
    return counts.some((count) => count && count.rows > trainingRows)
      ? "more rows are out of bag than there are"
      : undefined;
  },
  /** Averages the class frequencies in the leaf of each row over the trees. */
  evaluate({ trees }: ForestParts, features: BinnedColumns): Pausable<Matrix> {
    return forestScores(trees, features);
  },
  scores(_: ForestParts, scores: Matrix): Matrix {
    return scores;
  },
  additive({ trees }: ForestParts, output: number): AdditiveScore {
    const weight = () => 1 / trees.trees;
    return { kind: "trees", unit: "probability", base: 0, trees, output, weight };
  },
  complexity({ trees, featureNames }: ForestParts): Complexity {
    return {
      counts: {
        trees: trees.trees,
        leaves: trees.leaves,
        depth: trees.depth,
        features: featureNames.length,
      },
    };
  },
  /** Lists bounds for equal votes, whose divergence from the votes before training is 0. */
  certificates(
    { outOfBagLosses, halves, trainingRows }: ForestParts,
    { confidence }: { readonly confidence: number },
  ): readonly Certificate[] {
    if (halves) return [testedHalves({ rows: trainingRows, confidence, ...halves })];
    if (!outOfBagLosses) return [];
    const { single, pairs } = outOfBagLosses;
    const evidence = { rows: trainingRows, confidence, divergence: 0 };
    const first = forestFirstOrder({ ...evidence, gibbsLoss: single.loss, outOfBagRows: single.rows });
    if (!pairs) return [first];
    return [forestTandem({ ...evidence, tandemLoss: pairs.loss, outOfBagRows: pairs.rows }), first];
  },
  describe({ trees, outOfBag, importances, featureNames }: ForestParts): Description {
    return {
      facts: [
        { name: "trees", value: trees.trees },
        { name: "leaves", value: trees.leaves },
        { name: "depth", value: trees.depth },
        ...(outOfBag
          ? [
              { name: "out-of-bag error", value: outOfBag.errors / outOfBag.rows, unit: "share" as const },
              { name: "out-of-bag rows", value: outOfBag.rows },
            ]
          : []),
      ],
      sections: [importanceSection(featureNames, importances)],
    };
  },
  async describeTrees(
    { trees }: ForestParts,
    sample: Sample<BinnedColumns>,
  ): Promise<readonly TreeSection[]> {
    // A page that only predicts does not load what describes trees.
    const { picturedTrees } = await import("../tree/tree-pictures.js");
    const all = formatNumber(trees.trees);
    const note = `One of ${formatCount(trees.trees, "tree")}: the model averages the class shares in the leaves of all of them.`;
    const wanted = Array.from({ length: Math.min(trees.trees, PICTURED_TREES) }, (_, tree) => ({
      tree,
      title: `tree ${tree + 1} of ${all}`,
      note,
    }));
    return picturedTrees(trees, sample, wanted);
  },
  notices({ outOfBag, trainingRows }: ForestParts): readonly string[] {
    if (!outOfBag) return [];
    const { rows, errors } = outOfBag;
    const error = `${formatPercent(errors / rows)} of ${formatCount(rows, "training row")}`;
    const seen = trainingRows - rows;
    const leftOut =
      seen > 0
        ? ` ${formatCount(seen, "row")} that every tree has seen ${seen === 1 ? "is" : "are"} left out.`
        : "";
    return [`Out-of-bag error, an estimate of the error on new rows: ${error}.${leftOut}`];
  },
} as const;

/**
 * Random forest: trees on bootstrap samples, each split the best one of a few random features.
 *
 * From `fit` to model, for both kinds of forests:
 * 1. `fitForest` copies bins and classes to WebAssembly memory (`TreeColumns`, `TreeTarget`) and allocates the sums that
 *    trees add to while they grow: `ImpurityDecreases`, and `OutOfBagVotes` or, for halves, `ForestVotes`.
 * 2. `growForests` sends ranges of trees to a cluster (`growOnCluster`), or grows them on the threads (`growOnThreads`).
 * 3. Each thread is a `ForestThread`: it starts the next tree, or takes a job of a tree that another thread has started,
 *    and grows it with a `TreeGrower`.
 * 4. A finished tree votes on the rows that it has not seen (`TreeVoter`), and is copied to shared memory.
 * 5. `joinTrees` joins the trees of all threads to one `TreeSet`.
 * 6. The votes give out-of-bag scores and errors, and the losses of trees and of pairs of trees that certificates need.
 */
export const forest = defineLearner({
  name: "forest",
  title: "Random forest",
  summary: "Averages trees grown on bootstrap samples, with random features at each split.",
  tasks: ["forest/grow", "forest/join", "forest/scores", "forest/pairs", "forest/walk"],
  options: forestOptions,
  ...forestModel,
  certifies: (options) => testsTrees(options),
  async fit(training, options, run) {
    const growth = bestGrowth(options, training.sample.features.columns);
    // A page that only predicts does not load what grows trees.
    return (await import("./fit-forest.js")).fitForest(training, options, growth, run);
  },
});

/** Completely random trees: each split a random cut of a random feature; only the leaves look at the classes. */
export const randomTrees = defineLearner({
  name: "random-trees",
  title: "Completely random trees",
  summary: "Averages completely random trees: every split is drawn at random.",
  tasks: ["forest/grow", "forest/join", "forest/scores", "forest/pairs", "forest/walk"],
  options: randomTreesOptions,
  ...forestModel,
  certifies: (options) => testsTrees(options),
  async fit(training, options, run) {
    // A page that only predicts does not load what grows trees.
    return (await import("./fit-forest.js")).fitForest(training, options, randomGrowth(options), run);
  },
});

/** Tells whether trees are tested on rows that they have not seen, which certificates need. */
function testsTrees({ halves, outOfBag, bootstrap, rowsPerTree }: CommonOptions): boolean {
  return halves || (outOfBag && (bootstrap || rowsPerTree < 1));
}

/** A model of `forest` or `random-trees`. */
export type ForestModel = ReturnType<typeof forest.assemble>;

/** Returns how many features compete for each split: at least one, at most all. */
export function featuresPerSplit(rule: FeaturesPerSplit, columns: number): number {
  return Math.max(1, Math.min(columns, Math.floor(wanted(rule, columns))));
}

function wanted(rule: FeaturesPerSplit, columns: number): number {
  switch (rule) {
    case "all":
      return columns;
    case "sqrt":
      return Math.sqrt(columns);
    case "log2":
      return real.log2(columns);
    default:
      return rule < 1 ? rule * columns : rule;
  }
}

/** Options that say how large trees grow. */
type Limits = Pick<CommonOptions, "maxDepth" | "minLeafRows" | "minSplitRows">;

/** Returns how the trees of `forest` grow. */
export function bestGrowth(
  options: Limits & Pick<z.output<typeof forestOptions>, "criterion" | "featuresPerSplit">,
  columns: number,
): TreeGrowth {
  return {
    ...limitsOf(options),
    splits: "best",
    criterion: options.criterion,
    featuresPerSplit: featuresPerSplit(options.featuresPerSplit, columns),
  };
}

/** Returns how the trees of `random-trees` grow. */
export function randomGrowth(options: Limits): TreeGrowth {
  return { ...limitsOf(options), splits: "random", criterion: "gini", featuresPerSplit: 1 };
}

function limitsOf({ maxDepth, minLeafRows, minSplitRows }: Limits) {
  return { maxDepth: maxDepth === "unlimited" ? Infinity : maxDepth, minLeafRows, minSplitRows };
}
