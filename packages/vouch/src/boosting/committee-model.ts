import type { Certificate } from "../bounds/certificate.js";
import type { Features, Sample } from "../data/sample.js";
import { VouchError } from "../error.js";
import type { Complexity, Model } from "../learning/model.js";
import { marginsOf, predictionsOf } from "../learning/scores.js";
import type { Matrix } from "../numeric/matrix.js";
import type { Json, State } from "../state/state.js";
import { type RoundFacts, type Stop, trainingErrorBounds } from "./adaboost.js";
import type { CommitteeFacts, CommitteeParts } from "./committee-state.js";
import { type SideAnswers, VoteCount } from "./votes.js";

/** What one classifier of a committee says of rows, and how much that weighs. */
export interface WeighedAnswers {
  readonly answers: SideAnswers;
  readonly alpha: number;
}

/** A committee that boosting has formed, whatever votes in it: f(x) = Σ α_t h_t(x) (Triviño 2017, eq. 3.1). */
export abstract class CommitteeModel<F extends Features, R extends RoundFacts>
  implements Model<F>, CommitteeParts<R>
{
  readonly learner = "adaboost";
  readonly scoring = "decision";
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly rounds: readonly R[];
  readonly stop: Stop;
  readonly trainingClasses: number;
  /** Absent in files of older versions, and in a model of which only some rounds are taken. */
  readonly training: CommitteeFacts | undefined;

  protected constructor(parts: CommitteeParts<R>) {
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.rounds = parts.rounds;
    this.stop = parts.stop;
    this.trainingClasses = parts.trainingClasses;
    this.training = parts.training;
  }

  /** Each class's share of the votes, Σ_{t: h_t(x) = k} α_t / Σ_t α_t. */
  abstract scores(features: F): Matrix;

  predict(features: F): Int32Array {
    return predictionsOf(this.scores(features));
  }

  /**
   * Share of the votes for the true class minus the largest share of another class. For two classes that is the
   * normalised margin y·f(x) / Σ α_t (thesis, eq. 3.12).
   */
  margins({ features, labels }: Sample<F>): Float64Array {
    return marginsOf(this.scores(features), labels);
  }

  /** The model as it was after its first rounds. */
  abstract after(rounds: number): CommitteeModel<F, R>;

  /** The predictions after round 1, 2, …, one classifier's work each; the array is overwritten by the next. */
  *stagedPredictions(features: F): Generator<Int32Array, void> {
    const count = new VoteCount(features.rows, this.classes.length);
    for (const { answers, alpha } of this.answers(features)) {
      count.add(answers, alpha);
      yield count.leaders;
    }
  }

  /** What Theorem 3.1 promises for the training error after each round: see `trainingErrorBounds`. */
  trainingErrorBounds(): Float64Array {
    return trainingErrorBounds(this.rounds, this.trainingClasses);
  }

  abstract complexity(): Complexity;

  abstract certificates(options: { readonly confidence: number }): readonly Certificate[];

  describe(): { readonly [fact: string]: Json } {
    const { rounds, stop } = this;
    const last = rounds.length - 1;
    const bounds = this.trainingErrorBounds().map((bound) => Math.min(1, bound));
    return {
      rounds: rounds.length,
      stop,
      trainingError: rounds[last].trainingError,
      trainingErrorBound: bounds[last],
      rules: rounds.map(({ alpha, error, trainingError }, t) => ({
        ...this.describeRule(t),
        alpha,
        error,
        trainingError,
        trainingErrorBound: bounds[t],
      })),
    };
  }

  abstract toState(): State;

  /** What the classifier of each round says of the rows, one after the other; overwritten by the next. */
  protected abstract answers(features: F): Generator<WeighedAnswers, void>;

  /** What is to be said of the classifier of a round. */
  protected abstract describeRule(round: number): { readonly [fact: string]: Json };

  /** The parts of a model of the first rounds alone, as far as all committees have them. */
  protected first(rounds: number): CommitteeParts<R> {
    const all = this.rounds.length;
    if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= all)) {
      throw new VouchError("option/invalid", `The model has rounds 1 to ${all}, not ${rounds}.`);
    }
    const { classes, featureNames, trainingClasses } = this;
    return {
      classes,
      featureNames,
      trainingClasses,
      rounds: this.rounds.slice(0, rounds),
      stop: "all rounds done",
    };
  }

  /** What certificates of any committee ask for; none if the model does not know its training. */
  protected evidence(confidence: number) {
    const { training, rounds, featureNames, classes } = this;
    if (!training) return undefined;
    return {
      ...training,
      margins: Array.from(training.margins),
      features: featureNames.length,
      classes: classes.length,
      rounds: rounds.length,
      confidence,
    };
  }
}
