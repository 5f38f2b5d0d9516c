import type { Features } from "../../encode/sample.js";
import { Matrix } from "../../runtime/matrix.js";
import { indexOfLargest, predictionsOf } from "../scores.js";
import {
  confidenceShare,
  oneDuel,
  type PairScores,
  PairwiseCoupling,
  pairsOf,
  voteMargin,
  votes,
} from "../svm/pairwise.js";
import type { SchemeName } from "./base-learner.js";
import type { BinaryMachines } from "./machines.js";

/** The classes on the two sides of a machine, by index. */
export interface Sides {
  readonly first: readonly number[];
  readonly second: readonly number[];
}

/** A way to tell many classes apart with machines for two; classes are those with training rows, from 0 on. */
export interface Scheme {
  readonly name: SchemeName;
  /** What progress counts. */
  readonly stage: string;
  /** The machines for so many classes, at least two. */
  sides(classes: number): Sides[];
  /** What scores are. */
  scoring(machines: BinaryMachines, classes: number): "probability" | "decision";
  /** One column per class; the largest wins, ties go to the smaller index. */
  scores(machines: BinaryMachines, classes: number, features: Features): Matrix;
  /** Margins in [−1, 1] of rows whose class is −1 where it is unknown; asked for where scores are decision values. */
  margins(machines: BinaryMachines, classes: number, features: Features, labels: Int32Array): Float64Array;
  /** How many numbers a row takes while it is scored. */
  width(classes: number): number;
  /** The machines that each row asks, one list of rows after the other; absent where every row asks all. */
  asked?(machines: BinaryMachines, classes: number, features: Features): Iterable<Asked>;
  /** Of the errors that machines make on rows of their own sides, what the whole scheme's error is at most. */
  errorBound(errors: readonly number[], classes: number): number;
}

/** Rows that ask a machine. */
interface Asked {
  readonly machine: number;
  readonly rows: Int32Array;
}

/** Probabilities of pairs are kept this far from 0 and 1, as in LIBSVM: certainty about a pair cannot be coupled. */
const LEAST_PROBABILITY = 1e-7;

/** A machine for each pair of classes. Probabilities are coupled; otherwise the machines vote. */
const oneVsOneScheme: Scheme = {
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
function pairSides(classes: number): Sides[] {
  return pairsOf(classes).map(({ first, second }) => ({ first: [first], second: [second] }));
}

/**
 * Where all machines of its class are right, a row is right. The error of machine (i, j) is that on rows of classes i and j,
 * whose share of all rows is π_ij: P(wrong) ≤ Σ π_ij · error_ij ≤ (K − 1) · max error, as Σ π_ij = K − 1.
 */
function pairsErrorBound(errors: readonly number[], classes: number): number {
  return (classes - 1) * errors.reduce((largest, error) => Math.max(largest, error), 0);
}

function pairScores({ scoring }: BinaryMachines, classes: number): PairScores {
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
  machines: BinaryMachines,
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

/**
 * The decision DAG of J. Platt, N. Cristianini, J. Shawe-Taylor, "Large margin DAGs for multiclass classification" (2000).
 * A node is a list of classes, at first all of them in their order; the machine of the first and the last one strikes one
 * of these out. After K − 1 machines one class is left.
 */
const dagScheme: Scheme = {
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
  machines: BinaryMachines,
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

/** A machine for each class, which tells it from all others; for two classes one machine, as in one-vs-one. */
const oneVsRestScheme: Scheme = {
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

const schemes: Readonly<Record<SchemeName, Scheme>> = {
  "one-vs-one": oneVsOneScheme,
  "one-vs-rest": oneVsRestScheme,
  "dag-svm": dagScheme,
};

/** The scheme of that name. */
export function schemeNamed(name: SchemeName): Scheme {
  return schemes[name];
}
