import { MOST_MEASURED_ROWS } from "../../learners/ensemble/measured-rows.js";
import type { Learner } from "../../learners/learner.js";
import * as real from "../../runtime/maths/portable-math.js";
import { mean } from "../../runtime/maths/statistics.js";
import { growthSteps } from "../../validation/growth-families.js";
import type { Trial } from "../../validation/trial.js";
import type { Candidate } from "./candidate.js";
import { RACE_SETTINGS } from "./settings.js";

const { prediction } = RACE_SETTINGS;

/** A timed fit. */
interface TimedFit {
  readonly rows: number;
  /** Growth steps of the model; 1 if it does not grow in steps. */
  readonly steps: number;
  readonly seconds: number;
}

/** Exponents of the fit time in the number of rows, until two sizes have been timed: expected and pessimistic. */
interface Powers {
  readonly expected: number;
  readonly pessimistic: number;
}

/** Predicts fit times from timed fits, by t ∝ steps · rows^p. */
export class FitTimes {
  readonly #timed: TimedFit[] = [];
  readonly #powers: Powers;

  constructor({ keepsRows = false }: { readonly keepsRows?: boolean } = {}) {
    this.#powers = keepsRows ? prediction.kernelFitPower : prediction.fitPower;
  }

  add(timed: TimedFit): void {
    this.#timed.push(timed);
  }

  /** Seconds of the last timed fit; undefined before any. */
  get last(): number | undefined {
    return this.#timed.at(-1)?.seconds;
  }

  /** Predicts the seconds of a fit; undefined before any fit was timed. */
  predict(rows: number, steps: number, kind: keyof Powers): number | undefined {
    const last = this.#timed.at(-1);
    if (!last) return undefined;
    const alike = this.#timed.filter((timed) => timed.rows === last.rows && timed.steps === last.steps);
    const seconds = alike.reduce((sum, timed) => sum + timed.seconds, 0) / alike.length;
    return seconds * (rows / last.rows) ** this.#power(last, kind) * (steps / last.steps);
  }

  #power(last: TimedFit, kind: keyof Powers): number {
    const before = this.#timed.findLast(
      ({ rows, seconds }) =>
        rows < last.rows &&
        seconds > prediction.leastMeasuredSeconds &&
        last.seconds > prediction.leastMeasuredSeconds,
    );
    if (!before) return this.#powers[kind];
    const ratio = last.seconds / last.steps / (before.seconds / before.steps);
    const power = real.log(ratio) / real.log(last.rows / before.rows);
    return Math.max(prediction.leastMeasuredPower, Math.min(prediction.mostMeasuredPower, power));
  }
}

/** Candidates that are fitted together because they differ only in the number of growth steps; most are alone. */
export class CandidateFamily {
  readonly candidates: readonly Candidate[];
  readonly #times: FitTimes;
  /** Seconds to encode a row, and to classify one with a model of `#testedRows` rows, in the largest round so far. */
  #encodingSeconds = 0;
  #testSeconds = 0;
  #testedRows = 0;
  /** Whether the fit itself classifies the training rows. */
  #knowsTraining = false;
  /** The last fit that was aborted. */
  #aborted: { readonly rows: number; readonly seconds: number } | undefined;

  constructor(candidates: readonly Candidate[]) {
    this.candidates = candidates;
    this.#times = new FitTimes(candidates[0].learner);
  }

  /** Candidates that are still in the race, most steps first. */
  get inRace(): Candidate[] {
    return this.candidates.filter((one) => one.isIn).sort((a, b) => stepsOf(b.learner) - stepsOf(a.learner));
  }

  /** Whether it has a result. */
  get isTried(): boolean {
    return this.candidates.some(({ results }) => results.length > 0);
  }

  /** Seconds of the last fit; undefined before the first. */
  get fitSeconds(): number | undefined {
    return this.#times.last;
  }

  /** Seconds to classify a row in the largest round so far. */
  get secondsPerRow(): number {
    return this.#testSeconds;
  }

  /** Records the times of the trials of a round. */
  timed(rows: number, trials: readonly Trial[]): void {
    const [{ rows: tests, seconds, knowsTraining = false }] = trials;
    this.#times.add({ rows, steps: stepsOf(this.inRace[0].learner), seconds: seconds.fit });
    // The times of small rounds are mostly overhead.
    if (rows < this.#testedRows) return;
    this.#testSeconds = mean(trials.map((trial) => trial.seconds.test)) / Math.max(1, tests);
    this.#testedRows = rows;
    this.#encodingSeconds = seconds.encode / Math.max(1, rows + tests);
    this.#knowsTraining = knowsTraining;
  }

  /** Returns whether a fit to at most this many rows was aborted after at least this many seconds. */
  failsWithin(rows: number, seconds: number): boolean {
    return this.#aborted !== undefined && this.#aborted.rows <= rows && this.#aborted.seconds >= seconds;
  }

  /**
   * Records that a fit was aborted after some seconds, so it takes at least that long; before its predicted end, that
   * is not new.
   */
  aborted(rows: number, seconds: number): void {
    this.#aborted = { rows, seconds };
    const steps = stepsOf(this.inRace[0].learner);
    if (seconds > (this.#times.predict(rows, steps, "expected") ?? 0))
      this.#times.add({ rows, steps, seconds });
  }

  /** Predicts the seconds of a round for all candidates that are still in the race; undefined before any fit was timed. */
  roundSeconds(rows: number, tests: number): number | undefined {
    const [{ learner }] = [...this.inRace, ...this.candidates];
    const fit = this.#times.predict(rows, stepsOf(learner), "expected");
    if (fit === undefined) return undefined;
    return fit + this.#testOf(rows) * tests + this.#encodingSeconds * (rows + tests);
  }

  /**
   * Predicts the seconds to make the final model of a candidate: to encode, to fit, and to classify all rows. A member
   * of an ensemble classifies training rows even if its own fit does.
   */
  finishSeconds(
    one: Candidate,
    rows: number,
    { fits, heldOutRows }: FinalWork,
    isMember: boolean,
  ): number | undefined {
    const fit = this.#times.predict(rows, stepsOf(one.learner), "pessimistic");
    if (fit === undefined) return undefined;
    const training = isMember ? Math.min(rows, MOST_MEASURED_ROWS) : this.#knowsTraining ? 0 : rows;
    const classified = fits * training + heldOutRows;
    const encoded = fits * rows + heldOutRows;
    return fits * fit + this.#testOf(rows) * classified + this.#encodingSeconds * encoded;
  }

  /** Predicts the seconds to classify a row with a model of this many rows. */
  #testOf(rows: number): number {
    const { keepsRows = false } = this.candidates[0].learner;
    const growth =
      keepsRows && this.#testedRows > 0 ? (rows / this.#testedRows) ** prediction.kernelTestPower : 1;
    return this.#testSeconds * growth;
  }
}

/** The work with the winner of a race. */
export interface FinalWork {
  /** Number of fits: one, and one more per fold that tests it. */
  readonly fits: number;
  /** Number of rows to test its model on. */
  readonly heldOutRows: number;
  /** Whether its probabilities are calibrated, which takes one more fit unless the race has tested all rows. */
  readonly calibrates?: boolean;
}

/** Returns the growth steps of a learner; 1 if it does not grow in steps. */
function stepsOf(learner: Learner): number {
  return growthSteps(learner) ?? 1;
}
