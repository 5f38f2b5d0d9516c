import { ERROR, formatMetric, metricFacts, type Objective } from "../evaluate/metric.js";
import { CALIBRATION_FOLDS, outOfFoldFits } from "../evaluate/out-of-fold.js";
import type { Learner } from "../learners/learner.js";
import { formatNumber } from "../runtime/number-format.js";
import { completeRun, type Run } from "../runtime/run.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Labelled } from "../table/target.js";
import { conciseNames, shapeOf } from "./candidates.js";
import { type Contender, meanLoss } from "./contender.js";
import { promote } from "./promotion.js";
import { RaceBudget, SAFETY } from "./race-budget.js";
import type { FinalWork, RaceEntry } from "./race-entry.js";
import { RaceField } from "./race-field.js";
import { outcomeOf, type RaceResult } from "./race-outcome.js";
import { bestOfKinds, laggards, pairedDifference, type RaceRound, standingOf } from "./race-rounds.js";
import { RaceSearch } from "./race-search.js";
import { timeLimit } from "./time-limit.js";

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
  /** Ends the race early, with the best candidate so far; `run.signal` aborts it. */
  readonly stop?: AbortSignal;
  /** Returns the time in seconds; the default is the clock of the machine. */
  readonly clock?: () => number;
  readonly run?: Partial<Run>;
}

/** Fractions of the time left that a round of a subsample, and a fold of all rows, may take; and of these one fit of unknown length. */
const SHARE_OF_SUBSAMPLE = 1 / 5;
const SHARE_OF_FOLD = 1 / 2;
const SHARE_OF_FIT = 1 / 4;

/** Fraction of the time left that all folds of the last stage may take, if the search is to have the rest. */
const SHARE_OF_LAST_STAGE = 2 / 3;

/** Fraction of the rest of a round that a fit of known length may take, unless it is the leader's. */
const SHARE_OF_FOLLOWER = 1 / 2;

/** Quick fits, predicted to take at most this fraction of a round, run before longer ones, which would use up its time. */
const QUICK = 1 / 20;

/** A fit is aborted after this many times its predicted length, but not within this fraction of the whole time. */
const OVERRUN = 3;
const ALWAYS_ALLOWED = 1 / 20;

/** A proposal of the search takes up to this many times as long as the best configuration of its learner. */
const UNLIKE = 2;

/** The search ends after this many proposals without a better leader: on few rows they would only fit the noise of the folds. */
const MOST_IDLE = 60;

/** Number of proposals that are tried side by side, whatever the number of threads. */
const PROPOSALS_AT_ONCE = 4;

/** A proposal leaves if it is so many standard errors behind the leader, or behind the best configuration of its learner. */
const BEHIND_LEADER = 2;
const BEHIND_MODEL = 0.5;

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
  readonly #among: number;
  /** Index of the last round of the stage that there is time for. */
  #lastRound = Number.POSITIVE_INFINITY;
  #firstFault: VouchError | undefined;

  constructor(field: RaceField, candidates: readonly Learner[], options: RaceOptions) {
    this.#field = field;
    this.#options = options;
    field.add(candidates, conciseNames(candidates));
    this.#among = candidates.length + (options.search ? RaceSearch.size(shapeOf(field.data)) : 0);
    const clock = options.clock ?? (() => performance.now() / 1000);
    this.#budget = new RaceBudget(options.seconds, clock, finalWork(field, options.final), (one) =>
      field.entryOf(one),
    );
  }

  async run(): Promise<RaceResult> {
    const { search = false, ensemble = false } = this.#options;
    const ended = (await this.#runList()) ?? (search ? await this.#search() : undefined);
    const isSlow = this.#field.contenders.some(({ out }) => out?.fate === "slow");
    const { all, settings } = this.#field;
    return outcomeOf(this.#field, {
      ensemble,
      among: this.#among,
      ended: ended ?? (isSlow ? "by time" : "decided"),
      time: {
        rowsFor: (one) => this.#budget.rowsFor(one, all, all * (1 - 1 / settings.folds)),
        affords: (members, rows) => this.#budget.affords(members, rows),
      },
    });
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

  /** Decides at the first round of a stage who takes part in it, and how many rounds it has; says whether a round is one of these. */
  #isPlanned(round: RaceRound): boolean {
    const own = this.#field.rounds.filter(({ stage }) => stage === round.stage);
    const { judged } = this.#field;
    if (round === own[0] && judged.length > 0) {
      const standing = standingOf(judged);
      const entryOf = (one: Contender) => this.#field.entryOf(one);
      const free = Math.max(0, this.#budget.left - this.#reserve(standing.order));
      const sideBySide = this.#field.runsSideBySide(round, this.#budget.seconds);
      const { entries, rounds } = promote(standing.order.map(entryOf), bestOfKinds(standing).map(entryOf), {
        secondsOf: (entry) => SAFETY * (entry.roundSeconds(round.rows, round.split.test.length) ?? 0),
        seconds: free * (round.full ? SHARE_OF_LAST_STAGE : SHARE_OF_SUBSAMPLE),
        lanes: sideBySide ? this.#field.settings.run.executor.threads : 1,
        rounds: { most: own.length, least: Math.min(own.length, outOfFoldFits(this.#field.all)) },
      });
      this.#lastRound = own[rounds - 1].index;
      for (const one of judged)
        if (!entries.includes(entryOf(one))) one.leave("slow", "there is no time to try it on more rows");
    }
    return round.index <= this.#lastRound;
  }

  async #runRound(round: RaceRound): Promise<RaceResult["ended"] | undefined> {
    const { order } = standingOf(this.#field.judged);
    const free = Math.max(0, this.#budget.left - this.#reserve(order));
    const time = free * (round.full ? SHARE_OF_FOLD : SHARE_OF_SUBSAMPLE);
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
    if (!this.#field.hasModel) throw this.#firstFault ?? new Error("No candidate took part.");
    return ended;
  }

  /** Returns the seconds to reserve for the final work, given the contenders from best to worst. */
  #reserve(order: readonly Contender[]): number {
    const rows = order[0]?.rowsSeen ?? 0;
    return this.#options.ensemble
      ? this.#budget.reserveForBest(order, rows)
      : this.#budget.reserve(order[0], rows);
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
      const limit = this.#limitFor(entry, round, leads ? 0 : closing);
      if (limit > 0 || !hasModel) {
        if (await this.#tryEntry(entry, round, limit, sideBySide)) return undefined;
        if (this.#options.stop?.aborted) continue;
      }
      entry.inRace[0].leave("slow", "it would take more time than is left");
    }
    return undefined;
  }

  /**
   * Orders the entries of a round: in the first one as listed, cheap ones first; later the leader, then quick fits, then the
   * rest by rank, so that slow and weak candidates are the ones that run out of time.
   */
  #inOrder(round: RaceRound, quick: number): RaceEntry[] {
    const { judged, entries } = this.#field;
    if (judged.length === 0) return entries;
    const { order } = standingOf(judged);
    const rank = (entry: RaceEntry) => Math.min(...entry.inRace.map((one) => order.indexOf(one)));
    const takesLong = (entry: RaceEntry) =>
      rank(entry) > 0 && (entry.roundSeconds(round.rows, round.split.test.length) ?? 0) > quick;
    return entries.sort((a, b) => Number(takesLong(a)) - Number(takesLong(b)) || rank(a) - rank(b));
  }

  /**
   * Returns the seconds that a fit and its test may take so that at least `closing` seconds are left; 0 if it is predicted to
   * take more.
   */
  #limitFor(entry: RaceEntry, round: RaceRound, closing: number): number {
    const { left } = this.#budget;
    const { order } = standingOf(this.#field.judged);
    const predicted = entry.roundSeconds(round.rows, round.split.test.length);
    const available = left - Math.max(closing, this.#reserve(order));
    if (predicted === undefined) return available * SHARE_OF_FIT;
    // If it turns out to be the best, it must be fitted once more.
    const own = left - Math.max(closing, this.#budget.reserve(entry.inRace[0], round.rows));
    const share = entry.inRace.includes(order[0]) ? 1 : SHARE_OF_FOLLOWER;
    if (SAFETY * predicted > share * Math.min(available, own)) return 0;
    return this.#withOverrun(predicted, available);
  }

  /** Returns the seconds after which a fit that was predicted to be shorter is aborted. */
  #withOverrun(predicted: number, available: number): number {
    return Math.min(available, Math.max(ALWAYS_ALLOWED * this.#budget.seconds, OVERRUN * predicted));
  }

  /** Fits and tests the entry within the limit; returns false if it was too short, or the race was stopped. */
  async #tryEntry(
    entry: RaceEntry,
    round: RaceRound,
    seconds: number,
    sideBySide: boolean,
  ): Promise<boolean> {
    const { stop } = this.#options;
    const { run } = this.#field.settings;
    const { hasModel } = this.#field;
    const limit = timeLimit(hasModel ? 1000 * seconds : Number.POSITIVE_INFINITY, [run.signal, stop]);
    const progress = () => this.#report(entry, round);
    try {
      progress();
      await this.#field.test(entry, round, { ...run, signal: limit.signal, progress }, sideBySide);
      return true;
    } catch (error) {
      if (!(error instanceof VouchError)) throw error;
      if (run.signal?.aborted) throw error;
      if (stop?.aborted && !hasModel) throw error;
      if (limit.isUp()) entry.aborted(round.rows, seconds);
      if (limit.signal.aborted) return false;
      this.#firstFault ??= error;
      for (const one of entry.inRace) one.leave("failed", error.message);
      return true;
    } finally {
      limit.release();
    }
  }

  #dropLaggards({ stage, full }: RaceRound): void {
    const standing = standingOf(this.#field.judged);
    // An unfinished round does not judge anyone, and an earlier one has judged already.
    if (standing.stage !== stage) return;
    const [leader] = standing.order;
    const spared = this.#options.ensemble && full ? bestOfKinds(standing) : [];
    for (const one of laggards(standing, full, this.#field.data.groups))
      if (!spared.includes(one)) one.leave("behind", `clearly behind ${leader.name}`);
  }

  /** Tries proposals near the best configurations on the rounds of the last stage, until time or ideas run out. */
  async #search(): Promise<RaceResult["ended"] | undefined> {
    const field = this.#field;
    const { stage, rounds: count, order } = standingOf(field.judged);
    const rounds = field.rounds.filter((round) => round.stage === stage).slice(0, count);
    if (stage === undefined || rounds.length === 0) return undefined;
    const [first] = rounds;
    const search = new RaceSearch(shapeOf(field.data), field.settings.run.seed);
    const note = (one: Contender) => {
      const seconds = field.entryOf(one).roundSeconds(first.rows, first.split.test.length) ?? 0;
      search.note({ learner: one.learner, loss: meanLoss(one.lossesOf(stage, count)), seconds });
    };
    order.forEach(note);
    const sideBySide = field.runsSideBySide(first, this.#budget.seconds);
    // Proposals are judged together, so that the order in which threads finish them does not matter.
    for (let idle = 0; idle < MOST_IDLE && !this.#options.stop?.aborted; ) {
      const standing = this.#settled(stage, count);
      const available = this.#budget.left - this.#reserve(standing);
      const proposals: RaceEntry[] = [];
      while (proposals.length < PROPOSALS_AT_ONCE) {
        const learners = await search.propose(available / (2 * UNLIKE * SAFETY));
        if (!learners) break;
        proposals.push(...field.add(learners));
      }
      if (proposals.length === 0) break;
      const queue = [...proposals];
      await field.inLanes(sideBySide, async () => {
        for (let entry = queue.shift(); entry; entry = queue.shift())
          await this.#tryProposal(entry, rounds, standing, sideBySide);
      });
      const finished = proposals.flatMap(({ inRace }) => inRace);
      finished.forEach(note);
      idle = finished.includes(this.#settled(stage, count)[0]) ? 0 : idle + proposals.length;
    }
    return this.#options.stop?.aborted ? "by request" : undefined;
  }

  /** Returns the contenders that finished so many rounds of a stage, best first. */
  #settled(stage: number, rounds: number): readonly Contender[] {
    return standingOf(this.#field.judged.filter((one) => one.resultsOf(stage).length >= rounds)).order;
  }

  /** Tries a proposal round by round, until it is behind the best of earlier contenders; those that finish all rounds stay in the race. */
  async #tryProposal(
    entry: RaceEntry,
    rounds: readonly RaceRound[],
    order: readonly Contender[],
    sideBySide: boolean,
  ): Promise<void> {
    const [{ learner }] = entry.contenders;
    const [leader] = order;
    const model = order.find((one) => one.learner.name === learner.name) ?? leader;
    const abandon = (reason: string) => {
      for (const one of entry.inRace) one.leave("not tried", reason);
    };
    for (const [done, round] of rounds.entries()) {
      const seconds = (of: RaceEntry) => of.roundSeconds(round.rows, round.split.test.length);
      const predicted = seconds(entry) ?? UNLIKE * Math.max(0.01, seconds(this.#field.entryOf(model)) ?? 0);
      const available = this.#budget.left - this.#reserve(order);
      if (SAFETY * predicted > available || this.#options.stop?.aborted) {
        abandon("the time was up");
        return;
      }
      if (!(await this.#tryEntry(entry, round, this.#withOverrun(predicted, available), sideBySide))) {
        abandon("it takes too long");
        return;
      }
      for (const one of entry.inRace) {
        if (this.#isBehind(one, leader, round.stage, done + 1, BEHIND_LEADER))
          one.leave("behind", `behind ${leader.name}`);
        else if (this.#isBehind(one, model, round.stage, done + 1, BEHIND_MODEL))
          one.leave("behind", `behind ${model.name}`);
      }
      if (entry.inRace.length === 0) return;
    }
  }

  /** Tells whether a contender is so many standard errors behind another in the first rounds of a stage. */
  #isBehind(one: Contender, other: Contender, stage: number, rounds: number, errors: number): boolean {
    const [own, others] = [one, other].map((each) => each.lossesOf(stage, rounds));
    const { difference, standardError } = pairedDifference(own, others, this.#field.data.groups);
    return difference > errors * standardError;
  }

  #report(entry: RaceEntry, { full, rows }: RaceRound): void {
    const [leader] = standingOf(this.#field.judged).order;
    const [now] = entry.inRace;
    if (!now) return;
    const metric = leader?.validation()?.metric;
    const part = full ? "" : ` on ${formatNumber(rows)} rows`;
    const best = metric
      ? `; best so far ${leader.name}, ${metricFacts(metric.name).title} ${formatMetric(metric.name, metric.mean)}`
      : "";
    this.#field.settings.run.progress({
      stage: "trying learners",
      done: Math.min(this.#budget.seconds, this.#budget.spent),
      total: this.#budget.seconds,
      unit: "s",
      note: `${now.name}${part}${best}`,
    });
  }
}

/** Adds one more fit to the final work if the race does not test the rows that a calibration needs. */
function finalWork({ rounds, all, data, settings }: RaceField, final?: FinalWork): FinalWork {
  const { fits, heldOutRows, calibrates = false } = final ?? { fits: 1, heldOutRows: 0 };
  const isWhole = all === data.labels.length && settings.folds === CALIBRATION_FOLDS;
  const isTested = isWhole && rounds.filter(({ full }) => full).length >= outOfFoldFits(all);
  return { fits: fits + (calibrates && !isTested ? 1 : 0), heldOutRows };
}
