import { candidateTitle } from "../../learners/index.js";
import { formatMetric, metricFacts } from "../../metrics/metric-name.js";
import type { Run } from "../../runtime/parallel/run.js";
import { formatNumber } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { RaceBudget } from "./budget.js";
import type { Candidate } from "./candidate.js";
import type { CandidateFamily } from "./candidate-family.js";
import type { RaceRound } from "./rounds.js";
import { RACE_SETTINGS } from "./settings.js";
import { type LeaderboardRow, leaderboard, type RaceState } from "./state.js";

const { limits, prediction, reserve } = RACE_SETTINGS;

/** How a fit ended: its candidates have a result or are out of the race, or the time limit or a request stopped it. */
type FitEnd = "tested" | "failed" | "stopped";

/** What a race does apart from fits. */
interface RunnerOptions {
  readonly ensemble?: boolean;
  readonly stop?: AbortSignal;
  readonly onLeaderboard?: (ranking: readonly LeaderboardRow[]) => void;
  /** Reports the progress of a fit, from 0 to 1; by default the progress of a race shows the best candidate so far. */
  readonly report?: (family: CandidateFamily, round: RaceRound, within: number) => void;
}

/** Fits and tests families of a race within limits of time. */
export class RaceRunner {
  readonly state: RaceState;
  readonly budget: RaceBudget;
  readonly options: RunnerOptions;
  /** The first error of a candidate that could not be fitted. */
  firstFault: VouchError | undefined;

  constructor(state: RaceState, budget: RaceBudget, options: RunnerOptions) {
    this.state = state;
    this.budget = budget;
    this.options = options;
  }

  /**
   * Returns the seconds to reserve for the final work, given the candidates from best to worst. Before the tests that
   * form an ensemble, it reserves at most half of the remaining time for members, because without these tests there is
   * no ensemble.
   */
  reserve(order: readonly Candidate[]): number {
    const [leader] = order;
    const rows = leader?.rowsSeen ?? 0;
    const forOne = this.budget.reserve(leader, rows);
    if (!this.options.ensemble) return forOne;
    const forBest = this.budget.reserveForBest(order, rows);
    const folds = leader?.results.filter(({ full }) => full).length ?? 0;
    return folds < this.state.outOfFoldRounds
      ? Math.max(forOne, Math.min(forBest, reserve.untestedEnsembleShareOfTimeLeft * this.budget.left))
      : forBest;
  }

  /**
   * Returns the seconds that a fit and its test may take so that at least `closing` seconds are left; 0 if the
   * prediction exceeds that. A family whose time was planned may take the whole rest.
   */
  allowedSeconds(
    family: CandidateFamily,
    round: RaceRound,
    { closing, isPlanned }: { readonly closing: number; readonly isPlanned: boolean },
  ): number {
    const { left } = this.budget;
    const { order } = this.state.ranking();
    const predicted = family.roundSeconds(round.rows, round.split.test.length);
    const available = left - Math.max(closing, this.reserve(order));
    if (predicted === undefined)
      return this.#firstLimit(family, round, available, left - this.reserve(order));
    // If it turns out to be the best, it must be fitted again.
    const own = left - Math.max(closing, this.budget.reserve(family.inRace[0], round.rows));
    const share = isPlanned || family.inRace.includes(order[0]) ? 1 : limits.followerFitShareOfRound;
    if (prediction.safetyFactor * predicted > share * Math.min(available, own)) return 0;
    return this.withOverrun(predicted, available);
  }

  /**
   * Returns the seconds that a fit of unknown length may take. An untried learner gets its chance, even when the time
   * of the round is up. Another one of the same learner is tried only if there is time for a fit as long as the first.
   */
  #firstLimit(family: CandidateFamily, round: RaceRound, available: number, spare: number): number {
    const always = Math.min(limits.alwaysAllowedShareOfRace * this.budget.seconds, spare / 2);
    const limit = Math.max(available * limits.unknownFitShareOfRound, always);
    const ofKind = this.state.secondsOfKind(family, round.rows, round.split.test.length);
    if (ofKind === undefined) return this.state.isTooSlow(family, round.rows, limit) ? 0 : limit;
    return prediction.safetyFactor * ofKind > available
      ? 0
      : Math.max(limit, this.withOverrun(ofKind, available));
  }

  /** Returns the seconds after which a fit is aborted although it was predicted to be shorter. */
  withOverrun(predicted: number, available: number): number {
    return Math.min(
      available,
      Math.max(limits.alwaysAllowedShareOfRace * this.budget.seconds, limits.overrunFactor * predicted),
    );
  }

  /** Fits the family to the rows of a round and tests it within the limit. A family that cannot be fitted leaves the race. */
  async fitAndTest(
    family: CandidateFamily,
    round: RaceRound,
    seconds: number,
    sideBySide: boolean,
  ): Promise<FitEnd> {
    const report = (within: number) => (this.options.report ?? this.#report)(family, round, within);
    const work = (run: Run) => this.state.test(family, round, run, sideBySide);
    try {
      const end = await this.within(seconds, work, report);
      if (end === "stopped" && !this.options.stop?.aborted) family.aborted(round.rows, seconds);
      if (!(end instanceof VouchError)) return end;
      this.firstFault ??= end;
      for (const one of family.inRace) one.leave("failed", end.message);
      return "failed";
    } finally {
      this.options.onLeaderboard?.(leaderboard(this.state));
    }
  }

  /**
   * Runs a fit within a time limit. Returns the error of a learner that cannot be fitted, and throws all other errors.
   */
  async within(
    seconds: number,
    work: (run: Run) => Promise<void>,
    report: (within: number) => void,
  ): Promise<"tested" | "stopped" | VouchError> {
    const { stop } = this.options;
    const { run } = this.state.setup;
    const { hasModel } = this.state;
    const limit = timeLimit(1000 * seconds, [run.signal, stop]);
    try {
      report(0);
      await work({
        ...run,
        signal: limit.signal,
        progress: ({ done, total }) => report(total ? Math.min(1, done / total) : 0),
      });
      return "tested";
    } catch (error) {
      const concernsAll = error instanceof VouchError && error.code === "file/too-many-open";
      if (run.signal?.aborted || concernsAll || !(error instanceof VouchError)) throw error;
      if (stop?.aborted && !hasModel) throw error;
      return limit.signal.aborted ? "stopped" : error;
    } finally {
      limit.release();
    }
  }

  readonly #report = (family: CandidateFamily, { full, rows }: RaceRound): void => {
    const [leader] = this.state.ranking().order;
    const [now] = family.inRace;
    if (!now) return;
    const metric = leader?.validation()?.metric;
    const part = full ? "" : ` on ${formatNumber(rows)} rows`;
    const best = metric
      ? `; best so far ${candidateTitle(leader.name)}, ${metricFacts(metric.name).title} ${formatMetric(metric.name, metric.mean)}`
      : "";
    this.state.setup.run.progress({
      stage: "trying learners",
      done: Math.min(this.budget.seconds, this.budget.spent),
      total: this.budget.seconds,
      unit: "s",
      note: `${candidateTitle(now.name)}${part}${best}`,
    });
  };
}

/** A signal that is aborted with one of several signals, or when time is up. */
interface TimeLimit {
  readonly signal: AbortSignal;
  /** Stops the timer; call it when the work has ended. */
  readonly release: () => void;
}

/** Maximum delay of a timer, in milliseconds. */
const MAX_DELAY = 2 ** 31 - 1;

/** Limits work to some milliseconds, unless one of the signals is aborted before. */
function timeLimit(milliseconds: number, signals: readonly (AbortSignal | undefined)[]): TimeLimit {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, Math.max(0, Math.min(milliseconds, MAX_DELAY)));
  for (const signal of signals) {
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
  }
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener("abort", abort);
    },
  };
}
