import type { Learner } from "../learners/learner.js";
import type { Model } from "../learners/model.js";
import { predictionsOf } from "../learners/scores.js";
import { Matrix } from "../runtime/maths/matrix.js";
import type { Run } from "../runtime/parallel/run.js";
import { foldsOf, mostFolds, type RowsToSplit } from "../table/row-splits.js";
import { type Split, stratifiedSubsample } from "../table/splits.js";
import { subsampled } from "../table/subsample.js";
import type { Labelled } from "../table/target.js";
import { runTrials } from "./run-trials.js";
import type { ClassifiedFold, ClassifiedTest } from "./trial.js";

/** Training rows as classified by models that did not see them. */
export interface OutOfFold {
  readonly labels: Int32Array;
  readonly predictions: Int32Array;
  readonly scores: Matrix;
  readonly scoring: "probability" | "decision";
  /** Group of each row, if rows of a group are not independent. */
  readonly groups?: Int32Array | undefined;
  /** Whether the rows come from folds or from the bags of a forest. */
  readonly from: "folds" | "bags";
}

/** Results and times of earlier fits of a learner. */
interface KnownFits {
  readonly known?: readonly ClassifiedTest[] | undefined;
  readonly fitSeconds?: number | undefined;
}

/**
 * Number of rows that suffices to calibrate probabilities and choose thresholds; with more, not all folds are fitted.
 */
const ENOUGH_ROWS = 2000;

/** Number of folds of the rows. */
export const CALIBRATION_FOLDS = 5;

/** Returns the number of fits for out-of-fold scores: all folds of few rows, one fold of many. */
export function outOfFoldFits(rows: number): number {
  return Math.max(
    1,
    Math.min(CALIBRATION_FOLDS, Math.ceil((CALIBRATION_FOLDS * ENOUGH_ROWS) / Math.max(1, rows))),
  );
}

/**
 * Larger data are subsampled with stratification before folding; that takes a small share of the fit's time and
 * calibrates as well.
 */
const MOST_ROWS = 100_000;

/** Maximum number of test rows to score per fold. */
export const MOST_TEST_ROWS = 20_000;

/** Returns the folds for choosing learners and calibrating probabilities. */
export function calibrationFolds(data: RowsToSplit, count: number, seed: number): readonly Split[] {
  const { labels, groups, times } = data;
  const most = groups || times ? Math.max(2, Math.min(count, mostFolds(data))) : count;
  const { folds } = foldsOf(data, most, seed);
  if (!times) return folds;
  // The first rows may all belong to one class, which no learner can be fitted to. By time, the last folds train on the
  // most rows.
  const fit = folds.filter(({ train }) => new Set(train.map((row) => labels[row])).size > 1);
  return (fit.length > 0 ? fit : folds).toReversed();
}

/**
 * Scores training rows by models that did not see them: each fold by a model of the other folds. With many rows only
 * some folds are scored, because a few thousand rows determine a calibration; of more than 100,000 rows, a subsample is
 * divided into folds. Folds respect groups and time. `known` are results of the first folds of all rows, if they were
 * fitted before; `fitSeconds` is the expected time of a fit.
 */
export async function outOfFoldScores(
  learner: Learner,
  allRows: Labelled,
  run: Run,
  { known = [], fitSeconds }: KnownFits = {},
): Promise<OutOfFold | undefined> {
  const data = known.length > 0 ? allRows : subsampled(allRows, MOST_ROWS, run.seed);
  const { labels, classes } = data;
  if (labels.length < CALIBRATION_FOLDS) return undefined;
  const folds = calibrationFolds(data, CALIBRATION_FOLDS, run.seed).slice(0, outOfFoldFits(labels.length));
  const used = folds.map(({ train, test }) => ({
    train,
    test: stratifiedSubsample(test, labels, MOST_TEST_ROWS, run.seed),
  }));
  const divisions = used.slice(known.length).map((split) => ({ data, ...split }));
  const share = labels.length / allRows.labels.length;
  const options = {
    scores: Number.POSITIVE_INFINITY,
    fitSeconds: fitSeconds === undefined ? undefined : share * fitSeconds,
    together: true,
  };
  const trials = await runTrials([learner], divisions, "calibrating", run, options);
  const parts = [...known.slice(0, used.length), ...trials.flatMap(([{ classified }]) => classified ?? [])];
  return joinOutOfFold(
    parts.map((part, i) => ({ ...part, tested: used[i].test })),
    classes.length,
    data.groups,
  );
}

/**
 * Joins the results of folds. If the indices of the tested rows are given, a row tested by several folds counts once.
 */
export function joinOutOfFold(
  parts: readonly ClassifiedFold[],
  classes: number,
  groups?: Int32Array,
): OutOfFold | undefined {
  const [first] = parts;
  if (!first) return undefined;
  const rows = parts.reduce((sum, { labels }) => sum + labels.length, 0);
  const seen = new Uint8Array(largestRow(parts) + 1);
  const joined = {
    labels: new Int32Array(rows),
    predictions: new Int32Array(rows),
    scores: new Float64Array(rows * classes),
    groups: new Int32Array(groups ? rows : 0),
  };
  let count = 0;
  for (const { labels, predictions, scores, tested } of parts) {
    for (let i = 0; i < labels.length; i++) {
      const row = tested?.[i] ?? -1;
      if (row >= 0) {
        if (seen[row] === 1) continue;
        seen[row] = 1;
      }
      joined.labels[count] = labels[i];
      joined.predictions[count] = predictions[i];
      for (let k = 0; k < classes; k++) joined.scores[count * classes + k] = scores[i * classes + k];
      if (groups) joined.groups[count] = groups[row];
      count++;
    }
  }
  return {
    labels: joined.labels.slice(0, count),
    predictions: joined.predictions.slice(0, count),
    scores: new Matrix(count, classes, joined.scores.slice(0, count * classes)),
    scoring: first.scoring,
    ...(groups && { groups: joined.groups.slice(0, count) }),
    from: "folds",
  };
}

/** Finds the largest index of a tested row; −1 if there is none. */
function largestRow(parts: readonly ClassifiedFold[]): number {
  let largest = -1;
  for (const { tested = new Int32Array(0) } of parts) {
    for (let i = 0; i < tested.length; i++) if (tested[i] > largest) largest = tested[i];
  }
  return largest;
}

/**
 * Returns the scores of training rows by parts of a model that did not see them: the out-of-bag scores of a forest,
 * without rows that all trees have seen, or the out-of-fold scores of an ensemble; undefined for other models.
 */
export function unseenRows(model: Model, { labels, groups, times }: Labelled): OutOfFold | undefined {
  const { outOfBagScores, outOfFoldScores, scoring } = model;
  const scores = outOfBagScores ?? outOfFoldScores;
  // Bags and folds are drawn by row, so trees and members have seen other rows of the same group, and later ones.
  if (!scores || groups || times || scores.rows !== labels.length) return undefined;
  const { columns, values } = scores;
  const rows = Int32Array.from(labels, (_, row) => row).filter((row) =>
    values.subarray(row * columns, (row + 1) * columns).some((score) => score !== 0),
  );
  if (rows.length === 0) return undefined;
  const own = scores.select(rows);
  return {
    labels: rows.map((row) => labels[row]),
    predictions: predictionsOf(own),
    scores: own,
    scoring,
    from: outOfBagScores ? "bags" : "folds",
  };
}
