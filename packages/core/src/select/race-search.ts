import { createLearner } from "../learners/index.js";
import type { Learner } from "../learners/learner.js";
import { Random } from "../runtime/random.js";
import * as real from "../runtime/real-functions.js";
import { growthSteps } from "../validation/growth-families.js";
import type { DataShape } from "./candidates.js";
import { LocalSearch } from "./local-search.js";
import { learnerAt, pointOf, searchSpaces } from "./search-space.js";

/**
 * Relative costs of a fit, by which a search is continued less often. Measured times would be closer, but then the same seed would
 * search differently on another machine even if there is time for everything.
 */
const COSTS: Readonly<Record<string, number>> = {
  logistic: 1,
  "random-trees": 2,
  forest: 3,
  svm: 2,
  "boosted-trees": 4,
  mlp: 20,
};

/** Returns the relative cost of a fit. */
export function costOf({ name }: Pick<Learner, "name">): number {
  return COSTS[name] ?? 1;
}

/**
 * A learner whose loss exceeds the best one by a standard error, or by this fraction of it if that is more, is e times less likely to be
 * searched next.
 */
const TELLING_EXCESS = 0.02;

/** The facts about a judged candidate that the search uses. */
export interface JudgedCandidate {
  readonly learner: Learner;
  readonly loss: number;
  readonly standardError: number;
  /** Expected seconds of a round. */
  readonly seconds: number;
}

/**
 * Proposes configurations near the best ones so far, as cost-frugal optimisation does (CFO, Wu, Wang and Huang 2021): a local
 * search per learner, of which those with small losses and cheap fits are continued more often, and none that takes too long.
 */
export class RaceSearch {
  readonly #searches: readonly LocalSearch[];
  readonly #random: Random;
  readonly #seconds = new Map<string, number>();
  readonly #errors = new Map<string, number>();
  readonly #names = new Set<string>();

  constructor(shape: DataShape, seed: number) {
    const random = new Random(seed).fork(1);
    this.#random = random;
    this.#searches = searchSpaces(shape).map((space, i) => new LocalSearch(space, random.fork(i)));
  }

  /** Notes the loss of a candidate. */
  note({ learner, loss, standardError, seconds }: JudgedCandidate): void {
    this.#names.add(keyOf(learner));
    for (const search of this.#searches) {
      const point = pointOf(search.space, learner);
      if (!point) continue;
      if (loss < search.loss) {
        this.#seconds.set(search.space.learner, seconds);
        this.#errors.set(search.space.learner, standardError);
      }
      search.note(point, loss);
    }
  }

  /** Notes that a proposal left before it had a loss to compare. */
  noteFailure(learner: Learner): void {
    for (const search of this.#searches) {
      const point = pointOf(search.space, learner);
      if (point) search.note(point, Number.POSITIVE_INFINITY);
    }
  }

  /**
   * Proposes learners to try next, which one fit gives: a learner, and where it grows in steps also one of half the steps.
   * Returns undefined if nothing is left that takes at most so many seconds a round.
   */
  async propose(mostSeconds: number): Promise<Learner[] | undefined> {
    const open = this.#searches.filter(
      ({ loss, isExhausted, space }) =>
        Number.isFinite(loss) && !isExhausted && (this.#seconds.get(space.learner) ?? 0) <= mostSeconds,
    );
    while (open.length > 0) {
      const search = this.#drawn(open);
      const point = search.propose();
      if (!point) {
        open.splice(open.indexOf(search), 1);
        continue;
      }
      const learner = await learnerAt(search.space, point);
      const proposed = [learner, ...(await halfOf(learner))].filter((one) => !this.#names.has(keyOf(one)));
      if (proposed[0] !== learner) continue;
      for (const one of proposed) this.#names.add(keyOf(one));
      return proposed;
    }
    return undefined;
  }

  /** Draws a search, one that is close to the best and cheap with a higher probability. */
  #drawn(open: readonly LocalSearch[]): LocalSearch {
    const [best] = open.toSorted((a, b) => a.loss - b.loss);
    const error = this.#errors.get(best.space.learner) ?? 0;
    const telling = Math.max(error, TELLING_EXCESS * best.loss, Number.EPSILON);
    const weights = open.map(
      ({ loss, space }) => real.exp((best.loss - loss) / telling) / costOf({ name: space.learner }),
    );
    let left = this.#random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
    const drawn = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return open[Math.max(0, drawn)];
  }
}

function keyOf({ name, options }: Learner): string {
  return JSON.stringify([name, Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Makes the learner with half of the growth steps, if it grows in steps and its number of steps is searched. */
async function halfOf(learner: Learner): Promise<Learner[]> {
  const { growth, name, options } = learner;
  const steps = growthSteps(learner);
  if (growth?.option !== "rounds" || steps === undefined || steps < 100) return [];
  return [await createLearner(name, { ...options, [growth.option]: steps / 2 })];
}
