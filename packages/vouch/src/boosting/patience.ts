import type { Sample } from "../data/sample.js";
import { holdout } from "../data/splits.js";
import { VouchError } from "../error.js";
import type { Run } from "../learning/run.js";
import { type TrainingSample, trainingSample } from "../learning/training-sample.js";
import type { Matrix } from "../numeric/matrix.js";
import { boost, type Committee, type Round, weightOfWrong } from "./adaboost.js";
import { askEach, VoteCount } from "./votes.js";

/** When to stop early. */
export interface PatienceOptions {
  readonly rounds: number;
  /** Rounds without a smaller error after which boosting ends; at least 1. */
  readonly patience: number;
  /** Share of the rows to measure that error on. */
  readonly validation: number;
}

/**
 * Boosts on a part of the rows until the error on the others has not fallen for `patience` rounds, and keeps the rounds
 * up to the first one with the smallest error. The model is not trained again on all rows: its number of rounds was
 * found good for this model and for no other.
 */
export async function boostWithPatience(
  { sample, distribution }: TrainingSample<Matrix>,
  { rounds, patience, validation }: PatienceOptions,
  run: Run,
): Promise<Committee> {
  const { train, test } = holdout(sample.labels, validation, run.seed);
  const kept = sample.select(train);
  if (new Set(kept.labels).size === 1) {
    throw new VouchError(
      "data/too-few-rows",
      `${sample.rows} rows are too few for adaboost to keep some apart: one class is left to train on.`,
      { hint: "Give more rows, or a patience of 0." },
    );
  }
  const training = trainingSample("adaboost", kept);
  const weights = Float64Array.from(test, (row) => distribution[row]);
  const watch = new Watch(sample.select(test), weights, patience);
  const committee = await boost(training.sample, training.distribution, rounds, run, (round) =>
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
class Watch {
  /** How many rounds the committee with the smallest error has; 0 before the first round. */
  best = 0;
  readonly #sample: Sample;
  readonly #weights: Float64Array;
  readonly #patience: number;
  readonly #votes: VoteCount;
  readonly #sides: Uint8Array;
  #rounds = 0;
  #smallest = Number.POSITIVE_INFINITY;

  constructor(sample: Sample, weights: Float64Array, patience: number) {
    this.#sample = sample;
    this.#weights = weights;
    this.#patience = patience;
    this.#votes = new VoteCount(sample.rows, sample.classes.length);
    this.#sides = new Uint8Array(sample.rows);
  }

  /** Takes the next round; tells whether the error has not fallen for too long. */
  isEnough({ split, left, right, alpha }: Round): boolean {
    askEach(split, this.#sample.features, this.#sides);
    this.#votes.add({ left, right, sides: this.#sides }, alpha);
    this.#rounds++;
    const error = weightOfWrong(this.#votes.leaders, this.#sample.labels, this.#weights);
    if (error < this.#smallest) {
      this.#smallest = error;
      this.best = this.#rounds;
    }
    return this.#rounds - this.best >= this.#patience;
  }
}
