import type { Features } from "../data/sample.js";
import { oneDuel, type PairScores, pairsOf, voteMargin, votes } from "../learning/pairs.js";
import { PairwiseCoupling } from "../learning/pairwise-coupling.js";
import { predictionsOf } from "../learning/scores.js";
import { Matrix } from "../numeric/matrix.js";
import type { Machines } from "./machines.js";
import type { Scheme, Sides } from "./scheme.js";

/** Probabilities of pairs are kept this far from 0 and 1, as in LIBSVM: certainty about a pair cannot be coupled. */
const LEAST_PROBABILITY = 1e-7;

/** A machine for each pair of classes. Probabilities are coupled; otherwise the machines vote. */
export const oneVsOneScheme: Scheme = {
  name: "one-vs-one",
  stage: "pairs of classes",
  sides: pairSides,
  scoring: ({ scoring }) => scoring,
  scores(machines, classes, features) {
    const values = machines.allValues(features);
    const scores = new Matrix(features.rows, classes);
    const own = new Float64Array(classes);
    const score = pairScores(machines, classes);
    for (let i = 0; i < features.rows; i++) {
      score(values.row(i), own);
      scores.row(i).set(own);
    }
    return scores;
  },
  margins(machines, classes, features, labels) {
    const winners = predictionsOf(this.scores(machines, classes, features));
    const smallest = smallestMargins(machines, classes, features, ownClasses(labels, winners));
    return smallest.map((margin, i) => voteMargin(margin, labels[i], winners[i]));
  },
  width: (classes) => (classes * (classes - 1)) / 2,
  errorBound: pairsErrorBound,
};

/** A machine for each pair, the class that comes first on its first side. */
export function pairSides(classes: number): Sides[] {
  return pairsOf(classes).map(({ first, second }) => ({ first: [first], second: [second] }));
}

/**
 * Where all machines of its class are right, a row is right. The error of machine (i, j) is that on rows of classes i and j,
 * whose share of all rows is π_ij: P(wrong) ≤ Σ π_ij · error_ij ≤ (K − 1) · max error, as Σ π_ij = K − 1.
 */
export function pairsErrorBound(errors: readonly number[], classes: number): number {
  return (classes - 1) * errors.reduce((largest, error) => Math.max(largest, error), 0);
}

function pairScores({ scoring }: Machines, classes: number): PairScores {
  if (scoring === "probability") return coupledProbabilities(classes);
  return classes === 2 ? oneDuel : votes(pairsOf(classes), classes, "sum");
}

function coupledProbabilities(classes: number): PairScores {
  const coupling = new PairwiseCoupling(classes);
  const probabilities = new Float64Array(pairsOf(classes).length);
  const least = classes === 2 ? 0 : LEAST_PROBABILITY;
  return (values, scores) => {
    for (let p = 0; p < probabilities.length; p++) {
      probabilities[p] = Math.min(Math.max(values[p] + 0.5, least), 1 - least);
    }
    coupling.couple(probabilities, scores);
  };
}

/** The class whose duels give the margin of a row: its own, or the winner where that is unknown. */
function ownClasses(labels: Int32Array, winners: Int32Array): Int32Array {
  return labels.map((label, i) => (label < 0 ? winners[i] : label));
}

/** The smallest margin of the class of each row in its duels; only the machines of that class are asked. */
function smallestMargins(
  machines: Machines,
  classes: number,
  features: Features,
  own: Int32Array,
): Float64Array {
  const smallest = new Float64Array(own.length).fill(1);
  pairsOf(classes).forEach(({ first, second }, machine) => {
    const rows: number[] = [];
    own.forEach((k, row) => {
      if (k === first || k === second) rows.push(row);
    });
    if (rows.length === 0) return;
    machines.margins(machine, features.select(rows)).forEach((margin, i) => {
      const row = rows[i];
      smallest[row] = Math.min(smallest[row], own[row] === first ? margin : -margin);
    });
  });
  return smallest;
}
