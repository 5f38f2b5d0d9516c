import type { CrossValidation } from "../evaluate/cross-validate.js";
import type { Learner } from "../learners/learner.js";
import { mean, standardDeviation } from "../runtime/statistics.js";

/** How a candidate did in a round: which of the test rows it got wrong. */
export interface RoundResult {
  readonly stage: number;
  /** How many rows it was fitted to. */
  readonly rows: number;
  /** The rows that it was tested on; repeated folds test the same rows again. */
  readonly tested: Int32Array;
  /** 1 for a mistake, for each test row. */
  readonly mistakes: Uint8Array;
}

/**
 * What became of a candidate: it took part to the end, it was clearly behind, it needs more time than was left, it
 * cannot be fitted to this data, or the race ended before its turn.
 */
export type Fate = "finished" | "behind" | "slow" | "failed" | "not tried";

/** A candidate in a race, and what is known of it so far. */
export class Contender {
  readonly name: string;
  readonly learner: Learner;
  /** Its place in the list, cheap ones first: of two equal ones the earlier is preferred. */
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

  /** Its errors in the last stage that it took part in; undefined if it took part in none. */
  validation(): CrossValidation | undefined {
    const last = this.results.at(-1);
    if (!last) return undefined;
    const errors = this.resultsOf(last.stage).map(({ mistakes }) => mean(mistakes));
    return { errors, mean: mean(errors), sd: standardDeviation(errors), notices: [] };
  }
}
