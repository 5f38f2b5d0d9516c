import { fitTemperature, probabilitiesOf } from "../../learners/ensemble/temperature.js";
import type { Learner } from "../../learners/learner.js";
import { logLosses } from "../../metrics/evaluation.js";
import { CLIPPED_PROBABILITY, metricValues, type Objective } from "../../metrics/objective-metric.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { mean, standardDeviation } from "../../runtime/maths/statistics.js";
import type { CrossValidation } from "../../validation/cross-validate.js";
import { foldLosses } from "../../validation/fold-losses.js";
import type { ClassifiedTest } from "../../validation/trial.js";
import { type CurvePoint, meanLoss, type RoundLosses } from "./losses.js";

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
  /** Size of the model in a file. */
  readonly modelBytes: number;
  /** Scores of the test rows; absent if there are too many to keep and neither the metric nor an ensemble needs them. */
  readonly classified?: ClassifiedTest | undefined;
}

/**
 * The outcome of a candidate: it finished the race, was clearly behind, needed more time than was left, could not be fitted to
 * the data, or the race ended before its turn.
 */
export const CANDIDATE_STATUSES = ["finished", "behind", "slow", "failed", "not tried"] as const;

/** The outcome of a candidate. */
export type CandidateStatus = (typeof CANDIDATE_STATUSES)[number];

/** A candidate in a race, with its results so far. */
export class Candidate {
  readonly name: string;
  readonly learner: Learner;
  /** Its index in the list of candidates; ties go to the earlier one. */
  readonly place: number;
  results: RoundResult[] = [];
  /** Set once it has left the race. */
  exit: { readonly status: CandidateStatus; readonly reason: string } | undefined;
  readonly #objective: Objective;
  /** Its validation when it left. */
  #last: CrossValidation | undefined;
  /** Cached losses. */
  readonly #known = new Map<string, readonly RoundLosses[]>();
  readonly #logLosses = new Map<number, Float64Array>();

  constructor(name: string, learner: Learner, place: number, objective: Objective) {
    this.name = name;
    this.learner = learner;
    this.place = place;
    this.#objective = objective;
  }

  /** Whether it is still in the race. */
  get isIn(): boolean {
    return this.exit === undefined;
  }

  /** Whether it can win: it is in the race, or had no time for more rounds. */
  get canWin(): boolean {
    return this.results.length > 0 && (this.isIn || this.exit?.status === "slow");
  }

  /** Takes it out of the race. Drops the scores of a candidate that cannot win. */
  leave(status: CandidateStatus, reason: string): void {
    if (this.exit) return;
    this.exit = { status, reason };
    if (this.canWin) return;
    this.#last = this.validation();
    this.results = this.results.map(({ classified, ...result }) => result);
    this.#known.clear();
    this.#logLosses.clear();
  }

  /** Records that it has won, so that it is not reported as too slow. */
  finish(): void {
    if (this.canWin) this.exit = undefined;
  }

  /** Adds the result of a round. Parallel rounds may end in any order. */
  addResult(result: RoundResult): void {
    const isLast = this.results.every(({ round }) => round < result.round);
    this.results.push(result);
    if (isLast) return;
    this.results.sort((a, b) => a.round - b.round);
    this.#known.clear();
  }

  resultsOf(stage: number): RoundResult[] {
    return this.results.filter((result) => result.stage === stage);
  }

  /** The last stage that it took part in; −1 if there is none. */
  get lastStage(): number {
    return this.results.at(-1)?.stage ?? -1;
  }

  /** Size of the model of its last round in a file; 0 if it took part in no round. */
  get modelBytes(): number {
    return this.results.at(-1)?.modelBytes ?? 0;
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

  /** Whether it gives all test rows of a round the same scores, like the most frequent class; false without scores. */
  get isConstant(): boolean {
    return (
      this.results.length > 0 &&
      this.results.every(({ classified }) => classified !== undefined && hasEqualRows(classified))
    );
  }

  /** Returns its losses in the first rounds of a stage, by the metric of the race. */
  lossesOf(stage: number, rounds: number): readonly RoundLosses[] {
    return this.#lossesBy(this.#objective, stage, rounds);
  }

  /**
   * Computes its log loss in the first rounds of a stage, with probabilities calibrated on other rounds; NaN without
   * scores.
   */
  calibratedLogLoss(stage: number, rounds: number): number {
    return meanLoss(this.#lossesBy(LOG_LOSS, stage, rounds));
  }

  /**
   * Returns its log losses in the first rounds of a stage, without a calibration, which takes time. Decision values
   * become probabilities at the temperature that suits a round best. Skips rounds without scores.
   */
  logLossesOf(stage: number, rounds: number): readonly RoundLosses[] {
    const results = this.resultsOf(stage).slice(0, rounds);
    return results.flatMap(({ round, tested, classified }) => {
      if (!classified) return [];
      const losses = this.#logLosses.get(round) ?? roughLogLosses(classified);
      this.#logLosses.set(round, losses);
      return [{ tested, losses }];
    });
  }

  #lossesBy(objective: Objective, stage: number, rounds: number): readonly RoundLosses[] {
    const key = `${objective.metric} ${stage} ${rounds}`;
    const known = this.#known.get(key);
    if (known) return known;
    const results = this.resultsOf(stage).slice(0, rounds);
    const losses = lossesIn(results, objective).map((own, i) => ({ tested: results[i].tested, losses: own }));
    this.#known.set(key, losses);
    return losses;
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

const LOG_LOSS: Objective = { metric: "log-loss" };

function lossesIn(results: readonly RoundResult[], objective: Objective): readonly ArrayLike<number>[] {
  if (objective.metric === "error") return results.map(({ mistakes }) => mistakes);
  const folds = results.flatMap(({ classified, tested }) => (classified ? [{ ...classified, tested }] : []));
  const [first] = folds;
  return first ? foldLosses(objective, folds, first.scores.length / first.labels.length) : [];
}

function roughLogLosses({ labels, scores, scoring }: ClassifiedTest): Float64Array {
  const classes = scores.length / labels.length;
  const temperature = scoring === "decision" ? fitTemperature(scores, labels, classes) : 1;
  const probabilities = probabilitiesOf(new Matrix(labels.length, classes, scores), scoring, temperature);
  return logLosses(labels, new Matrix(labels.length, classes, probabilities), CLIPPED_PROBABILITY);
}

function hasEqualRows({ labels, scores }: ClassifiedTest): boolean {
  const classes = scores.length / labels.length;
  return scores.every((score, i) => score === scores[i % classes]);
}
