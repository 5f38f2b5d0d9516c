import type { Features, Sample } from "../data/sample.js";
import { type PatienceOptions, rowsKeptApart } from "../learning/rows-kept-apart.js";
import type { Run } from "../learning/run.js";
import { type TrainingSample, trainingSample } from "../learning/training-sample.js";
import { boost, type Committee, type Round, weightOfWrong } from "./adaboost.js";
import { type SideAnswers, VoteCount } from "./votes.js";
import type { WeakLearner } from "./weak-learner.js";

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
  if (!train || !test) return await boost(weak, given, options.rounds, run);
  const held = sample.select(test);
  const weights = Float64Array.from(test, (row) => distribution[row]);
  const watch = new Watch(weak.asking(held.features), held, weights, options.patience);
  const training = trainingSample("adaboost", sample.select(train));
  const committee = await boost(weak, training, options.rounds, run, (round) => watch.isEnough(round));
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
  isEnough(round: Round<Rule>): boolean {
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
