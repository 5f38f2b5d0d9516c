import { indexOfLargest } from "../learning/scores.js";
import { PairwiseCoupling } from "./coupling.js";
import { type OneVsOne, type Pair, pairsOf } from "./one-vs-one.js";
import { type Sigmoid, sigmoidProbability } from "./platt.js";

/** Writes the scores of the classes for the decision values of all pairs; the class with the largest score wins. */
export type PairScores = (values: ArrayLike<number>, scores: Float64Array) => void;

/** The sum of a class's decision values counts for less than this, in votes: a third. */
const CONFIDENCE_SHARE = 1 / 3;

/**
 * Probabilities if the machines have sigmoids, otherwise decision values for two classes and votes for more. Ties go
 * to the class that comes first, and f(x) = 0 to the second class of the pair, as in LIBSVM.
 */
export function pairScores({ sigmoids, pairs, counts }: OneVsOne): PairScores {
  if (sigmoids) return coupledProbabilities(sigmoids, counts.length);
  return counts.length === 2 ? oneDuel : votes(pairs, counts.length);
}

function coupledProbabilities(sigmoids: readonly Sigmoid[], classes: number): PairScores {
  const coupling = new PairwiseCoupling(classes);
  const probabilities = new Float64Array(pairsOf(classes).length);
  return (values, scores) => {
    for (let p = 0; p < probabilities.length; p++) {
      probabilities[p] = sigmoidProbability(sigmoids[p], values[p]);
    }
    coupling.couple(probabilities, scores);
  };
}

/** f(x) and −f(x). Where f(x) = 0, the smallest number there is says that the second class wins. */
function oneDuel(values: ArrayLike<number>, scores: Float64Array): void {
  const value = values[0];
  scores[0] = value > 0 ? value : Math.min(value, -Number.MIN_VALUE);
  scores[1] = -scores[0];
}

/**
 * Duels won, plus less than half a duel for the sum of the own decision values, so that rows of a class can be ordered.
 * A class that has won as many duels as the winner, but comes later, scores no more than the winner.
 */
function votes(pairs: readonly Pair[], classes: number): PairScores {
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
    for (let k = 0; k < classes; k++) scores[k] += (CONFIDENCE_SHARE * sums[k]) / (1 + Math.abs(sums[k]));
    for (let k = 0; k < classes; k++) scores[k] = Math.min(scores[k], scores[winner]);
  };
}
