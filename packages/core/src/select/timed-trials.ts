import { formatMetric, metricFacts } from "../metrics/objective-metric.js";
import { formatNumber } from "../runtime/number-format.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Contender } from "./contender.js";
import { type RaceBudget, SAFETY } from "./race-budget.js";
import type { RaceEntry } from "./race-entry.js";
import type { RaceField } from "./race-field.js";
import type { RaceRound } from "./race-rounds.js";
import { type RaceStanding, raceStandings } from "./race-standing.js";
import { timeLimit } from "./time-limit.js";

/** Fraction of the time of a round that one fit of unknown length may take. */
const SHARE_OF_FIT = 1 / 4;

/** Fraction of the rest of a round that a fit of known length may take, unless it is the leader's. */
const SHARE_OF_FOLLOWER = 1 / 2;

/** A fit is aborted after this many times its predicted length, but not within this fraction of the whole time. */
const OVERRUN = 3;
const ALWAYS_ALLOWED = 1 / 20;

/** Fits and tests entries of a race within limits of time. */
export class TimedTrials {
  readonly field: RaceField;
  readonly budget: RaceBudget;
  readonly options: {
    readonly ensemble?: boolean;
    readonly stop?: AbortSignal;
    readonly onStanding?: (standing: readonly RaceStanding[]) => void;
  };
  /** The first error of a candidate that could not be fitted. */
  firstFault: VouchError | undefined;

  constructor(field: RaceField, budget: RaceBudget, options: TimedTrials["options"]) {
    this.field = field;
    this.budget = budget;
    this.options = options;
  }

  /**
   * Returns the seconds to reserve for the final work, given the contenders from best to worst. Before there are the tests that an
   * ensemble is formed by, at most half of the time left is kept for its members: without these tests there is none.
   */
  reserve(order: readonly Contender[]): number {
    const [leader] = order;
    const rows = leader?.rowsSeen ?? 0;
    const forOne = this.budget.reserve(leader, rows);
    if (!this.options.ensemble) return forOne;
    const forBest = this.budget.reserveForBest(order, rows);
    const folds = leader?.results.filter(({ full }) => full).length ?? 0;
    return folds < this.field.outOfFoldRounds
      ? Math.max(forOne, Math.min(forBest, this.budget.left / 2))
      : forBest;
  }

  /**
   * Returns the seconds that a fit and its test may take so that at least `closing` seconds are left; 0 if it is predicted to
   * take more. An entry whose time was planned may take all the rest.
   */
  limitFor(
    entry: RaceEntry,
    round: RaceRound,
    { closing, isPlanned }: { readonly closing: number; readonly isPlanned: boolean },
  ): number {
    const { left } = this.budget;
    const { order } = this.field.standing();
    const predicted = entry.roundSeconds(round.rows, round.split.test.length);
    const available = left - Math.max(closing, this.reserve(order));
    if (predicted === undefined) return this.#firstLimit(entry, round, available, left - this.reserve(order));
    // If it turns out to be the best, it must be fitted once more.
    const own = left - Math.max(closing, this.budget.reserve(entry.inRace[0], round.rows));
    const share = isPlanned || entry.inRace.includes(order[0]) ? 1 : SHARE_OF_FOLLOWER;
    if (SAFETY * predicted > share * Math.min(available, own)) return 0;
    return this.withOverrun(predicted, available);
  }

  /**
   * Returns the seconds that a fit of unknown length may take. A learner that was never tried gets its chance, also when the time of the
   * round is up; another one of it is tried only if there is time for a fit as long as that of the first.
   */
  #firstLimit(entry: RaceEntry, round: RaceRound, available: number, spare: number): number {
    const always = Math.min(ALWAYS_ALLOWED * this.budget.seconds, spare / 2);
    const limit = Math.max(available * SHARE_OF_FIT, always);
    const ofKind = this.field.secondsOfKind(entry, round.rows, round.split.test.length);
    if (ofKind === undefined) return this.field.isTooSlow(entry, round.rows, limit) ? 0 : limit;
    return SAFETY * ofKind > available ? 0 : Math.max(limit, this.withOverrun(ofKind, available));
  }

  /** Returns the seconds after which a fit that was predicted to be shorter is aborted. */
  withOverrun(predicted: number, available: number): number {
    return Math.min(available, Math.max(ALWAYS_ALLOWED * this.budget.seconds, OVERRUN * predicted));
  }

  /** Fits and tests the entry within the limit; returns false if it was too short, or the race was stopped. */
  async tryEntry(entry: RaceEntry, round: RaceRound, seconds: number, sideBySide: boolean): Promise<boolean> {
    const { stop } = this.options;
    const { run } = this.field.settings;
    const { hasModel } = this.field;
    const limit = timeLimit(hasModel ? 1000 * seconds : Number.POSITIVE_INFINITY, [run.signal, stop]);
    const progress = () => this.#report(entry, round);
    try {
      progress();
      await this.field.test(entry, round, { ...run, signal: limit.signal, progress }, sideBySide);
      return true;
    } catch (error) {
      if (!(error instanceof VouchError)) throw error;
      if (run.signal?.aborted) throw error;
      if (stop?.aborted && !hasModel) throw error;
      if (limit.isUp()) entry.aborted(round.rows, seconds);
      if (limit.signal.aborted) return false;
      this.firstFault ??= error;
      for (const one of entry.inRace) one.leave("failed", error.message);
      return true;
    } finally {
      limit.release();
      this.options.onStanding?.(raceStandings(this.field));
    }
  }

  #report(entry: RaceEntry, { full, rows }: RaceRound): void {
    const [leader] = this.field.standing().order;
    const [now] = entry.inRace;
    if (!now) return;
    const metric = leader?.validation()?.metric;
    const part = full ? "" : ` on ${formatNumber(rows)} rows`;
    const best = metric
      ? `; best so far ${leader.name}, ${metricFacts(metric.name).title} ${formatMetric(metric.name, metric.mean)}`
      : "";
    this.field.settings.run.progress({
      stage: "trying learners",
      done: Math.min(this.budget.seconds, this.budget.spent),
      total: this.budget.seconds,
      unit: "s",
      note: `${now.name}${part}${best}`,
    });
  }
}
