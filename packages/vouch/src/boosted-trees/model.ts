import { z } from "zod";
import type { BinnedColumns } from "../data/binned-columns.js";
import type { Sample } from "../data/sample.js";
import { VouchError } from "../error.js";
import { sumsAtOnce } from "../forest/index.js";
import type { Complexity, Model } from "../learning/model.js";
import { marginsOf, predictionsOf } from "../learning/scores.js";
import { checkColumns } from "../learning/training-sample.js";
import type { Matrix } from "../numeric/matrix.js";
import { NODE_WORDS } from "../numeric/tree-kernels.js";
import type { Json, State } from "../state/state.js";
import { StateReader } from "../state/state-reader.js";
import { FEATURE_SHIFT, readTrees, type TreeSet, treeTensorNames, treeTensors } from "../tree/index.js";
import { firstTrees, splitsOf } from "./join-trees.js";
import { probabilitiesOf } from "./probabilities.js";
import { stagedSums } from "./staged-sums.js";

/** The reasons for which boosting ends. */
export const stops = ["all rounds done", "validation loss no longer falls"] as const;

/** What a model consists of. */
export interface BoostedTreesParts {
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  /** The margins before the first round: of the second of two classes, otherwise one for each class. */
  readonly base: Float64Array;
  /** For each round one tree, or one for each of several classes. */
  readonly trees: TreeSet;
  /** What each split has gained, tree after tree. */
  readonly gains: Float32Array;
  /** The mean loss on the training rows after each round. */
  readonly trainingLosses: Float64Array;
  /** The same on rows that were kept apart, if there were any. */
  readonly validationLosses?: Float64Array;
  readonly stop: (typeof stops)[number];
}

const structure = z.strictObject({
  classes: z.array(z.string()).min(2),
  featureNames: z.array(z.string()).min(1),
  stop: z.enum(stops),
  validated: z.boolean(),
});

/** Margins to begin with are logarithms of shares; larger ones in a file could overflow. */
const LARGEST_BASE = 1e6;

/** Gradient-boosted trees: probabilities from the sum of the values that the trees give. */
export class BoostedTreesModel implements Model<BinnedColumns> {
  readonly learner = "boosted-trees";
  readonly scoring = "probability";
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly base: Float64Array;
  readonly trees: TreeSet;
  readonly gains: Float32Array;
  readonly trainingLosses: Float64Array;
  readonly validationLosses: Float64Array | undefined;
  readonly stop: (typeof stops)[number];

  constructor(parts: BoostedTreesParts) {
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.base = parts.base;
    this.trees = parts.trees;
    this.gains = parts.gains;
    this.trainingLosses = parts.trainingLosses;
    this.validationLosses = parts.validationLosses;
    this.stop = parts.stop;
  }

  /** How many rounds were kept. */
  get rounds(): number {
    return this.trainingLosses.length;
  }

  /** The probability of each class. */
  scores(features: BinnedColumns): Matrix {
    checkColumns(features, this.featureNames);
    return probabilitiesOf(sumsAtOnce(this.trees, features), this.base);
  }

  predict(features: BinnedColumns): Int32Array {
    return predictionsOf(this.scores(features));
  }

  /** Probability of the true class minus the largest probability of another one. */
  margins(sample: Sample<BinnedColumns>): Float64Array {
    return marginsOf(this.scores(sample.features), sample.labels);
  }

  /** The model as it was after its first rounds. */
  after(rounds: number): BoostedTreesModel {
    if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= this.rounds)) {
      throw new VouchError("option/invalid", `The model has rounds 1 to ${this.rounds}, not ${rounds}.`);
    }
    if (rounds === this.rounds) return this;
    const { validationLosses } = this;
    return new BoostedTreesModel({
      ...this,
      ...firstTrees(this.trees, this.gains, rounds * this.base.length),
      trainingLosses: this.trainingLosses.subarray(0, rounds),
      ...(validationLosses && { validationLosses: validationLosses.subarray(0, rounds) }),
      stop: "all rounds done",
    });
  }

  /** The predictions after round 1, 2, …, one round's work each. */
  *stagedPredictions(features: BinnedColumns): Generator<Int32Array, void> {
    checkColumns(features, this.featureNames);
    const { base, trees } = this;
    for (const sums of stagedSums(trees, base.length, features)) {
      yield predictionsOf(probabilitiesOf(sums, base));
    }
  }

  /** For each feature its share of what all questions together have gained; zeros if there is no question. */
  get importances(): Float64Array {
    const { nodes } = this.trees.arrays;
    const amounts = new Float64Array(this.featureNames.length);
    let total = 0;
    for (let at = 1, split = 0; at < nodes.length; at += NODE_WORDS) {
      if (nodes[at] < 0) continue;
      const gain = this.gains[split++];
      amounts[nodes[at] >> FEATURE_SHIFT] += gain;
      total += gain;
    }
    return total > 0 ? amounts.map((amount) => amount / total) : amounts;
  }

  get notices(): readonly string[] {
    if (this.gains.length > 0) return [];
    return [
      "No question was worth asking: every row gets the same probabilities. Is minChildWeight too large for the weights of the rows?",
    ];
  }

  /** Leaves are held back by λ and the learning rate: no count of free parameters would be honest. */
  complexity(): Complexity {
    return { counts: { ...this.#size(), features: this.featureNames.length } };
  }

  describe(): Json {
    const { featureNames, importances, trainingLosses, validationLosses, stop } = this;
    const byImportance = [...importances.keys()].sort((a, b) => importances[b] - importances[a] || a - b);
    const last = this.rounds - 1;
    const losses = (round: number) => ({
      trainingLoss: trainingLosses[round],
      ...(validationLosses && { validationLoss: validationLosses[round] }),
    });
    return {
      ...this.#size(),
      stop,
      ...losses(last),
      importances: byImportance.map((j) => ({ feature: featureNames[j], importance: importances[j] })),
      losses: Array.from({ length: this.rounds }, (_, round) => losses(round)),
    };
  }

  toState(): State {
    const { classes, featureNames, stop, base, gains, trees, trainingLosses, validationLosses } = this;
    const tensor = <A extends Float32Array | Float64Array>(data: A) => ({ shape: [data.length], data });
    return {
      json: { classes, featureNames, stop, validated: validationLosses !== undefined },
      tensors: {
        base: tensor(base),
        gains: tensor(gains),
        trainingLosses: tensor(trainingLosses),
        ...(validationLosses && { validationLosses: tensor(validationLosses) }),
        ...treeTensors(trees),
      },
    };
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): BoostedTreesModel {
    const reader = new StateReader("boosted-trees model", state);
    const { validated, ...facts } = reader.json(structure);
    const outputs = facts.classes.length === 2 ? 1 : facts.classes.length;
    const rounds = reader.length("trainingLosses");
    const losses = (name: string) => reader.numbers(name, [rounds], 0);
    const trees = readTrees(reader, { classes: outputs, columns: facts.featureNames.length }, "", "values");
    if (trees.trees !== rounds * outputs) {
      throw reader.corrupt(`it has ${trees.trees} trees in ${rounds} rounds`);
    }
    reader.only(
      ...["base", "gains", "trainingLosses", ...(validated ? ["validationLosses"] : [])],
      ...treeTensorNames(),
    );
    return new BoostedTreesModel({
      ...facts,
      base: reader.numbers("base", [outputs], -LARGEST_BASE, LARGEST_BASE),
      trees,
      gains: reader.singles("gains", [splitsOf(trees)], 0, Number.MAX_VALUE),
      trainingLosses: losses("trainingLosses"),
      ...(validated && { validationLosses: losses("validationLosses") }),
    });
  }

  #size(): { rounds: number; trees: number; leaves: number; depth: number } {
    const { trees, rounds } = this;
    let depth = 0;
    for (let t = 0; t < trees.trees; t++) depth = Math.max(depth, trees.depthOf(t));
    return { rounds, trees: trees.trees, leaves: (trees.nodes + trees.trees) / 2, depth };
  }
}
