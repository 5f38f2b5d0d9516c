import { z } from "zod";
import type { Certificate } from "../bounds/certificate.js";
import { treeCommitteeCertificates } from "../bounds/tree-committee-certificates.js";
import { treeVcDimension } from "../bounds/vc-dimension-tree.js";
import type { BinnedColumns } from "../data/binned-columns.js";
import type { Sample } from "../data/sample.js";
import type { Complexity, Model } from "../learning/model.js";
import { marginsOf, predictionsOf } from "../learning/scores.js";
import { checkColumns } from "../learning/training-sample.js";
import { Matrix } from "../numeric/matrix.js";
import type { Json, State } from "../state/state.js";
import { StateReader } from "../state/state-reader.js";
import { readTrees, type TreeSet, treeTensorNames, treeTensors } from "../tree/index.js";
import { type RoundFacts, type Stop, trainingErrorBounds } from "./adaboost.js";
import {
  type CommitteeFacts,
  type CommitteeParts,
  checkRounds,
  committeeState,
  committeeStructure,
  describeCommittee,
  readCommittee,
} from "./committee-state.js";
import { DEEPEST } from "./options.js";
import { classesByTree } from "./trees.js";
import { VoteCount } from "./votes.js";

/** Deeper trees can tell more rows apart than certificates could be of use for. */
const DEEPEST_COUNTED = 10;

const structure = committeeStructure.extend({
  weakLearner: z.literal("tree"),
  depth: z.int().min(1).max(DEEPEST),
  numeric: z.boolean(),
});

/** What a committee of trees consists of. */
export interface TreeCommitteeParts extends CommitteeParts<readonly RoundFacts[]> {
  /** The tree of each round; its leaves hold one class each. */
  readonly trees: TreeSet;
  /** How deep trees could be at most. */
  readonly depth: number;
  /** Whether all features are numbers. */
  readonly numeric: boolean;
}

/** A committee of small decision trees: f(x) = Σ α_t h_t(x), eq. 3.1 of the thesis. */
export class AdaBoostTreesModel implements Model<BinnedColumns> {
  readonly learner = "adaboost";
  readonly scoring = "decision";
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly rounds: readonly RoundFacts[];
  readonly trees: TreeSet;
  readonly depth: number;
  readonly numeric: boolean;
  readonly stop: Stop;
  readonly trainingClasses: number;
  /** Absent in a model of which only some rounds are taken. */
  readonly training: CommitteeFacts | undefined;

  constructor(parts: TreeCommitteeParts) {
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.rounds = parts.rounds;
    this.trees = parts.trees;
    this.depth = parts.depth;
    this.numeric = parts.numeric;
    this.stop = parts.stop;
    this.trainingClasses = parts.trainingClasses;
    this.training = parts.training;
  }

  /** Each class's share of the votes, Σ_{t: h_t(x) = k} α_t / Σ_t α_t. */
  scores(features: BinnedColumns): Matrix {
    const shares = new Matrix(features.rows, this.classes.length);
    const { values, columns } = shares;
    let total = 0;
    for (const { classes, alpha } of this.#answers(features)) {
      total += alpha;
      for (let i = 0; i < classes.length; i++) values[i * columns + classes[i]] += alpha;
    }
    for (let k = 0; k < values.length; k++) values[k] /= total;
    return shares;
  }

  predict(features: BinnedColumns): Int32Array {
    return predictionsOf(this.scores(features));
  }

  /** Share of the votes for the true class minus the largest share of another class (thesis, eq. 3.12). */
  margins(sample: Sample<BinnedColumns>): Float64Array {
    return marginsOf(this.scores(sample.features), sample.labels);
  }

  /** The model as it was after its first rounds. */
  after(rounds: number): AdaBoostTreesModel {
    checkRounds(rounds, this.rounds.length);
    if (rounds === this.rounds.length) return this;
    return new AdaBoostTreesModel({
      ...this,
      rounds: this.rounds.slice(0, rounds),
      trees: this.trees.slice(0, rounds),
      stop: "all rounds done",
      training: undefined,
    });
  }

  /** The predictions after round 1, 2, …, one tree's work each; the array is overwritten by the next. */
  *stagedPredictions(features: BinnedColumns): Generator<Int32Array, void> {
    const count = new VoteCount(features.rows, this.classes.length);
    for (const { classes, alpha } of this.#answers(features)) {
      count.add({ left: 0, right: 1, sides: classes }, alpha);
      yield count.leaders;
    }
  }

  /** What Theorem 3.1 promises for the training error after each round: see `trainingErrorBounds`. */
  trainingErrorBounds(): Float64Array {
    return trainingErrorBounds(this.rounds, this.trainingClasses);
  }

  /** VC dimension of the trees, not of their votes; known for numbers and two classes. */
  complexity(): Complexity {
    const voters = this.rounds.length;
    const counts = { rounds: voters, features: this.featureNames.length, leaves: this.#leaves() };
    if (!this.#isCounted() || this.classes.length !== 2) return { counts };
    const vcDimension = treeVcDimension(this.featureNames.length, 2 ** this.depth);
    return { vote: { voters, vcDimension }, counts: { ...counts, treeVcDimension: vcDimension } };
  }

  /** None where there are categories: sets of them divide rows in more ways than could be counted usefully. */
  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    const { training, rounds, featureNames, classes, depth } = this;
    if (!training || !this.#isCounted()) return [];
    return treeCommitteeCertificates({
      ...training,
      margins: Array.from(training.margins),
      features: featureNames.length,
      leaves: 2 ** depth,
      classes: classes.length,
      rounds: rounds.length,
      confidence,
    });
  }

  describe(): Json {
    const { trees, depth } = this;
    return {
      depth,
      leaves: this.#leaves(),
      ...describeCommittee(this, this.trainingErrorBounds(), (t) => ({
        leaves: trees.leavesOf(t),
        depth: trees.depthOf(t),
      })),
    };
  }

  toState(): State {
    const { depth, numeric } = this;
    const { json, tensors } = committeeState(this);
    return {
      json: { ...json, weakLearner: "tree", depth, numeric },
      tensors: { ...tensors, ...treeTensors(this.trees) },
    };
  }

  /** Whether a state is of a committee of trees, and not of stumps. */
  static isStateOf({ json }: State): boolean {
    return typeof json === "object" && json !== null && "weakLearner" in json;
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): AdaBoostTreesModel {
    const reader = new StateReader("adaboost model", state);
    const json = reader.json(structure);
    const { classes, featureNames, depth, numeric } = json;
    const committee = readCommittee(reader, json, ...treeTensorNames());
    const trees = readTrees(reader, { classes: classes.length, columns: featureNames.length });
    if (trees.trees !== json.rounds) throw reader.corrupt(`${json.rounds} rounds have ${trees.trees} trees`);
    if (trees.arrays.leafClasses.length > 0) throw reader.corrupt("leaves have several classes");
    for (let t = 0; t < trees.trees; t++) {
      if (trees.depthOf(t) > depth) throw reader.corrupt(`tree ${t + 1} is deeper than ${depth}`);
    }
    return new AdaBoostTreesModel({ ...committee, trees, depth, numeric });
  }

  /** What each tree says of the rows, and how much its vote weighs; the array is overwritten by the next. */
  *#answers(features: BinnedColumns): Generator<{ classes: Int32Array; alpha: number }, void> {
    checkColumns(features, this.featureNames);
    const classes = new Int32Array(features.rows);
    for (const [t, { alpha }] of this.rounds.entries()) {
      classesByTree(this.trees, t, features, classes);
      yield { classes, alpha };
    }
  }

  #isCounted(): boolean {
    return this.numeric && this.depth <= DEEPEST_COUNTED;
  }

  #leaves(): number {
    const { nodes, trees } = this.trees;
    return (nodes + trees) / 2;
  }
}
