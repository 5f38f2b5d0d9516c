import type { Run } from "../runtime/run.js";
import { type ComparisonFits, type FitOutcome, inLanes, type Measured } from "./comparison-fits.js";
import { FitTimes } from "./race/candidate-family.js";
import {
  affordable,
  DOUBT,
  firstFoldLimit,
  type PlannedLearner,
  roundedUpSeconds,
  secondsToComplete,
  type TimeLeft,
} from "./time-plan.js";

/** A fit that was stopped is made again only if there is this many times the time that it had. */
const RETRY = 1.5;

/** Predicted times are multiplied by this where too little time would be a loss. */
const SAFETY = 1.25;

/** Time of a fit to a subsample: this fraction of the whole time, at least 0.1 s, and all of them together a quarter. */
const SHARE_OF_PART = 1 / 48;
const MIN_SECONDS_OF_PART = 0.1;
const SHARE_OF_PARTS = 1 / 4;

/** The first fit of a learner loads and compiles modules: so many seconds of it are not counted, but at least a quarter is. */
const WARM_UP = 0.15;
const MIN_COUNTED = 1 / 4;

function warm(seconds: number): number {
  return Math.max(MIN_COUNTED * seconds, seconds - WARM_UP);
}

/** Last fits may go on for this fraction of the whole time after it: their folds would be worth less without them. */
const GRACE = 0.08;

/** One learner with predictions of its times. */
class Timed implements PlannedLearner {
  readonly measured: Measured;
  readonly #fits: ComparisonFits;
  readonly #times: FitTimes;
  /** Seconds to classify a row. */
  #perRow = 0;
  /** A fold takes longer than this. */
  #longerThan = 0;
  #tried = false;
  /** Whether a fit was completed, so that predictions are more than lower bounds. */
  #timed = false;
  /** Folds that are being fitted. */
  readonly running = new Set<number>();

  constructor(measured: Measured, fits: ComparisonFits) {
    this.measured = measured;
    this.#fits = fits;
    this.#times = new FitTimes(measured.learner);
  }

  get loss(): number | undefined {
    return this.measured.loss;
  }

  get folds(): number {
    return this.#fits.folds - this.measured.errors.size;
  }

  get fold(): number {
    const { train, test } = this.#fits.sizes;
    const predicted = this.#times.predict(train, 1, "expected") ?? 0;
    return Math.max(RETRY * this.#longerThan, predicted + test * this.#perRow);
  }

  get all(): number {
    if (this.measured.all) return 0;
    const { all, last } = this.#fits.sizes;
    const predicted = this.#times.predict(all, 1, "pessimistic") ?? 0;
    return Math.max(this.#longerThan, predicted + last * this.#perRow);
  }

  get isIn(): boolean {
    return this.measured.failure === undefined;
  }

  /** Whether its fold times are known rather than larger than something. */
  get isTimed(): boolean {
    return this.loss !== undefined || (this.#timed && this.#longerThan === 0);
  }

  /** Whether a whole fold was started. */
  get isTried(): boolean {
    return this.#tried || this.running.size > 0;
  }

  /** The first fold that is neither done nor being fitted. */
  get nextFold(): number | undefined {
    const { errors } = this.measured;
    for (let fold = 0; fold < this.#fits.folds; fold++) {
      if (!errors.has(fold) && !this.running.has(fold)) return fold;
    }
    return undefined;
  }

  /** Notes the time of a fit to some rows. */
  note(rows: number, { end, seconds, trial }: FitOutcome): void {
    const whole = rows >= this.#fits.sizes.train;
    this.#tried ||= whole;
    if (trial) {
      this.#timed = true;
      if (whole) this.#longerThan = 0;
      this.#perRow = trial.seconds.test / Math.max(1, trial.rows);
      this.#times.add({ rows, steps: 1, seconds: (whole ? seconds : warm(seconds)) - trial.seconds.test });
    } else if (end === "stopped" && whole) {
      // A fit that is stopped before its predicted end says nothing new.
      if (seconds > this.fold) this.#longerThan = seconds;
    } else if (end === "stopped") {
      this.#times.add({ rows, steps: 1, seconds: warm(seconds) });
    }
  }
}

/**
 * Makes the fits of a comparison within a time limit, so that as many learners as possible are complete, the best of them before
 * all.
 *
 * 1. Each learner is fitted to a few rows, to predict its times.
 * 2. All learners are fitted for the first fold, the cheapest first; one that would take the time of others waits.
 * 3. The best ones that fit into the time left are completed: the other folds, then all rows.
 * 4. The rest of the time is for learners that cannot be completed: first folds, then others.
 *
 * A fit is stopped only if it would use time that others need, or at the end.
 *
 * @returns the seconds that all learners need; undefined if that is not known, or if all of them are complete
 */
export async function compareInTime(
  all: readonly Measured[],
  fits: ComparisonFits,
  seconds: number,
  run: Run,
): Promise<number | undefined> {
  const race = new TimedComparison(all, fits, seconds, run);
  await race.run();
  return race.secondsForAll();
}

class TimedComparison {
  readonly #learners: readonly Timed[];
  readonly #fits: ComparisonFits;
  readonly #total: number;
  readonly #run: Run;
  readonly #began = performance.now();

  constructor(all: readonly Measured[], fits: ComparisonFits, seconds: number, run: Run) {
    this.#learners = all.map((one) => new Timed(one, fits));
    this.#fits = fits;
    this.#total = seconds;
    this.#run = run;
  }

  async run(): Promise<void> {
    await this.#fitParts();
    const { lanes } = this.#fits;
    let started: boolean;
    do {
      await inLanes(lanes, () => this.#nextFold());
      await this.#fitAllRows();
      started = false;
      await inLanes(lanes, () => {
        const work = this.#nextOfRest();
        if (work) started = true;
        return work;
      });
    } while (started);
  }

  /** Suggests a time limit for all learners, if one is left out and all times are known. */
  secondsForAll(): number | undefined {
    const taking = this.#in;
    if (taking.every(({ folds }) => folds === 0) || !taking.every(({ isTimed }) => isTimed)) {
      return undefined;
    }
    const { folds, lanes } = this.#fits;
    const whole = taking.map(({ fold, all, measured }) => ({ folds, fold, all: measured.all ? fold : all }));
    const needed = SAFETY * secondsToComplete(whole, lanes);
    return roundedUpSeconds(Math.max(needed, SAFETY * this.#total));
  }

  get #in(): Timed[] {
    return this.#learners.filter(({ isIn }) => isIn);
  }

  get #time(): TimeLeft {
    const left = this.#total - (performance.now() - this.#began) / 1000;
    return { left: Math.max(0, left), total: this.#total, lanes: this.#fits.lanes };
  }

  readonly #progress = (_: number, note: string) => {
    const done = this.#total - this.#time.left;
    this.#run.progress({ stage: "comparing", done, total: this.#total, unit: "s", note });
  };

  /** Fits all learners to a few rows; a learner that takes long is predicted to take longer. */
  async #fitParts(): Promise<void> {
    const split = this.#fits.subsample();
    if (!split) return;
    const most = (SHARE_OF_PARTS * this.#total) / this.#learners.length;
    const limit = Math.min(most, Math.max(MIN_SECONDS_OF_PART, SHARE_OF_PART * this.#total));
    for (const one of this.#learners) {
      const outcome = await this.#fits.part(one.measured, split, { limit, progress: this.#progress });
      one.note(split.train.length, outcome);
    }
  }

  /** Starts the next fold of the learners that can be completed; returns undefined if there is none. */
  #nextFold(): Promise<void> | undefined {
    const time = this.#time;
    const begun = this.#in.filter(({ loss, running }) => loss !== undefined || running.size > 0);
    const waiting = this.#in.filter((one) => !begun.includes(one));
    for (const one of waiting.sort(byTime)) {
      const limit = firstFoldLimit(one, begun, time);
      if (limit > 0) return this.#fitFold(one, 0, limit);
    }
    const chosen = affordable(this.#in, time);
    const next = earliest(chosen);
    if (!next) return undefined;
    // Time is reserved for better learners, and for the last fits of those with all folds.
    const rank = chosen.indexOf(next);
    const reserved = chosen.filter((other, i) => i < rank || (other !== next && other.folds === 0));
    const limit = time.left - secondsToComplete(reserved, time.lanes);
    return this.#fitFold(next, next.nextFold ?? 0, limit);
  }

  async #fitFold(one: Timed, fold: number, limit: number): Promise<void> {
    one.running.add(fold);
    const outcome = await this.#fits.fold(one.measured, fold, { limit, progress: this.#progress });
    one.running.delete(fold);
    one.note(this.#fits.sizes.train, outcome);
  }

  /** Fits learners with all folds to all rows, the best first. */
  async #fitAllRows(): Promise<void> {
    const complete = this.#in.filter(({ folds, measured }) => folds === 0 && !measured.all);
    for (const { measured } of complete.sort(byLoss)) {
      const limit = this.#time.left + GRACE * this.#total;
      if (this.#time.left > 0) await this.#fits.allRows(measured, { limit, progress: this.#progress });
    }
  }

  /**
   * Starts a fold of a learner that cannot be completed: a first one if possible, otherwise one of the best. Returns undefined
   * without such a learner, if one can be completed after all, or before one is complete, because there is nothing to compare with.
   */
  #nextOfRest(): Promise<void> | undefined {
    const time = this.#time;
    const open = this.#in.filter(({ nextFold }) => nextFold !== undefined);
    if (time.left <= 0 || affordable(open, time).length > 0) return undefined;
    if (this.#in.every(({ folds }) => folds > 0)) return undefined;
    const known = open.filter(({ fold }) => fold <= time.left);
    const first = known.filter(({ loss, running }) => loss === undefined && running.size === 0);
    const others = known.filter(({ loss }) => loss !== undefined);
    const doubtful = open.filter(({ isTried, fold }) => !isTried && fold <= DOUBT * time.left);
    const [next] = [...first.sort(byTime), ...others.sort(byLoss), ...doubtful.sort(byTime)];
    return next && this.#fitFold(next, next.nextFold ?? 0, time.left);
  }
}

function byTime(a: Timed, b: Timed): number {
  return a.fold - b.fold;
}

function byLoss(a: Timed, b: Timed): number {
  return (a.loss ?? 1) - (b.loss ?? 1);
}

/** Finds the learner with the earliest fold to fit, so that folds are encoded once; the best one of several. */
function earliest(learners: readonly Timed[]): Timed | undefined {
  let found: Timed | undefined;
  for (const one of learners) {
    const fold = one.nextFold ?? Number.POSITIVE_INFINITY;
    if (fold < (found?.nextFold ?? Number.POSITIVE_INFINITY)) found = one;
  }
  return found;
}
