import { chooseRule, derivedRule } from "../metrics/choose-rule.js";
import { type DecisionRule, predictionsBy } from "../metrics/decision-rule.js";
import { metricFacts } from "../metrics/metric-name.js";
import { type Objective, rowLosses } from "../metrics/objective-metric.js";
import { Matrix } from "../runtime/maths/matrix.js";
import { evenRows } from "../table/even-rows.js";
import { fitMethod, prepareScores } from "./calibrator-solvers.js";
import type { ClassifiedFold, ClassifiedTest } from "./trial.js";

/**
 * Maximum number of rows × classes for fitting a calibration and a rule, but at least 2,000 rows; every candidate needs
 * them.
 */
const MOST_CELLS = 100_000;
const LEAST_ROWS = 2000;

/**
 * Computes the losses of every test row of a learner under an objective, fold by fold. The learner is judged as it
 * would be used: with calibrated probabilities and, if the metric judges predictions, with thresholds for that metric.
 * Both are fitted to the other folds, so that no row judges a threshold that it has chosen; a single fold is divided in
 * two. Repeated folds test rows again; these do not count for their own rules if `tested` identifies them.
 */
export function foldLosses(
  objective: Objective,
  folds: readonly ClassifiedFold[],
  classes: number,
): Float64Array[] {
  const { metric } = objective;
  const { judges } = metricFacts(metric);
  if (metric === "error" || judges === "scores") {
    return folds.map(({ labels, predictions, scores }) =>
      rowLosses(objective, { labels, predictions, scores: new Matrix(labels.length, classes, scores) }),
    );
  }
  if (folds.length === 1) return [lossesOfHalves(objective, folds[0], classes)];
  return folds.map((fold, f) => {
    const own = new Set(fold.tested);
    const others = joinedFolds(
      folds.filter((_, other) => other !== f).map((other) => besides(own, other, classes)),
    );
    const { predictions, probabilities } = crossDecided(objective, fold, others, classes);
    return rowLosses(objective, { labels: fold.labels, predictions, scores: probabilities });
  });
}

/** Drops some rows of a fold. */
function besides(excluded: ReadonlySet<number>, fold: ClassifiedFold, classes: number): ClassifiedTest {
  const { tested } = fold;
  if (!tested?.some((row) => excluded.has(row))) return fold;
  const kept = Int32Array.from(tested.keys()).filter((i) => !excluded.has(tested[i]));
  return pick(fold, kept, classes);
}

/** Classifies rows with a calibration and a rule fitted to other rows. */
function crossDecided(
  objective: Objective,
  rows: ClassifiedTest,
  all: ClassifiedTest,
  classes: number,
): { readonly predictions: Int32Array; readonly probabilities: Matrix } {
  const most = Math.max(LEAST_ROWS, Math.floor(MOST_CELLS / classes));
  const others = all.labels.length <= most ? all : pick(all, evenRows(all.labels.length, most), classes);
  const scoresOf = ({ labels, scores }: ClassifiedTest) => new Matrix(labels.length, classes, scores);
  const known = scoresOf(others);
  const prepared = prepareScores(known, others.scoring, others.labels);
  const calibrator = fitMethod("platt", prepared, new Float64Array(known.rows).fill(1));
  const rule = ruleFor(objective, others, calibrator.probabilities(known));
  const probabilities = calibrator.probabilities(scoresOf(rows));
  return { probabilities, predictions: predictionsBy(rule, probabilities, () => rows.predictions) };
}

/** With more than two classes, a search for a better rule would take longer than many fits. */
function ruleFor(objective: Objective, rows: ClassifiedTest, probabilities: Matrix): DecisionRule {
  const choose = probabilities.columns === 2 ? chooseRule : derivedRule;
  return choose(objective, { ...rows, probabilities });
}

/** Divides the rows of a fold in two halves that decide each other, and computes the losses of both. */
function lossesOfHalves(objective: Objective, fold: ClassifiedTest, classes: number): Float64Array {
  const parts = [0, 1].map((half) => Int32Array.from(fold.labels, (_, i) => i).filter((i) => i % 2 === half));
  const halves = parts.map((rows) => pick(fold, rows, classes));
  const predictions = new Int32Array(fold.labels.length);
  const probabilities = new Matrix(fold.labels.length, classes);
  parts.forEach((rows, half) => {
    const own = crossDecided(objective, halves[half], halves[1 - half], classes);
    rows.forEach((row, i) => {
      predictions[row] = own.predictions[i];
      probabilities.row(row).set(own.probabilities.row(i));
    });
  });
  return rowLosses(objective, { labels: fold.labels, predictions, scores: probabilities });
}

function pick(
  { labels, predictions, scores, scoring }: ClassifiedTest,
  rows: Int32Array,
  classes: number,
): ClassifiedTest {
  return {
    labels: rows.map((row) => labels[row]),
    predictions: rows.map((row) => predictions[row]),
    scores: Float64Array.from(new Matrix(labels.length, classes, scores).select(rows).values),
    scoring,
  };
}

/** Joins the rows of several folds. */
export function joinedFolds(folds: readonly ClassifiedTest[]): ClassifiedTest {
  const rows = folds.reduce((sum, { labels }) => sum + labels.length, 0);
  const cells = folds.reduce((sum, { scores }) => sum + scores.length, 0);
  const all = {
    labels: new Int32Array(rows),
    predictions: new Int32Array(rows),
    scores: new Float64Array(cells),
    scoring: folds[0].scoring,
  };
  let row = 0;
  let cell = 0;
  for (const { labels, predictions, scores } of folds) {
    all.labels.set(labels, row);
    all.predictions.set(predictions, row);
    all.scores.set(scores, cell);
    row += labels.length;
    cell += scores.length;
  }
  return all;
}
