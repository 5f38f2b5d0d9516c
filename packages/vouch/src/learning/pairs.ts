import { indexOfLargest } from "./scores.js";

/** Two classes, by index, and the machine that decides between them: f(x) > 0 means the first one. */
export interface Pair {
  readonly first: number;
  readonly second: number;
}

/** All pairs of classes in LIBSVM's order: (0, 1), (0, 2), … (1, 2), … */
export function pairsOf(classes: number): Pair[] {
  const pairs: Pair[] = [];
  for (let first = 0; first < classes; first++) {
    for (let second = first + 1; second < classes; second++) pairs.push({ first, second });
  }
  return pairs;
}

/** Writes the scores of the classes for the decision values of all pairs; the class with the largest score wins. */
export type PairScores = (values: ArrayLike<number>, scores: Float64Array) => void;

/** The sum of a class's decision values counts for less than this, in votes: a third. */
const CONFIDENCE_SHARE = 1 / 3;

/** A decision value in votes: less than a third of one, and in the order of the values. */
export function confidenceShare(value: number): number {
  return (CONFIDENCE_SHARE * value) / (1 + Math.abs(value));
}

/** f(x) and −f(x). Where f(x) = 0, the smallest number there is says that the second class wins. */
export function oneDuel(values: ArrayLike<number>, scores: Float64Array): void {
  const value = values[0];
  scores[0] = value > 0 ? value : Math.min(value, -Number.MIN_VALUE);
  scores[1] = -scores[0];
}

/**
 * Duels won, plus less than half a duel for the sum of the own decision values, so that rows of a class can be ordered.
 *
 * @param ties who wins among classes with equally many duels won: the one that comes `first`, as in LIBSVM (another one
 *   then scores no more than the winner), or the one with the larger `sum` of decision values
 */
export function votes(pairs: readonly Pair[], classes: number, ties: "first" | "sum"): PairScores {
  const sums = new Float64Array(classes);
  return (values, scores) => {
    scores.fill(0);
    sums.fill(0);
    for (let p = 0; p < pairs.length; p++) {
      const { first, second } = pairs[p];
      scores[values[p] > 0 ? first : second]++;
      sums[first] += values[p];
      sums[second] -= values[p];
    }
    const winner = indexOfLargest(scores);
    for (let k = 0; k < classes; k++) scores[k] += confidenceShare(sums[k]);
    if (ties === "sum") return;
    for (let k = 0; k < classes; k++) scores[k] = Math.min(scores[k], scores[winner]);
  };
}

/**
 * The margin of a row from the smallest margin that its class has in its duels: 0 where the class wins the vote in spite of
 * a lost duel, or loses it in spite of none. For a row whose class is unknown it is the winner's, negated.
 */
export function voteMargin(smallest: number, label: number, winner: number): number {
  if (label === winner) return Math.max(0, smallest);
  return Math.min(0, label < 0 ? -smallest : smallest);
}
