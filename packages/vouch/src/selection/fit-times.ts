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

/** Whether the models of a learner are made of training rows, so that they grow with these. */
export function isKernelMachine(learner: string): boolean {
  return learner.includes("svm") && learner !== "linear-svm";
}

/** Predicts how long fits take from those that were timed, by t ∝ steps · rows^p. */
export class FitTimes {
  readonly #timed: Timed[] = [];
  readonly #powers: Powers;

  constructor(learner: string) {
    this.#powers = isKernelMachine(learner) ? OF_KERNELS : USUAL;
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
