import type { Certificate } from "../bounds/certificate.js";
import { stumpCommitteeCertificates } from "../bounds/stump-certificates.js";
import type { Sample } from "../data/sample.js";
import type { Complexity, Model } from "../learning/model.js";
import { marginsOf, predictionsOf } from "../learning/scores.js";
import { checkFeatures } from "../learning/training-sample.js";
import { Matrix } from "../numeric/matrix.js";
import type { Json, State } from "../state/state.js";
import { StateReader } from "../state/state-reader.js";
import { stumpVcDimension } from "../stump/index.js";
import { type Committee, type Round, type Stop, trainingErrorBounds } from "./adaboost.js";
import {
  type CommitteeFacts,
  checkRounds,
  committeeState,
  committeeStructure,
  describeCommittee,
  readCommittee,
} from "./committee-state.js";
import { type StumpRule, stumps } from "./stumps.js";
import { VoteCount, VoteTable } from "./votes.js";

/** In a state, the feature of a stump that asks no question. */
const NO_FEATURE = -1;

/** A committee of decision stumps: f(x) = Σ α_t h_t(x), eq. 3.1 of the thesis. */
export class AdaBoostModel implements Model<Matrix> {
  readonly learner = "adaboost";
  readonly scoring = "decision";
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly rounds: readonly Round[];
  readonly stop: Stop;
  readonly trainingClasses: number;
  /** Absent in files of older versions, and in a model of which only some rounds are taken. */
  readonly training: CommitteeFacts | undefined;
  readonly #table: VoteTable;

  constructor(
    classes: readonly string[],
    featureNames: readonly string[],
    committee: Committee,
    training?: CommitteeFacts,
  ) {
    this.classes = classes;
    this.featureNames = featureNames;
    this.rounds = committee.rounds;
    this.stop = committee.stop;
    this.trainingClasses = committee.trainingClasses;
    this.training = training;
    this.#table = new VoteTable(committee.rounds, classes.length);
  }

  /** Each class's share of the votes, Σ_{t: h_t(x) = k} α_t / Σ_t α_t. */
  scores(features: Matrix): Matrix {
    checkFeatures(features, this.featureNames);
    return new Matrix(features.rows, this.classes.length, this.#table.shares(features));
  }

  predict(features: Matrix): Int32Array {
    return predictionsOf(this.scores(features));
  }

  /**
   * Share of the votes for the true class minus the largest share of another class. For two classes that is the
   * normalised margin y·f(x) / Σ α_t (thesis, eq. 3.12).
   */
  margins(sample: Sample<Matrix>): Float64Array {
    return marginsOf(this.scores(sample.features), sample.labels);
  }

  /** The model as it was after its first rounds. */
  after(rounds: number): AdaBoostModel {
    checkRounds(rounds, this.rounds.length);
    if (rounds === this.rounds.length) return this;
    return new AdaBoostModel(this.classes, this.featureNames, {
      rounds: this.rounds.slice(0, rounds),
      stop: "all rounds done",
      trainingClasses: this.trainingClasses,
    });
  }

  /** The predictions after round 1, 2, …, one stump's work each; the array is overwritten by the next. */
  *stagedPredictions(features: Matrix): Generator<Int32Array, void> {
    checkFeatures(features, this.featureNames);
    const count = new VoteCount(features.rows, this.classes.length);
    const ask = stumps.asking(features);
    for (const round of this.rounds) {
      count.add(ask(round), round.alpha);
      yield count.leaders;
    }
  }

  /** What Theorem 3.1 promises for the training error after each round: see `trainingErrorBounds`. */
  trainingErrorBounds(): Float64Array {
    return trainingErrorBounds(this.rounds, this.trainingClasses);
  }

  /** VC dimension of the stumps, not of their votes: what Theorems 3.3 and 3.5 ask for beside the rounds. */
  complexity(): Complexity {
    const features = this.featureNames.length;
    const voters = this.rounds.length;
    const counts = { rounds: voters, features };
    if (this.classes.length !== 2) return { counts };
    const vcDimension = stumpVcDimension(features);
    return { vote: { voters, vcDimension }, counts: { ...counts, stumpVcDimension: vcDimension } };
  }

  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    const { training, rounds, featureNames, classes } = this;
    if (!training) return [];
    const isTwo = classes.length === 2;
    const different = new Set(
      rounds.flatMap(({ split, left, right }) =>
        split ? [`${split.feature} ${split.threshold} ${isTwo ? "" : `${left} ${right}`}`] : [],
      ),
    );
    return stumpCommitteeCertificates({
      ...training,
      margins: Array.from(training.margins),
      features: featureNames.length,
      classes: classes.length,
      rounds: rounds.length,
      stumps: different.size,
      confidence,
    });
  }

  describe(): Json {
    return describeCommittee(this, this.trainingErrorBounds(), (t) => this.#describeRule(this.rounds[t]));
  }

  #describeRule({ split, left, right }: StumpRule): { readonly [fact: string]: Json } {
    if (!split) return { predicts: this.classes[left] };
    return {
      feature: this.featureNames[split.feature],
      threshold: split.threshold,
      left: this.classes[left],
      right: this.classes[right],
    };
  }

  toState(): State {
    const { rounds } = this;
    const shape = [rounds.length];
    const integers = (of: (round: Round) => number) => ({ shape, data: Int32Array.from(rounds, of) });
    const { json, tensors } = committeeState(this);
    return {
      json,
      tensors: {
        feature: integers(({ split }) => split?.feature ?? NO_FEATURE),
        threshold: { shape, data: Float64Array.from(rounds, ({ split }) => split?.threshold ?? 0) },
        left: integers(({ left }) => left),
        right: integers(({ right }) => right),
        ...tensors,
      },
    };
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): AdaBoostModel {
    const reader = new StateReader("adaboost model", state);
    const json = reader.json(committeeStructure);
    const { classes, featureNames } = json;
    const committee = readCommittee(reader, json, "feature", "threshold", "left", "right");
    const shape = [json.rounds];
    const feature = reader.integers("feature", shape, NO_FEATURE, featureNames.length - 1);
    const threshold = reader.numbers("threshold", shape);
    const left = reader.integers("left", shape, 0, classes.length - 1);
    const right = reader.integers("right", shape, 0, classes.length - 1);
    const rounds = committee.rounds.map((facts, t): Round => {
      const constant = feature[t] === NO_FEATURE;
      if (constant && (left[t] !== right[t] || threshold[t] !== 0)) {
        throw reader.corrupt(`stump ${t + 1} has two sides but no question`);
      }
      return {
        split: constant ? undefined : { feature: feature[t], threshold: threshold[t] },
        left: left[t],
        right: right[t],
        ...facts,
      };
    });
    return new AdaBoostModel(classes, featureNames, { ...committee, rounds }, committee.training);
  }
}
