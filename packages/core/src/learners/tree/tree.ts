import * as z from "zod";
import { type BinnedColumns, MISSING_BIN } from "../../encode/binned-columns.js";
import type { PartsOf } from "../../runtime/codec/parts.js";
import {
  nonNegativeInteger,
  nonNegativeNumber,
  positiveInteger,
  proportion,
} from "../../runtime/codec/schema-numbers.js";
import { float64, int32 } from "../../runtime/codec/tensor-parts.js";
import { Random } from "../../runtime/maths/random.js";
import { runWithCheckpoints } from "../../runtime/parallel/pausable.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { formatCount } from "../../runtime/text/number-format.js";
import { NODE_WORDS } from "../../runtime/wasm/wasm-exports.js";
import { kFold } from "../../table/splits.js";
import { singleTreeCertificates } from "../../theory/forests/single-tree.js";
import { treeVcDimension } from "../../theory/vc/vc-dimension.js";
import { defineLearner } from "../define-learner.js";
import { importanceSection } from "../description.js";
import type { Fitted } from "../learner-definition.js";
import { rowWeights } from "../row-weights.js";
import type { TrainingSample } from "../training-sample.js";
import { pruningPath } from "./cost-complexity.js";
import {
  chooseSubtree,
  type FullTree,
  growAndPrune,
  pruneTree,
  type TreeSample,
  withLeafShares,
} from "./grow-and-prune.js";
import { leafClasses } from "./node-facts.js";
import { allRows } from "./sample-rows.js";
import { forestScores } from "./score-trees.js";
import { splitDistributions, splitDistributionsSchema } from "./split-distributions.js";
import { pictureOf, splitColumns, splitThresholds } from "./tree-pictures.js";
import { FEATURE_SHIFT } from "./tree-set.js";
import { treeSet } from "./tree-set-part.js";

/** The bounds for families of larger trees are vacuous. */
const MOST_CERTIFIED_LEAVES = 1024;

const folds = z.int().min(2).max(1000);

const options = z.object({
  prune: z
    .union([z.enum(["cross-validation", "none"]), z.number().min(0)])
    .default("cross-validation")
    .describe("Cost-complexity pruning: α from cross-validation, no pruning, or a given α (error per leaf)."),
  folds: folds
    .default(10)
    .describe("Number of folds that choose α.")
    .meta({ ignoredIf: { prune: ["none"] } }),
  standardErrors: z
    .number()
    .min(0)
    .default(0)
    .describe("Takes the smallest tree within this many standard errors of the lowest error: 0 or 1.")
    .meta({ ignoredIf: { prune: ["none"] } }),
  criterion: z
    .enum(["gini", "entropy"])
    .default("gini")
    .describe("Impurity measure that chooses the splits."),
  maxDepth: z
    .union([z.int().min(1), z.literal("unlimited")])
    .default("unlimited")
    .describe("Maximum tree depth."),
  minLeafRows: z.int().min(1).default(1).describe("Minimum number of rows in a leaf."),
  minSplitRows: z.int().min(2).default(2).describe("Minimum number of rows to split a node."),
  classWeights: z
    .enum(["none", "balanced"])
    .default("none")
    .describe('"balanced" weights rows so that all classes have the same total weight.'),
});

type TreeOptions = z.output<typeof options>;

const parts = {
  /** The tree: a set of one. */
  trees: treeSet({ classes: "classes", columns: "features", leaves: "shares" }),
  /** Training rows of each node, and the class that it would predict as a leaf. */
  nodeRows: int32(["trees:nodes"], { min: 1 }),
  nodeClasses: int32(["trees:nodes"], { min: 0, below: "classes" }),
  /** Threshold of each split of a number; 0 for other nodes. */
  thresholds: float64(["trees:nodes"]),
  /** The columns that the tree splits on. */
  splitColumns: z
    .array(
      z.strictObject({
        feature: nonNegativeInteger,
        missing: z.boolean(),
        levels: z.array(z.string()).readonly().optional(),
      }),
    )
    .readonly(),
  /** Rows of the largest splits by class, for pictures. */
  distributions: splitDistributionsSchema,
  /** Share of each feature in the total decrease of impurity; zeros if there is no split. */
  importances: float64(["features"], { min: 0, max: 1 }),
  /** Whether all features are numeric. */
  numeric: z.boolean(),
  /** The largest number of leaves that options and number of rows allow. */
  mostLeaves: positiveInteger,
  /** Leaves before pruning. */
  grownLeaves: positiveInteger,
  /** Absent without pruning. */
  alpha: nonNegativeNumber.optional(),
  /** Cross-validated error of trees with this α. */
  crossValidation: z
    .strictObject({
      folds,
      error: proportion,
      standardError: nonNegativeNumber,
    })
    .optional(),
};

/**
 * One decision tree (CART), pruned by cost and complexity (Breiman et al. 1984).
 *
 * From `fit` to model:
 * 1. `rowWeights` weighs the rows, and `kFold` divides them into folds.
 * 2. `growAndPrune` copies bins and classes to WebAssembly memory (`TreeColumns`, `TreeTarget`). As tasks on the threads,
 *    `TreeGrower` grows a tree on all rows and one on the training rows of each fold.
 * 3. Each task counts the rows of the nodes (`nodeFacts`) and finds the α from which on a node is a leaf (`leafRanges`).
 *    Tasks of folds return the errors of their nested subtrees on their test rows (`pruningPath`).
 * 4. `chooseSubtree` chooses the α with the lowest cross-validated error.
 * 5. `pruneTree` cuts the tree of all rows at this α, and `withLeafShares` fills its leaves.
 * 6. Facts for pictures are added: row counts, thresholds, importances, and the classes along the largest splits.
 */
export const tree = defineLearner({
  name: "tree",
  title: "Decision tree",
  summary: "One tree of thresholds, pruned to the size that cross-validation finds best.",
  tasks: ["tree/grow"],
  options,
  features: "binned",
  encoding: { kind: "binned", maxBins: MISSING_BIN },
  parts,
  keepsTrainingErrors: true,
  fit: fitTree,
  fault({ trees, splitColumns, distributions, classes, featureNames, grownLeaves }) {
    if (trees.trees !== 1) return `it has ${trees.trees} trees`;
    if (grownLeaves < trees.leaves) return `it has more leaves than before it was pruned`;
    const split = distributions.splits.find(({ node }) => !isSplit(trees, node));
    if (split) return `it counts the rows of a split at node ${split.node}`;
    if (distributions.classes.some((k) => k >= classes.length)) return "it counts rows of unknown classes";
    const wrong = splitColumns.find(({ feature }) => feature >= featureNames.length);
    return wrong && `it splits on feature ${wrong.feature} of ${featureNames.length}`;
  },
  /** Returns the class shares of the leaf of each row. */
  evaluate({ trees }, features) {
    return forestScores(trees, features);
  },
  scores: (_, scores) => scores,
  additive({ trees }, output) {
    return { kind: "trees", unit: "probability", base: 0, trees, output, weight: () => 1 };
  },
  /** Returns the VC dimension of the trees that the options allow; the size of this tree was not known before training. */
  complexity({ trees, classes, featureNames, numeric, mostLeaves }) {
    const features = featureNames.length;
    const counts = { leaves: trees.leaves, depth: trees.depth, features };
    const isKnown = classes.length === 2 && numeric && mostLeaves <= MOST_CERTIFIED_LEAVES;
    return isKnown ? { vcDimension: treeVcDimension(features, mostLeaves), counts } : { counts };
  },
  /** Lists bounds for numeric features: sets of categories can split rows in too many ways for a useful bound. */
  certificates({ training, trees, classes, featureNames, numeric }, { confidence }) {
    if (!training || !numeric) return [];
    const { rows, errors } = training;
    const family = { features: featureNames.length, leaves: trees.leaves, classes: classes.length };
    return singleTreeCertificates({ rows, errors, confidence, ...family });
  },
  describe(model) {
    const { trees, grownLeaves, alpha, crossValidation, importances, featureNames } = model;
    return {
      facts: [
        { name: "leaves", value: trees.leaves },
        { name: "depth", value: trees.depth },
        ...(alpha === undefined
          ? []
          : [
              { name: "leaves before pruning", value: grownLeaves },
              { name: "complexity parameter α", value: alpha },
            ]),
        ...(crossValidation
          ? [
              { name: "cross-validated error", value: crossValidation.error, unit: "share" as const },
              { name: "its standard error", value: crossValidation.standardError, unit: "share" as const },
            ]
          : []),
      ],
      sections: [
        { kind: "tree", title: "tree", root: pictureOf(model) },
        ...(trees.splits > 0 ? [importanceSection(featureNames, importances)] : []),
      ],
    };
  },
  notices({ trees, grownLeaves }) {
    if (trees.splits > 0) return [];
    return [
      grownLeaves === 1
        ? "No column splits the rows: every row gets the same probabilities."
        : `No split lowers the cross-validated error: all ${formatCount(grownLeaves, "leaf", "leaves")} were pruned to one, so every row gets the same probabilities.`,
    ];
  },
});

/** A fitted decision tree. */
export type TreeModel = ReturnType<typeof tree.assemble>;

async function fitTree(
  { sample, distribution }: TrainingSample<BinnedColumns>,
  options: TreeOptions,
  run: Run,
): Promise<PartsOf<typeof parts>> {
  const { features, labels, classes } = sample;
  const weights = rowWeights(sample, distribution, options.classWeights);
  const rows: TreeSample = { features, labels, classes: classes.length, ...(weights && { weights }) };
  const maxDepth = options.maxDepth === "unlimited" ? Number.POSITIVE_INFINITY : options.maxDepth;
  const { criterion, minLeafRows, minSplitRows } = options;
  const growth = {
    criterion,
    splits: "best",
    featuresPerSplit: Number.POSITIVE_INFINITY,
    maxDepth,
    minLeafRows,
    minSplitRows,
  } as const;
  const folds = Math.min(options.folds, labels.length);
  const splits =
    options.prune === "cross-validation"
      ? kFold(labels, folds, new Random(run.seed).fork(0).uniform()).folds
      : [];
  const { full, folds: foldTrees } = await growAndPrune(rows, growth, splits, run);
  const choice = choose(full, foldTrees, rows, options);
  return {
    ...(await prunedParts(full, choice.alpha, rows, run)),
    mostLeaves: Math.max(1, Math.min(2 ** Math.min(maxDepth, 52), Math.floor(labels.length / minLeafRows))),
    ...choice.facts,
  };
}

type TreeFacts = Pick<PartsOf<typeof parts>, "alpha" | "crossValidation">;

/** Chooses α (times the total weight). A node whose critical α is at most this becomes a leaf; −1 keeps the whole tree. */
function choose(
  { ranges, facts }: FullTree,
  folds: Parameters<typeof chooseSubtree>[1],
  { weights, labels }: TreeSample,
  { prune, standardErrors }: TreeOptions,
): { readonly alpha: number; readonly facts: TreeFacts } {
  if (prune === "none") return { alpha: -1, facts: {} };
  const total = facts.weights[0];
  if (prune !== "cross-validation") return { alpha: prune * total, facts: { alpha: prune } };
  const { alphas } = pruningPath(ranges, []);
  const sumOfSquares = weights ? weights.reduce((sum, weight) => sum + weight * weight, 0) : labels.length;
  const scaled = alphas.map((alpha) => alpha / total);
  const chosen = chooseSubtree(scaled, folds, { sum: total, sumOfSquares }, standardErrors);
  const { index, error, standardError } = chosen;
  return {
    alpha: alphas[index],
    facts: {
      alpha: scaled[index],
      crossValidation: { folds: folds.length, error: Math.min(1, error), standardError },
    },
  };
}

/** Prunes the tree of all rows, and fills its leaves. */
async function prunedParts(
  { tree: grown, ranges, facts }: FullTree,
  alpha: number,
  rows: TreeSample,
  run: Run,
) {
  const { features } = rows;
  const { tree: pruned, origins } = pruneTree(grown, (node) => ranges.from[node] <= alpha);
  const every = allRows(features.rows);
  const counts = { rows: new Int32Array(pruned.nodes), weights: new Float64Array(pruned.nodes) };
  const classes = await runWithCheckpoints(leafClasses(pruned, rows, every, counts), () => checkpoint(run));
  const trees = withLeafShares(pruned, classes);
  const nodeRows = origins.map((node) => facts.rows[node]);
  const counting = splitDistributions(trees, rows, nodeRows);
  return {
    trees,
    nodeRows,
    distributions: await runWithCheckpoints(counting, () => checkpoint(run)),
    nodeClasses: origins.map((node) => facts.classes[node]),
    thresholds: splitThresholds(trees, features.features),
    splitColumns: splitColumns(trees, features.features, (j) => features.column(j)),
    importances: importancesOf(trees, origins, facts),
    numeric: features.features.every(({ kind }) => kind === "numeric"),
    grownLeaves: grown.leaves,
  };
}

function isSplit({ arrays: { nodes } }: Fitted<typeof parts>["trees"], node: number): boolean {
  return nodes[node * NODE_WORDS + 1] >= 0;
}

/** Computes each feature's share of the total decrease of impurity by the splits of a tree; zeros if there is no split. */
function importancesOf(
  trees: Fitted<typeof parts>["trees"],
  origins: Int32Array,
  { left, impurities }: FullTree["facts"],
): Float64Array {
  const { nodes } = trees.arrays;
  const amounts = new Float64Array(trees.columns);
  let total = 0;
  origins.forEach((origin, node) => {
    const split = nodes[node * NODE_WORDS + 1];
    if (split < 0) return;
    const child = left[origin];
    const decrease = Math.max(0, impurities[origin] - impurities[child] - impurities[child + 1]);
    amounts[split >> FEATURE_SHIFT] += decrease;
    total += decrease;
  });
  return total > 0 ? amounts.map((amount) => amount / total) : amounts;
}
