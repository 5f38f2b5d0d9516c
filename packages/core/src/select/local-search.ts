import type { Random } from "../runtime/random.js";
import { pointsIn, type SearchPoint, type SearchSpace } from "./search-space.js";

/** The first step, in points of the lattice, and the factor by which steps shrink. */
const FIRST_STEP = 2;
const SHRINKING = 0.7;

/** A step below this rounds to nothing: the search starts over with large steps, up to so many times. */
const LEAST_STEP = 0.6;
const MOST_RESTARTS = 2;

/** Tries to find a point that was not tried before, for one proposal. */
const DRAWS = 40;

/**
 * Searches the lattice of one learner by randomised direct search (FLOW2, Wu, Wang and Huang 2021): from the best point so far it
 * steps in a random direction, and in the opposite one if that was no better. Steps shrink after several failures. It never
 * proposes a point twice.
 */
export class LocalSearch {
  readonly space: SearchSpace;
  readonly #random: Random;
  readonly #tried = new Set<string>();
  #best: { readonly point: SearchPoint; readonly loss: number } | undefined;
  #step = FIRST_STEP;
  #failures = 0;
  #restarts = 0;
  /** The opposite of the last direction, to be tried next. */
  #opposite: readonly number[] | undefined;

  constructor(space: SearchSpace, random: Random) {
    this.space = space;
    this.#random = random;
  }

  /** The smallest loss so far. */
  get loss(): number {
    return this.#best?.loss ?? Number.POSITIVE_INFINITY;
  }

  /** Whether there is nothing left to propose. */
  get isExhausted(): boolean {
    return this.#restarts > MOST_RESTARTS || this.#tried.size >= pointsIn(this.space);
  }

  /** Proposes a point near the best one; undefined if all near ones have been tried. */
  propose(): SearchPoint | undefined {
    if (!this.#best) return undefined;
    for (let draw = 0; draw < DRAWS && !this.isExhausted; draw++) {
      const direction = this.#opposite ?? this.#direction();
      this.#opposite = undefined;
      const point = this.#moved(this.#best.point, direction);
      const key = point.join(" ");
      if (this.#tried.has(key)) {
        if (draw % 8 === 7) this.#shrink();
        continue;
      }
      this.#tried.add(key);
      this.#opposite = direction.map((part) => -part);
      return point;
    }
    return undefined;
  }

  /** Notes the loss at a point, which may come from elsewhere. */
  note(point: SearchPoint, loss: number): void {
    this.#tried.add(point.join(" "));
    if (loss < this.loss) {
      this.#best = { point, loss };
      this.#failures = 0;
      this.#opposite = undefined;
      return;
    }
    this.#failures++;
    if (this.#failures >= Math.max(3, 2 * this.space.axes.length)) this.#shrink();
  }

  #shrink(): void {
    this.#failures = 0;
    this.#step *= SHRINKING;
    if (this.#step >= LEAST_STEP) return;
    this.#step = FIRST_STEP;
    this.#restarts++;
  }

  /** Draws a direction of length 1 evenly from all directions. */
  #direction(): number[] {
    const drawn = this.space.axes.map(() => this.#random.normal());
    const length = Math.sqrt(drawn.reduce((sum, part) => sum + part * part, 0)) || 1;
    return drawn.map((part) => part / length);
  }

  #moved(from: SearchPoint, direction: readonly number[]): SearchPoint {
    // In many dimensions each part of a unit vector is small: the step grows with their number, so that some axis moves.
    const size = this.#step * Math.sqrt(Math.max(1, this.space.axes.length / 2));
    return from.map((index, axis) => {
      const last = this.space.axes[axis].values.length - 1;
      return Math.max(0, Math.min(last, index + Math.round(size * direction[axis])));
    });
  }
}
