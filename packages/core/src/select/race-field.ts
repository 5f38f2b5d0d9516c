import type { Learner } from "../learners/learner.js";
import type { Objective } from "../metrics/objective-metric.js";
import type { Run } from "../runtime/run.js";
import { mean } from "../runtime/statistics.js";
import { rareClasses } from "../table/rare-classes.js";
import { subsampled } from "../table/subsample.js";
import { classCounts, type Labelled } from "../table/target.js";
import { growthFamilies } from "../validation/growth-families.js";
import { outOfFoldFits } from "../validation/out-of-fold.js";
import { canRunInParallel, threadsOf, tryOnThread } from "../validation/run-trials.js";
import { type Division, type Trial, TrialRows, tryLearners } from "../validation/trial.js";
import { conciseName } from "./candidates.js";
import { Contender } from "./contender.js";
import { closeByLogLoss } from "./one-standard-error.js";
import { RaceEntry } from "./race-entry.js";
import { type RaceRound, raceRounds, type StageStanding, standingOf } from "./race-rounds.js";
import type { TestSettings } from "./tested-probabilities.js";

/** Candidates race on a stratified subsample of at most this many rows; the winner may be fitted to more. */
const MAX_ROWS = 250_000;

/** Scores of more test rows × classes are not kept, unless the metric needs them. */
const KEPT_SCORES = 4_000_000;

/** Larger rounds are fitted one by one, each on all threads, as the winner will be: their times predict that of the final fit. */
const MOST_CELLS_SIDE_BY_SIDE = 2_000_000;

/** What a race is about. */
export interface RaceSettings {
  readonly folds: number;
  readonly objective: Objective;
  readonly run: Run;
  /** Returns the time in seconds, if the caller keeps it: then fits run one by one on this thread. */
  readonly clock?: (() => number) | undefined;
}

/** The rows, the rounds and the contenders of a race. */
export class RaceField {
  /** The rows that contenders race on. */
  readonly data: Labelled;
  /** Number of all rows, of which the race may have a part. */
  readonly all: number;
  readonly settings: RaceSettings;
  readonly rounds: readonly RaceRound[];
  readonly contenders: Contender[] = [];
  /** Whether a class is so rare that errors say little about how well it is told from the others. */
  readonly hasRareClass: boolean;
  readonly #entries: RaceEntry[] = [];
  readonly #divisions = new Map<number, Division>();
  /** The standing that was computed last: it is asked for many times between two tests. */
  #standing: { readonly key: string; readonly value: StageStanding } | undefined;
  /** The rows of the round that was encoded last on this thread. */
  #recent: { readonly index: number; readonly rows: TrialRows } | undefined;

  constructor(data: Labelled, settings: RaceSettings) {
    this.all = data.labels.length;
    this.data = subsampled(data, MAX_ROWS, settings.run.seed);
    this.settings = settings;
    this.rounds = [...raceRounds(this.data, settings.folds, settings.run.seed)];
    this.hasRareClass = rareClasses(classCounts(this.data.labels, this.data.classes.length)).length > 0;
  }

  /** What the tests of contenders are about. */
  get tests(): TestSettings {
    const { data, settings, hasRareClass } = this;
    const { objective } = settings;
    return { objective, classes: data.classes.length, groups: data.groups, hasRareClass };
  }

  /** Orders contenders, by default those that take part in further rounds and have a result. */
  standing(contenders: readonly Contender[] = this.judged): StageStanding {
    const key = contenders.map(({ place, results }) => `${place} ${results.length}`).join();
    if (this.#standing?.key === key) return this.#standing.value;
    const value = closeByLogLoss(standingOf(contenders), this.tests);
    this.#standing = { key, value };
    return value;
  }

  /** Number of folds that tell the scores of enough rows that were not trained on. */
  get outOfFoldRounds(): number {
    return Math.min(this.rounds.filter(({ full }) => full).length, outOfFoldFits(this.all));
  }

  /** Adds contenders. Those that differ only in the number of growth steps are one entry, which is fitted once. */
  add(learners: readonly Learner[], names = learners.map(conciseName)): RaceEntry[] {
    const first = this.contenders.length;
    const added = learners.map(
      (learner, i) => new Contender(names[i], learner, first + i, this.settings.objective),
    );
    const entries = growthFamilies(learners).map(
      ({ members }) => new RaceEntry(members.map(({ candidate }) => added[candidate])),
    );
    this.contenders.push(...added);
    this.#entries.push(...entries);
    return entries;
  }

  /** Entries with contenders that take part in further rounds. */
  get entries(): RaceEntry[] {
    return this.#entries.filter((entry) => entry.inRace.length > 0);
  }

  entryOf(contender: Contender): RaceEntry {
    const found = this.#entries.find((entry) => entry.contenders.includes(contender));
    if (!found) throw new TypeError(`${contender.name} is not in the race.`);
    return found;
  }

  /**
   * Tells whether others of the same learner were fitted to so many rows at most for so many seconds without an end, and none with
   * success: one with other options would hardly be faster.
   */
  isTooSlow(entry: RaceEntry, rows: number, seconds: number): boolean {
    const alike = this.#alike(entry);
    return !alike.some(({ isTried }) => isTried) && alike.some((other) => other.failsWithin(rows, seconds));
  }

  /** Predicts the seconds of a round from those of others of the same learner; undefined if there are none. */
  secondsOfKind(entry: RaceEntry, rows: number, tests: number): number | undefined {
    const tried = this.#alike(entry).filter(({ isTried }) => isTried);
    if (tried.length === 0) return undefined;
    return mean(tried.map((other) => other.roundSeconds(rows, tests) ?? 0));
  }

  #alike({ contenders: [{ learner }] }: RaceEntry): RaceEntry[] {
    return this.#entries.filter(({ contenders: [one] }) => one.learner.name === learner.name);
  }

  /** Contenders that take part in further rounds and have a result. */
  get judged(): Contender[] {
    return this.contenders.filter((one) => one.isIn && one.results.length > 0);
  }

  /** Whether any contender has a result and can win. */
  get hasModel(): boolean {
    return this.contenders.some((one) => one.canWin);
  }

  /** Tells whether the fits of a round run side by side, each on one thread, or one by one on all; `seconds` is the time limit. */
  runsSideBySide(round: RaceRound, seconds: number): boolean {
    const { clock, run } = this.settings;
    if (clock !== undefined) return false;
    if (round.rows * this.data.features.columns.length > MOST_CELLS_SIDE_BY_SIDE) return false;
    const learners = this.entries.flatMap(({ inRace }) => inRace.map(({ learner }) => learner));
    return canRunInParallel(learners, this.#divisionOf(round), run, seconds);
  }

  /** Fits contenders of an entry to the rows of a round, tests them and notes results and times. */
  async test(
    entry: RaceEntry,
    round: RaceRound,
    run: Run,
    sideBySide: boolean,
    taking: readonly Contender[] = entry.inRace,
  ): Promise<void> {
    const learners = taking.map(({ learner }) => learner);
    const trials = await this.#trials(learners, round, run, sideBySide);
    entry.timed(round.rows, trials);
    const { index, stage, full, rows, split } = round;
    const common = { round: index, stage, full, rows, tested: split.test };
    trials.forEach(({ mistakes, classified, bytes: modelBytes = 0 }, i) => {
      taking[i].results.push({ ...common, mistakes, modelBytes, classified });
    });
  }

  /** Runs the same work once, or side by side on every thread, and throws the first error after all have ended. */
  async inLanes(sideBySide: boolean, work: () => Promise<void>): Promise<void> {
    const lanes = sideBySide ? threadsOf(this.settings.run.executor) : 1;
    const outcomes = await Promise.allSettled(Array.from({ length: lanes }, work));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }

  async #trials(
    learners: readonly Learner[],
    round: RaceRound,
    run: Run,
    sideBySide: boolean,
  ): Promise<Trial[]> {
    const { clock, objective } = this.settings;
    const scores = objective.metric === "error" ? KEPT_SCORES : Number.POSITIVE_INFINITY;
    const options = { warmUp: true, scores, bytes: true };
    if (sideBySide) return tryOnThread(learners, this.#divisionOf(round), run, options);
    if (this.#recent?.index !== round.index) {
      this.#recent = { index: round.index, rows: new TrialRows(this.#divisionOf(round)) };
    }
    return tryLearners(learners, this.#recent.rows, run, { ...options, ...(clock && { clock }) });
  }

  #divisionOf({ index, split }: RaceRound): Division {
    const division = this.#divisions.get(index) ?? { data: this.data, ...split };
    this.#divisions.set(index, division);
    return division;
  }
}
