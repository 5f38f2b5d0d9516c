import { type Encoding, fitEncoderInSteps, labelledSampleInSteps } from "../encode/encoder.js";
import type { Features, Sample } from "../encode/sample.js";
import type { Learner } from "../learners/learner.js";
import type { Model } from "../learners/model.js";
import { formatNumber, formatPercent } from "../runtime/number-format.js";
import { checkpoint, completeRun, type Run } from "../runtime/run.js";
import { withPauses } from "../runtime/steps.js";
import { VouchError } from "../runtime/vouch-error.js";
import { type Labelled, selectRows } from "../table/target.js";
import { conciseNames } from "./candidates.js";
import { Contender } from "./contender.js";
import { growthFamilies } from "./families.js";
import { type FinalWork, RaceEntry, stepsOf } from "./race-entry.js";
import { laggards, type RaceRound, raceRounds, standingOf, stratifiedSubsample } from "./race-rounds.js";
import { timeLimit } from "./time-limit.js";

/** How long candidates may compete for being the learner of a model, and on what folds. */
export interface RaceOptions {
  /** Time for the race and the final work together, in seconds. It is kept as well as fits can be predicted. */
  readonly seconds: number;
  /** Folds of all rows, in the last stage; 5 if not given. */
  readonly folds?: number;
  /** What will be done with the winner, for which time is left; one fit and no test if not given. */
  readonly final?: FinalWork;
  /** Ends the race early, with what is known by then; `run.signal` gives it up. */
  readonly stop?: AbortSignal;
  /** Seconds since some moment; that of the machine if not given. */
  readonly clock?: () => number;
  readonly run?: Partial<Run>;
}

/** The order in which candidates came in, and what the winner can be fitted to. */
export interface RaceResult {
  /** All that took part: those that finished first, the best first; then the others, the later they left, the sooner. */
  readonly contenders: readonly Contender[];
  /** How many rows there is time to fit the winner to. */
  readonly rows: number;
  /** Whether the race was ended before every candidate was either judged or behind. */
  readonly ended: "decided" | "by time" | "by request";
}

/** Candidates are raced on at most so many rows, drawn class by class; the winner may be fitted to more. */
const MOST_ROWS = 250_000;

/** How much longer than predicted work may take. */
const SAFETY = 1.25;

/** The part of the time left that one round may take, and of that the part that one fit of unknown length may take. */
const SHARE_OF_ROUND = 1 / 2;
const SHARE_OF_FIT = 1 / 4;

/** The part of what is left of a round that a fit of known length may take, unless it is that of the leader. */
const SHARE_OF_FOLLOWER = 1 / 2;

/** Fits that are predicted to take at most this part of a round come before longer ones, which else would use up its time. */
const BRIEF = 1 / 20;

/** How many times as long as predicted a fit may take before it is broken off, unless it is within this part of all time. */
const PATIENCE = 3;
const MOMENT = 1 / 20;

/** The first fit of a kind starts threads and compiles: with more rows than this it is made once with few, untimed. */
const WARM_UP_ABOVE = 1000;
const WARM_UP_ROWS = 200;

/** A model of almost all rows is as good as one of all, and one of all is simpler to say. */
const ALMOST_ALL = 0.9;

/** Test rows that are classified without a pause. */
const BLOCK = 2000;

/**
 * Finds the best of several candidates within a time.
 *
 * Candidates compete in rounds: in each, all that are still in the race are fitted to the same rows and tested on the same
 * others. The first rounds have a part of the rows where there are many, the last ones are folds of all rows. After
 * every round those leave whose errors are clearly more than the leader's, row by row (successive halving, Jamieson and
 * Talwalkar 2016, with the racing of Maron and Moore 1994 in place of a fixed share). Whether there is time for a fit is
 * predicted from smaller ones, with that of the final fit set aside; one of unknown length is broken off when it takes more
 * than its share.
 *
 * Where time never runs short the result is the same for the same seed. Otherwise it depends on the clock which
 * candidates took part in which rounds, but given that, not who wins.
 */
export async function raceLearners(
  candidates: readonly Learner[],
  data: Labelled,
  options: RaceOptions,
): Promise<RaceResult> {
  const run = completeRun(options.run);
  const all = Int32Array.from(data.labels, (_, row) => row);
  const rows = stratifiedSubsample(all, data.labels, MOST_ROWS, run.seed);
  const raced = rows.length < all.length ? { ...data, ...selectRows(data, rows) } : data;
  const race = new Race(candidates, raced, options, run);
  const ended = await race.run();
  return { ...race.ranking(), rows: race.rowsForWinner(all.length), ended };
}

/** The rows of a round, encoded for some learners. */
interface EncodedRound {
  readonly train: Sample<Features>;
  readonly test: Sample<Features>;
  readonly seconds: number;
}

class Race {
  readonly #data: Labelled;
  readonly #run: Run;
  readonly #folds: number;
  readonly #final: FinalWork;
  readonly #stop: AbortSignal | undefined;
  readonly #clock: () => number;
  readonly #seconds: number;
  readonly #began: number;
  readonly #contenders: readonly Contender[];
  readonly #entries: readonly RaceEntry[];
  readonly #warm = new Set<string>();
  #encoded = new Map<string, EncodedRound>();
  #firstFault: VouchError | undefined;

  constructor(candidates: readonly Learner[], data: Labelled, options: RaceOptions, run: Run) {
    const names = conciseNames(candidates);
    this.#data = data;
    this.#run = run;
    this.#folds = options.folds ?? 5;
    this.#final = options.final ?? { fits: 1, heldOutRows: 0 };
    this.#stop = options.stop;
    this.#clock = options.clock ?? (() => performance.now() / 1000);
    this.#seconds = options.seconds;
    this.#began = this.#clock();
    this.#contenders = candidates.map((learner, place) => new Contender(names[place], learner, place));
    this.#entries = growthFamilies(candidates).map(
      ({ members }) => new RaceEntry(members.map(({ candidate }) => this.#contenders[candidate])),
    );
  }

  async run(): Promise<RaceResult["ended"]> {
    for (const round of raceRounds(this.#data.labels, this.#folds, this.#run.seed)) {
      this.#encoded = new Map();
      const ended = await this.#runRound(round);
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
    const error = (one: Contender) => one.validation()?.mean ?? Number.POSITIVE_INFINITY;
    others.sort((a, b) => rounds(b) - rounds(a) || error(a) - error(b) || a.place - b.place);
    for (const one of others) one.leave("not tried", "the race ended before its turn");
    return { contenders: [...order, ...others] };
  }

  /** As many of so many rows as there is time to fit the winner to; at least as many as it was fitted to already. */
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

  /** Those in the race that have a result, if any has. */
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

  /** Predicted seconds of the final work with a contender. */
  #finish(contender: Contender, rows: number): number {
    return this.#entryOf(contender).finishSeconds(contender, rows, this.#final) ?? 0;
  }

  async #runRound(round: RaceRound): Promise<RaceResult["ended"] | undefined> {
    const [leader] = standingOf(this.#judged).order;
    const free = Math.max(0, this.#left - this.#reserve(leader, rowsSeen(leader)));
    const time = free * SHARE_OF_ROUND;
    const closing = this.#left - time;
    for (const entry of this.#inOrder(round, BRIEF * time)) {
      while (entry.inRace.length > 0) {
        if (this.#stop?.aborted && this.#judged.length > 0) return "by request";
        const leads = leader !== undefined && entry.inRace.includes(leader);
        const limit = this.#limitFor(entry, round, leads ? 0 : closing);
        if (limit > 0 || this.#judged.length === 0) {
          if (await this.#tryOut(entry, round, limit)) break;
          if (this.#stop?.aborted) continue;
        }
        if (leads && entry.inRace[0] === leader) return "by time";
        entry.inRace[0].leave("slow", "it would take more time than is left");
      }
    }
    if (this.#judged.length === 0) throw this.#firstFault ?? new Error("No candidate took part.");
    return undefined;
  }

  /**
   * As listed in the first round, cheap ones first. Then the leader, those that take at most `brief` seconds, and the others, the
   * best first, so that time runs out for the worse ones.
   */
  #inOrder(round: RaceRound, brief: number): RaceEntry[] {
    const judged = this.#judged;
    if (judged.length === 0) return [...this.#entries];
    const { order } = standingOf(judged);
    const rank = (entry: RaceEntry) => Math.min(...entry.inRace.map((one) => order.indexOf(one)));
    const takesLong = (entry: RaceEntry) =>
      rank(entry) > 0 && (entry.roundSeconds(round.rows, round.split.test.length) ?? 0) > brief;
    const entries = this.#entries.filter((entry) => entry.inRace.length > 0);
    return entries.sort((a, b) => Number(takesLong(a)) - Number(takesLong(b)) || rank(a) - rank(b));
  }

  /** Seconds that have to be left for the final work with a contender on so many rows. */
  #reserve(contender: Contender | undefined, rows: number): number {
    return contender === undefined ? 0 : SAFETY * this.#finish(contender, rows);
  }

  /**
   * Seconds that a fit and its test may take, such that at least `closing` are left after it; none if it is predicted
   * to take more.
   */
  #limitFor(entry: RaceEntry, round: RaceRound, closing: number): number {
    const [leader] = standingOf(this.#judged).order;
    const predicted = entry.roundSeconds(round.rows, round.split.test.length);
    const available = this.#left - Math.max(closing, this.#reserve(leader, rowsSeen(leader)));
    if (predicted === undefined) return available * SHARE_OF_FIT;
    // If it turns out to be the best one, it is that which has to be fitted once more.
    const own = this.#left - Math.max(closing, this.#reserve(entry.inRace[0], round.rows));
    const share = entry.inRace.includes(leader) ? 1 : SHARE_OF_FOLLOWER;
    if (SAFETY * predicted > share * Math.min(available, own)) return 0;
    return Math.min(available, Math.max(MOMENT * this.#seconds, PATIENCE * predicted));
  }

  /** Fits and tests the entry within so many seconds; false if that was too short, or the race was stopped. */
  async #tryOut(entry: RaceEntry, round: RaceRound, seconds: number): Promise<boolean> {
    // The very first candidate always gets its time, so that there is a model in the end.
    const milliseconds = this.#judged.length === 0 ? Number.POSITIVE_INFINITY : 1000 * seconds;
    const limit = timeLimit(milliseconds, [this.#run.signal, this.#stop]);
    const run: Run = { ...this.#run, signal: limit.signal, progress: () => this.#report(entry, round) };
    try {
      await this.#fitAndTest(entry, round, run);
      return true;
    } catch (error) {
      if (!(error instanceof VouchError)) throw error;
      if (this.#run.signal?.aborted) throw error;
      if (this.#stop?.aborted && this.#judged.length === 0) throw error;
      if (limit.isUp()) entry.brokenOff(round.rows, seconds);
      if (limit.signal.aborted) return false;
      this.#firstFault ??= error;
      for (const one of entry.inRace) one.leave("failed", error.message);
      return true;
    } finally {
      limit.release();
    }
  }

  async #fitAndTest(entry: RaceEntry, round: RaceRound, run: Run): Promise<void> {
    const { learner, members } = entry.family();
    const { inRace } = entry;
    await checkpoint(run);
    const { train, test, seconds: encode } = await this.#encode(learner.encoding, round, run);
    this.#report(entry, round);
    await this.#warmUp(learner, train, run);
    const fitting = this.#clock();
    const model = await learner.fit(train, run);
    const fit = this.#clock() - fitting;
    const testing = this.#clock();
    const mistakes: Uint8Array[] = [];
    for (const { modelIn } of members) mistakes.push(await mistakesOf(modelIn(model), test, run));
    const time = (this.#clock() - testing) / members.length;
    entry.timed({ rows: round.rows, steps: stepsOf(learner), fit, tests: test.rows, test: time, encode });
    const { stage, rows, split } = round;
    for (const [i, { candidate }] of members.entries()) {
      inRace[candidate].results.push({ stage, rows, tested: split.test, mistakes: mistakes[i] });
    }
  }

  async #warmUp(learner: Learner, train: Sample<Features>, run: Run): Promise<void> {
    if (train.rows <= WARM_UP_ABOVE || this.#warm.has(learner.name)) return;
    this.#warm.add(learner.name);
    const rows = Int32Array.from({ length: train.rows }, (_, row) => row);
    const few = train.select(stratifiedSubsample(rows, train.labels, WARM_UP_ROWS, run.seed));
    try {
      await learner.fit(few, run);
    } catch (error) {
      // What fails with few rows may well do with many.
      if (run.signal?.aborted || !(error instanceof VouchError)) throw error;
    }
  }

  async #encode(encoding: Encoding, { split }: RaceRound, run: Run): Promise<EncodedRound> {
    const key = JSON.stringify(encoding);
    const known = this.#encoded.get(key);
    if (known) return known;
    const began = this.#clock();
    const training = selectRows(this.#data, split.train);
    const encoder = await withPauses(fitEncoderInSteps(training.features, this.#data, encoding), run.signal);
    const train = await withPauses(labelledSampleInSteps(encoder, training), run.signal);
    const tested = selectRows(this.#data, split.test);
    const test = await withPauses(labelledSampleInSteps(encoder, tested), run.signal);
    const encoded = { train, test, seconds: this.#clock() - began };
    this.#encoded.set(key, encoded);
    return encoded;
  }

  #dropLaggards({ stage, full }: RaceRound): void {
    const standing = standingOf(this.#judged);
    // In the middle of a round nobody is judged by it, nor once more by an earlier one.
    if (standing.stage !== stage) return;
    const [leader] = standing.order;
    for (const one of laggards(standing, full)) one.leave("behind", `clearly behind ${leader.name}`);
  }

  #report(entry: RaceEntry, { full, rows }: RaceRound): void {
    const [leader] = standingOf(this.#judged).order;
    const [now] = entry.inRace;
    if (!now) return;
    const error = leader?.validation()?.mean;
    const part = full ? "" : ` on ${formatNumber(rows)} rows`;
    const best = error === undefined ? "" : `; best so far ${leader.name}, ${formatPercent(error)} wrong`;
    this.#run.progress({
      stage: "trying learners",
      done: Math.min(this.#seconds, this.#clock() - this.#began),
      total: this.#seconds,
      unit: "s",
      note: `${now.name}${part}${best}`,
    });
  }
}

/** The most rows that a contender was fitted to; none if it took part in no round. */
function rowsSeen(contender: Contender | undefined): number {
  return Math.max(0, ...(contender?.results ?? []).map(({ rows }) => rows));
}

/** Which rows a model gets wrong. */
async function mistakesOf(
  model: Model,
  { features, labels }: Sample<Features>,
  run: Run,
): Promise<Uint8Array> {
  const mistakes = new Uint8Array(labels.length);
  for (let start = 0; start < labels.length; start += BLOCK) {
    await checkpoint(run);
    const rows = Math.min(BLOCK, labels.length - start);
    const whole = rows === labels.length;
    const block = whole ? features : features.select(Int32Array.from({ length: rows }, (_, i) => start + i));
    const predicted = model.predict(block);
    for (let i = 0; i < rows; i++) mistakes[start + i] = predicted[i] === labels[start + i] ? 0 : 1;
  }
  return mistakes;
}
