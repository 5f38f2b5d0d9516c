import { z } from "zod";
import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/matrix.js";
import { formatCount, formatPercent } from "../../runtime/number-format.js";
import { type Json, type State, StateReader } from "../../runtime/state.js";
import type { Certificate } from "../../theory/certificate.js";
import { forestFirstOrder, forestTandem } from "../../theory/forests/forest-votes.js";
import type { Complexity, Model } from "../model.js";
import { marginsOf, predictionsOf } from "../scores.js";
import { checkColumns } from "../training-sample.js";
import type { TreeSet } from "../tree/tree-set.js";
import { readTrees, treeTensorNames, treeTensors } from "../tree/tree-state.js";
import { forestScoresAtOnce } from "./forest-scores.js";
import { type OutOfBag, type OutOfBagLosses, outOfBagLossesSchema } from "./out-of-bag.js";

/** The learners whose models are forests. */
export type ForestName = "forest" | "random-trees";

/** What a forest consists of. */
interface ForestParts {
  readonly learner: ForestName;
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly trees: TreeSet;
  /** For each feature its share of what all questions together decrease the impurity. */
  readonly importances: Float64Array;
  /** How many rows it was grown on. */
  readonly trainingRows: number;
  readonly outOfBag?: OutOfBag;
  /** What certificates need; absent where rows have weights, and in files of older versions. */
  readonly outOfBagLosses?: OutOfBagLosses;
  /** Of the training rows; known only right after training, for files do not keep it. */
  readonly outOfBagScores?: Matrix;
}

const structure = z.strictObject({
  classes: z.array(z.string()).min(2),
  featureNames: z.array(z.string()).min(1),
  trainingRows: z.int().min(1),
  outOfBag: z
    .strictObject({ rows: z.int().min(1), errors: z.int().min(0) })
    .refine(({ rows, errors }) => errors <= rows, "more errors than rows")
    .optional(),
  outOfBagLosses: outOfBagLossesSchema.optional(),
});

/** A forest: the mean of what its trees say. */
export class ForestModel implements Model<BinnedColumns> {
  readonly learner: ForestName;
  readonly scoring = "probability";
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly trees: TreeSet;
  /** For each feature its share of what all questions together decrease the impurity; zeros if there is no question. */
  readonly importances: Float64Array;
  readonly trainingRows: number;
  /** The error that the training itself tells, if it was asked to. */
  readonly outOfBag: OutOfBag | undefined;
  readonly outOfBagLosses: OutOfBagLosses | undefined;
  /**
   * For each training row of positive weight the mean over the trees that have not seen it; zeros if all have. Known right
   * after training only: files do not keep it.
   */
  readonly outOfBagScores: Matrix | undefined;

  constructor(parts: ForestParts) {
    this.learner = parts.learner;
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.trees = parts.trees;
    this.importances = parts.importances;
    this.trainingRows = parts.trainingRows;
    this.outOfBag = parts.outOfBag;
    this.outOfBagLosses = parts.outOfBagLosses;
    this.outOfBagScores = parts.outOfBagScores;
  }

  /** The mean over the trees of the class frequencies in the leaf that a row ends in. */
  scores(features: BinnedColumns): Matrix {
    checkColumns(features, this.featureNames);
    return forestScoresAtOnce(this.trees, features);
  }

  predict(features: BinnedColumns): Int32Array {
    return predictionsOf(this.scores(features));
  }

  /** Probability of the true class minus the largest probability of another one. */
  margins(sample: Sample<BinnedColumns>): Float64Array {
    return marginsOf(this.scores(sample.features), sample.labels);
  }

  get notices(): readonly string[] {
    if (!this.outOfBag) return [];
    const { rows, errors } = this.outOfBag;
    const leftOut = this.trainingRows - rows;
    const judged = `${formatPercent(errors / rows)} of ${formatCount(rows, "training row")}`;
    const others = leftOut > 0 ? ` ${formatCount(leftOut, "row")} that every tree has seen left out.` : "";
    return [
      `Out-of-bag error, an estimate of the error on new rows: ${judged}, by trees that have not seen them.${others}`,
    ];
  }

  complexity(): Complexity {
    const { trees, leaves, depth } = this.#size();
    return { counts: { trees, leaves, depth, features: this.featureNames.length } };
  }

  /** All trees have the same vote, so that their weights do not diverge from those before training. */
  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    if (!this.outOfBagLosses) return [];
    const { single, pairs } = this.outOfBagLosses;
    const evidence = { rows: this.trainingRows, confidence, divergence: 0 };
    const first = forestFirstOrder({ ...evidence, gibbsLoss: single.loss, outOfBagRows: single.rows });
    if (!pairs) return [first];
    return [forestTandem({ ...evidence, tandemLoss: pairs.loss, outOfBagRows: pairs.rows }), first];
  }

  describe(): Json {
    const { outOfBag, featureNames, importances } = this;
    const byImportance = [...importances.keys()].sort((a, b) => importances[b] - importances[a] || a - b);
    return {
      ...this.#size(),
      ...(outOfBag && { outOfBagError: outOfBag.errors / outOfBag.rows, outOfBagRows: outOfBag.rows }),
      importances: byImportance.map((j) => ({ feature: featureNames[j], importance: importances[j] })),
    };
  }

  toState(): State {
    const { classes, featureNames, trainingRows, outOfBag, outOfBagLosses, importances, trees } = this;
    return {
      json: {
        classes,
        featureNames,
        trainingRows,
        ...(outOfBag && { outOfBag: { ...outOfBag } }),
        ...(outOfBagLosses && { outOfBagLosses: lossesInJson(outOfBagLosses) }),
      },
      tensors: {
        importances: { shape: [importances.length], data: importances },
        ...treeTensors(trees),
      },
    };
  }

  /** Reads the models of one learner behind states that `toState` gave. */
  static restorer(learner: ForestName): (state: State) => ForestModel {
    return (state) => {
      const reader = new StateReader(`${learner} model`, state);
      const json = reader.json(structure);
      const { classes, featureNames, outOfBag, outOfBagLosses: losses, trainingRows } = json;
      if ([outOfBag, losses?.single, losses?.pairs].some((judged) => judged && judged.rows > trainingRows)) {
        throw reader.corrupt("more rows out of bag than in all");
      }
      reader.only("importances", ...treeTensorNames());
      return new ForestModel({
        ...json,
        learner,
        importances: reader.numbers("importances", [featureNames.length], 0, 1),
        trees: readTrees(reader, { classes: classes.length, columns: featureNames.length }),
      });
    };
  }

  #size(): { trees: number; leaves: number; depth: number } {
    const { trees } = this;
    let leaves = 0;
    let depth = 0;
    for (let t = 0; t < trees.trees; t++) {
      leaves += trees.leavesOf(t);
      depth = Math.max(depth, trees.depthOf(t));
    }
    return { trees: trees.trees, leaves, depth };
  }
}

function lossesInJson({ single, pairs }: OutOfBagLosses): Json {
  return { single: { ...single }, ...(pairs && { pairs: { ...pairs } }) };
}
