import type { CrossValidation } from "../evaluate/cross-validate.js";
import { foldLosses } from "../evaluate/fold-losses.js";
import { metricValues, type Objective } from "../evaluate/metric.js";
import type { ClassifiedTest } from "../evaluate/trial.js";
import type { Learner } from "../learners/learner.js";
import { mean, standardDeviation } from "../runtime/statistics.js";
import type { CurvePoint } from "./learning-curve.js";

/** The result of a candidate in a round. */
export interface RoundResult {
  /** Index of the round. */
  readonly round: number;
  readonly stage: number;
  /** Whether the rounds of its stage are folds of all rows. */
  readonly full: boolean;
  /** Number of rows it was fitted to. */
  readonly rows: number;
  /** Indices of the test rows; repeated folds test the same rows again. */
  readonly tested: Int32Array;
  /** 1 for each misclassified test row, otherwise 0. */
  readonly mistakes: Uint8Array;
  /** Scores of the test rows; absent if there are too many to keep and neither the metric nor an ensemble needs them. */
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
export const FATES = ["finished", "behind", "slow", "failed", "not tried"] as const;

/** The outcome of a candidate. */
export type Fate = (typeof FATES)[number];

/** A candidate in a race, with its results so far. */
export class Contender {
  readonly name: string;
  readonly learner: Learner;
  /** Its place in the list of candidates: the earlier of two equal ones is preferred. */
  readonly place: number;
  results: RoundResult[] = [];
  /** Set once it takes part in no further round. */
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

  /** Whether it takes part in further rounds. */
  get isIn(): boolean {
    return this.out === undefined;
  }

  /** Whether it can win: it is in the race, or had no time for more rounds. */
  get canWin(): boolean {
    return this.results.length > 0 && (this.isIn || this.out?.fate === "slow");
  }

  /** Takes it out of the race. The scores of one that cannot win are dropped. */
  leave(fate: Fate, reason: string): void {
    if (this.out) return;
    this.out = { fate, reason };
    if (this.canWin) return;
    this.#last = this.validation();
    this.results = this.results.map(({ classified, ...result }) => result);
    this.#known.clear();
  }

  /** Notes that it has won, so that it is not said to be too slow. */
  finish(): void {
    if (this.canWin) this.out = undefined;
  }

  resultsOf(stage: number): RoundResult[] {
    return this.results.filter((result) => result.stage === stage);
  }

  /** The last stage that it took part in; −1 if there is none. */
  get lastStage(): number {
    return this.results.at(-1)?.stage ?? -1;
  }

  /** Largest number of rows that it was fitted to; 0 if it took part in no round. */
  get rowsSeen(): number {
    return Math.max(0, ...this.results.map(({ rows }) => rows));
  }

  /** Returns its mean loss at each number of rows that it was fitted to. */
  learningCurve(): CurvePoint[] {
    const stages = [...new Set(this.results.map(({ stage }) => stage))].sort((a, b) => a - b);
    return stages.map((stage) => {
      const results = this.resultsOf(stage);
      return { rows: results[0].rows, loss: meanLoss(this.lossesOf(stage, results.length)) };
    });
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

/** Computes the mean loss in all rounds together. */
export function meanLoss(results: readonly RoundLosses[]): number {
  let all = 0;
  let rows = 0;
  for (const { losses } of results) {
    for (let i = 0; i < losses.length; i++) all += losses[i];
    rows += losses.length;
  }
  return all / rows;
}

/** Computes the mean loss with its standard error. */
export function lossWithError(rounds: readonly RoundLosses[]): { loss: number; standardError: number } {
  const loss = meanLoss(rounds);
  let squares = 0;
  let rows = 0;
  for (const { losses } of rounds) {
    for (let i = 0; i < losses.length; i++) squares += (losses[i] - loss) ** 2;
    rows += losses.length;
  }
  return { loss, standardError: Math.sqrt(squares) / rows };
}
