import type { Candidate } from "./candidate.js";
import type { CandidateFamily, FinalWork } from "./candidate-family.js";
import { RACE_SETTINGS } from "./settings.js";

const { prediction, reserve } = RACE_SETTINGS;

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

  /** Seconds until rounds and final fits must end. */
  get left(): number {
    return (1 - reserve.otherWorkShareOfRace) * this.seconds - this.spent;
  }

  /** Predicts the seconds of the final work with several candidates on this many rows. */
  finish(members: readonly Candidate[], rows: number): number {
    const secondsOf = (one: Candidate) =>
      this.#familyOf(one).finishSeconds(one, rows, this.#final, members.length > 1) ?? 0;
    return members.reduce((sum, one) => sum + secondsOf(one), 0);
  }

  /** Returns the seconds to reserve for the final work with a candidate on this many rows. */
  reserve(candidate: Candidate | undefined, rows: number): number {
    return candidate === undefined ? 0 : prediction.safetyFactor * this.finish([candidate], rows);
  }

  /** Returns the seconds to reserve for the leader, or for an ensemble of the best, whichever takes longer. */
  reserveForBest(order: readonly Candidate[], rows: number): number {
    const [leader] = order;
    if (leader === undefined) return 0;
    const together = prediction.safetyFactor * this.finish(order.slice(0, reserve.expectedMembers), rows);
    const kept = Math.max(
      reserve.leastForEnsembleShareOfRace,
      Math.min(together / this.seconds, reserve.mostForEnsembleShareOfRace),
    );
    return Math.max(this.reserve(leader, rows), kept * this.seconds);
  }

  /** Returns whether there is time to fit these candidates to this many rows, with `left` seconds left. */
  affords(members: readonly Candidate[], rows: number, left: number): boolean {
    const isNearby = members.every(({ rowsSeen }) => rows <= prediction.nearbyRowsFactor * rowsSeen);
    const seconds =
      (isNearby ? prediction.nearbySafetyFactor : prediction.safetyFactor) * this.finish(members, rows);
    return seconds <= Math.max(left, reserve.leastForEnsembleShareOfRace * this.seconds);
  }

  /**
   * Returns how many of `rows` there is time to fit a candidate to, but at least the number it was fitted to already.
   * `all` is the number of rows of a fold of the whole data.
   */
  rowsFor(one: Candidate, rows: number, all: number, left: number): number {
    const seen = one.rowsSeen;
    if (seen >= reserve.almostAllShareOfRows * all || this.affords([one], rows, left)) return rows;
    let most = seen;
    for (let count = seen; count < rows && this.affords([one], count, left); count *= 1.1) most = count;
    return most >= reserve.almostAllShareOfRows * rows ? rows : Math.max(seen, Number(most.toPrecision(2)));
  }
}
