import { growthSteps } from "../evaluate/growth-families.js";
import type { Trial } from "../evaluate/trial.js";
import type { Learner } from "../learners/learner.js";
import { mean } from "../runtime/statistics.js";
import type { Contender } from "./contender.js";

/** A piece of work that was timed. */
interface Timed {
  readonly rows: number;
  /** How large the model was: steps of its growth, 1 if it has none. */
  readonly steps: number;
  readonly seconds: number;
}

/** How work grows with the rows, before two sizes have been seen: as a hope, and to be on the safe side. */
interface Powers {
  readonly hoped: number;
  readonly feared: number;
}

const USUAL: Powers = { hoped: 1, feared: 1.1 };
const OF_KERNELS: Powers = { hoped: 1.3, feared: 1.7 };

/** What two measurements may say of the power; the shortest ones are mostly noise. */
const LEAST_POWER = 0.8;
const MOST_POWER = 2.5;
const TELLING = 0.02;

/** Predicts how long fits take from those that were timed, by t ∝ steps · rows^p. */
export class FitTimes {
  readonly #timed: Timed[] = [];
  readonly #powers: Powers;

  constructor({ keepsRows = false }: { readonly keepsRows?: boolean } = {}) {
    this.#powers = keepsRows ? OF_KERNELS : USUAL;
  }

  add(timed: Timed): void {
    this.#timed.push(timed);
  }

  /** In seconds; undefined before anything was timed. */
  predict(rows: number, steps: number, kind: keyof Powers): number | undefined {
    const last = this.#timed.at(-1);
    if (!last) return undefined;
    const alike = this.#timed.filter((timed) => timed.rows === last.rows && timed.steps === last.steps);
    const seconds = alike.reduce((sum, timed) => sum + timed.seconds, 0) / alike.length;
    return seconds * (rows / last.rows) ** this.#power(last, kind) * (steps / last.steps);
  }

  #power(last: Timed, kind: keyof Powers): number {
    const before = this.#timed.findLast(
      ({ rows, seconds }) => rows < last.rows && seconds > TELLING && last.seconds > TELLING,
    );
    if (!before) return this.#powers[kind];
    const ratio = last.seconds / last.steps / (before.seconds / before.steps);
    const power = Math.log(ratio) / Math.log(last.rows / before.rows);
    return Math.max(LEAST_POWER, Math.min(MOST_POWER, power));
  }
}

/** How the time to classify a row grows with the rows that a kernel machine was fitted to. */
const KERNEL_TEST_POWER = 0.7;

/** Contenders that are fitted together, because they differ in the steps of their growth only; most are alone. */
export class RaceEntry {
  readonly contenders: readonly Contender[];
  readonly #times: FitTimes;
  /** Seconds to encode a row, and to classify one with a model of so many rows, as measured last. */
  #encodingSeconds = 0;
  #testSeconds = 0;
  #testedRows = 1;

  constructor(contenders: readonly Contender[]) {
    this.contenders = contenders;
    this.#times = new FitTimes(contenders[0].learner);
  }

  /** Those that are still in the race, the one with the most steps first. */
  get inRace(): Contender[] {
    return this.contenders.filter((one) => one.isIn).sort((a, b) => stepsOf(b.learner) - stepsOf(a.learner));
  }

  /** Takes note of how long the trials of a round took. */
  timed(rows: number, trials: readonly Trial[]): void {
    const [{ rows: tests, seconds }] = trials;
    this.#times.add({ rows, steps: stepsOf(this.inRace[0].learner), seconds: seconds.fit });
    this.#testSeconds = mean(trials.map((trial) => trial.seconds.test)) / Math.max(1, tests);
    this.#testedRows = rows;
    this.#encodingSeconds = seconds.encode / Math.max(1, rows + tests);
  }

  /** Takes note that a fit was aborted after some seconds: it takes at least that long. */
  aborted(rows: number, seconds: number): void {
    this.#times.add({ rows, steps: stepsOf(this.inRace[0].learner), seconds });
  }

  /** Predicted seconds of a round in which all that are still in the race take part; undefined if nothing is known. */
  roundSeconds(rows: number, tests: number): number | undefined {
    const fit = this.#times.predict(rows, stepsOf(this.inRace[0].learner), "hoped");
    if (fit === undefined) return undefined;
    return fit + this.#testOf(rows) * tests + this.#encodingSeconds * (rows + tests);
  }

  /** Predicted seconds to make the final model of one of them: to encode, to fit, and to classify all rows. */
  finishSeconds(one: Contender, rows: number, { fits, heldOutRows }: FinalWork): number | undefined {
    const fit = this.#times.predict(rows, stepsOf(one.learner), "feared");
    if (fit === undefined) return undefined;
    const classified = fits * rows + heldOutRows;
    const encoded = fits * rows + heldOutRows;
    return fits * fit + this.#testOf(rows) * classified + this.#encodingSeconds * encoded;
  }

  /** Seconds to classify a row with a model of so many rows. */
  #testOf(rows: number): number {
    const { keepsRows = false } = this.contenders[0].learner;
    // Not all rows become support vectors.
    return this.#testSeconds * (keepsRows ? (rows / this.#testedRows) ** KERNEL_TEST_POWER : 1);
  }
}

/** What is to be done when the race is over. */
export interface FinalWork {
  /** How many times the chosen learner is fitted: once, and once more for each fold that is to test it. */
  readonly fits: number;
  /** How many rows its model is then tested on. */
  readonly heldOutRows: number;
}

/** Growth steps of a learner; 1 for one that does not grow in steps. */
function stepsOf(learner: Learner): number {
  return growthSteps(learner) ?? 1;
}
