import type { CrossValidation } from "../evaluate/cross-validate.js";
import { foldLosses } from "../evaluate/fold-losses.js";
import { metricValues, type Objective } from "../evaluate/metric.js";
import type { ClassifiedTest } from "../evaluate/trial.js";
import type { Learner } from "../learners/learner.js";
import { mean, standardDeviation } from "../runtime/statistics.js";

/** The result of a candidate in a round. */
export interface RoundResult {
  readonly stage: number;
  /** Whether the rounds of its stage are folds of all rows. */
  readonly full: boolean;
  /** Number of rows it was fitted to. */
  readonly rows: number;
  /** Indices of the test rows; repeated folds test the same rows again. */
  readonly tested: Int32Array;
  /** 1 for each misclassified test row, otherwise 0. */
  readonly mistakes: Uint8Array;
  /** Scores of the test rows; absent if there are too many to keep and the metric does not need them. */
  readonly classified?: ClassifiedTest | undefined;
}

/** The losses of a candidate on the test rows of a round. */
export interface RoundLosses {
  readonly tested: Int32Array;
  readonly losses: ArrayLike<number>;
}

/**
 * The outcome of a candidate: it finished the race, was clearly behind, needed more time than was left, could not be fitted to
 * the data, or the race ended before its turn.
 */
export type Fate = "finished" | "behind" | "slow" | "failed" | "not tried";

/** A candidate in a race, with its results so far. */
export class Contender {
  readonly name: string;
  readonly learner: Learner;
  /** Its place in the list of candidates: the earlier of two equal ones is preferred. */
  readonly place: number;
  results: RoundResult[] = [];
  /** Set once it is out of the race. */
  out: { readonly fate: Fate; readonly reason: string } | undefined;
  readonly #objective: Objective;
  /** Its validation when it left. */
  #last: CrossValidation | undefined;
  /** The losses that were computed before. */
  readonly #known = new Map<string, readonly RoundLosses[]>();

  constructor(name: string, learner: Learner, place: number, objective: Objective) {
    this.name = name;
    this.learner = learner;
    this.place = place;
    this.#objective = objective;
  }

  get isIn(): boolean {
    return this.out === undefined;
  }

  /** Takes it out of the race; its scores are dropped. */
  leave(fate: Fate, reason: string): void {
    if (this.out) return;
    this.out = { fate, reason };
    this.#last = this.validation();
    this.results = this.results.map(({ classified, ...result }) => result);
    this.#known.clear();
  }

  resultsOf(stage: number): RoundResult[] {
    return this.results.filter((result) => result.stage === stage);
  }

  /** Returns its losses in the first rounds of a stage, by the metric of the race. */
  lossesOf(stage: number, rounds: number): readonly RoundLosses[] {
    const key = `${stage} ${rounds}`;
    const known = this.#known.get(key);
    if (known) return known;
    const results = this.resultsOf(stage).slice(0, rounds);
    const losses = this.#lossesIn(results).map((own, i) => ({ tested: results[i].tested, losses: own }));
    this.#known.set(key, losses);
    return losses;
  }

  #lossesIn(results: readonly RoundResult[]): readonly ArrayLike<number>[] {
    if (this.#objective.metric === "error") return results.map(({ mistakes }) => mistakes);
    const folds = results.flatMap(({ classified, tested }) =>
      classified ? [{ ...classified, tested }] : [],
    );
    const [first] = folds;
    return first ? foldLosses(this.#objective, folds, first.scores.length / first.labels.length) : [];
  }

  /** Returns its errors in the last stage that it took part in; undefined if there is none. */
  validation(): CrossValidation | undefined {
    const last = this.results.at(-1);
    if (this.#last || !last) return this.#last;
    const results = this.resultsOf(last.stage);
    const errors = results.map(({ mistakes }) => mean(mistakes));
    const losses = this.lossesOf(last.stage, results.length).map(({ losses }) => losses);
    return {
      errors,
      mean: mean(errors),
      sd: standardDeviation(errors),
      metric: metricValues(this.#objective.metric, losses),
      notices: [],
    };
  }
}
