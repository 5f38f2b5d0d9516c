import * as z from "zod";
import { type BinnedColumns, MISSING_BIN } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import { optional, type PartsOf } from "../../runtime/codec/parts.js";
import { float32, float64 } from "../../runtime/codec/tensor-parts.js";
import { formatCount } from "../../runtime/text/number-format.js";
import { NODE_WORDS } from "../../runtime/wasm/wasm-exports.js";
import { defineLearner } from "../define-learner.js";
import { type CurveSection, importanceSection } from "../description.js";
import { boostingPatienceOption, earlyStoppingSplit, validationOption } from "../early-stopping.js";
import type { Fitted } from "../learner-definition.js";
import { rowWeights } from "../row-weights.js";
import { predictionsOf } from "../scores.js";
import type { TrainingSample } from "../training-sample.js";
import { FEATURE_SHIFT } from "../tree/tree-set.js";
import { treeSet } from "../tree/tree-set-part.js";
import { type BoostedTrees, boostTrees } from "./boost-trees.js";
import type { LabelledBins } from "./boosted-rows.js";
import { boostedProbabilities, boostedScores, stagedSums } from "./boosted-scores.js";
import { checkTotalWeight, initialMargins } from "./initial-margins.js";

const MOST_ROUNDS = 100_000;

/** Trees that are described one by one. */
const DRAWN_TREES = 3;

/** Deeper trees have a leaf for every row. */
const MOST_DEPTH = 30;

const fraction = z.number().gt(0).max(1).default(1);

/** Returns the number of margins: one for two classes, otherwise one for each class. */
const outputs = ({ classes }: Readonly<Record<string, number>>) => (classes === 2 ? 1 : classes);

/** Initial margins are logarithms of shares; larger ones in a file could overflow. */
const LARGEST_BASE = 1e6;

const parts = {
  /** Initial margins: of the second of two classes, otherwise one for each class. */
  base: float64([outputs], { min: -LARGEST_BASE, max: LARGEST_BASE }),
  /** For each round one tree, or one for each of several classes. */
  trees: treeSet({ classes: outputs, columns: "features", leaves: "values" }),
  /** The gain of each split, tree after tree. */
  gains: float32(["splits"], { min: 0 }),
  /** Mean loss on the training rows after each round. */
  trainingLosses: float64(["rounds"], { min: 0 }),
  /** Mean loss on the held-out rows after each round, with early stopping. */
  validationLosses: optional(float64(["rounds"], { min: 0 })),
  stop: z.enum(["all rounds done", "validation loss no longer falls"]),
};

type BoostedParts = PartsOf<typeof parts>;

/**
 * Gradient-boosted trees: logistic loss for two classes, softmax for more. From `fit` to the model:
 *
 * 1. `fit` sets rows for early stopping aside and computes the initial margins (`initial-margins.ts`).
 * 2. `boostTrees` copies bins, labels and weights to shared memory (`BoostedRows`), and starts a team of threads.
 * 3. `Booster.lead`, in `boosting-team.ts`, runs the rounds. The first thread posts jobs; all threads do their items.
 * 4. In each round, `boosted-loss.ts` in `wasm/` computes losses and gradients, rounded to integers, so that sums are exact.
 * 5. `GrowingTree` grows the trees of the round level by level: build histograms, search splits, divide rows.
 * 6. Leaf values are added to margins as leaves form; rows that were not drawn and held-out rows walk through the tree.
 * 7. `boostedParts` keeps the rounds up to the lowest held-out loss.
 * 8. `boostedScores` evaluates the model: sums of leaf values, then logistic or softmax.
 *
 * With rows on several machines, `fit-shard.ts` takes the place of `fit`, and `ShardLevels` adds histograms up over the shards.
 */
export const boostedTrees = defineLearner({
  name: "boosted-trees",
  title: "Boosted trees",
  summary: "Gradient boosting: each small tree corrects the errors of the trees before it.",
  tasks: ["boosted-trees/boost"],
  options: z.object({
    rounds: z
      .int()
      .min(1)
      .max(MOST_ROUNDS)
      .default(300)
      .describe("Maximum number of rounds. Each adds one tree, or one per class with more than two classes."),
    learningRate: z.number().gt(0).max(1).default(0.1).describe("Learning rate (shrinkage) of each tree."),
    maxDepth: z.int().min(1).max(MOST_DEPTH).default(6).describe("Maximum tree depth."),
    minChildWeight: z
      .number()
      .min(0)
      .default(1)
      .describe("Minimum sum of second derivatives, weight · p · (1 − p), on each side of a split."),
    lambda: z.number().min(0).default(1).describe("L2 regularisation of leaf values."),
    gamma: z
      .number()
      .min(0)
      .default(0)
      .describe("Minimum gain: a node is split only if the gain exceeds this."),
    rowsPerTree: fraction.describe("Fraction of rows sampled for each tree, without replacement."),
    columnsPerTree: fraction.describe("Fraction of features sampled for each tree."),
    columnsPerSplit: fraction.describe("Fraction of the tree's features considered at each split."),
    classWeights: z
      .enum(["none", "balanced"])
      .default("none")
      .describe('"balanced" weights rows so that all classes have the same total weight.'),
    patience: boostingPatienceOption(MOST_ROUNDS, "loss"),
    validation: validationOption(0.2),
  }),
  features: "binned",
  encoding: { kind: "binned", maxBins: MISSING_BIN },
  parts,
  async fit(training, options, run): Promise<BoostedParts> {
    const { sample } = training;
    const weights = weightsOf(training, options.classWeights);
    const { train, test } = earlyStoppingSplit("boosted-trees", sample.labels, options, run.seed);
    const learned = selectBins(sample, weights, train);
    const base = initialMargins(learned, sample.classes.length);
    const held = test && selectBins(sample, weights, test);
    const boosted = await boostTrees({ training: learned, held, base, options }, run);
    return boostedParts(boosted, base, options);
  },
  fault({ trees, base, gains, trainingLosses: { length: rounds } }) {
    if (trees.trees !== rounds * base.length) return `it has ${trees.trees} trees in ${rounds} rounds`;
    return gains.length === trees.splits
      ? undefined
      : `it has ${gains.length} gains of ${trees.splits} splits`;
  },
  evaluate: ({ trees, base }, features) => boostedScores(trees, base, features),
  scores: (_, probabilities) => probabilities,
  /** Sums margins: the log-odds of one of two classes, otherwise F_k of class k before the softmax. */
  additive({ trees, base }, classIndex) {
    if (base.length > 1) {
      const weight = () => 1;
      return { kind: "trees", unit: "margin", base: base[classIndex], trees, output: classIndex, weight };
    }
    const sign = classIndex === 1 ? 1 : -1;
    return { kind: "trees", unit: "log-odds", base: sign * base[0], trees, output: 0, weight: () => sign };
  },
  growth: {
    option: "rounds",
    // With early stopping, the best of few rounds is not the start of the best of many.
    applies: ({ patience }) => patience === 0,
    upTo(model, rounds): BoostedParts {
      if (rounds >= model.trainingLosses.length) return model;
      const trees = model.trees.slice(0, rounds * model.base.length);
      return {
        base: model.base,
        trees,
        gains: model.gains.subarray(0, trees.splits),
        trainingLosses: model.trainingLosses.subarray(0, rounds),
        ...(model.validationLosses && { validationLosses: model.validationLosses.subarray(0, rounds) }),
        stop: "all rounds done",
      };
    },
  },
  *stagedPredictions({ trees, base }, features) {
    for (const sums of stagedSums(trees, base.length, features)) {
      yield predictionsOf(boostedProbabilities(sums, base));
    }
  },
  /** Returns no number of free parameters: λ and the learning rate restrain the leaves. */
  complexity({ trees, trainingLosses, featureNames }) {
    const { leaves, depth } = trees;
    const rounds = trainingLosses.length;
    return { counts: { rounds, trees: trees.trees, leaves, depth, features: featureNames.length } };
  },
  describe(model) {
    const { trees, trainingLosses, validationLosses, featureNames } = model;
    const last = trainingLosses.length - 1;
    return {
      facts: [
        { name: "rounds", value: trainingLosses.length },
        { name: "trees", value: trees.trees },
        { name: "leaves", value: trees.leaves },
        { name: "depth", value: trees.depth },
        { name: "stop reason", value: model.stop },
        { name: "training loss", value: trainingLosses[last] },
        ...(validationLosses ? [{ name: "validation loss", value: validationLosses[last] }] : []),
      ],
      sections: [lossCurve(model), importanceSection(featureNames, importancesOf(model))],
    };
  },
  async describeTrees({ trees, base, classes }, sample) {
    // A page that only predicts does not load what draws trees.
    const { picturedTrees } = await import("../tree/tree-pictures.js");
    const all = formatCount(trees.trees, "tree");
    const wanted = Array.from({ length: Math.min(trees.trees, DRAWN_TREES) }, (_, tree) => {
      const round = Math.floor(tree / base.length) + 1;
      const of = base.length === 1 ? classes[1] : classes[tree % base.length];
      return {
        tree,
        title: base.length === 1 ? `tree ${round} of ${trees.trees}` : `round ${round}: tree of “${of}”`,
        note: `One of ${all}: the model adds up the numbers in their leaves, and the larger the sum, the more likely is “${of}”.`,
        holdsSteps: true as const,
      };
    });
    return picturedTrees(trees, sample, wanted);
  },
  notices({ gains }) {
    if (gains.length > 0) return [];
    return [
      "No split was worth making: every row gets the same probabilities. Is minChildWeight too large for the row weights?",
    ];
  },
});

/** Fitted gradient-boosted trees. */
export type BoostedTreesModel = ReturnType<typeof boostedTrees.assemble>;

/** Returns the parts of a model: trees up to the round with the lowest held-out loss. */
export function boostedParts(
  { trees, gains, best, trainingLosses, validationLosses }: BoostedTrees,
  base: Float64Array,
  { rounds, patience }: { readonly rounds: number; readonly patience: number },
): BoostedParts {
  return {
    base,
    trees,
    gains,
    trainingLosses: Float64Array.from(trainingLosses.slice(0, best)),
    ...(patience > 0 && { validationLosses: Float64Array.from(validationLosses.slice(0, best)) }),
    stop: best < rounds ? "validation loss no longer falls" : "all rounds done",
  };
}

/** Computes each feature's share of the total gain of all splits; zeros if there is no split. */
function importancesOf({ trees, gains, featureNames }: Fitted<typeof parts>): Float64Array {
  const { nodes } = trees.arrays;
  const amounts = new Float64Array(featureNames.length);
  let total = 0;
  for (let at = 1, split = 0; at < nodes.length; at += NODE_WORDS) {
    if (nodes[at] < 0) continue;
    const gain = gains[split++];
    amounts[nodes[at] >> FEATURE_SHIFT] += gain;
    total += gain;
  }
  return total > 0 ? amounts.map((amount) => amount / total) : amounts;
}

function lossCurve({ trainingLosses, validationLosses }: BoostedParts): CurveSection {
  return {
    kind: "curve",
    title: "loss",
    step: "round",
    quantity: "loss",
    series: [
      { role: "train", name: "training rows", values: Array.from(trainingLosses) },
      ...(validationLosses
        ? [{ role: "validation" as const, name: "validation rows", values: Array.from(validationLosses) }]
        : []),
    ],
  };
}

/** Computes absolute weights: a row of weight 2 counts as two rows. Undefined if all rows have weight 1. */
function weightsOf(
  { sample, distribution }: TrainingSample<BinnedColumns>,
  classWeights: "none" | "balanced",
): Float64Array | undefined {
  if (!sample.weights && classWeights === "none") return undefined;
  const total = sample.weights?.reduce((sum, weight) => sum + weight, 0) ?? sample.rows;
  checkTotalWeight(total);
  const relative = rowWeights(sample, distribution, classWeights) ?? new Float64Array(sample.rows).fill(1);
  return relative.map((weight) => (weight * total) / sample.rows);
}

/** Selects some of the rows, or all of them. */
export function selectBins(
  { features, labels }: Sample<BinnedColumns>,
  weights: Float64Array | undefined,
  rows: Int32Array | undefined,
): LabelledBins {
  if (!rows) return { features, labels, weights };
  return {
    features: features.select(rows),
    labels: rows.map((row) => labels[row]),
    weights: weights && Float64Array.from(rows, (row) => weights[row]),
  };
}
