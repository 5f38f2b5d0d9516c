import type { Features } from "../data/sample.js";
import { confidenceShare, voteMargin } from "../learning/pairs.js";
import { predictionsOf } from "../learning/scores.js";
import { Matrix } from "../numeric/matrix.js";
import type { Machines } from "./machines.js";
import { pairSides, pairsErrorBound } from "./one-vs-one.js";
import type { Asked, Scheme } from "./scheme.js";

/**
 * The decision DAG of J. Platt, N. Cristianini, J. Shawe-Taylor, "Large margin DAGs for multiclass classification" (2000).
 * A node is a list of classes, at first all of them in their order; the machine of the first and the last one strikes one
 * of these out. After K − 1 machines one class is left.
 */
export const dagScheme: Scheme = {
  name: "dag-svm",
  stage: "pairs of classes",
  sides: pairSides,
  scoring: () => "decision",
  /**
   * How many machines had been asked when a class was struck out, less something for the value by which it was; the class
   * that is left has outlived all K − 1 machines, and its smallest value counts.
   */
  scores(machines, classes, features) {
    const scores = new Matrix(
      features.rows,
      classes,
      new Float64Array(features.rows * classes).fill(Infinity),
    );
    const { values: cells } = scores;
    const left = walk(machines, classes, features, ({ first, second, rows, values, asked }) => {
      rows.forEach((row, i) => {
        const [winner, loser] = values[i] > 0 ? [first, second] : [second, first];
        const value = Math.abs(values[i]);
        cells[row * classes + loser] = asked - confidenceShare(value);
        cells[row * classes + winner] = Math.min(cells[row * classes + winner], value);
      });
    });
    left.forEach((winner, row) => {
      const smallest = cells[row * classes + winner];
      cells[row * classes + winner] = classes - 1 + confidenceShare(smallest);
    });
    return scores;
  },
  /** The smallest margin of the row's class on its way: that of the machine that strikes it out, if one does. */
  margins(machines, classes, features, labels) {
    const winners = predictionsOf(this.scores(machines, classes, features));
    const smallest = new Float64Array(labels.length).fill(1);
    walk(machines, classes, features, ({ machine, first, second, rows }) => {
      const own = rows.filter((row) => [first, second].includes(ownClass(labels, winners, row)));
      if (own.length === 0) return;
      machines.margins(machine, features.select(own)).forEach((margin, i) => {
        const row = own[i];
        const side = ownClass(labels, winners, row) === first ? margin : -margin;
        smallest[row] = Math.min(smallest[row], side);
      });
    });
    return smallest.map((margin, i) => voteMargin(margin, labels[i], winners[i]));
  },
  width: (classes) => classes,
  asked(machines, classes, features) {
    const all: Asked[] = [];
    walk(machines, classes, features, ({ machine, rows }) => all.push({ machine, rows }));
    return all;
  },
  errorBound: pairsErrorBound,
};

/** Rows at a node, and the values of its machine for them. */
interface Node {
  /** The first and the last class that are left. */
  readonly first: number;
  readonly second: number;
  readonly machine: number;
  readonly rows: Int32Array;
  readonly values: Float64Array;
  /** How many machines these rows have asked before. */
  readonly asked: number;
}

/** Sends the rows down the DAG, all rows of a node at once; gives the class that is left of each. */
function walk(
  machines: Machines,
  classes: number,
  features: Features,
  visit: (node: Node) => void,
): Int32Array {
  // Rows by the first class that is left; the last one is so many places after it as the level says.
  let groups = [Array.from({ length: features.rows }, (_, row) => row)];
  for (let places = classes - 1; places > 0; places--) {
    const next: number[][] = Array.from({ length: groups.length + 1 }, () => []);
    groups.forEach((group, first) => {
      if (group.length === 0) return;
      const rows = Int32Array.from(group);
      const second = first + places;
      const machine = placeOf(first, second, classes);
      const values = machines.values(machine, features.select(rows));
      visit({ first, second, machine, rows, values, asked: classes - 1 - places });
      rows.forEach((row, i) => {
        next[values[i] > 0 ? first : first + 1].push(row);
      });
    });
    groups = next;
  }
  const left = new Int32Array(features.rows);
  groups.forEach((rows, k) => {
    for (const row of rows) left[row] = k;
  });
  return left;
}

/** The place of a pair among all pairs (0, 1), (0, 2), … (1, 2), … */
function placeOf(first: number, second: number, classes: number): number {
  return first * classes - (first * (first + 1)) / 2 + second - first - 1;
}

/** The class whose machines give the margin of a row: its own, or the winner where that is unknown. */
function ownClass(labels: Int32Array, winners: Int32Array, row: number): number {
  return labels[row] < 0 ? winners[row] : labels[row];
}
