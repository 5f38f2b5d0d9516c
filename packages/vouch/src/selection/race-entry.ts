import type { Learner } from "../learning/learner.js";
import type { Contender } from "./contender.js";
import { type Family, familiesOf } from "./families.js";
import { FitTimes, isKernelMachine } from "./fit-times.js";

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
    this.#times = new FitTimes(contenders[0].learner.name);
  }

  /** Those that are still in the race, the one with the most steps first. */
  get inRace(): Contender[] {
    return this.contenders.filter((one) => one.isIn).sort((a, b) => stepsOf(b.learner) - stepsOf(a.learner));
  }

  /** The family of those still in the race; its members are numbered as in `inRace`. */
  family(): Family {
    return familiesOf(this.inRace.map(({ learner }) => learner))[0];
  }

  /** Takes note of how long a round took. */
  timed(work: {
    rows: number;
    steps: number;
    fit: number;
    tests: number;
    test: number;
    encode: number;
  }): void {
    this.#times.add({ rows: work.rows, steps: work.steps, seconds: work.fit });
    this.#testSeconds = work.test / Math.max(1, work.tests);
    this.#testedRows = work.rows;
    this.#encodingSeconds = work.encode / Math.max(1, work.rows + work.tests);
  }

  /** Takes note that a fit was broken off after some seconds: it takes at least so long. */
  brokenOff(rows: number, seconds: number): void {
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
    // Training rows are classified twice: for their errors and for their margins.
    const classified = 2 * rows + heldOutRows + (fits - 1) * rows;
    const encoded = fits * rows + heldOutRows;
    return fits * fit + this.#testOf(rows) * classified + this.#encodingSeconds * encoded;
  }

  /** Seconds to classify a row with a model of so many rows. */
  #testOf(rows: number): number {
    const grows = isKernelMachine(this.contenders[0].learner.name);
    // Not all rows become support vectors.
    return this.#testSeconds * (grows ? (rows / this.#testedRows) ** KERNEL_TEST_POWER : 1);
  }
}

/** What is to be done when the race is over. */
export interface FinalWork {
  /** How many times the chosen learner is fitted: once, and once more for each fold that is to test it. */
  readonly fits: number;
  /** How many rows its model is then tested on. */
  readonly heldOutRows: number;
}

/** How many steps a learner takes at most; 1 for one that does not grow by steps. */
export function stepsOf({ growth, options }: Learner): number {
  const steps = growth && options[growth.option];
  return typeof steps === "number" ? steps : 1;
}
