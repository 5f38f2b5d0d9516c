import { growthFamilies } from "../evaluate/growth-families.js";
import { ERROR, formatMetric, metricFacts, type Objective } from "../evaluate/metric.js";
import { CALIBRATION_FOLDS } from "../evaluate/out-of-fold.js";
import { canRunInParallel, tryOnThread } from "../evaluate/run-trials.js";
import { type ClassifiedTest, type Division, type Trial, TrialRows, tryLearners } from "../evaluate/trial.js";
import type { Learner } from "../learners/learner.js";
import { formatNumber } from "../runtime/number-format.js";
import { completeRun, type Run } from "../runtime/run.js";
import { VouchError } from "../runtime/vouch-error.js";
import { stratifiedSubsample } from "../table/splits.js";
import { type Labelled, selectRows } from "../table/target.js";
import { conciseNames } from "./candidates.js";
import { Contender } from "./contender.js";
import { type FinalWork, RaceEntry } from "./race-entry.js";
import { laggards, type RaceRound, raceRounds, standingOf } from "./race-rounds.js";
import { timeLimit } from "./time-limit.js";

/** Time limit and folds of a race. */
export interface RaceOptions {
  /** Time limit for the race and the final work together; kept as well as fit times can be predicted. */
  readonly seconds: number;
  /** Number of folds of all rows in the last stage; the default is 5. */
  readonly folds?: number;
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

/** The ranking of the candidates, and how many rows the winner can be fitted to. */
export interface RaceResult {
  /** Contenders that finished, best first; then the others, the latest to leave first. */
  readonly contenders: readonly Contender[];
  /** Number of rows that there is time to fit the winner to. */
  readonly rows: number;
  /** The test rows of the winner's folds of all rows, from the first fold on; empty if they were not kept. */
  readonly classifiedFolds: readonly ClassifiedTest[];
  /** Whether the race ended before every candidate was either judged or behind. */
  readonly ended: "decided" | "by time" | "by request";
}

/** Candidates race on a stratified subsample of at most this many rows; the winner may be fitted to more. */
const MAX_ROWS = 250_000;

/** Predicted times are multiplied by this before they are compared with the time left. */
const SAFETY = 1.25;

/** Fraction of the time left that one round may take, and fraction of that for one fit of unknown length. */
const SHARE_OF_ROUND = 1 / 2;
const SHARE_OF_FIT = 1 / 4;

/** Fraction of the rest of a round that a fit of known length may take, unless it is the leader's. */
const SHARE_OF_FOLLOWER = 1 / 2;

/** Quick fits, predicted to take at most this fraction of a round, run before longer ones, which would use up its time. */
const QUICK = 1 / 20;

/** A fit is aborted after this many times its predicted length, but not within this fraction of the whole time. */
const OVERRUN = 3;
const ALWAYS_ALLOWED = 1 / 20;

/** Scores of more test rows × classes are not kept, unless the metric needs them. */
const KEPT_SCORES = 400_000;

/** A model of almost all rows is as good as one of all, and one of all is simpler to explain. */
const ALMOST_ALL = 0.9;

/**
 * Finds the best of several candidates within a time limit.
 *
 * Candidates compete in rounds: in each, all that are still in the race are fitted to the same rows and tried on the same
 * others. With many rows the first rounds use a subsample; the last ones are folds of all rows. After every round, candidates
 * leave whose losses are clearly more than the leader's, row by row (successive halving, Jamieson and Talwalkar 2016, with the
 * racing of Maron and Moore 1994 in place of a fixed fraction). Fit times are predicted from smaller fits, with time reserved
 * for the final fit; a fit of unknown length is aborted when it takes more than its share. Independent fits run in parallel
 * on the threads of the run.
 *
 * If time never runs short, the result is the same for the same seed. Otherwise the clock decides which candidates take part
 * in which rounds, but given that, not which one wins.
 */
export async function raceLearners(
  candidates: readonly Learner[],
  data: Labelled,
  options: RaceOptions,
): Promise<RaceResult> {
  const run = completeRun(options.run);
  const all = Int32Array.from(data.labels, (_, row) => row);
  const rows = stratifiedSubsample(all, data.labels, MAX_ROWS, run.seed);
  const raced = rows.length < all.length ? selectRows(data, rows) : data;
  const race = new Race(candidates, raced, options, run);
  const ended = await race.run();
  return {
    ...race.ranking(),
    rows: race.rowsForWinner(all.length),
    classifiedFolds: race.classifiedFolds(all.length),
    ended,
  };
}

/** A round with its rows. */
interface RunningRound extends RaceRound {
  readonly division: Division;
  readonly rowsOfRound: TrialRows;
}

class Race {
  readonly #data: Labelled;
  readonly #run: Run;
  readonly #folds: number;
  readonly #final: FinalWork;
  readonly #objective: Objective;
  readonly #stop: AbortSignal | undefined;
  /** Present if the caller keeps the time: then fits run one by one on this thread. */
  readonly #givenClock: (() => number) | undefined;
  readonly #clock: () => number;
  readonly #seconds: number;
  readonly #began: number;
  readonly #contenders: readonly Contender[];
  readonly #entries: readonly RaceEntry[];
  #firstFault: VouchError | undefined;

  constructor(candidates: readonly Learner[], data: Labelled, options: RaceOptions, run: Run) {
    const names = conciseNames(candidates);
    this.#data = data;
    this.#run = run;
    this.#folds = options.folds ?? CALIBRATION_FOLDS;
    this.#final = options.final ?? { fits: 1, heldOutRows: 0 };
    this.#objective = options.objective ?? ERROR;
    this.#stop = options.stop;
    this.#givenClock = options.clock;
    this.#clock = options.clock ?? (() => performance.now() / 1000);
    this.#seconds = options.seconds;
    this.#began = this.#clock();
    this.#contenders = candidates.map(
      (learner, place) => new Contender(names[place], learner, place, this.#objective),
    );
    this.#entries = growthFamilies(candidates).map(
      ({ members }) => new RaceEntry(members.map(({ candidate }) => this.#contenders[candidate])),
    );
  }

  async run(): Promise<RaceResult["ended"]> {
    for (const round of raceRounds(this.#data, this.#folds, this.#run.seed)) {
      const division = { data: this.#data, ...round.split };
      const ended = await this.#runRound({ ...round, division, rowsOfRound: new TrialRows(division) });
      this.#dropLaggards(round);
      if (ended) return ended;
      if (this.#inRace.length === 1) break;
    }
    return this.#contenders.some(({ out }) => out?.fate === "slow") ? "by time" : "decided";
  }

  ranking(): Pick<RaceResult, "contenders"> {
    const { order } = standingOf(this.#judged);
    const winners = new Set(order);
    const others = this.#contenders.filter((one) => !winners.has(one));
    const rounds = (one: Contender) => one.results.length;
    const { larger } = metricFacts(this.#objective.metric);
    const loss = (one: Contender) => {
      const value = one.validation()?.metric.mean;
      return value === undefined ? Number.POSITIVE_INFINITY : larger ? -value : value;
    };
    others.sort((a, b) => rounds(b) - rounds(a) || loss(a) - loss(b) || a.place - b.place);
    for (const one of others) one.leave("not tried", "the race ended before its turn");
    return { contenders: [...order, ...others] };
  }

  /** Returns the classified test rows of the winner's folds, if the race was run on all rows. */
  classifiedFolds(rows: number): ClassifiedTest[] {
    const [winner] = standingOf(this.#judged).order;
    if (this.#data.labels.length < rows || this.#folds !== CALIBRATION_FOLDS) return [];
    const folds = winner.results.filter(({ full }) => full).map(({ classified }) => classified);
    const missing = folds.indexOf(undefined);
    return folds.slice(0, missing < 0 ? folds.length : missing).flatMap((fold) => fold ?? []);
  }

  /** Returns how many of `rows` there is time to fit the winner to, but at least as many as it was fitted to already. */
  rowsForWinner(rows: number): number {
    const [winner] = standingOf(this.#judged).order;
    const seen = rowsSeen(winner);
    const fits = (count: number) => SAFETY * this.#finish(winner, count) <= this.#left;
    if (seen >= ALMOST_ALL * rows * (1 - 1 / this.#folds) || fits(rows)) return rows;
    let most = seen;
    for (let count = seen; count < rows && fits(count); count *= 1.1) most = count;
    return most >= ALMOST_ALL * rows ? rows : Math.max(seen, Number(most.toPrecision(2)));
  }

  get #inRace(): Contender[] {
    return this.#contenders.filter((one) => one.isIn);
  }

  /** Contenders in the race that have a result. */
  get #judged(): Contender[] {
    return this.#inRace.filter((one) => one.results.length > 0);
  }

  /** Seconds until the whole time is up. */
  get #left(): number {
    return this.#began + this.#seconds - this.#clock();
  }

  #entryOf(contender: Contender): RaceEntry {
    return this.#entries.find((entry) => entry.contenders.includes(contender)) ?? this.#entries[0];
  }

  /** Predicts the seconds of the final work with a contender. */
  #finish(contender: Contender, rows: number): number {
    return this.#entryOf(contender).finishSeconds(contender, rows, this.#final) ?? 0;
  }

  async #runRound(round: RunningRound): Promise<RaceResult["ended"] | undefined> {
    const [leader] = standingOf(this.#judged).order;
    const free = Math.max(0, this.#left - this.#reserve(leader, rowsSeen(leader)));
    const time = free * SHARE_OF_ROUND;
    const closing = this.#left - time;
    const queue = this.#inOrder(round, QUICK * time);
    const learners = queue.flatMap(({ inRace }) => inRace.map(({ learner }) => learner));
    const parallel =
      this.#givenClock === undefined && canRunInParallel(learners, round.division, this.#run, this.#seconds);
    let ended: RaceResult["ended"] | undefined;
    // The first candidate runs alone: it gets all the time it needs, so that there is a model in the end.
    if (this.#judged.length === 0) {
      const [first] = queue.splice(0, 1);
      ended = await this.#runEntry(first, round, { leader, closing, parallel });
    }
    const lane = async () => {
      for (let entry = queue.shift(); entry && !ended; entry = queue.shift()) {
        ended ??= await this.#runEntry(entry, round, { leader, closing, parallel });
      }
    };
    await allDone(Array.from({ length: parallel ? this.#run.executor.threads : 1 }, lane));
    if (this.#judged.length === 0) throw this.#firstFault ?? new Error("No candidate took part.");
    return ended;
  }

  /** Runs one entry of a round, without those of its contenders that there is no time for. */
  async #runEntry(
    entry: RaceEntry,
    round: RunningRound,
    { leader, closing, parallel }: { leader: Contender | undefined; closing: number; parallel: boolean },
  ): Promise<RaceResult["ended"] | undefined> {
    while (entry.inRace.length > 0) {
      if (this.#stop?.aborted && this.#judged.length > 0) return "by request";
      const leads = leader !== undefined && entry.inRace.includes(leader);
      const limit = this.#limitFor(entry, round, leads ? 0 : closing);
      if (limit > 0 || this.#judged.length === 0) {
        if (await this.#tryEntry(entry, round, limit, parallel)) return undefined;
        if (this.#stop?.aborted) continue;
      }
      if (leads && entry.inRace[0] === leader) return "by time";
      entry.inRace[0].leave("slow", "it would take more time than is left");
    }
    return undefined;
  }

  /**
   * Orders the entries of a round: in the first one as listed, cheap ones first; later the leader, then quick fits, then the
   * rest by rank, so that slow and weak candidates are the ones that run out of time.
   */
  #inOrder(round: RaceRound, quick: number): RaceEntry[] {
    const judged = this.#judged;
    if (judged.length === 0) return [...this.#entries];
    const { order } = standingOf(judged);
    const rank = (entry: RaceEntry) => Math.min(...entry.inRace.map((one) => order.indexOf(one)));
    const takesLong = (entry: RaceEntry) =>
      rank(entry) > 0 && (entry.roundSeconds(round.rows, round.split.test.length) ?? 0) > quick;
    const entries = this.#entries.filter((entry) => entry.inRace.length > 0);
    return entries.sort((a, b) => Number(takesLong(a)) - Number(takesLong(b)) || rank(a) - rank(b));
  }

  /** Returns the seconds to reserve for the final work with a contender on this many rows. */
  #reserve(contender: Contender | undefined, rows: number): number {
    return contender === undefined ? 0 : SAFETY * this.#finish(contender, rows);
  }

  /**
   * Returns the seconds that a fit and its test may take so that at least `closing` seconds are left; 0 if it is predicted to
   * take more.
   */
  #limitFor(entry: RaceEntry, round: RaceRound, closing: number): number {
    const [leader] = standingOf(this.#judged).order;
    const predicted = entry.roundSeconds(round.rows, round.split.test.length);
    const available = this.#left - Math.max(closing, this.#reserve(leader, rowsSeen(leader)));
    if (predicted === undefined) return available * SHARE_OF_FIT;
    // If it turns out to be the best, it must be fitted once more.
    const own = this.#left - Math.max(closing, this.#reserve(entry.inRace[0], round.rows));
    const share = entry.inRace.includes(leader) ? 1 : SHARE_OF_FOLLOWER;
    if (SAFETY * predicted > share * Math.min(available, own)) return 0;
    return Math.min(available, Math.max(ALWAYS_ALLOWED * this.#seconds, OVERRUN * predicted));
  }

  /** Fits and tests the entry within the limit; returns false if it was too short, or the race was stopped. */
  async #tryEntry(
    entry: RaceEntry,
    round: RunningRound,
    seconds: number,
    parallel: boolean,
  ): Promise<boolean> {
    const milliseconds = this.#judged.length === 0 ? Number.POSITIVE_INFINITY : 1000 * seconds;
    const limit = timeLimit(milliseconds, [this.#run.signal, this.#stop]);
    const run: Run = { ...this.#run, signal: limit.signal, progress: () => this.#report(entry, round) };
    try {
      this.#report(entry, round);
      const { inRace } = entry;
      const trials = await this.#trials(
        inRace.map(({ learner }) => learner),
        round,
        run,
        parallel,
      );
      entry.timed(round.rows, trials);
      const { stage, full, rows, split } = round;
      trials.forEach(({ mistakes, classified }, i) => {
        inRace[i].results.push({ stage, full, rows, tested: split.test, mistakes, classified });
      });
      return true;
    } catch (error) {
      if (!(error instanceof VouchError)) throw error;
      if (this.#run.signal?.aborted) throw error;
      if (this.#stop?.aborted && this.#judged.length === 0) throw error;
      if (limit.isUp()) entry.aborted(round.rows, seconds);
      if (limit.signal.aborted) return false;
      this.#firstFault ??= error;
      for (const one of entry.inRace) one.leave("failed", error.message);
      return true;
    } finally {
      limit.release();
    }
  }

  async #trials(
    learners: readonly Learner[],
    { division, rowsOfRound }: RunningRound,
    run: Run,
    parallel: boolean,
  ): Promise<Trial[]> {
    const needsScores = this.#objective.metric !== "error";
    const options = { warmUp: true, scores: needsScores ? Number.POSITIVE_INFINITY : KEPT_SCORES };
    if (parallel) return tryOnThread(learners, division, run, options);
    const clock = this.#givenClock;
    return tryLearners(learners, rowsOfRound, run, { ...options, ...(clock && { clock }) });
  }

  #dropLaggards({ stage, full }: RaceRound): void {
    const standing = standingOf(this.#judged);
    // An unfinished round does not judge anyone, and an earlier one has judged already.
    if (standing.stage !== stage) return;
    const [leader] = standing.order;
    for (const one of laggards(standing, full, this.#data.groups))
      one.leave("behind", `clearly behind ${leader.name}`);
  }

  #report(entry: RaceEntry, { full, rows }: RaceRound): void {
    const [leader] = standingOf(this.#judged).order;
    const [now] = entry.inRace;
    if (!now) return;
    const metric = leader?.validation()?.metric;
    const part = full ? "" : ` on ${formatNumber(rows)} rows`;
    const best = metric
      ? `; best so far ${leader.name}, ${metricFacts(metric.name).title} ${formatMetric(metric.name, metric.mean)}`
      : "";
    this.#run.progress({
      stage: "trying learners",
      done: Math.min(this.#seconds, this.#clock() - this.#began),
      total: this.#seconds,
      unit: "s",
      note: `${now.name}${part}${best}`,
    });
  }
}

/** Returns the largest number of rows that a contender was fitted to; 0 if it took part in no round. */
function rowsSeen(contender: Contender | undefined): number {
  return Math.max(0, ...(contender?.results ?? []).map(({ rows }) => rows));
}

/** Waits for all, then throws the first error if there is one. */
async function allDone(work: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}
