import type { Features, Sample } from "../../encode/sample.js";
import { checkpoint, type Run } from "../../runtime/run.js";
import { sharedBuffer } from "../../runtime/shared-array.js";
import { type PatienceOptions, rowsKeptApart } from "../early-stopping.js";
import { type TrainingSample, trainingSample } from "../training-sample.js";
import type { StumpRule } from "./stumps.js";
import { type SideAnswers, VoteCount } from "./votes.js";

/** What a round knew of its classifier, and of the committee with it. */
export interface RoundFacts {
  /** The classifier's vote: α_t of Algorithm 1. */
  readonly alpha: number;
  /** ε_t: weighted error of this classifier under D_t. */
  readonly error: number;
  /** Weighted error of the committee so far under D_1. */
  readonly trainingError: number;
}

/** One classifier of the committee and what its round knew. */
export type CommitteeRound<Rule = StumpRule> = Rule & RoundFacts;

/** The reasons for which boosting ends. */
export const adaboostStops = [
  "all rounds done",
  "perfect stump",
  "perfect tree",
  "no better than chance",
  "validation error no longer falls",
] as const;

/** Why boosting ended. */
export type Stop = (typeof adaboostStops)[number];

/** A committee, in the order in which it was formed. */
export interface Committee<Rule = StumpRule> {
  readonly rounds: readonly CommitteeRound<Rule>[];
  readonly stop: Stop;
  /** How many classes the training rows had: K of SAMME. */
  readonly trainingClasses: number;
}

/** A classifier whose advantage over chance is not above this is useless: it may be rounding. */
const LEAST_EDGE = 1e-10;

/**
 * Votes are multiples of this. Sums of votes are then exact (up to 2¹³), so that a tie is a tie and a
 * prediction the same in whatever order the votes are counted.
 */
const VOTE_UNIT = 2 ** -40;

/**
 * Discrete AdaBoost (thesis, Algorithm 1), from the initial distribution D_1. For K > 2 classes it is SAMME (Zhu,
 * Zou, Rosset, Hastie 2009, "Multi-class AdaBoost") with all votes halved, which changes no prediction and makes
 * K = 2 Algorithm 1 itself:
 *
 *     α_t = ½ (ln((1 − ε_t) / ε_t) + ln(K − 1))
 *
 * A perfect classifier (ε_t = 0, for which α_t would be infinite) ends boosting with a vote that outweighs all
 * others together: α_t = 1 + Σ_{s<t} α_s. One no better than chance (ε_t ≥ 1 − 1/K) ends it too and is not
 * added, unless it is the first: then it is the whole committee, with α = 1. It also ends once `isEnough` says so of
 * a round that was added.
 */
async function boostCommittee<F extends Features, Rule>(
  weak: WeakLearner<F, Rule>,
  training: TrainingSample<F>,
  most: number,
  run: Run,
  isEnough: (round: CommitteeRound<Rule>) => boolean = () => false,
): Promise<Committee<Rule>> {
  const trainingClasses = new Set(training.sample.labels).size;
  const finder = await weak.finder(training.sample, trainingClasses, run);
  try {
    const boosting = new Boosting<F, Rule>(training, trainingClasses, most, run);
    const perfect: Stop = weak.name === "stump" ? "perfect stump" : "perfect tree";
    const stop = await boosting.go(finder, perfect, isEnough);
    return { rounds: boosting.rounds, stop, trainingClasses };
  } finally {
    finder.release();
  }
}

/** A committee that grows. */
class Boosting<F extends Features, Rule> {
  readonly rounds: CommitteeRound<Rule>[] = [];
  readonly #training: TrainingSample<F>;
  readonly #classes: number;
  readonly #most: number;
  readonly #run: Run;
  readonly #votes: VoteCount;
  /** Σ α_t. */
  #total = 0;

  constructor(training: TrainingSample<F>, classes: number, most: number, run: Run) {
    this.#training = training;
    this.#classes = classes;
    this.#most = most;
    this.#run = run;
    this.#votes = new VoteCount(training.sample.rows, training.sample.classes.length);
  }

  async go(
    finder: RuleFinder<Rule>,
    perfect: Stop,
    isEnough: (round: CommitteeRound<Rule>) => boolean,
  ): Promise<Stop> {
    const initial = this.#training.distribution;
    const distribution = new Float64Array(sharedBuffer(initial.byteLength));
    distribution.set(initial);
    while (this.rounds.length < this.#most) {
      await checkpoint(this.#run);
      const found = await finder.find(distribution, this.rounds.length, this.#run);
      const error = found.reweigh(distribution);
      if (error === 0) {
        this.#add(found, error, 1 + this.#total);
        return perfect;
      }
      if (1 - 1 / this.#classes - error <= LEAST_EDGE) {
        if (this.rounds.length === 0) this.#add(found, error, 1);
        return "no better than chance";
      }
      const round = this.#add(found, error, vote(error, this.#classes));
      if (isEnough(round)) return "validation error no longer falls";
    }
    return "all rounds done";
  }

  #add({ rule, answers }: Found<Rule>, error: number, alpha: number): CommitteeRound<Rule> {
    const { sample, distribution } = this.#training;
    this.#votes.add(answers, alpha);
    this.#total += alpha;
    const trainingError = weightOfWrong(this.#votes.leaders, sample.labels, distribution);
    const round = { ...rule, alpha, error, trainingError };
    this.rounds.push(round);
    const note = `training error ${(100 * trainingError).toFixed(1)} %`;
    this.#run.progress({ stage: "boosting", done: this.rounds.length, total: this.#most, note });
    return round;
  }
}

/** α for a weighted error in (0, 1 − 1/K), rounded to a whole number of units. */
function vote(error: number, classes: number): number {
  const alpha = (Math.log1p(-error) - Math.log(error) + Math.log(classes - 1)) / 2;
  return Math.max(1, Math.round(alpha / VOTE_UNIT)) * VOTE_UNIT;
}

/** Share of the weight that is on rows of which the prediction is wrong. */
function weightOfWrong(predictions: Int32Array, labels: Int32Array, distribution: Float64Array): number {
  let weight = 0;
  // Nobody can predict which rows are wrong: adding nothing costs less than a wrong guess.
  for (let i = 0; i < labels.length; i++) weight += distribution[i] * Number(predictions[i] !== labels[i]);
  return Math.min(1, weight);
}

/**
 * What theory promises for the training error after each round: it is at most
 * ∏ K·√(ε_t(1 − ε_t) / (K − 1)), which for two classes is the ∏ √(1 − 4γ_t²) of Theorem 3.1.
 *
 * Why, for any K: write A_t = 2α_t. A row is wrong only if its class got at most half of the votes, so
 * that exp(Σ A_t·1{h_t wrong} − ½ Σ A_t) ≥ 1; the weighted mean of that is the product of the factors
 * (1 − ε_t)·exp(−A_t/2) + ε_t·exp(A_t/2), and exp(A_t) = (K − 1)(1 − ε_t)/ε_t.
 */
export function trainingErrorBounds(rounds: readonly RoundFacts[], classes: number): Float64Array {
  let product = 1;
  return Float64Array.from(rounds, ({ error }) => {
    product *= classes * Math.sqrt((error * (1 - error)) / (classes - 1));
    return product;
  });
}

/**
 * Boosts on a part of the rows until the error on the others has not fallen for `patience` rounds, and keeps the rounds
 * up to the first one with the smallest error. The model is not trained again on all rows: its number of rounds was
 * found good for this model and for no other. Without a patience it boosts on all rows.
 */
export async function boostWithPatience<F extends Features, Rule>(
  weak: WeakLearner<F, Rule>,
  given: TrainingSample<F>,
  options: PatienceOptions & { readonly rounds: number },
  run: Run,
): Promise<Committee<Rule>> {
  const { sample, distribution } = given;
  const { train, test } = rowsKeptApart("adaboost", sample.labels, options, run.seed);
  if (!train || !test) return await boostCommittee(weak, given, options.rounds, run);
  const held = sample.select(test);
  const weights = Float64Array.from(test, (row) => distribution[row]);
  const watch = new Watch(weak.asking(held.features), held, weights, options.patience);
  const training = trainingSample("adaboost", sample.select(train));
  const committee = await boostCommittee(weak, training, options.rounds, run, (round) =>
    watch.isEnough(round),
  );
  if (watch.best === 0 || watch.best === committee.rounds.length) return committee;
  return {
    ...committee,
    rounds: committee.rounds.slice(0, watch.best),
    stop: "validation error no longer falls",
  };
}

/** Follows the error of a growing committee on rows that it does not learn from. */
class Watch<Rule> {
  /** How many rounds the committee with the smallest error has; 0 before the first round. */
  best = 0;
  readonly #ask: (rule: Rule) => SideAnswers;
  readonly #labels: Int32Array;
  readonly #weights: Float64Array;
  readonly #patience: number;
  readonly #votes: VoteCount;
  #rounds = 0;
  #smallest = Number.POSITIVE_INFINITY;

  constructor(
    ask: (rule: Rule) => SideAnswers,
    { rows, labels, classes }: Pick<Sample, "rows" | "labels" | "classes">,
    weights: Float64Array,
    patience: number,
  ) {
    this.#ask = ask;
    this.#labels = labels;
    this.#weights = weights;
    this.#patience = patience;
    this.#votes = new VoteCount(rows, classes.length);
  }

  /** Takes the next round; tells whether the error has not fallen for too long. */
  isEnough(round: CommitteeRound<Rule>): boolean {
    this.#votes.add(this.#ask(round), round.alpha);
    this.#rounds++;
    const error = weightOfWrong(this.#votes.leaders, this.#labels, this.#weights);
    if (error < this.#smallest) {
      this.#smallest = error;
      this.best = this.#rounds;
    }
    return this.#rounds - this.best >= this.#patience;
  }
}

/** A weak classifier that was found for some weights of the training rows. */
export interface Found<Rule> {
  readonly rule: Rule;
  /** What it says of the training rows; overwritten by the next search. */
  readonly answers: SideAnswers;
  /** Turns the weights D_t, for which it was found, into D_{t+1}; returns its weighted error ε_t. */
  reweigh(distribution: Float64Array): number;
}

/** Finds weak classifiers for other and other weights of the same rows. */
export interface RuleFinder<Rule> {
  /** The classifier of round t = 0, 1, … for weights that sum to one. */
  find(distribution: Float64Array, round: number, run: Run): Promise<Found<Rule>>;
  release(): void;
}

/** What boosting makes its committee of. */
export interface WeakLearner<F extends Features, Rule> {
  /** What a classifier is called. */
  readonly name: "stump" | "tree";
  /** Prepares the rows once for all rounds; `classes` of them occur. */
  finder(sample: Sample<F>, classes: number, run: Run): Promise<RuleFinder<Rule>>;
  /** Asks one classifier after the other about rows; what it says is overwritten by the next. */
  asking(features: F): (rule: Rule) => SideAnswers;
}

/** What becomes of the weights when the wrong rows weigh so much, and the right ones so much. */
interface Reweighing {
  /** ε_t. */
  readonly error: number;
  /** What the weights of wrong rows, and of right ones, are divided by. */
  readonly wrong: number;
  readonly right: number;
}

/**
 * With the α of `boost` the normalised update exp(∓α_t) / Z_t leaves the wrong rows (K − 1)/K of the weight and the
 * right rows 1/K of it (half and half for two classes), so each part is scaled to that: no exponential can overflow
 * and the sum stays one.
 */
export function reweighing(ofWrong: number, ofRight: number, classes: number): Reweighing {
  return {
    error: ofWrong / (ofWrong + ofRight),
    wrong: (classes * ofWrong) / (classes - 1),
    right: classes * ofRight,
  };
}
