import type { Features, Sample } from "../../encode/sample.js";
import * as real from "../../runtime/maths/portable-math.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { sharedBuffer } from "../../runtime/parallel/shared-array.js";
import { type EarlyStoppingOptions, earlyStoppingSplit } from "../early-stopping.js";
import { type TrainingSample, trainingSample } from "../training-sample.js";
import { VoteCount, type WeakPredictions } from "./votes.js";

/** The vote and the errors of a round. */
interface Round {
  /** α_t of Algorithm 1: the vote of the classifier. */
  readonly alpha: number;
  /** ε_t: weighted error of the classifier under D_t. */
  readonly error: number;
  /** Weighted error of the committee so far under D_1. */
  readonly trainingError: number;
}

/** Why boosting ended. */
export const adaboostStops = [
  "all rounds done",
  "perfect stump",
  "perfect tree",
  "no better than chance",
  "validation error no longer falls",
] as const;

type Stop = (typeof adaboostStops)[number];

/** A committee of weak classifiers, here called rules, in the order in which it was formed. */
interface Committee<Rule> {
  readonly rules: readonly Rule[];
  /** One for each rule. */
  readonly rounds: readonly Round[];
  readonly stop: Stop;
  /** K of SAMME: the number of classes among the training rows. */
  readonly trainingClasses: number;
}

/** A source of weak classifiers. */
export interface WeakLearner<F extends Features, Rule> {
  readonly name: "stump" | "tree";
  /** Prepares the rows once for all rounds; `classes` of them occur. */
  finder(sample: Sample<F>, classes: number, run: Run): Promise<RuleFinder<Rule>>;
  /** Returns a function that predicts these rows by a rule; each result is overwritten by the next. */
  predictor(features: F): (rule: Rule) => WeakPredictions;
}

/** Finds weak classifiers for changing weights of the same rows. */
export interface RuleFinder<Rule> {
  /** Finds the classifier of round t = 0, 1, … for weights that sum to one. */
  find(distribution: Float64Array, round: number, run: Run): Promise<FoundRule<Rule>>;
  release(): void;
}

/** A weak classifier found for some weights of the training rows. */
export interface FoundRule<Rule> {
  readonly rule: Rule;
  /** Its predictions for the training rows; overwritten by the next search. */
  readonly predictions: WeakPredictions;
  /** Turns the weights D_t, for which it was found, into D_{t+1}; returns its weighted error ε_t. */
  reweigh(distribution: Float64Array): number;
}

/** A classifier with no larger advantage over chance than this is useless: it may be rounding. */
const LEAST_EDGE = 1e-10;

/**
 * Votes are multiples of this. Sums of votes are then exact (up to 2¹³), so that a tie is a tie and a prediction does not
 * depend on the order in which votes are counted.
 */
const VOTE_UNIT = 2 ** -40;

/**
 * Boosts, with early stopping if `patience` is positive. It then trains on a part of the rows until the error on the held-out
 * rows has not fallen for `patience` rounds, and keeps the rounds up to the first one with the lowest error. The model is not
 * retrained on all rows: its number of rounds was found good for this model and for no other.
 */
export async function boost<F extends Features, Rule>(
  weak: WeakLearner<F, Rule>,
  given: TrainingSample<F>,
  options: EarlyStoppingOptions & { readonly rounds: number },
  run: Run,
): Promise<Committee<Rule>> {
  const { sample, distribution } = given;
  const { train, test } = earlyStoppingSplit("adaboost", sample.labels, options, run.seed);
  if (!train || !test) return await boostAll(weak, given, options.rounds, run);
  const validation = sample.select(test);
  const weights = Float64Array.from(test, (row) => distribution[row]);
  const monitor = new HeldOutError(
    weak.predictor(validation.features),
    validation,
    weights,
    options.patience,
  );
  const training = trainingSample("adaboost", sample.select(train));
  const committee = await boostAll(weak, training, options.rounds, run, (rule, { alpha }) =>
    monitor.isEnough(rule, alpha),
  );
  const { best } = monitor;
  if (best === 0 || best === committee.rounds.length) return committee;
  return {
    ...committee,
    rules: committee.rules.slice(0, best),
    rounds: committee.rounds.slice(0, best),
    stop: "validation error no longer falls",
  };
}

/**
 * Runs discrete AdaBoost (thesis, Algorithm 1) from the initial distribution D_1. For K > 2 classes it is SAMME (Zhu, Zou,
 * Rosset, Hastie 2009, "Multi-class AdaBoost") with all votes halved, which changes no prediction and makes K = 2 Algorithm 1
 * itself:
 *
 *     α_t = ½ (ln((1 − ε_t) / ε_t) + ln(K − 1))
 *
 * A perfect classifier (ε_t = 0, for which α_t would be infinite) ends boosting with a vote that outweighs all
 * others together: α_t = 1 + Σ_{s<t} α_s. One no better than chance (ε_t ≥ 1 − 1/K) ends it too and is not
 * added, unless it is the first: then it is the whole committee, with α = 1. It also ends once `isEnough` says so of
 * a round that was added.
 */
async function boostAll<F extends Features, Rule>(
  weak: WeakLearner<F, Rule>,
  training: TrainingSample<F>,
  most: number,
  run: Run,
  isEnough: (rule: Rule, round: Round) => boolean = () => false,
): Promise<Committee<Rule>> {
  const { sample, distribution: initial } = training;
  const trainingClasses = new Set(sample.labels).size;
  const finder = await weak.finder(sample, trainingClasses, run);
  const growing = new GrowingCommittee<F, Rule>(training, most, run);
  const committee = (stop: Stop) => ({ ...growing.formed(), stop, trainingClasses });
  try {
    const distribution = new Float64Array(sharedBuffer(initial.byteLength));
    distribution.set(initial);
    while (growing.size < most) {
      await checkpoint(run);
      const found = await finder.find(distribution, growing.size, run);
      const error = found.reweigh(distribution);
      if (error === 0) {
        growing.add(found, error, 1 + growing.totalVotes);
        return committee(weak.name === "stump" ? "perfect stump" : "perfect tree");
      }
      if (1 - 1 / trainingClasses - error <= LEAST_EDGE) {
        if (growing.size === 0) growing.add(found, error, 1);
        return committee("no better than chance");
      }
      const round = growing.add(found, error, voteOf(error, trainingClasses));
      if (isEnough(found.rule, round)) return committee("validation error no longer falls");
    }
    return committee("all rounds done");
  } finally {
    finder.release();
  }
}

/** Computes α for a weighted error in (0, 1 − 1/K), rounded to a whole number of units. */
function voteOf(error: number, classes: number): number {
  const alpha = (real.log1p(-error) - real.log(error) + real.log(classes - 1)) / 2;
  return Math.max(1, Math.round(alpha / VOTE_UNIT)) * VOTE_UNIT;
}

/** A committee that grows, and its error on the training rows. */
class GrowingCommittee<F extends Features, Rule> {
  /** Σ α_t. */
  totalVotes = 0;
  readonly #rules: Rule[] = [];
  readonly #rounds: Round[] = [];
  readonly #training: TrainingSample<F>;
  readonly #most: number;
  readonly #run: Run;
  readonly #votes: VoteCount;

  constructor(training: TrainingSample<F>, most: number, run: Run) {
    this.#training = training;
    this.#most = most;
    this.#run = run;
    this.#votes = new VoteCount(training.sample.rows, training.sample.classes.length);
  }

  get size(): number {
    return this.#rounds.length;
  }

  formed(): Pick<Committee<Rule>, "rules" | "rounds"> {
    return { rules: this.#rules, rounds: this.#rounds };
  }

  add({ rule, predictions }: FoundRule<Rule>, error: number, alpha: number): Round {
    const { sample, distribution } = this.#training;
    this.#votes.add(predictions, alpha);
    this.totalVotes += alpha;
    const trainingError = weightedError(this.#votes.leaders, sample.labels, distribution);
    const round = { alpha, error, trainingError };
    this.#rules.push(rule);
    this.#rounds.push(round);
    const note = `training error ${(100 * trainingError).toFixed(1)}%`;
    this.#run.progress({ stage: "boosting", done: this.size, total: this.#most, note });
    return round;
  }
}

/** Sums the weights of misclassified rows. */
function weightedError(predictions: Int32Array, labels: Int32Array, weights: Float64Array): number {
  let error = 0;
  // No branch, since errors are unpredictable: adding 0 costs less than a misprediction.
  for (let i = 0; i < labels.length; i++) error += weights[i] * Number(predictions[i] !== labels[i]);
  return Math.min(1, error);
}

/** Follows the error of a growing committee on held-out rows. */
class HeldOutError<Rule> {
  /** Number of rounds of the committee with the lowest error; 0 before the first round. */
  best = 0;
  readonly #predict: (rule: Rule) => WeakPredictions;
  readonly #labels: Int32Array;
  readonly #weights: Float64Array;
  readonly #patience: number;
  readonly #votes: VoteCount;
  #rounds = 0;
  #lowest = Number.POSITIVE_INFINITY;

  constructor(
    predict: (rule: Rule) => WeakPredictions,
    { rows, labels, classes }: Pick<Sample, "rows" | "labels" | "classes">,
    weights: Float64Array,
    patience: number,
  ) {
    this.#predict = predict;
    this.#labels = labels;
    this.#weights = weights;
    this.#patience = patience;
    this.#votes = new VoteCount(rows, classes.length);
  }

  /** Adds the next round; returns whether the error has not fallen for `patience` rounds. */
  isEnough(rule: Rule, alpha: number): boolean {
    this.#votes.add(this.#predict(rule), alpha);
    this.#rounds++;
    const error = weightedError(this.#votes.leaders, this.#labels, this.#weights);
    if (error < this.#lowest) {
      this.#lowest = error;
      this.best = this.#rounds;
    }
    return this.#rounds - this.best >= this.#patience;
  }
}

/** The update of the weights D_t. */
interface Reweighing {
  /** ε_t. */
  readonly error: number;
  /** The weights of wrong rows, and of right ones, are divided by these. */
  readonly wrong: number;
  readonly right: number;
}

/**
 * Computes the update of the weights from the total weights of wrong and right rows. With the α of `boost` the normalised
 * update exp(∓α_t) / Z_t leaves the wrong rows (K − 1)/K of the weight and the right rows 1/K of it (half and half for two
 * classes), so each part is scaled to that: no exponential can overflow and the sum stays one.
 */
export function reweighing(wrongWeight: number, rightWeight: number, classes: number): Reweighing {
  return {
    error: wrongWeight / (wrongWeight + rightWeight),
    wrong: (classes * wrongWeight) / (classes - 1),
    right: classes * rightWeight,
  };
}
