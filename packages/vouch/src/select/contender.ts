import type { CrossValidation } from "../evaluate/cross-validate.js";
import type { Learner } from "../learners/learner.js";
import { mean, standardDeviation } from "../runtime/statistics.js";

/** The result of a candidate in a round. */
export interface RoundResult {
  readonly stage: number;
  /** Number of rows it was fitted to. */
  readonly rows: number;
  /** Indices of the test rows; repeated folds test the same rows again. */
  readonly tested: Int32Array;
  /** 1 for each misclassified test row, otherwise 0. */
  readonly mistakes: Uint8Array;
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
  readonly results: RoundResult[] = [];
  /** Set once it is out of the race. */
  out: { readonly fate: Fate; readonly reason: string } | undefined;

  constructor(name: string, learner: Learner, place: number) {
    this.name = name;
    this.learner = learner;
    this.place = place;
  }

  get isIn(): boolean {
    return this.out === undefined;
  }

  leave(fate: Fate, reason: string): void {
    this.out ??= { fate, reason };
  }

  resultsOf(stage: number): RoundResult[] {
    return this.results.filter((result) => result.stage === stage);
  }

  /** Returns its errors in the last stage that it took part in; undefined if there is none. */
  validation(): CrossValidation | undefined {
    const last = this.results.at(-1);
    if (!last) return undefined;
    const errors = this.resultsOf(last.stage).map(({ mistakes }) => mean(mistakes));
    return { errors, mean: mean(errors), sd: standardDeviation(errors), notices: [] };
  }
}
