import type { Features } from "../../encode/sample.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { indexOfLargest, predictionsOf } from "../scores.js";
import {
  confidenceShare,
  type PairScores,
  PairwiseCoupling,
  pairsOf,
  twoClassScores,
  voteMargin,
  votes,
} from "../svm/pairwise.js";
import type { BinaryMachines } from "./binary-machines.js";

/** The classes on the two sides of a machine, by index. */
export interface Sides {
  readonly first: readonly number[];
  readonly second: readonly number[];
}

/** A way to separate many classes by machines for two. Classes are those with training rows, numbered from 0. */
export interface Scheme {
  /** The unit of progress. */
  readonly stage: string;
  /** Lists the machines for a number of classes, at least two. */
  sides(classes: number): Sides[];
  scoring(machines: BinaryMachines, classes: number): "probability" | "decision";
  /** Scores rows, one column per class; the largest score wins, ties go to the smaller index. */
  scores(machines: BinaryMachines, classes: number, features: Features): Matrix;
  /** Computes margins in [−1, 1] of scored rows, for schemes with decision values; a label is −1 if the class is unknown. */
  margins(machines: BinaryMachines, rows: ScoredRows, labels: Int32Array): Float64Array;
  /** Returns how many numbers a row needs while it is scored. */
  width(classes: number): number;
  /** Lists the machines that predict each row; absent if all machines predict every row. */
  evaluated?(machines: BinaryMachines, classes: number, features: Features): Iterable<Evaluated>;
  /** Bounds the error of the scheme by the errors of its machines on rows of their own sides. */
  errorBound(errors: readonly number[], classes: number): number;
}

export interface ScoredRows {
  readonly features: Features;
  /** One column per class with training rows. */
  readonly scores: Matrix;
}

/** Rows that a machine predicts. */
interface Evaluated {
  readonly machine: number;
  readonly rows: Int32Array;
}

/** Probabilities of pairs are kept this far from 0 and 1, as in LIBSVM: certainty about a pair cannot be coupled. */
const LEAST_PROBABILITY = 1e-7;

/** A machine for each pair of classes. Probabilities are coupled; otherwise the machines vote. */
export const oneVsOneScheme: Scheme = {
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
  /** Returns the smallest margin of the row's class over its pairs. */
  margins(machines, { features, scores }, labels) {
    const winners = predictionsOf(scores);
    const own = ownClasses(labels, winners);
    const smallest = new Float64Array(own.length).fill(1);
    pairsOf(scores.columns).forEach(({ first, second }, machine) => {
      const rows = rowsWhere(own, (k) => k === first || k === second);
      if (rows.length === 0) return;
      machines.margins(machine, features.select(rows)).forEach((margin, i) => {
        const row = rows[i];
        smallest[row] = Math.min(smallest[row], own[row] === first ? margin : -margin);
      });
    });
    return smallest.map((margin, i) => voteMargin(margin, labels[i], winners[i]));
  },
  width: (classes) => (classes * (classes - 1)) / 2,
  errorBound: pairsErrorBound,
};

/** Lists a machine for each pair, with the class that comes first on its first side. */
function pairSides(classes: number): Sides[] {
  return pairsOf(classes).map(({ first, second }) => ({ first: [first], second: [second] }));
}

/**
 * Bounds the error: a row is right if all machines of its class are. The error of machine (i, j) is that on rows of classes i
 * and j, whose share of all rows is π_ij: P(wrong) ≤ Σ π_ij · error_ij ≤ (K − 1) · max error, as Σ π_ij = K − 1.
 */
function pairsErrorBound(errors: readonly number[], classes: number): number {
  return (classes - 1) * errors.reduce((largest, error) => Math.max(largest, error), 0);
}

function pairScores({ scoring }: BinaryMachines, classes: number): PairScores {
  if (scoring === "probability") return coupledProbabilities(classes);
  return classes === 2 ? twoClassScores : votes(pairsOf(classes), classes, "sum");
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

/** Returns the class whose machines give the margin of each row: its own, or the winner if its own is unknown. */
function ownClasses(labels: Int32Array, winners: Int32Array): Int32Array {
  return labels.map((label, i) => (label < 0 ? winners[i] : label));
}

function rowsWhere(own: Int32Array, isMeant: (k: number, row: number) => boolean): number[] {
  const rows: number[] = [];
  own.forEach((k, row) => {
    if (isMeant(k, row)) rows.push(row);
  });
  return rows;
}

/**
 * The decision DAG of J. Platt, N. Cristianini, J. Shawe-Taylor, "Large margin DAGs for multiclass classification" (2000).
 * A node is a list of classes, at first all of them in their order. The machine of the first and the last class eliminates
 * one of them; after K − 1 machines one class is left.
 */
export const dagScheme: Scheme = {
  stage: "pairs of classes",
  sides: pairSides,
  scoring: () => "decision",
  /**
   * Scores classes. The score of an eliminated class is the number of machines evaluated before, minus a share for the value
   * that eliminated it. The class that is left has K − 1, plus a share for its smallest value.
   */
  scores(machines, classes, features) {
    const cells = new Float64Array(features.rows * classes).fill(Infinity);
    const left = walk(machines, classes, features, ({ first, second, rows, values, depth }) => {
      rows.forEach((row, i) => {
        const [winner, loser] = values[i] > 0 ? [first, second] : [second, first];
        const value = Math.abs(values[i]);
        cells[row * classes + loser] = depth - confidenceShare(value);
        cells[row * classes + winner] = Math.min(cells[row * classes + winner], value);
      });
    });
    left.forEach((winner, row) => {
      const smallest = cells[row * classes + winner];
      cells[row * classes + winner] = classes - 1 + confidenceShare(smallest);
    });
    return new Matrix(features.rows, classes, cells);
  },
  /** Returns the smallest margin of the row's class on its path: that of the machine that eliminates it, if one does. */
  margins(machines, { features, scores }, labels) {
    const winners = predictionsOf(scores);
    const own = ownClasses(labels, winners);
    const smallest = new Float64Array(labels.length).fill(1);
    walk(machines, scores.columns, features, ({ machine, first, second, rows }) => {
      const involved = rows.filter((row) => own[row] === first || own[row] === second);
      if (involved.length === 0) return;
      machines.margins(machine, features.select(involved)).forEach((margin, i) => {
        const row = involved[i];
        smallest[row] = Math.min(smallest[row], own[row] === first ? margin : -margin);
      });
    });
    return smallest.map((margin, i) => voteMargin(margin, labels[i], winners[i]));
  },
  width: (classes) => classes,
  evaluated(machines, classes, features) {
    const all: Evaluated[] = [];
    walk(machines, classes, features, ({ machine, rows }) => all.push({ machine, rows }));
    return all;
  },
  errorBound: pairsErrorBound,
};

/** Rows at a node of the DAG, and the values of its machine for them. */
interface DagNode extends Evaluated {
  /** The first and the last class that are left. */
  readonly first: number;
  readonly second: number;
  readonly values: Float64Array;
  /** Number of machines that have predicted these rows before. */
  readonly depth: number;
}

/** Sends rows down the DAG, all rows of a node at once; returns the class that is left for each. */
function walk(
  machines: BinaryMachines,
  classes: number,
  features: Features,
  visit: (node: DagNode) => void,
): Int32Array {
  // Rows by the first class that is left; the last one comes `places` classes after it.
  let groups = [Array.from({ length: features.rows }, (_, row) => row)];
  for (let places = classes - 1; places > 0; places--) {
    const next: number[][] = Array.from({ length: groups.length + 1 }, () => []);
    groups.forEach((group, first) => {
      if (group.length === 0) return;
      const rows = Int32Array.from(group);
      const second = first + places;
      const machine = pairIndex(first, second, classes);
      const values = machines.values(machine, features.select(rows));
      visit({ first, second, machine, rows, values, depth: classes - 1 - places });
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

/** Returns the index of a pair among (0, 1), (0, 2), … (1, 2), … */
function pairIndex(first: number, second: number, classes: number): number {
  return first * classes - (first * (first + 1)) / 2 + second - first - 1;
}

/** A machine for each class against all others; for two classes one machine, as in one-vs-one. */
export const oneVsRestScheme: Scheme = {
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
  /**
   * Returns half of the margin by the machine of the row's class, minus half of that by the machine of the best other class.
   */
  margins(machines, rows, labels) {
    const { features, scores } = rows;
    if (scores.columns === 2) return oneVsOneScheme.margins(machines, rows, labels);
    const winners = predictionsOf(scores);
    const own = ownClasses(labels, winners);
    const rivals = Int32Array.from(own, (k, i) => rivalOf(scores.row(i), k));
    const differences = new Float64Array(own.length);
    for (let machine = 0; machine < scores.columns; machine++) {
      const involved = rowsWhere(own, (k, row) => k === machine || rivals[row] === machine);
      if (involved.length === 0) continue;
      machines.margins(machine, features.select(involved)).forEach((margin, i) => {
        const row = involved[i];
        differences[row] += own[row] === machine ? margin / 2 : -margin / 2;
      });
    }
    return differences.map((difference, i) => voteMargin(difference, labels[i], winners[i]));
  },
  width: (classes) => classes,
  /** Bounds the error: a row is right if all machines are, so P(wrong) ≤ Σ error. */
  errorBound: (errors) => errors.reduce((sum, error) => sum + error, 0),
};

/** Scales the probabilities of the machines to sum to one; all are equal if every machine says 0. */
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

/** Finds the class with the largest score other than the given one. */
function rivalOf(scores: ArrayLike<number>, own: number): number {
  const others = Array.from(scores);
  others[own] = Number.NEGATIVE_INFINITY;
  return indexOfLargest(others);
}
