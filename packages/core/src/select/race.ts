import type { Learner } from "../learners/learner.js";
import { ERROR, type Objective } from "../metrics/objective-metric.js";
import { completeRun, type Run } from "../runtime/run.js";
import type { Labelled } from "../table/target.js";
import { CALIBRATION_FOLDS, outOfFoldFits } from "../validation/out-of-fold.js";
import { threadsOf } from "../validation/run-trials.js";
import { type CandidateCounts, conciseNames, countCandidates, shapeOf } from "./candidates.js";
import type { Contender } from "./contender.js";
import { promote } from "./promotion.js";
import { RaceBudget, SAFETY } from "./race-budget.js";
import type { FinalWork, RaceEntry } from "./race-entry.js";
import { RaceField } from "./race-field.js";
import { helpersOf } from "./race-helpers.js";
import { outcomeOf, type RaceResult } from "./race-outcome.js";
import { RaceProposals } from "./race-proposals.js";
import { bestOfKinds, laggards, type RaceRound, type StageStanding } from "./race-rounds.js";
import type { RaceStanding } from "./race-standing.js";
import { countPoints, searchSpaces } from "./search-space.js";
import { TimedTrials } from "./timed-trials.js";

/** Time limit and folds of a race. */
export interface RaceOptions {
  /** Time limit for the race and the final work together; kept as well as fit times can be predicted. */
  readonly seconds: number;
  /** Number of folds of all rows in the last stage; the default is 5. */
  readonly folds?: number;
  /** Whether to search for better options of the best learners in the time that the candidates leave; false by default. */
  readonly search?: boolean;
  /** Whether an ensemble of the best candidates may win; false by default. */
  readonly ensemble?: boolean;
  /** The metric to optimise; the error by default. */
  readonly objective?: Objective;
  /** The work with the winner, for which time is reserved; by default one fit and no test. */
  readonly final?: FinalWork;
  /** Called after every test with all candidates, the best first, for a leader board; must be cheap. */
  readonly onStanding?: (standing: readonly RaceStanding[]) => void;
  /** Ends the race early, with the best candidate so far; `run.signal` aborts it. */
  readonly stop?: AbortSignal;
  /** Returns the time in seconds; the default is the clock of the machine. */
  readonly clock?: () => number;
  readonly run?: Partial<Run>;
}

/** Fractions of the time left that a round of a subsample, and a fold of all rows, may take. */
const SHARE_OF_SUBSAMPLE = 1 / 3;
const SHARE_OF_FOLD = 1 / 2;

/** Fraction of the time left that all folds of the last stage may take, if the search is to have the rest. */
const SHARE_OF_LAST_STAGE = 2 / 3;

/** Quick fits, predicted to take at most this fraction of a round, run before longer ones, which would use up its time. */
const QUICK = 1 / 20;

/**
 * The best of a kind of learner may have this many times the loss of the leader and still be of use. After a subsample it may be
 * further behind: networks, for example, catch up with more rows.
 */
const CLOSE = 1.5;
const CLOSE_ON_SUBSAMPLE = 2;

/**
 * Finds the best of several candidates within a time limit.
 *
 * Candidates compete in rounds: in each, all that are still in the race are fitted to the same rows and tried on the same
 * others. With many rows the first rounds use a subsample; the last ones are folds of all rows. After every round, candidates
 * leave whose losses are clearly more than the leader's, row by row (successive halving, Jamieson and Talwalkar 2016, with the
 * racing of Maron and Moore 1994 in place of a fixed fraction). One that has no time for more rows stays in the running with its
 * last result: learning curves, projected to the rows that there is time for, decide between it and those that went on. Then
 * options near the best ones are searched, and an ensemble of the survivors is formed from their tests. Fit times are predicted
 * from smaller fits, with time reserved for the final fits; a fit of unknown length is aborted when it takes more than its share.
 * Independent fits run in parallel on the threads of the run.
 *
 * The clock decides which candidates take part in which rounds. Given that, which the record of the race tells, the result depends
 * only on the seed.
 */
export async function raceLearners(
  candidates: readonly Learner[],
  data: Labelled,
  options: RaceOptions,
): Promise<RaceResult> {
  const { folds = CALIBRATION_FOLDS, objective = ERROR, clock } = options;
  const field = new RaceField(data, { folds, objective, clock, run: completeRun(options.run) });
  return new Race(field, candidates, options).run();
}

class Race {
  readonly #field: RaceField;
  readonly #options: RaceOptions;
  readonly #budget: RaceBudget;
  readonly #trials: TimedTrials;
  readonly #candidates: readonly Learner[];
  /** Index of the last round of the stage that there is time for. */
  #lastRound = Number.POSITIVE_INFINITY;
  /** Entries that there is time for in the stage, in the order in which they were promoted. */
  #promoted: readonly RaceEntry[] = [];

  constructor(field: RaceField, candidates: readonly Learner[], options: RaceOptions) {
    this.#field = field;
    this.#options = options;
    field.add(candidates, conciseNames(candidates));
    this.#candidates = candidates;
    const clock = options.clock ?? (() => performance.now() / 1000);
    this.#budget = new RaceBudget(options.seconds, clock, finalWork(field, options.final), (one) =>
      field.entryOf(one),
    );
    this.#trials = new TimedTrials(field, this.#budget, options);
  }

  async run(): Promise<RaceResult> {
    const { search = false, ensemble = false } = this.#options;
    const ended =
      (await this.#runList()) ?? (search ? await new RaceProposals(this.#trials).run() : undefined);
    const isSlow = this.#field.contenders.some(({ out }) => out?.fate === "slow");
    const { all, settings } = this.#field;
    // Forming an ensemble takes time of its own, which is not that of the final fits.
    const { left } = this.#budget;
    return outcomeOf(this.#field, {
      ensemble,
      counts: await this.#counts(),
      ended: ended ?? (isSlow ? "by time" : "decided"),
      time: {
        rowsFor: (one) => this.#budget.rowsFor(one, all, all * (1 - 1 / settings.folds), left),
        affords: (members, rows) => this.#budget.affords(members, rows, left),
      },
    });
  }

  /** Counts the listed candidates and the points of the search. */
  async #counts(): Promise<CandidateCounts> {
    const listed = countCandidates(this.#candidates);
    if (!this.#options.search) return listed;
    const searched = await countPoints(searchSpaces(shapeOf(this.#field.data)));
    return {
      among: listed.among + searched.among,
      certifiable: listed.certifiable + searched.certifiable,
    };
  }

  /** Runs the rounds of the listed candidates. */
  async #runList(): Promise<RaceResult["ended"] | undefined> {
    for (const round of this.#field.rounds) {
      if (!this.#isPlanned(round)) continue;
      const ended = await this.#runRound(round);
      this.#dropLaggards(round);
      if (ended) return ended;
      const { judged } = this.#field;
      if (judged.length === 0) return "by time";
      if (judged.length === 1 && !this.#options.search) return undefined;
    }
    return undefined;
  }

  /**
   * Decides at the first round of a stage who takes part in it, and how many rounds it has; says whether a round is one of these. In
   * the first stage, all take part in the first round; those go on that there is time for in as many rounds as an ensemble needs.
   */
  #isPlanned(round: RaceRound): boolean {
    const { judged, rounds: all } = this.#field;
    const left = all.filter(({ stage, index }) => stage === round.stage && index >= round.index);
    const before = all[round.index - 1];
    if (judged.length > 0 && (before === all[0] || before?.stage !== round.stage)) {
      const standing = this.#field.standing();
      const isFirst = standing.stage === round.stage;
      const least = Math.max(1, Math.min(left.length, this.#field.outOfFoldRounds - (isFirst ? 1 : 0)));
      const entryOf = (one: Contender) => this.#field.entryOf(one);
      const free = Math.max(0, this.#budget.left - this.#trials.reserve(standing.order));
      const sideBySide = this.#field.runsSideBySide(round, this.#budget.seconds);
      const { entries, rounds } = promote(
        {
          ranked: standing.order.map(entryOf),
          helpers: this.#helpers(standing).map(entryOf),
          bestOfKinds: this.#options.ensemble ? bestOfKinds(standing, CLOSE_ON_SUBSAMPLE).map(entryOf) : [],
        },
        {
          secondsOf: (entry) => SAFETY * (entry.roundSeconds(round.rows, round.split.test.length) ?? 0),
          seconds: free * (round.full ? SHARE_OF_LAST_STAGE : SHARE_OF_SUBSAMPLE),
          lanes: sideBySide ? threadsOf(this.#field.settings.run.executor) : 1,
          rounds: { most: isFirst ? least : left.length, least },
        },
      );
      if (!isFirst) this.#lastRound = left[rounds - 1].index;
      this.#promoted = entries;
      for (const one of judged)
        if (!entries.includes(entryOf(one))) one.leave("slow", "there is no time for more rounds");
    }
    return round.index <= this.#lastRound;
  }

  async #runRound(round: RaceRound): Promise<RaceResult["ended"] | undefined> {
    const { order } = this.#field.standing();
    const free = Math.max(0, this.#budget.left - this.#trials.reserve(order));
    const time = free * this.#shareOf(round);
    const queue = this.#inOrder(round, QUICK * time);
    const sideBySide = this.#field.runsSideBySide(round, this.#budget.seconds);
    const given = { leader: order[0], closing: this.#budget.left - time, sideBySide };
    let ended: RaceResult["ended"] | undefined;
    // The first candidate runs alone: it gets all the time it needs, so that there is a model in the end.
    if (!this.#field.hasModel) {
      const [first] = queue.splice(0, 1);
      ended = await this.#runEntry(first, round, given);
    }
    await this.#field.inLanes(sideBySide, async () => {
      for (let entry = queue.shift(); entry && !ended; entry = queue.shift()) {
        ended ??= await this.#runEntry(entry, round, given);
      }
    });
    if (!this.#field.hasModel) throw this.#trials.firstFault ?? new Error("No candidate took part.");
    return ended;
  }

  /** Returns the fraction of the time left that a round may take: if the stage has few folds, each may take longer. */
  #shareOf({ full, index }: RaceRound): number {
    if (!full) return SHARE_OF_SUBSAMPLE;
    return index === this.#lastRound ? SHARE_OF_LAST_STAGE : SHARE_OF_FOLD;
  }

  /** Runs one entry of a round, without those of its contenders that there is no time for. */
  async #runEntry(
    entry: RaceEntry,
    round: RaceRound,
    { leader, closing, sideBySide }: { leader: Contender | undefined; closing: number; sideBySide: boolean },
  ): Promise<RaceResult["ended"] | undefined> {
    while (entry.inRace.length > 0) {
      const { hasModel } = this.#field;
      if (this.#options.stop?.aborted && hasModel) return "by request";
      const leads = leader !== undefined && entry.inRace.includes(leader);
      const isPlanned = this.#promoted.includes(entry);
      const limit = this.#trials.limitFor(entry, round, { closing: leads ? 0 : closing, isPlanned });
      if (limit > 0 || !hasModel) {
        if (await this.#trials.tryEntry(entry, round, limit, sideBySide)) return undefined;
        if (this.#options.stop?.aborted) continue;
      }
      entry.inRace[0].leave("slow", "it would take more time than is left");
    }
    return undefined;
  }

  /**
   * Orders the entries of a round: in the first one as listed, cheap ones first, but the first of each learner before all others, so
   * that each learner has its chance; later the leader, then quick fits, then the rest as they were promoted, so that slow and weak
   * candidates are the ones that run out of time.
   */
  #inOrder(round: RaceRound, quick: number): RaceEntry[] {
    const { judged, entries } = this.#field;
    if (judged.length === 0) return firstOfKindsFirst(entries);
    const { order } = this.#field.standing();
    const rank = (entry: RaceEntry) => Math.min(...entry.inRace.map((one) => order.indexOf(one)));
    const promotion = (entry: RaceEntry) => {
      const place = this.#promoted.indexOf(entry);
      return place < 0 ? Number.POSITIVE_INFINITY : place;
    };
    const turn = (entry: RaceEntry) => (rank(entry) === 0 ? -1 : promotion(entry));
    const takesLong = (entry: RaceEntry) =>
      rank(entry) > 0 && (entry.roundSeconds(round.rows, round.split.test.length) ?? 0) > quick;
    return entries.sort(
      (a, b) => Number(takesLong(a)) - Number(takesLong(b)) || compare(turn(a), turn(b)) || rank(a) - rank(b),
    );
  }

  #dropLaggards({ stage, full }: RaceRound): void {
    const standing = this.#field.standing();
    // An unfinished round does not judge anyone, and an earlier one has judged already.
    if (standing.stage !== stage) return;
    const behind = laggards(standing, full, this.#field.data.groups);
    if (behind.length === 0) return;
    const [leader] = standing.order;
    const spared = this.#options.ensemble
      ? [...this.#helpers(standing), ...bestOfKinds(standing, full ? CLOSE : CLOSE_ON_SUBSAMPLE)]
      : [];
    for (const one of behind) if (!spared.includes(one)) one.leave("behind", `clearly behind ${leader.name}`);
  }

  /** Returns the contenders that an ensemble may need although others are better, or else those that may be better on more rows. */
  #helpers(standing: StageStanding): Contender[] {
    if (!this.#options.ensemble) return bestOfKinds(standing, CLOSE);
    return helpersOf(standing, this.#field.tests);
  }
}

/** Puts the first entry of each learner before all others. */
function firstOfKindsFirst(entries: readonly RaceEntry[]): RaceEntry[] {
  const kindOf = ({ contenders: [{ learner }] }: RaceEntry) => learner.name;
  const kinds = entries.map(kindOf);
  const isFirst = (entry: RaceEntry, i: number) => kinds.indexOf(kindOf(entry)) === i;
  return [...entries.filter(isFirst), ...entries.filter((entry, i) => !isFirst(entry, i))];
}

/** Compares numbers, which may be infinite. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

/** Adds one more fit to the final work if the race does not test the rows that a calibration needs. */
function finalWork({ rounds, all, data, settings }: RaceField, final?: FinalWork): FinalWork {
  const { fits, heldOutRows, calibrates = false } = final ?? { fits: 1, heldOutRows: 0 };
  const isWhole = all === data.labels.length && settings.folds === CALIBRATION_FOLDS;
  const isTested = isWhole && rounds.filter(({ full }) => full).length >= outOfFoldFits(all);
  return { fits: fits + (calibrates && !isTested ? 1 : 0), heldOutRows };
}
