import type { z } from "zod";
import { type BinnedColumns, MISSING_BIN } from "../../encode/binned-columns.js";
import type { Features, Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/matrix.js";
import { completeRun, type Run } from "../../runtime/run.js";
import { marginQuantiles } from "../../theory/margins/margin-statistics.js";
import type { Learner, StepwiseGrowth } from "../learner.js";
import type { LearnerDefinition } from "../legacy.js";
import { legacyKind } from "../legacy.js";
import type { Model } from "../model.js";
import { parseOptions } from "../options.js";
import { errorsOn } from "../training-facts.js";
import { checkBinned, checkFinite, trainingSample } from "../training-sample.js";
import { TreeSet } from "../tree/tree-set.js";
import { type AdaBoostOptions, adaboostOptions } from "./adaboost-options.js";
import { boostWithPatience } from "./boosting.js";
import type { CommitteeFacts } from "./committee.js";
import { AdaBoostModel } from "./stump-committee.js";
import { stumps } from "./stumps.js";
import { AdaBoostTreesModel } from "./tree-committee.js";
import { trees } from "./trees.js";

const NAME = "adaboost";

type Given = z.input<typeof adaboostOptions>;

/** Discrete AdaBoost on decision stumps or small trees; SAMME for more than two classes. */
export function adaboost(
  options?: Given & { readonly weakLearner?: "stump" },
): Learner<AdaBoostModel, Matrix>;
export function adaboost(
  options: Given & { readonly weakLearner: "tree" },
): Learner<AdaBoostTreesModel, BinnedColumns>;
export function adaboost(
  options?: Given,
): Learner<AdaBoostModel | AdaBoostTreesModel, Matrix | BinnedColumns>;
export function adaboost(
  options?: Given,
): Learner<AdaBoostModel, Matrix> | Learner<AdaBoostTreesModel, BinnedColumns> {
  const parsed = parseOptions(NAME, adaboostOptions, options);
  return parsed.weakLearner === "stump" ? onStumps(parsed) : onTrees(parsed);
}

function onStumps(options: AdaBoostOptions): Learner<AdaBoostModel, Matrix> {
  return {
    name: NAME,
    options,
    encoding: { kind: "numeric", standardise: false },
    async fit(given: Sample<Matrix>, run?: Partial<Run>) {
      checkFinite(given.features, given.featureNames);
      const training = trainingSample(NAME, given);
      const { sample } = training;
      const committee = await boostWithPatience(stumps, training, options, completeRun(run));
      const parts = { ...committee, classes: sample.classes, featureNames: sample.featureNames };
      return new AdaBoostModel({ ...parts, training: factsOf(new AdaBoostModel(parts), sample) });
    },
    ...growthOf(options),
  };
}

function onTrees(options: AdaBoostOptions): Learner<AdaBoostTreesModel, BinnedColumns> {
  return {
    name: NAME,
    options,
    encoding: { kind: "binned", maxBins: MISSING_BIN },
    async fit(given: Sample<BinnedColumns>, run?: Partial<Run>) {
      checkBinned(NAME, given.features);
      const training = trainingSample(NAME, given);
      const { sample } = training;
      const committee = await boostWithPatience(trees(options.depth), training, options, completeRun(run));
      const parts = {
        ...committee,
        classes: sample.classes,
        featureNames: sample.featureNames,
        rounds: committee.rounds.map(({ alpha, error, trainingError }) => ({ alpha, error, trainingError })),
        trees: TreeSet.concat(committee.rounds.map(({ tree }) => tree)),
        depth: options.depth,
        numeric: sample.features.features.every(({ kind }) => kind === "numeric"),
      };
      return new AdaBoostTreesModel({ ...parts, training: factsOf(new AdaBoostTreesModel(parts), sample) });
    },
    ...growthOf(options),
  };
}

/** What a committee that has just been trained can say of itself. */
function factsOf<F extends Features>(model: Model<F>, sample: Sample<F>): CommitteeFacts {
  const margins = Float64Array.from(marginQuantiles(model.margins(sample)));
  return { rows: sample.rows, errors: errorsOn(model, sample), margins };
}

/** A committee of few rounds is the beginning of one of many, but with a patience the best of few is not. */
function growthOf<M extends Committee<M>>({ patience }: AdaBoostOptions): { growth?: StepwiseGrowth<M> } {
  if (patience > 0) return {};
  return {
    growth: { option: "rounds", upTo: (model, rounds) => model.after(Math.min(rounds, model.rounds.length)) },
  };
}

/** What both kinds of models can do. */
interface Committee<M> {
  readonly rounds: readonly unknown[];
  after(rounds: number): M;
}

/** What the rest of the system knows of `adaboost`. */
export const adaboostDefinition: LearnerDefinition<
  typeof adaboostOptions,
  AdaBoostModel | AdaBoostTreesModel,
  Matrix | BinnedColumns
> = {
  name: NAME,
  summary: "A weighted vote of stumps or small trees, each made for the rows that the others get wrong.",
  options: adaboostOptions,
  multiclass: true,
  create: adaboost,
  restore: (state) =>
    AdaBoostTreesModel.isStateOf(state) ? AdaBoostTreesModel.restore(state) : AdaBoostModel.restore(state),
};

/** TRANSITION */
export const adaboostKind = legacyKind(adaboostDefinition);
