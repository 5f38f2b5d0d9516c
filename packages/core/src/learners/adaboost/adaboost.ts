import * as z from "zod";
import { type BinnedColumns, MISSING_BIN } from "../../encode/binned-columns.js";
import { type PartsOf, variant } from "../../runtime/codec/parts.js";
import { nonNegativeInteger } from "../../runtime/codec/schema-numbers.js";
import { records } from "../../runtime/codec/tensor-parts.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import {
  stumpCommitteeCertificates,
  trainingErrorBounds,
  treeCommitteeCertificates,
} from "../../theory/boosting/boosting.js";
import { stumpVcDimension, treeVcDimension } from "../../theory/vc/vc-dimension.js";
import { defineLearner } from "../define-learner.js";
import type { CurveSection, TableSection } from "../description.js";
import { boostingPatienceOption, validationOption } from "../early-stopping.js";
import type { Fitted } from "../learner-definition.js";
import { stumpTerms } from "../stump/stump-terms.js";
import { checkBinned, checkDense, type TrainingSample } from "../training-sample.js";
import { TreeSet } from "../tree/tree-set.js";
import { treeSet } from "../tree/tree-set-part.js";
import { adaboostStops, boost } from "./adaboost-rounds.js";
import { countDistinct, stumpLearner, stumpRules, stumpVoteShares } from "./stump-voters.js";
import { treeLearner, treePredictions, treeVoteShares } from "./tree-voters.js";
import { VoteCount, type WeakPredictions } from "./votes.js";

const MOST_ROUNDS = 100_000;

/** Deeper trees have a leaf for every row. */
const MOST_DEPTH = 30;

/** The bounds for deeper trees on numbers are vacuous: such trees can separate too many rows. */
const MOST_CERTIFIED_DEPTH = 10;

/** Fitted votes are far below; larger ones in a file could overflow when they are added up. */
const LARGEST_VOTE = 1e9;

const parts = {
  /** Vote α_t, weighted error ε_t under D_t, and weighted error of the committee so far under D_1. */
  rounds: records("rounds", {
    alpha: { type: "float64", min: Number.MIN_VALUE, max: LARGEST_VOTE },
    error: { type: "float64", min: 0, max: 1 },
    trainingError: { type: "float64", min: 0, max: 1 },
  }),
  stop: z.enum(adaboostStops),
  /** K of SAMME: the number of classes among the training rows. */
  trainingClasses: nonNegativeInteger.min(2),
  /** The weak classifier of each round. */
  voters: variant({
    stumps: { stumps: stumpRules },
    trees: {
      /** Leaves hold one class each. */
      trees: treeSet({ classes: "classes", columns: "features", leaves: "shares" }),
      /** Maximum depth. */
      depth: z.int().min(1).max(MOST_DEPTH),
      /** Whether all features are numeric. */
      numeric: z.boolean(),
    },
  }),
};

type AdaBoostParts = PartsOf<typeof parts>;
type FittedAdaBoost = Fitted<typeof parts>;

/**
 * Discrete AdaBoost on decision stumps or small trees; SAMME for more than two classes. The model is the committee
 * f(x) = Σ α_t h_t(x) (Triviño 2017, eq. 3.1).
 *
 * From `fit` to model:
 * 1. `fit` chooses the weak learner: `stumpLearner` on numbers, or `treeLearner` on bins.
 * 2. `boost` holds rows out for early stopping, if `patience` is positive.
 * 3. The weak learner prepares the rows once for all rounds: sorted columns (`StumpFinder`), or `TreeColumns` and a `TreeGrower`.
 * 4. Each round of `boostAll` finds the weak classifier with the lowest error under the weights D_t, and updates the weights.
 * 5. `voteOf` computes the vote α_t from the error; `VoteCount` follows the training error of the committee.
 * 6. A perfect classifier, one no better than chance, or the error on the held-out rows can end boosting early.
 * 7. The rules and rounds are the model: stumps as records, trees as one `TreeSet`.
 */
export const adaboost = defineLearner({
  name: "adaboost",
  title: "AdaBoost",
  summary:
    "A weighted vote of decision stumps or small trees; each focuses on the rows that earlier ones got wrong.",
  options: z.object({
    rounds: z
      .int()
      .min(1)
      .max(MOST_ROUNDS)
      .default(100)
      .describe(
        "Maximum number of stumps or trees. Boosting stops early if one is perfect or no better than chance.",
      ),
    weakLearner: z
      .enum(["stump", "tree"])
      .default("stump")
      .describe("Weak learner: decision stumps (one split on a numeric feature) or small trees."),
    depth: z
      .int()
      .min(1)
      .max(MOST_DEPTH)
      .default(3)
      .describe("Maximum tree depth. Ignored for stumps.")
      .meta({ ignoredIf: { weakLearner: ["stump"] } }),
    patience: boostingPatienceOption(MOST_ROUNDS, "error"),
    validation: validationOption(0.2),
  }),
  features: "matrix or binned",
  encoding: ({ weakLearner }) =>
    weakLearner === "stump"
      ? { kind: "numeric", standardise: false }
      : { kind: "binned", maxBins: MISSING_BIN },
  scoring: "decision",
  parts,
  keepsTrainingErrors: true,
  async fit(training, options, run): Promise<AdaBoostParts> {
    if (options.weakLearner === "stump") {
      assertDense(training);
      const { rules, ...committee } = await boost(stumpLearner, training, options, run);
      return { ...committee, voters: { kind: "stumps", stumps: rules } };
    }
    assertBinned(training);
    const { depth } = options;
    const { rules, ...committee } = await boost(treeLearner(depth), training, options, run);
    const numeric = training.sample.features.features.every(({ kind }) => kind === "numeric");
    return { ...committee, voters: { kind: "trees", trees: TreeSet.concat(rules), depth, numeric } };
  },
  fault({ rounds, trainingClasses, classes, voters }) {
    if (trainingClasses > classes.length) return `it was trained on ${trainingClasses} classes`;
    if (rounds.length === 0 || rounds.length > MOST_ROUNDS) return `it has ${rounds.length} rounds`;
    if (voters.kind === "stumps") return undefined;
    const { trees, depth } = voters;
    if (trees.trees !== rounds.length) return `${rounds.length} rounds have ${trees.trees} trees`;
    if (trees.arrays.leafClasses.length > 0) return "leaves have several classes";
    return trees.depth > depth ? `a tree is deeper than ${depth}` : undefined;
  },
  /**
   * Computes each class's share of the votes, Σ_{t: h_t(x) = k} α_t / Σ_t α_t. For two classes the margin, the share of the
   * true class minus that of the other, is the normalised margin y·f(x) / Σ α_t (thesis, eq. 3.12).
   */
  scores({ voters, rounds, classes }, features) {
    if (voters.kind === "stumps") {
      checkDense(features);
      return stumpVoteShares(voters.stumps, rounds, classes.length, features);
    }
    checkBinned("adaboost", features);
    return treeVoteShares(voters.trees, rounds, features);
  },
  additive({ voters, rounds }, classIndex) {
    const unit = "share of votes";
    const total = rounds.reduce((sum, { alpha }) => sum + alpha, 0);
    if (voters.kind === "trees") {
      const weight = (tree: number) => rounds[tree].alpha / total;
      return { kind: "trees", unit, base: 0, trees: voters.trees, output: classIndex, weight };
    }
    const share = (chosen: number, t: number) => (chosen === classIndex ? rounds[t].alpha / total : 0);
    const steps = voters.stumps.map(({ split, left, right }, t) => ({
      split,
      step: share(right, t) - share(left, t),
    }));
    return {
      kind: "terms",
      unit,
      base: voters.stumps.reduce((sum, { left }, t) => sum + share(left, t), 0),
      columnTerms(features, columnOf, columns) {
        checkDense(features);
        return stumpTerms(steps, features, columnOf, columns);
      },
    };
  },
  growth: {
    option: "rounds",
    // With early stopping, the best of few rounds is not the start of the best of many.
    applies: ({ patience }) => patience === 0,
    upTo(model, steps): AdaBoostParts {
      const { rounds, trainingClasses, voters } = model;
      if (steps >= rounds.length) return model;
      return {
        rounds: rounds.slice(0, steps),
        stop: "all rounds done",
        trainingClasses,
        voters:
          voters.kind === "stumps"
            ? { kind: "stumps", stumps: voters.stumps.slice(0, steps) }
            : { ...voters, trees: voters.trees.slice(0, steps) },
      };
    },
  },
  *stagedPredictions({ voters, rounds, classes }, features) {
    const count = new VoteCount(features.rows, classes.length);
    let t = 0;
    for (const predictions of weakPredictions(voters, features)) {
      count.add(predictions, rounds[t++].alpha);
      yield count.leaders;
    }
  },
  /** Returns the VC dimension of the voters, not of their votes, for Theorems 3.3 and 3.5. */
  complexity({ voters, rounds, classes, featureNames }) {
    const features = featureNames.length;
    const common = { rounds: rounds.length, features };
    const counts = voters.kind === "stumps" ? common : { ...common, leaves: voters.trees.leaves };
    if (classes.length !== 2 || !isCertified(voters)) return { counts };
    const vote = (vcDimension: number) => ({ voters: rounds.length, vcDimension });
    if (voters.kind === "stumps") {
      const vcDimension = stumpVcDimension(features);
      return { vote: vote(vcDimension), counts: { ...counts, stumpVcDimension: vcDimension } };
    }
    const vcDimension = treeVcDimension(features, 2 ** voters.depth);
    return { vote: vote(vcDimension), counts: { ...counts, treeVcDimension: vcDimension } };
  },
  certificates({ training, voters, rounds, classes, featureNames }, { confidence }) {
    if (!training || !isCertified(voters)) return [];
    const evidence = {
      ...training,
      margins: Array.from(training.margins),
      features: featureNames.length,
      classes: classes.length,
      rounds: rounds.length,
      confidence,
    };
    return voters.kind === "stumps"
      ? stumpCommitteeCertificates({ ...evidence, stumps: countDistinct(voters.stumps, classes.length) })
      : treeCommitteeCertificates({ ...evidence, leaves: 2 ** voters.depth });
  },
  describe(model) {
    const { rounds, stop, voters } = model;
    const curve = errorCurve(model);
    const [error, bound] = curve.series.map(({ values }) => values[values.length - 1]);
    return {
      facts: [
        { name: "rounds", value: rounds.length },
        { name: "stop reason", value: stop },
        ...(voters.kind === "trees"
          ? [
              { name: "maximum depth", value: voters.depth },
              { name: "leaves", value: voters.trees.leaves },
            ]
          : []),
        { name: "training error", value: error, unit: "share" },
        { name: "bound on the training error", value: bound, unit: "share" },
      ],
      sections: [curve, voterTable(model)],
    };
  },
});

/** A fitted weighted vote of stumps or trees. */
export type AdaBoostModel = ReturnType<typeof adaboost.assemble>;

function assertDense(
  training: TrainingSample<Matrix | BinnedColumns>,
): asserts training is TrainingSample<Matrix> {
  checkDense(training.sample.features);
}

function assertBinned(
  training: TrainingSample<Matrix | BinnedColumns>,
): asserts training is TrainingSample<BinnedColumns> {
  checkBinned("adaboost", training.sample.features);
}

/** Tells whether there are certificates: sets of categories can split rows in too many ways for a useful bound. */
function isCertified(voters: FittedAdaBoost["voters"]): boolean {
  return voters.kind === "stumps" || (voters.numeric && voters.depth <= MOST_CERTIFIED_DEPTH);
}

/** Yields the predictions of each voter; each is overwritten by the next. */
function* weakPredictions(
  voters: FittedAdaBoost["voters"],
  features: Matrix | BinnedColumns,
): Generator<WeakPredictions, void> {
  if (voters.kind === "stumps") {
    checkDense(features);
    const predict = stumpLearner.predictor(features);
    for (const stump of voters.stumps) yield predict(stump);
  } else {
    checkBinned("adaboost", features);
    yield* treePredictions(voters.trees, features);
  }
}

function errorCurve({ rounds, trainingClasses }: FittedAdaBoost): CurveSection {
  const bounds = trainingErrorBounds(
    rounds.map(({ error }) => error),
    trainingClasses,
  );
  return {
    kind: "curve",
    title: "training error",
    step: "round",
    quantity: "error",
    series: [
      { role: "train", name: "training rows", values: rounds.map(({ trainingError }) => trainingError) },
      {
        role: "bound",
        name: "bound of Theorem 3.1",
        values: Array.from(bounds, (bound) => Math.min(1, bound)),
      },
    ],
  };
}

function voterTable({ voters, rounds, classes, featureNames }: FittedAdaBoost): TableSection {
  const isStumps = voters.kind === "stumps";
  const own = isStumps
    ? ["feature", "threshold", "class if ≤ threshold", "class if > threshold"]
    : ["leaves", "depth"];
  const rowOf = (t: number): (string | number)[] => {
    if (voters.kind === "trees") return [voters.trees.leavesOf(t), voters.trees.depthOf(t)];
    const { split, left, right } = voters.stumps[t];
    if (!split) return ["(constant)", "", classes[left], classes[left]];
    return [featureNames[split.feature], split.threshold, classes[left], classes[right]];
  };
  return {
    kind: "table",
    title: voters.kind,
    columns: [
      ...own.map((name) => ({ name })),
      { name: "vote", bars: true },
      { name: "weighted error", unit: "share" },
    ],
    rows: rounds.map(({ alpha, error }, t) => [...rowOf(t), alpha, error]),
  };
}
