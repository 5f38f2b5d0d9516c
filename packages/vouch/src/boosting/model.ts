import { z } from "zod";
import type { Certificate } from "../bounds/certificate.js";
import { MARGIN_QUANTILES } from "../bounds/margin-statistics.js";
import { stumpCommitteeCertificates } from "../bounds/stump-certificates.js";
import type { Sample } from "../data/sample.js";
import { VouchError } from "../error.js";
import type { Complexity, Model } from "../learning/model.js";
import { marginsOf, predictionsOf } from "../learning/scores.js";
import { type TrainingFacts, trainingFactsSchema } from "../learning/training-facts.js";
import { checkFeatures } from "../learning/training-sample.js";
import { Matrix } from "../numeric/matrix.js";
import type { Json, State } from "../state/state.js";
import { StateReader } from "../state/state-reader.js";
import { stumpVcDimension } from "../stump/index.js";
import { type Committee, type Round, type Stop, stops } from "./adaboost.js";
import { MOST_ROUNDS } from "./options.js";
import { askEach, VoteCount, VoteTable } from "./votes.js";

/** In a state, the feature of a stump that asks no question. */
const NO_FEATURE = -1;

/** Fitted votes are far below; larger ones in a file could overflow when they are added up. */
const LARGEST_VOTE = 1e9;

const structure = z.strictObject({
  classes: z.array(z.string()).min(2),
  featureNames: z.array(z.string()),
  rounds: z.int().min(1).max(MOST_ROUNDS),
  stop: z.enum(stops),
  trainingClasses: z.int().min(2),
  training: trainingFactsSchema.optional(),
});

/** What certificates need of the training. */
export interface CommitteeFacts extends TrainingFacts {
  /** Quantiles of the margins of the training rows at 0 %, 1 %, … 100 %. */
  readonly margins: Float64Array;
}

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
    if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= this.rounds.length)) {
      throw new VouchError(
        "option/invalid",
        `The model has rounds 1 to ${this.rounds.length}, not ${rounds}.`,
      );
    }
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
    const sides = new Uint8Array(features.rows);
    for (const { split, left, right, alpha } of this.rounds) {
      askEach(split, features, sides);
      count.add({ left, right, sides }, alpha);
      yield count.leaders;
    }
  }

  /**
   * What theory promises for the training error after each round: it is at most
   * ∏ K·√(ε_t(1 − ε_t) / (K − 1)), which for two classes is the ∏ √(1 − 4γ_t²) of Theorem 3.1.
   *
   * Why, for any K: write A_t = 2α_t. A row is wrong only if its class got at most half of the votes, so
   * that exp(Σ A_t·1{h_t wrong} − ½ Σ A_t) ≥ 1; the weighted mean of that is the product of the factors
   * (1 − ε_t)·exp(−A_t/2) + ε_t·exp(A_t/2), and exp(A_t) = (K − 1)(1 − ε_t)/ε_t.
   */
  trainingErrorBounds(): Float64Array {
    const classes = this.trainingClasses;
    let product = 1;
    return Float64Array.from(this.rounds, ({ error }) => {
      product *= classes * Math.sqrt((error * (1 - error)) / (classes - 1));
      return product;
    });
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

  /** For two classes; of several nothing is proved here. */
  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    const { training, rounds, featureNames } = this;
    if (!training || this.classes.length > 2) return [];
    const questions = new Set(
      rounds.flatMap(({ split }) => (split ? [`${split.feature} ${split.threshold}`] : [])),
    );
    return stumpCommitteeCertificates({
      ...training,
      margins: Array.from(training.margins),
      features: featureNames.length,
      rounds: rounds.length,
      questions: questions.size,
      confidence,
    });
  }

  describe(): Json {
    const last = this.rounds.length - 1;
    const bounds = this.trainingErrorBounds().map((bound) => Math.min(1, bound));
    return {
      rounds: this.rounds.length,
      stop: this.stop,
      trainingError: this.rounds[last].trainingError,
      trainingErrorBound: bounds[last],
      rules: this.rounds.map((round, t) => ({
        ...this.#describeRule(round),
        alpha: round.alpha,
        error: round.error,
        trainingError: round.trainingError,
        trainingErrorBound: bounds[t],
      })),
    };
  }

  #describeRule({ split, left, right }: Round): { readonly [fact: string]: Json } {
    if (!split) return { predicts: this.classes[left] };
    return {
      feature: this.featureNames[split.feature],
      threshold: split.threshold,
      left: this.classes[left],
      right: this.classes[right],
    };
  }

  toState(): State {
    const { classes, featureNames, rounds, stop, trainingClasses, training } = this;
    const shape = [rounds.length];
    const integers = (of: (round: Round) => number) => ({ shape, data: Int32Array.from(rounds, of) });
    const numbers = (of: (round: Round) => number) => ({ shape, data: Float64Array.from(rounds, of) });
    return {
      json: {
        classes,
        featureNames,
        rounds: rounds.length,
        stop,
        trainingClasses,
        ...(training && { training: { rows: training.rows, errors: training.errors } }),
      },
      tensors: {
        feature: integers(({ split }) => split?.feature ?? NO_FEATURE),
        threshold: numbers(({ split }) => split?.threshold ?? 0),
        left: integers(({ left }) => left),
        right: integers(({ right }) => right),
        alpha: numbers(({ alpha }) => alpha),
        error: numbers(({ error }) => error),
        trainingError: numbers(({ trainingError }) => trainingError),
        ...(training && { margins: { shape: [MARGIN_QUANTILES], data: training.margins } }),
      },
    };
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): AdaBoostModel {
    const reader = new StateReader("adaboost model", state);
    const { classes, featureNames, rounds, stop, trainingClasses, training } = reader.json(structure);
    if (trainingClasses > classes.length)
      throw reader.corrupt(`it was trained on ${trainingClasses} classes`);
    const shape = [rounds];
    const feature = reader.integers("feature", shape, NO_FEATURE, featureNames.length - 1);
    const threshold = reader.numbers("threshold", shape);
    const left = reader.integers("left", shape, 0, classes.length - 1);
    const right = reader.integers("right", shape, 0, classes.length - 1);
    const alpha = reader.numbers("alpha", shape, Number.MIN_VALUE, LARGEST_VOTE);
    const error = reader.numbers("error", shape, 0, 1);
    const trainingError = reader.numbers("trainingError", shape, 0, 1);
    const margins = training && reader.numbers("margins", [MARGIN_QUANTILES], -1, 1);
    reader.only(
      ...["feature", "threshold", "left", "right", "alpha", "error", "trainingError"],
      ...(margins ? ["margins"] : []),
    );
    const committee = Array.from(alpha, (_, t): Round => {
      const constant = feature[t] === NO_FEATURE;
      if (constant && (left[t] !== right[t] || threshold[t] !== 0)) {
        throw reader.corrupt(`stump ${t + 1} has two sides but no question`);
      }
      return {
        split: constant ? undefined : { feature: feature[t], threshold: threshold[t] },
        left: left[t],
        right: right[t],
        alpha: alpha[t],
        error: error[t],
        trainingError: trainingError[t],
      };
    });
    return new AdaBoostModel(
      classes,
      featureNames,
      { rounds: committee, stop, trainingClasses },
      training && margins && { ...training, margins },
    );
  }
}
