import type { Candidate } from "./candidate.js";
import type { CandidateFamily, FinalWork } from "./candidate-family.js";

/** Predicted times are multiplied by this before they are compared with the time left. */
export const SAFETY = 1.25;

/** The same for fits to at most this many times as many rows as the largest fit that was timed. */
const SAFETY_NEARBY = 1.1;
const NEARBY = 1.5;

/** Largest fraction of the whole time that is kept for fitting the members of an ensemble. */
const SHARE_OF_ENSEMBLE = 0.35;

/** The time is kept for this many members of an ensemble. */
const EXPECTED_MEMBERS = 8;

/** Fraction of the time that is kept for the members of an ensemble at least, and that they may always take. */
const LEAST_FOR_ENSEMBLE = 0.04;

/** Fraction of the time for what is not predicted: choosing the weights of an ensemble, calibration, tests and certificates. */
const SHARE_OF_THE_REST = 0.04;

/** A model of almost all rows is as good as one of all, and one of all is simpler to explain. */
const ALMOST_ALL = 0.9;

/** The time of a race and of the work with its winner. */
export class RaceBudget {
  readonly seconds: number;
  readonly #clock: () => number;
  readonly #began: number;
  readonly #final: FinalWork;
  readonly #familyOf: (candidate: Candidate) => CandidateFamily;

  constructor(
    seconds: number,
    clock: () => number,
    final: FinalWork,
    familyOf: (candidate: Candidate) => CandidateFamily,
  ) {
    this.seconds = seconds;
    this.#clock = clock;
    this.#began = clock();
    this.#final = final;
    this.#familyOf = familyOf;
  }

  /** Seconds since the race began. */
  get spent(): number {
    return this.#clock() - this.#began;
  }

  /** Seconds until the time for rounds and final fits is up. */
  get left(): number {
    return (1 - SHARE_OF_THE_REST) * this.seconds - this.spent;
  }

  /** Predicts the seconds of the final work with some candidates together on this many rows. */
  finish(members: readonly Candidate[], rows: number): number {
    const secondsOf = (one: Candidate) =>
      this.#familyOf(one).finishSeconds(one, rows, this.#final, members.length > 1) ?? 0;
    return members.reduce((sum, one) => sum + secondsOf(one), 0);
  }

  /** Returns the seconds to reserve for the final work with a candidate on this many rows. */
  reserve(candidate: Candidate | undefined, rows: number): number {
    return candidate === undefined ? 0 : SAFETY * this.finish([candidate], rows);
  }

  /** Returns the seconds to reserve for the leader, or for an ensemble of the best, whichever takes longer. */
  reserveForBest(order: readonly Candidate[], rows: number): number {
    const [leader] = order;
    if (leader === undefined) return 0;
    const together = SAFETY * this.finish(order.slice(0, EXPECTED_MEMBERS), rows);
    const kept = Math.max(LEAST_FOR_ENSEMBLE, Math.min(together / this.seconds, SHARE_OF_ENSEMBLE));
    return Math.max(this.reserve(leader, rows), kept * this.seconds);
  }

  /** Tells whether there is time to fit these candidates to this many rows, with so many seconds left. */
  affords(members: readonly Candidate[], rows: number, left: number): boolean {
    const isNearby = members.every(({ rowsSeen }) => rows <= NEARBY * rowsSeen);
    const seconds = (isNearby ? SAFETY_NEARBY : SAFETY) * this.finish(members, rows);
    return seconds <= Math.max(left, LEAST_FOR_ENSEMBLE * this.seconds);
  }

  /**
   * Returns how many of `rows` there is time to fit a candidate to, but at least as many as it was fitted to already. `all` is
   * the number of rows of a fold of the whole data.
   */
  rowsFor(one: Candidate, rows: number, all: number, left: number): number {
    const seen = one.rowsSeen;
    if (seen >= ALMOST_ALL * all || this.affords([one], rows, left)) return rows;
    let most = seen;
    for (let count = seen; count < rows && this.affords([one], count, left); count *= 1.1) most = count;
    return most >= ALMOST_ALL * rows ? rows : Math.max(seen, Number(most.toPrecision(2)));
  }
}
