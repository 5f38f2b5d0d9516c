import { oneDuel, type PairScores, votes } from "../learning/pairs.js";
import { PairwiseCoupling } from "../learning/pairwise-coupling.js";
import type { OneVsOne } from "./one-vs-one.js";
import { type Sigmoid, sigmoidProbability } from "./platt.js";

/**
 * Probabilities if the machines have sigmoids, otherwise decision values for two classes and votes for more. Ties go
 * to the class that comes first, and f(x) = 0 to the second class of the pair, as in LIBSVM.
 */
export function pairScores({ sigmoids, pairs, counts }: OneVsOne): PairScores {
  if (sigmoids) return coupledProbabilities(sigmoids, counts.length);
  return counts.length === 2 ? oneDuel : votes(pairs, counts.length, "first");
}

function coupledProbabilities(sigmoids: readonly Sigmoid[], classes: number): PairScores {
  const coupling = new PairwiseCoupling(classes);
  const probabilities = new Float64Array(sigmoids.length);
  return (values, scores) => {
    for (let p = 0; p < probabilities.length; p++) {
      probabilities[p] = sigmoidProbability(sigmoids[p], values[p]);
    }
    coupling.couple(probabilities, scores);
  };
}
