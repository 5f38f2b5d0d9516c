import { z } from "zod";
import type { Features, Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/matrix.js";
import type { Json, State, StateReader, Tensor } from "../../runtime/state.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Certificate } from "../../theory/certificate.js";
import { MARGIN_QUANTILES } from "../../theory/margins/margin-statistics.js";
import type { Complexity, Model } from "../model.js";
import { marginsOf, predictionsOf } from "../scores.js";
import { type TrainingFacts, trainingFactsSchema } from "../training-facts.js";
import { MOST_ADABOOST_ROUNDS } from "./adaboost-options.js";
import {
  adaboostStops,
  type Committee,
  type RoundFacts,
  type Stop,
  trainingErrorBounds,
} from "./boosting.js";
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

/** What certificates need of the training. */
export interface CommitteeFacts extends TrainingFacts {
  /** Quantiles of the margins of the training rows at 0 %, 1 %, … 100 %. */
  readonly margins: Float64Array;
}

/** What all committees consist of, whatever votes in them. */
export interface CommitteeParts<R extends RoundFacts> extends Pick<Committee, "stop" | "trainingClasses"> {
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly rounds: readonly R[];
  readonly training?: CommitteeFacts | undefined;
}

/** Fitted votes are far below; larger ones in a file could overflow when they are added up. */
const LARGEST_VOTE = 1e9;

/** What files hold of every committee beside its tensors. */
export const committeeStructure = z.strictObject({
  classes: z.array(z.string()).min(2),
  featureNames: z.array(z.string()),
  rounds: z.int().min(1).max(MOST_ADABOOST_ROUNDS),
  stop: z.enum(adaboostStops),
  trainingClasses: z.int().min(2),
  training: trainingFactsSchema.optional(),
});

/** The part of a state that all committees have. */
export function committeeState({
  classes,
  featureNames,
  rounds,
  stop,
  trainingClasses,
  training,
}: CommitteeParts<RoundFacts>) {
  const numbers = (of: (round: RoundFacts) => number): Tensor => ({
    shape: [rounds.length],
    data: Float64Array.from(rounds, of),
  });
  const json: { readonly [name: string]: Json } = {
    classes,
    featureNames,
    rounds: rounds.length,
    stop,
    trainingClasses,
    ...(training && { training: { rows: training.rows, errors: training.errors } }),
  };
  const tensors: Record<string, Tensor> = {
    alpha: numbers(({ alpha }) => alpha),
    error: numbers(({ error }) => error),
    trainingError: numbers(({ trainingError }) => trainingError),
    ...(training && { margins: { shape: [MARGIN_QUANTILES], data: training.margins } }),
  };
  return { json, tensors };
}

/** The same part of a committee behind a state, which has no tensors but these and some `others`. */
export function readCommittee(
  reader: StateReader,
  json: z.output<typeof committeeStructure>,
  ...others: string[]
): CommitteeParts<RoundFacts> {
  const { classes, rounds, trainingClasses, training: facts } = json;
  if (trainingClasses > classes.length) throw reader.corrupt(`it was trained on ${trainingClasses} classes`);
  const alpha = reader.numbers("alpha", [rounds], Number.MIN_VALUE, LARGEST_VOTE);
  const error = reader.numbers("error", [rounds], 0, 1);
  const trainingError = reader.numbers("trainingError", [rounds], 0, 1);
  const margins = facts && reader.numbers("margins", [MARGIN_QUANTILES], -1, 1);
  reader.only("alpha", "error", "trainingError", ...(margins ? ["margins"] : []), ...others);
  return {
    ...json,
    rounds: Array.from(alpha, (_, t) => ({
      alpha: alpha[t],
      error: error[t],
      trainingError: trainingError[t],
    })),
    training: facts && margins && { ...facts, margins },
  };
}
