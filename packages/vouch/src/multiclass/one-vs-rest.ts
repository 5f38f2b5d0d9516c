import { voteMargin } from "../learning/pairs.js";
import { indexOfLargest, predictionsOf } from "../learning/scores.js";
import { Matrix } from "../numeric/matrix.js";
import { oneVsOneScheme, pairSides } from "./one-vs-one.js";
import type { Scheme } from "./scheme.js";

/** A machine for each class, which tells it from all others; for two classes one machine, as in one-vs-one. */
export const oneVsRestScheme: Scheme = {
  name: "one-vs-rest",
  stage: "classes",
  sides(classes) {
    if (classes === 2) return pairSides(2);
    const all = Array.from({ length: classes }, (_, k) => k);
    return all.map((own) => ({ first: [own], second: all.filter((k) => k !== own) }));
  },
  scoring: ({ scoring }) => scoring,
  scores(machines, classes, features) {
    if (classes === 2) return oneVsOneScheme.scores(machines, classes, features);
    const values = machines.allValues(features);
    return machines.scoring === "probability" ? normalised(values) : values;
  },
  /** Half of what the machine of the row's class says for it more than that of the best other class, in margins. */
  margins(machines, classes, features, labels) {
    if (classes === 2) return oneVsOneScheme.margins(machines, classes, features, labels);
    const scores = this.scores(machines, classes, features);
    const winners = predictionsOf(scores);
    const own = labels.map((label, i) => (label < 0 ? winners[i] : label));
    const rivals = Int32Array.from(own, (k, i) => rivalOf(scores.row(i), k));
    const differences = new Float64Array(own.length);
    for (let machine = 0; machine < classes; machine++) {
      const rows: number[] = [];
      own.forEach((k, i) => {
        if (k === machine || rivals[i] === machine) rows.push(i);
      });
      if (rows.length === 0) continue;
      machines.margins(machine, features.select(rows)).forEach((margin, i) => {
        differences[rows[i]] += own[rows[i]] === machine ? margin / 2 : -margin / 2;
      });
    }
    return differences.map((difference, i) => voteMargin(difference, labels[i], winners[i]));
  },
  width: (classes) => classes,
  /** A row that all machines are right about is right: P(wrong) ≤ Σ error. */
  errorBound: (errors) => errors.reduce((sum, error) => sum + error, 0),
};

/** The probabilities of the classes, each from its own machine, scaled to sum to one; all the same if all are 0. */
function normalised({ rows, columns, values }: Matrix): Matrix {
  const scores = new Matrix(rows, columns);
  for (let i = 0; i < rows; i++) {
    const row = scores.row(i);
    let sum = 0;
    for (let k = 0; k < columns; k++) sum += row[k] = Math.max(0, values[i * columns + k] + 0.5);
    for (let k = 0; k < columns; k++) row[k] = sum > 0 ? row[k] / sum : 1 / columns;
  }
  return scores;
}

/** The class with the largest score other than the given one. */
function rivalOf(scores: ArrayLike<number>, own: number): number {
  const others = Array.from(scores);
  others[own] = Number.NEGATIVE_INFINITY;
  return indexOfLargest(others);
}
