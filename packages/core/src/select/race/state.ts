import { learnerLabel } from "../../learners/index.js";
import type { Learner } from "../../learners/learner.js";
import type { MetricValues, Objective } from "../../metrics/objective-metric.js";
import { mean } from "../../runtime/maths/statistics.js";
import type { Run } from "../../runtime/parallel/run.js";
import { rareClasses } from "../../table/rare-classes.js";
import type { Split } from "../../table/splits.js";
import { subsampled } from "../../table/subsample.js";
import { classCounts, type Labelled } from "../../table/target.js";
import { growthFamilies } from "../../validation/growth-families.js";
import { outOfFoldFits } from "../../validation/out-of-fold.js";
import { canRunInParallel, countThreads, tryOnThread } from "../../validation/run-trials.js";
import { type TrainTestSplit, type Trial, TrialRows, tryLearners } from "../../validation/trial.js";
import { conciseName } from "../candidates.js";
import { Candidate, type CandidateStatus } from "./candidate.js";
import { CandidateFamily } from "./candidate-family.js";
import type { TestSettings } from "./ensemble-members.js";
import { closeByLogLoss, rankCandidates, type StageRanking } from "./ranking.js";
import { type RaceRound, raceRounds, roundsFrom } from "./rounds.js";
import { RACE_SETTINGS } from "./settings.js";

const { mostCellsSideBySide, mostKeptScores, mostRows } = RACE_SETTINGS.size;

/** What a race is about. */
export interface RaceSetup {
  readonly folds: number;
  readonly objective: Objective;
  readonly run: Run;
  /** Returns the time in seconds, if the caller keeps it: then fits run one by one on this thread. */
  readonly clock?: (() => number) | undefined;
  /**
   * Splits of all rows that replace the rounds of a race; the scores of candidates are then kept only if the metric
   * needs them.
   */
  readonly splits?: readonly Split[];
}

/** The rows, the rounds and the candidates of a race. */
export class RaceState {
  /** Rows that candidates race on. */
  readonly data: Labelled;
  /** Number of all rows; the race may use a part. */
  readonly all: number;
  readonly setup: RaceSetup;
  readonly rounds: readonly RaceRound[];
  readonly candidates: Candidate[] = [];
  /** Whether a class is so rare that errors say little about how well it is recognised. */
  readonly hasRareClass: boolean;
  readonly #families: CandidateFamily[] = [];
  readonly #divisions = new Map<number, TrainTestSplit>();
  /** The last ranking, which is requested many times between two tests. */
  #ranking: { readonly key: string; readonly value: StageRanking } | undefined;
  /** Rows of the last round encoded on this thread. */
  #recent: { readonly index: number; readonly rows: TrialRows } | undefined;

  constructor(data: Labelled, setup: RaceSetup) {
    this.all = data.labels.length;
    const { folds, run, splits } = setup;
    this.data = splits ? data : subsampled(data, mostRows, run.seed);
    this.setup = setup;
    this.rounds = splits ? roundsFrom(splits) : [...raceRounds(this.data, folds, run.seed)];
    this.hasRareClass = rareClasses(classCounts(this.data.labels, this.data.classes.length)).length > 0;
  }

  /** What the tests of candidates are about. */
  get tests(): TestSettings {
    const { data, setup, hasRareClass } = this;
    const { objective } = setup;
    return { objective, classes: data.classes.length, groups: data.groups, hasRareClass };
  }

  /** Orders candidates, by default those that are still in the race and have a result. */
  ranking(candidates: readonly Candidate[] = this.judged): StageRanking {
    const key = candidates.map(({ place, results }) => `${place} ${results.length}`).join();
    if (this.#ranking?.key === key) return this.#ranking.value;
    const value = closeByLogLoss(rankCandidates(candidates), this.tests);
    this.#ranking = { key, value };
    return value;
  }

  /** Number of folds that suffice for scores of rows that were not trained on. */
  get outOfFoldRounds(): number {
    return Math.min(this.rounds.filter(({ full }) => full).length, outOfFoldFits(this.all));
  }

  /** Adds candidates. Those that differ only in the number of growth steps form one family, which is fitted once. */
  add(learners: readonly Learner[], names = learners.map(conciseName)): CandidateFamily[] {
    const first = this.candidates.length;
    const added = learners.map(
      (learner, i) => new Candidate(names[i], learner, first + i, this.setup.objective),
    );
    const families = growthFamilies(learners).map(
      ({ members }) => new CandidateFamily(members.map(({ candidate }) => added[candidate])),
    );
    this.candidates.push(...added);
    this.#families.push(...families);
    return families;
  }

  /** Families with candidates that are still in the race. */
  get families(): CandidateFamily[] {
    return this.#families.filter((family) => family.inRace.length > 0);
  }

  familyOf(candidate: Candidate): CandidateFamily {
    const found = this.#families.find((family) => family.candidates.includes(candidate));
    if (!found) throw new TypeError(`${candidate.name} is not in the race.`);
    return found;
  }

  /**
   * Returns whether fits of the same learner to at most this many rows were aborted after this many seconds, and none
   * succeeded; other options would hardly be faster.
   */
  isTooSlow(family: CandidateFamily, rows: number, seconds: number): boolean {
    const alike = this.#alike(family);
    return !alike.some(({ isTried }) => isTried) && alike.some((other) => other.failsWithin(rows, seconds));
  }

  /** Predicts the seconds of a round from other candidates of the same learner; undefined if there are none. */
  secondsOfKind(family: CandidateFamily, rows: number, tests: number): number | undefined {
    const tried = this.#alike(family).filter(({ isTried }) => isTried);
    if (tried.length === 0) return undefined;
    return mean(tried.map((other) => other.roundSeconds(rows, tests) ?? 0));
  }

  #alike({ candidates: [{ learner }] }: CandidateFamily): CandidateFamily[] {
    return this.#families.filter(({ candidates: [one] }) => one.learner.name === learner.name);
  }

  /** Candidates that are still in the race and have a result. */
  get judged(): Candidate[] {
    return this.candidates.filter((one) => one.isIn && one.results.length > 0);
  }

  /** Whether any candidate has a result and can win. */
  get hasModel(): boolean {
    return this.candidates.some((one) => one.canWin);
  }

  /**
   * Returns whether the fits of a round run in parallel, each on one thread, or one by one on all; `seconds` is the
   * time limit.
   */
  runsSideBySide(round: RaceRound, seconds: number): boolean {
    const { clock, run } = this.setup;
    if (clock !== undefined) return false;
    if (round.rows * this.data.features.columns.length > mostCellsSideBySide) return false;
    const learners = this.families.flatMap(({ inRace }) => inRace.map(({ learner }) => learner));
    return canRunInParallel(learners, this.#divisionOf(round), run, seconds);
  }

  /** Fits candidates of a family to the rows of a round, tests them and notes results and times. */
  async test(
    family: CandidateFamily,
    round: RaceRound,
    run: Run,
    sideBySide: boolean,
    taking: readonly Candidate[] = family.inRace,
  ): Promise<void> {
    const learners = taking.map(({ learner }) => learner);
    const trials = await this.#trials(learners, round, run, sideBySide);
    family.timed(round.rows, trials);
    const { index, stage, full, rows, split } = round;
    const common = { round: index, stage, full, rows, tested: split.test };
    trials.forEach(({ mistakes, classified, bytes: modelBytes = 0 }, i) => {
      taking[i].addResult({ ...common, mistakes, modelBytes, classified });
    });
  }

  /** Runs the same work once, or in parallel on every thread, and throws the first error after all have ended. */
  async inLanes(sideBySide: boolean, work: () => Promise<void>): Promise<void> {
    const lanes = sideBySide ? countThreads(this.setup.run.executor) : 1;
    const outcomes = await Promise.allSettled(Array.from({ length: lanes }, work));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }

  async #trials(
    learners: readonly Learner[],
    round: RaceRound,
    run: Run,
    sideBySide: boolean,
  ): Promise<Trial[]> {
    const { clock, objective, splits } = this.setup;
    const ifPossible = splits ? 0 : mostKeptScores;
    const scores = objective.metric === "error" ? ifPossible : Number.POSITIVE_INFINITY;
    const options = { warmUp: true, scores, bytes: true };
    if (sideBySide) return tryOnThread(learners, this.#divisionOf(round), run, options);
    if (this.#recent?.index !== round.index) {
      this.#recent = { index: round.index, rows: new TrialRows(this.#divisionOf(round)) };
    }
    return tryLearners(learners, this.#recent.rows, run, { ...options, ...(clock && { clock }) });
  }

  #divisionOf({ index, split }: RaceRound): TrainTestSplit {
    const division = this.#divisions.get(index) ?? { data: this.data, ...split };
    this.#divisions.set(index, division);
    return division;
  }
}

/** A candidate in a running race, as a leader board shows it; plain data. */
export interface LeaderboardRow {
  /** The learner's name and its changed options. */
  readonly name: string;
  readonly learner: string;
  /** The learner's title, and what it does in one sentence. */
  readonly title: string;
  readonly summary: string;
  /** Errors of its tests so far, one per round of the last stage that it took part in; empty before the first. */
  readonly errors: readonly number[];
  /** The metric of the race on the same tests; absent before the first. */
  readonly metric?: MetricValues;
  /** Number of rows that it was fitted to in these rounds. */
  readonly rows: number;
  /** Number of rows that tested it in these rounds. */
  readonly tested: number;
  /** Seconds of its last fit. */
  readonly seconds?: number;
  /** Present once it has left the race. */
  readonly fate?: CandidateStatus;
}

/**
 * Lists the candidates of a race: those still in it, best first, then those that wait for their turn, then the rest.
 */
export function leaderboard(state: RaceState): LeaderboardRow[] {
  const { order } = state.ranking();
  const waiting = state.candidates.filter((one) => one.isIn && !order.includes(one));
  const out = state.candidates.filter((one) => !one.isIn);
  return [...order, ...waiting, ...out].map((one) => {
    const validation = one.validation();
    const results = one.resultsOf(one.lastStage);
    const seconds = state.familyOf(one).fitSeconds;
    return {
      name: one.name,
      learner: one.learner.name,
      ...learnerLabel(one.learner.name),
      errors: validation?.errors ?? [],
      ...(validation && { metric: validation.metric }),
      rows: one.results.at(-1)?.rows ?? 0,
      tested: results.reduce((sum, { tested }) => sum + tested.length, 0),
      ...(seconds !== undefined && { seconds }),
      ...(one.exit && { fate: one.exit.status }),
    };
  });
}
