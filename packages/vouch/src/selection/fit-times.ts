/** A piece of work that was timed. */
interface Timed {
  readonly rows: number;
  /** How large the model was: steps of its growth, 1 if it has none. */
  readonly steps: number;
  readonly seconds: number;
}

/** How time grows with the rows before two sizes have been seen: a little more than in proportion; kernel machines squared. */
const USUAL_POWER = 1.1;
const KERNEL_POWER = 2;

/** What two measurements may say of the power; the shortest ones are mostly noise. */
const LEAST_POWER = 0.9;
const MOST_POWER = 2.5;
const TELLING = 0.02;

/** Predicts how long fits take from those that were timed, by t ∝ steps · rows^p. */
export class FitTimes {
  readonly #timed: Timed[] = [];
  readonly #usualPower: number;

  constructor(learner: string) {
    this.#usualPower = learner.includes("svm") && learner !== "linear-svm" ? KERNEL_POWER : USUAL_POWER;
  }

  add(timed: Timed): void {
    this.#timed.push(timed);
  }

  /** In seconds; undefined before anything was timed. */
  predict(rows: number, steps: number): number | undefined {
    const last = this.#timed.at(-1);
    if (!last) return undefined;
    const alike = this.#timed.filter((timed) => timed.rows === last.rows && timed.steps === last.steps);
    const seconds = alike.reduce((sum, timed) => sum + timed.seconds, 0) / alike.length;
    return seconds * (rows / last.rows) ** this.#power(last) * (steps / last.steps);
  }

  #power(last: Timed): number {
    const before = this.#timed.findLast(
      ({ rows, seconds }) => rows < last.rows && seconds > TELLING && last.seconds > TELLING,
    );
    if (!before) return this.#usualPower;
    const ratio = last.seconds / last.steps / (before.seconds / before.steps);
    const power = Math.log(ratio) / Math.log(last.rows / before.rows);
    return Math.max(LEAST_POWER, Math.min(MOST_POWER, power));
  }
}
