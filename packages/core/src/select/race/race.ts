import type { Learner } from "../../learners/learner.js";
import { ERROR, type Objective } from "../../metrics/objective-metric.js";
import { completeRun, type Run } from "../../runtime/parallel/run.js";
import type { Labelled } from "../../table/target.js";
import { CALIBRATION_FOLDS, outOfFoldFits } from "../../validation/out-of-fold.js";
import { countThreads } from "../../validation/run-trials.js";
import { type CandidateCounts, conciseNames, countCandidates, measureShape } from "../candidates.js";
import { RaceBudget } from "./budget.js";
import type { Candidate } from "./candidate.js";
import type { CandidateFamily, FinalWork } from "./candidate-family.js";
import { dropBehind, promote, worthPromoting } from "./drop-candidates.js";
import { concludeRace, type RaceResult } from "./outcome.js";
import { bestOfKinds } from "./ranking.js";
import type { RaceRound } from "./rounds.js";
import { RaceRunner } from "./runner.js";
import { SearchStage } from "./search.js";
import { countPoints, searchSpaces } from "./search-space.js";
import { RACE_SETTINGS } from "./settings.js";
import { type LeaderboardRow, RaceState } from "./state.js";

const { dropping, limits, prediction } = RACE_SETTINGS;

/** Time limit and folds of a race. */
export interface RaceOptions {
  /** Time limit for the race and the final work together, kept if fit times can be predicted. */
  readonly seconds: number;
  /** Number of folds of all rows in the last stage; the default is 5. */
  readonly folds?: number;
  /** Whether to search for better options of the best learners in the remaining time; default false. */
  readonly search?: boolean;
  /** Whether an ensemble of the best candidates may win; default false. */
  readonly ensemble?: boolean;
  /** Metric to optimise; by default the error. */
  readonly objective?: Objective;
  /** The work with the winner, for which time is reserved; by default one fit and no test. */
  readonly final?: FinalWork;
  /** Called after every test with all candidates, best first, for a leader board; must be cheap. */
  readonly onLeaderboard?: (ranking: readonly LeaderboardRow[]) => void;
  /** Ends the race early, with the best candidate so far; `run.signal` aborts it. */
  readonly stop?: AbortSignal;
  /** Returns the time in seconds; the default is the clock of the machine. */
  readonly clock?: () => number;
  readonly run?: Partial<Run>;
}

/**
 * Finds the best of several candidates within a time limit.
 *
 * 1. The rows are divided into rounds (`rounds`): with many rows first subsamples, then folds of all rows.
 * 2. In each round all candidates in the race are fitted to the same rows and tested on the same other rows (`state`,
 *    `runner`). Candidates that differ only in growth steps share one fit (`candidate-family`). Independent fits run in
 *    parallel on threads.
 * 3. Fit times are predicted from smaller fits, and time is reserved for the final fits (`budget`).
 * 4. Candidates leave that are clearly behind the leader, row by row, or that there is no time for (`drop-candidates`):
 *    successive halving (Jamieson and Talwalkar 2016) with the racing of Maron and Moore (1994) in place of a fixed
 *    fraction.
 * 5. In the remaining time, options near the best ones are searched (`search`).
 * 6. Learning curves decide between candidates that had no time for more rows and those that continued. The
 *    one-standard-error rule decides between close ones, and an ensemble of the best may win (`outcome`, `ranking`,
 *    `ensemble`).
 * 7. The record contains what the clock decided (`record`). Given that, the result depends only on the seed (`replay`).
 */
export async function raceLearners(
  candidates: readonly Learner[],
  data: Labelled,
  options: RaceOptions,
): Promise<RaceResult> {
  const { folds = CALIBRATION_FOLDS, objective = ERROR, clock } = options;
  const state = new RaceState(data, { folds, objective, clock, run: completeRun(options.run) });
  return new Race(state, candidates, options).run();
}

class Race {
  readonly #state: RaceState;
  readonly #options: RaceOptions;
  readonly #budget: RaceBudget;
  readonly #runner: RaceRunner;
  readonly #candidates: readonly Learner[];
  /** Index of the last affordable round of the stage. */
  #lastRound = Number.POSITIVE_INFINITY;
  /** Affordable families of the stage, in order of promotion. */
  #promoted: readonly CandidateFamily[] = [];

  constructor(state: RaceState, candidates: readonly Learner[], options: RaceOptions) {
    this.#state = state;
    this.#options = options;
    state.add(candidates, conciseNames(candidates));
    this.#candidates = candidates;
    const clock = options.clock ?? (() => performance.now() / 1000);
    this.#budget = new RaceBudget(options.seconds, clock, finalWork(state, options.final), (one) =>
      state.familyOf(one),
    );
    this.#runner = new RaceRunner(state, this.#budget, options);
  }

  async run(): Promise<RaceResult> {
    const { search = false, ensemble = false } = this.#options;
    const ended = (await this.#runList()) ?? (search ? await new SearchStage(this.#runner).run() : undefined);
    const isSlow = this.#state.candidates.some(({ exit }) => exit?.status === "slow");
    const { all, setup } = this.#state;
    // Forming an ensemble takes time in addition to the final fits.
    const { left } = this.#budget;
    return concludeRace(this.#state, {
      ensemble,
      counts: await this.#counts(),
      ended: ended ?? (isSlow ? "by time" : "decided"),
      time: {
        rowsFor: (one) => this.#budget.rowsFor(one, all, all * (1 - 1 / setup.folds), left),
        affords: (members, rows) => this.#budget.affords(members, rows, left),
      },
    });
  }

  /** Counts the listed candidates and the points of the search. */
  async #counts(): Promise<CandidateCounts> {
    const listed = countCandidates(this.#candidates);
    if (!this.#options.search) return listed;
    const searched = await countPoints(searchSpaces(measureShape(this.#state.data)));
    return {
      among: listed.among + searched.among,
      certifiable: listed.certifiable + searched.certifiable,
    };
  }

  /** Runs the rounds of the listed candidates. */
  async #runList(): Promise<RaceResult["ended"] | undefined> {
    const { ensemble = false } = this.#options;
    for (const round of this.#state.rounds) {
      if (!this.#isPlanned(round)) continue;
      const ended = await this.#runRound(round);
      dropBehind(this.#state, round, ensemble);
      if (ended) return ended;
      const { judged } = this.#state;
      if (judged.length === 0) return "by time";
      if (judged.length === 1 && !this.#options.search) return undefined;
    }
    return undefined;
  }

  /**
   * Decides at the first round of a stage who takes part in it, and how many rounds it has; returns whether a round is
   * one of these. In the first stage, all take part in the first round. Those continue that there is time for in as
   * many rounds as an ensemble needs.
   */
  #isPlanned(round: RaceRound): boolean {
    const { ensemble = false } = this.#options;
    const { judged, rounds: all } = this.#state;
    const left = all.filter(({ stage, index }) => stage === round.stage && index >= round.index);
    const before = all[round.index - 1];
    if (judged.length > 0 && (before === all[0] || before?.stage !== round.stage)) {
      const ranking = this.#state.ranking();
      const isFirst = ranking.stage === round.stage;
      const least = Math.max(1, Math.min(left.length, this.#state.outOfFoldRounds - (isFirst ? 1 : 0)));
      const familyOf = (one: Candidate) => this.#state.familyOf(one);
      const free = Math.max(0, this.#budget.left - this.#runner.reserve(ranking.order));
      const sideBySide = this.#state.runsSideBySide(round, this.#budget.seconds);
      const { families, rounds } = promote(
        {
          ranked: ranking.order.map(familyOf),
          forEnsemble: worthPromoting(this.#state, ranking, ensemble).map(familyOf),
          bestOfKinds: ensemble
            ? bestOfKinds(ranking, dropping.closeLossFactorOnSubsample).map(familyOf)
            : [],
        },
        {
          secondsOf: (family) =>
            prediction.safetyFactor * (family.roundSeconds(round.rows, round.split.test.length) ?? 0),
          seconds:
            free * (round.full ? limits.lastStageShareOfTimeLeft : limits.subsampleRoundShareOfTimeLeft),
          lanes: sideBySide ? countThreads(this.#state.setup.run.executor) : 1,
          rounds: { most: isFirst ? least : left.length, least },
        },
      );
      if (!isFirst) this.#lastRound = left[rounds - 1].index;
      this.#promoted = families;
      for (const one of judged)
        if (!families.includes(familyOf(one))) one.leave("slow", "there is no time for more rounds");
    }
    return round.index <= this.#lastRound;
  }

  async #runRound(round: RaceRound): Promise<RaceResult["ended"] | undefined> {
    const { order } = this.#state.ranking();
    const free = Math.max(0, this.#budget.left - this.#runner.reserve(order));
    const time = free * this.#shareOf(round);
    const queue = this.#inOrder(round, limits.quickFitShareOfRound * time);
    const sideBySide = this.#state.runsSideBySide(round, this.#budget.seconds);
    const given = { leader: order[0], closing: this.#budget.left - time, sideBySide };
    let ended: RaceResult["ended"] | undefined;
    // The first candidate runs alone with all the time it needs, so that there is a model in the end.
    if (!this.#state.hasModel) {
      const [first] = queue.splice(0, 1);
      ended = await this.#runFamily(first, round, given);
    }
    await this.#state.inLanes(sideBySide, async () => {
      for (let family = queue.shift(); family && !ended; family = queue.shift()) {
        ended ??= await this.#runFamily(family, round, given);
      }
    });
    if (!this.#state.hasModel) throw this.#runner.firstFault ?? new Error("No candidate took part.");
    return ended;
  }

  /** Returns the fraction of the remaining time that a round may take; with few folds, each may take longer. */
  #shareOf({ full, index }: RaceRound): number {
    if (!full) return limits.subsampleRoundShareOfTimeLeft;
    return index === this.#lastRound ? limits.lastStageShareOfTimeLeft : limits.foldShareOfTimeLeft;
  }

  /** Runs one family of a round, without candidates that there is no time for. */
  async #runFamily(
    family: CandidateFamily,
    round: RaceRound,
    { leader, closing, sideBySide }: { leader: Candidate | undefined; closing: number; sideBySide: boolean },
  ): Promise<RaceResult["ended"] | undefined> {
    while (family.inRace.length > 0) {
      const { hasModel } = this.#state;
      if (this.#options.stop?.aborted && hasModel) return "by request";
      const leads = leader !== undefined && family.inRace.includes(leader);
      const isPlanned = this.#promoted.includes(family);
      const limit = this.#runner.allowedSeconds(family, round, { closing: leads ? 0 : closing, isPlanned });
      if (limit > 0 || !hasModel) {
        const seconds = hasModel ? limit : Number.POSITIVE_INFINITY;
        if ((await this.#runner.fitAndTest(family, round, seconds, sideBySide)) !== "stopped")
          return undefined;
        if (this.#options.stop?.aborted) continue;
      }
      family.inRace[0].leave("slow", "it would take more time than is left");
    }
    return undefined;
  }

  /**
   * Orders the families of a round. In the first round, they are in list order, cheap ones first, but the first of each
   * learner comes before all others, so that each learner has its chance. Later the leader comes first, then fast fits,
   * then the rest in order of promotion, so that slow and weak candidates run out of time.
   */
  #inOrder(round: RaceRound, quick: number): CandidateFamily[] {
    const { judged, families } = this.#state;
    if (judged.length === 0) return firstOfKindsFirst(families);
    const { order } = this.#state.ranking();
    const rank = (family: CandidateFamily) => Math.min(...family.inRace.map((one) => order.indexOf(one)));
    const promotion = (family: CandidateFamily) => {
      const place = this.#promoted.indexOf(family);
      return place < 0 ? Number.POSITIVE_INFINITY : place;
    };
    const turn = (family: CandidateFamily) => (rank(family) === 0 ? -1 : promotion(family));
    const takesLong = (family: CandidateFamily) =>
      rank(family) > 0 && (family.roundSeconds(round.rows, round.split.test.length) ?? 0) > quick;
    return families.sort(
      (a, b) => Number(takesLong(a)) - Number(takesLong(b)) || compare(turn(a), turn(b)) || rank(a) - rank(b),
    );
  }
}

/** Puts the first family of each learner before all others. */
function firstOfKindsFirst(families: readonly CandidateFamily[]): CandidateFamily[] {
  const kindOf = ({ candidates: [{ learner }] }: CandidateFamily) => learner.name;
  const kinds = families.map(kindOf);
  const isFirst = (family: CandidateFamily, i: number) => kinds.indexOf(kindOf(family)) === i;
  return [...families.filter(isFirst), ...families.filter((family, i) => !isFirst(family, i))];
}

/** Compares numbers, which may be infinite. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

/** Adds one more fit to the final work if the race does not test the rows that a calibration needs. */
function finalWork({ rounds, all, data, setup }: RaceState, final?: FinalWork): FinalWork {
  const { fits, heldOutRows, calibrates = false } = final ?? { fits: 1, heldOutRows: 0 };
  const isWhole = all === data.labels.length && setup.folds === CALIBRATION_FOLDS;
  const isTested = isWhole && rounds.filter(({ full }) => full).length >= outOfFoldFits(all);
  return { fits: fits + (calibrates && !isTested ? 1 : 0), heldOutRows };
}
